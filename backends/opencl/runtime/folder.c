/* SPDX-License-Identifier: MIT */
#include "backends/opencl/runtime/folder.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"

#define POCL_FOLDER "POCL_CACHE_DIR"

/* A variable that is set to something, else NULL. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

bool bench_opencl_folder_own(char *out, size_t size)
{
	const char *own = variable("BENCH_CACHE_DIR"), *xdg = variable("XDG_CACHE_HOME"),
		   *home = variable("HOME");
	if (own)
		return snprintf(out, size, "%s", own) < (int)size;
	/* The XDG specification: a relative path is invalid and to be ignored. */
	if (xdg && *xdg == '/')
		return bench_file_join(out, size, xdg, "bench");
	return home && bench_file_join(out, size, home, ".cache/bench");
}

/* Makes the folder that `path` is in. */
static void make_parents(const char *path)
{
	char parent[PATH_MAX];
	const char *slash = strrchr(path, '/');
	if (!slash || slash == path || slash - path >= PATH_MAX)
		return;
	snprintf(parent, sizeof(parent), "%.*s", (int)(slash - path), path);
	bench_file_make_folder(parent, NULL);
}

int bench_opencl_folder_open(const char *path)
{
	struct stat status;
	make_parents(path);
	mkdir(path, 0700);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
	    !(status.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Is it a folder of this user's alone, in which files can be made? */
static bool is_usable(const char *path)
{
	int fd = bench_opencl_folder_open(path);
	if (fd < 0)
		return false;
	close(fd);
	return bench_file_check_writable(path, NULL) == 0;
}

/* The folder that PoCL takes if it is told none; without a home one in /tmp, which any user may have made. */
static bool pocl_default(char *out, size_t size)
{
	const char *xdg = variable("XDG_CACHE_HOME"), *home = variable("HOME");
	return xdg ? bench_file_join(out, size, xdg, "pocl/kcache")
		   : home && bench_file_join(out, size, home, ".cache/pocl/kcache");
}

/* A folder for PoCL that is not its default one. */
static bool find_other(char *out, size_t size)
{
	char own[PATH_MAX];
	const char *temporary = variable("TMPDIR");
	if (bench_opencl_folder_own(own, sizeof(own)) && bench_file_join(out, size, own, "pocl") &&
	    is_usable(out))
		return true;
	/* The one around it must be ours as well, in a folder that all may write in: PoCL goes by the path.
	 */
	return snprintf(own, sizeof(own), "%s/bench-%lu", temporary ? temporary : "/tmp",
			(unsigned long)geteuid()) < (int)sizeof(own) &&
	       is_usable(own) && bench_file_join(out, size, own, "pocl") && is_usable(out);
}

const char *bench_opencl_folder_for_pocl(bool *found)
{
	static char note[256];
	char path[PATH_MAX];
	*found = true;
	if (variable(POCL_FOLDER) || (pocl_default(path, sizeof(path)) && is_usable(path)))
		return note; /* of the first call, if that has set it */
	*found = find_other(path, sizeof(path)) && setenv(POCL_FOLDER, path, 1) == 0;
	if (*found)
		snprintf(note, sizeof(note),
			 "PoCL keeps its kernels in %.160s: its own folder cannot be used", path);
	return *found ? note : "";
}
