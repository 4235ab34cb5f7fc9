/* SPDX-License-Identifier: MIT */
/* Files that users name stay what they are; what a killed process has left of one goes with the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "scratch.h"

static const char *path_in(void **state, const char *name)
{
	static char paths[8][512];
	static size_t next;
	char *path = paths[next++ % 8];
	snprintf(path, sizeof(paths[0]), "%s/%s", (char *)*state, name);
	return path;
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
}

static void update(const char *path, const char *text)
{
	struct bench_error error;
	if (bench_file_update(path, text, strlen(text), &error) != 0)
		fail_msg("%s", error.text);
}

static void refuses(const char *path, const char *words)
{
	struct bench_error error;
	assert_int_equal(bench_file_update(path, "x", 1, &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	if (!strstr(error.text, words) || !strstr(error.text, path))
		fail_msg("'%s' lacks '%s' or the path", error.text, words);
}

static void holds(const char *path, const char *text)
{
	char *data;
	size_t length;
	struct bench_error error;
	if (bench_file_read(path, 1 << 20, &data, &length, &error) != 0)
		fail_msg("%s", error.text);
	assert_string_equal(data, text);
	free(data);
}

static size_t count_files(const char *folder)
{
	size_t count = 0;
	DIR *entries = opendir(folder);
	while (readdir(entries))
		count++;
	closedir(entries);
	return count - 2;
}

static void symbolic_links_stay_links(void **state)
{
	char there[PATH_MAX];
	struct stat status;
	assert_int_equal(mkdir(path_in(state, "below"), 0700), 0);
	put(path_in(state, "below/file"), "one");
	assert_int_equal(symlink("file", path_in(state, "below/first")), 0);
	assert_int_equal(symlink("below/first", path_in(state, "second")), 0);
	update(path_in(state, "second"), "two");
	assert_int_equal(lstat(path_in(state, "second"), &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(lstat(path_in(state, "below/first"), &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	holds(path_in(state, "below/file"), "two");
	/* One that leads to nothing makes what it leads to. */
	snprintf(there, sizeof(there), "%s/new", (char *)*state);
	assert_int_equal(symlink(there, path_in(state, "dangling")), 0);
	update(path_in(state, "dangling"), "three");
	holds(there, "three");
	assert_int_equal(symlink("loop", path_in(state, "loop")), 0);
	refuses(path_in(state, "loop"), strerror(ELOOP));
	/* A file of this program's own is no link: it takes the link's place, and the target is left alone.
	 */
	struct bench_error error;
	assert_int_equal(bench_file_write(path_in(state, "second"), "own", 3, &error), 0);
	holds(path_in(state, "below/file"), "two");
	assert_int_equal(lstat(path_in(state, "second"), &status), 0);
	assert_true(S_ISREG(status.st_mode));
}

