/* SPDX-License-Identifier: MIT */
#include "machine/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/text.h"

int bench_machine_sysfs_text(const char *path, char *out, size_t size, struct bench_error *error)
{
	FILE *file = bench_file_open(path);
	errno = file ? 0 : errno;
	size_t length = file ? fread(out, 1, size - 1, file) : 0;
	int cause = !file || ferror(file) ? errno : 0;
	if (file)
		fclose(file);
	out[cause ? 0 : length] = '\0';
	/* ENODEV, ENODATA: the kernel has the file, but nothing behind it. */
	if (cause == ENOENT || cause == ENOTDIR || cause == ENODEV || cause == ENODATA)
		return bench_fail(error, BENCH_NOTHING, "there is no %s", path);
	if (cause)
		return bench_fail(error, BENCH_UNSUPPORTED, "cannot read %s: %s", path, strerror(cause));
	while (length > 0 && isspace((unsigned char)out[length - 1]))
		length--;
	out[length] = '\0';
	return 0;
}

int bench_machine_sysfs_number(const char *path, double *value, struct bench_error *error)
{
	char text[64];
	if (bench_machine_sysfs_text(path, text, sizeof(text), error) != 0)
		return -1;
	if (bench_text_real(text, value) && *value >= 0)
		return 0;
	return bench_fail(error, BENCH_UNSUPPORTED, "%s holds no number: '%.40s'", path, text);
}

static int by_number(const void *left, const void *right)
{
	size_t a = strlen(left), b = strlen(right);
	return a != b ? (a > b) - (a < b) : strcmp(left, right);
}

size_t bench_machine_sysfs_names(const char *folder, const char *prefix, char (*names)[BENCH_SYSFS_NAME],
				 size_t most)
{
	BENCH_SCOPED_FOLDER *listing = bench_file_open_folder(folder);
	const struct dirent *entry;
	size_t count = 0;
	while (listing && count < most && (entry = readdir(listing)))
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 &&
		    strlen(entry->d_name) < BENCH_SYSFS_NAME)
			snprintf(names[count++], BENCH_SYSFS_NAME, "%.*s", BENCH_SYSFS_NAME - 1,
				 entry->d_name);
	if (count > 1)
		qsort(names, count, sizeof(*names), by_number);
	return count;
}