static void other_names_modes_and_owners_stay(void **state)
{
	struct stat status;
	const char *file = path_in(state, "file");
	put(file, "one, and rather long");
	assert_int_equal(link(file, path_in(state, "other")), 0);
	update(file, "two");
	holds(path_in(state, "other"), "two");
	update(file, "three, and rather long");
	holds(path_in(state, "other"), "three, and rather long");
	assert_int_equal(unlink(path_in(state, "other")), 0);
	assert_int_equal(chmod(file, 0640), 0);
	if (geteuid() == 0)
		assert_int_equal(chown(file, 12, 34), 0);
	update(file, "four");
	holds(file, "four");
	assert_int_equal(stat(file, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0640);
	if (geteuid() == 0)
		assert_true(status.st_uid == 12 && status.st_gid == 34);
	assert_int_equal(count_files(*state), 1);
}

static void what_is_no_file_is_refused_without_waiting(void **state)
{
	struct bench_file_lock lock;
	struct bench_error error;
	assert_int_equal(mkfifo(path_in(state, "pipe"), 0600), 0);
	refuses(path_in(state, "pipe"), "not a regular file");
	refuses("/dev/null", "not a regular file");
	refuses(*state, strerror(EISDIR));
	refuses(path_in(state, "no/such/folder"), strerror(ENOENT));
	refuses(path_in(state, "pipe/below"), strerror(ENOTDIR));
	char *name = malloc(301);
	memset(name, 'n', 300);
	name[300] = '\0';
	refuses(path_in(state, name), strerror(ENAMETOOLONG));
	free(name);
	assert_int_equal(bench_file_lock(path_in(state, "pipe"), &lock, &error), -1);
	assert_non_null(strstr(error.text, "not a regular file"));
	assert_int_equal(bench_file_lock(*state, &lock, &error), -1);
	assert_non_null(strstr(error.text, strerror(EISDIR)));
	put(path_in(state, "read-only"), "x");
	assert_int_equal(chmod(path_in(state, "read-only"), 0400), 0);
	if (geteuid() != 0)
		refuses(path_in(state, "read-only"), strerror(EACCES));
}

/* Temporary files of processes that are gone; those of one that is there, and files that look alike, stay. */
static void leftovers_are_removed_by_the_next_writer(void **state)
{
	struct bench_error error;
	put(path_in(state, ".file.bench-dead00"), "half");
	put(path_in(state, ".file.bench-alive0"), "half");
	put(path_in(state, ".file.bench-longer0"), "mine");
	put(path_in(state, ".files.bench-dead00"), "of another");
	int alive = open(path_in(state, ".file.bench-alive0"), O_RDWR);
	assert_int_equal(flock(alive, LOCK_EX), 0);
	assert_int_equal(bench_file_write(path_in(state, "file"), "x", 1, &error), 0);
	assert_int_not_equal(access(path_in(state, ".file.bench-dead00"), F_OK), 0);
	assert_int_equal(access(path_in(state, ".file.bench-alive0"), F_OK), 0);
	assert_int_equal(count_files(*state), 4);
	close(alive);
	update(path_in(state, "file"), "y");
	assert_int_equal(count_files(*state), 3);
}

/* As where a log is appended to: each reads, changes and writes back. */
static void processes_that_change_a_file_wait_for_one_another(void **state)
{
	enum { PROCESSES = 8, TIMES = 10 };
	const char *file = path_in(state, "file");
	pid_t children[PROCESSES];
	for (size_t i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		for (size_t time = 0; children[i] == 0 && time < TIMES; time++) {
			struct bench_file_lock lock;
			char *data;
			size_t length;
			if (bench_file_lock(file, &lock, NULL) != 0 ||
			    bench_file_read(file, 1 << 20, &data, &length, NULL) != 0)
				_exit(1);
			data[length++] = 'x'; /* over the NUL */
			if (bench_file_update(file, data, length, NULL) != 0)
				_exit(1);
			free(data);
			bench_file_unlock(file, &lock, true);
		}
		if (children[i] == 0)
			_exit(0);
	}
	for (size_t i = 0; i < PROCESSES; i++) {
		int status;
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	struct stat status;
	assert_int_equal(stat(file, &status), 0);
	assert_int_equal(status.st_size, PROCESSES * TIMES);
	assert_int_equal(count_files(*state), 1);
}

static void a_file_that_the_lock_made_goes_where_nothing_was_written(void **state)
{
	struct bench_file_lock lock;
	struct bench_error error;
	const char *file = path_in(state, "file");
	assert_int_equal(bench_file_lock(file, &lock, &error), 0);
	bench_file_unlock(file, &lock, false);
	assert_int_equal(count_files(*state), 0);
	put(file, "");
	assert_int_equal(bench_file_lock(file, &lock, &error), 0);
	bench_file_unlock(file, &lock, false);
	assert_int_equal(count_files(*state), 1);
}

/* A disk that becomes full, as a limit of this process. */
static void a_line_is_appended_whole_or_not_at_all(void **state)
{
	const char *file = path_in(state, "file");
	int fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
	assert_int_equal(bench_file_append(fd, "first\n", 6), 0);
	pid_t child = fork();
	if (child == 0) {
		const struct rlimit limit = {10, 10};
		signal(SIGXFSZ, SIG_IGN);
		if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || bench_file_append(fd, "second\n", 7) != -1 ||
		    errno != EFBIG)
			_exit(1);
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(bench_file_append(fd, "third\n", 6), 0);
	close(fd);
	holds(file, "first\nthird\n");
}

/* The cause is that of the call that failed, and not of what was asked afterwards. */
static void the_cause_is_said(void **state)
{
	struct bench_error error;
	(void)state;
	assert_int_equal(bench_file_make_folder("/proc/self/nothing", &error), -1);
	assert_non_null(strstr(error.text, strerror(ENOENT)));
	assert_int_equal(bench_file_make_folder("/sys/nothing", &error), -1);
	assert_null(strstr(error.text, strerror(ENOENT)));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		in_scratch(symbolic_links_stay_links),
		in_scratch(other_names_modes_and_owners_stay),
		in_scratch(what_is_no_file_is_refused_without_waiting),
		in_scratch(leftovers_are_removed_by_the_next_writer),
		in_scratch(processes_that_change_a_file_wait_for_one_another),
		in_scratch(a_file_that_the_lock_made_goes_where_nothing_was_written),
		in_scratch(a_line_is_appended_whole_or_not_at_all),
		in_scratch(the_cause_is_said),
	};
	(void)argc;
	(void)argv;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
