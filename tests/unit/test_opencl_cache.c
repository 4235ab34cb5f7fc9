/* SPDX-License-Identifier: MIT */
/* The cache of compiled programs: whose entries are loaded, what damage does, what a crash leaves. No device.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "backends/opencl/runtime/cache.h"
#include "core/file.h"
#include "scratch.h"

#define KEY    "file: x.cl\noptions: -DA=1\nsource:\n__kernel void x() {}"
#define BINARY "not what a driver would take, but whole"

static char folder[256], programs[512], entry[PATH_MAX];

/* The only file of the cache with this end of its name; false: there is none. */
static bool find_file(const char *end, char *path)
{
	DIR *files = opendir(programs);
	bool found = false;
	for (const struct dirent *file; files && (file = readdir(files));) {
		size_t length = strlen(file->d_name);
		if (*file->d_name == '.' || length < strlen(end) ||
		    strcmp(file->d_name + length - strlen(end), end) != 0)
			continue;
		assert_false(found);
		assert_true(bench_file_join(path, PATH_MAX, programs, file->d_name));
		found = true;
	}
	if (files)
		closedir(files);
	return found;
}

static void put(const char *path, const char *data, size_t length)
{
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static size_t count_files(void)
{
	DIR *files = opendir(programs);
	size_t count = 0;
	assert_non_null(files);
	for (const struct dirent *file; (file = readdir(files));)
		count += *file->d_name != '.';
	closedir(files);
	return count;
}

static bool found(const char *key)
{
	struct bench_opencl_cached cached;
	if (!bench_opencl_cache_load(key, &cached))
		return false;
	assert_int_equal(cached.bytes, strlen(BINARY));
	assert_memory_equal(cached.binary, BINARY, cached.bytes);
	bench_opencl_cache_settle(&cached, true);
	return true;
}

static void store(void)
{
	bench_opencl_cache_store(KEY, (const unsigned char *)BINARY, strlen(BINARY));
	assert_true(find_file(".clbin", entry));
}

static int use_scratch(void **state)
{
	if (make_scratch(state) != 0)
		return -1;
	snprintf(folder, sizeof(folder), "%s/cache", (char *)*state);
	snprintf(programs, sizeof(programs), "%s/programs", folder);
	unsetenv("BENCH_PROGRAM_CACHE");
	return setenv("BENCH_CACHE_DIR", folder, 1);
}

static void what_was_stored_is_found_by_its_key_alone(void **state)
{
	(void)state;
	assert_false(found(KEY));
	store();
	assert_true(found(KEY));
	assert_true(found(KEY));
	assert_false(found(KEY " "));
	setenv("BENCH_PROGRAM_CACHE", "off", 1);
	assert_false(bench_opencl_cache_on());
	assert_false(found(KEY));
	unsetenv("BENCH_PROGRAM_CACHE");
	assert_true(found(KEY));
	assert_int_equal(count_files(), 1);
}

static void files_are_for_their_user_alone_whatever_the_umask(void **state)
{
	(void)state;
	struct stat status;
	mode_t before = umask(0);
	store();
	umask(before);
	assert_int_equal(stat(programs, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	assert_int_equal(stat(entry, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
}

static void a_folder_or_an_entry_that_others_can_write_is_not_used(void **state)
{
	(void)state;
	static const mode_t open_to_others[] = {0020, 0002, 0022};
	for (size_t i = 0; i < sizeof(open_to_others) / sizeof(*open_to_others); i++) {
		store();
		assert_int_equal(chmod(programs, 0700 | open_to_others[i]), 0);
		assert_false(found(KEY));
		bench_opencl_cache_store(KEY "2", (const unsigned char *)BINARY, strlen(BINARY));
		assert_int_equal(count_files(), 1);
		assert_int_equal(chmod(programs, 0700), 0);
		assert_true(found(KEY));
		assert_int_equal(chmod(entry, 0600 | open_to_others[i]), 0);
		assert_false(found(KEY));
		store(); /* over it */
		assert_true(found(KEY));
	}
}

static void what_another_user_owns_is_not_used(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: only root can give files away\n");
		skip();
	}
	store();
	assert_int_equal(chown(entry, 65534, (gid_t)-1), 0);
	assert_false(found(KEY));
	store();
	assert_true(found(KEY));
	assert_int_equal(chown(programs, 65534, (gid_t)-1), 0);
	assert_false(found(KEY));
	assert_int_equal(chown(programs, 0, (gid_t)-1), 0);
	assert_true(found(KEY));
}

static void links_are_not_followed_and_a_pipe_does_not_block(void **state)
{
	(void)state;
	char other[PATH_MAX];
	snprintf(other, sizeof(other), "%s.other", programs);
	store();
	assert_int_equal(rename(entry, other), 0);
	assert_int_equal(symlink(other, entry), 0);
	assert_false(found(KEY));
	assert_int_equal(unlink(entry), 0);
	assert_int_equal(mkfifo(entry, 0600), 0);
	assert_false(found(KEY));
	store(); /* in place of the pipe */
	assert_true(found(KEY));
	assert_int_equal(unlink(other), 0);
	assert_int_equal(rename(programs, other), 0);
	assert_int_equal(symlink(other, programs), 0);
	assert_false(found(KEY));
}

/* A changed bit anywhere, a cut anywhere, something after the end. */
static void a_damaged_entry_never_reaches_the_driver(void **state)
{
	(void)state;
	char *data;
	size_t length;
	store();
	assert_int_equal(bench_file_read(entry, 1 << 20, &data, &length, NULL), 0);
	for (size_t i = 0; i < length; i++) {
		const char flip = (char)(1 << i % 8);
		data[i] ^= flip;
		put(entry, data, length);
		data[i] ^= flip;
		assert_false(found(KEY));
		assert_int_equal(count_files(), 0); /* and is gone */
		put(entry, data, i);
		assert_false(found(KEY));
	}
	data = realloc(data, length + 1);
	assert_non_null(data);
	data[length] = '\0';
	put(entry, data, length + 1);
	assert_false(found(KEY));
	put(entry, data, length);
	assert_true(found(KEY));
	free(data);
}

static void an_entry_under_the_name_of_another_is_a_miss(void **state)
{
	(void)state;
	char other[PATH_MAX];
	store();
	snprintf(other, sizeof(other), "%s", entry);
	assert_int_equal(unlink(entry), 0);
	bench_opencl_cache_store(KEY "2", (const unsigned char *)BINARY, strlen(BINARY));
	assert_true(find_file(".clbin", entry));
	assert_int_equal(rename(entry, other), 0);
	assert_false(found(KEY));
}

/* As a driver that crashes on a binary does. */
static void try_and_die(void)
{
	pid_t child = fork();
	int status;
	assert_true(child >= 0);
	if (child == 0) {
		struct bench_opencl_cached cached;
		_exit(bench_opencl_cache_load(KEY, &cached) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void an_entry_that_a_process_died_of_is_not_tried_again(void **state)
{
	(void)state;
	char trying[PATH_MAX];
	store();
	try_and_die();
	assert_true(find_file(".trying", trying));
	assert_false(found(KEY));
	assert_int_equal(count_files(), 0);
	store();
	assert_true(found(KEY));
	/* One that was made anew meanwhile is another. */
	try_and_die();
	store();
	assert_true(found(KEY));
	assert_int_equal(count_files(), 1);
}

static void several_may_try_one_entry_at_once(void **state)
{
	(void)state;
	struct bench_opencl_cached first, second;
	store();
	assert_true(bench_opencl_cache_load(KEY, &first));
	assert_true(bench_opencl_cache_load(KEY, &second));
	bench_opencl_cache_settle(&first, true);
	assert_true(found(KEY));
	bench_opencl_cache_settle(&second, true);
	assert_true(found(KEY));
	assert_true(bench_opencl_cache_load(KEY, &first));
	bench_opencl_cache_settle(&first, false); /* the driver refused it */
	assert_false(found(KEY));
	assert_int_equal(count_files(), 0);
}

static void what_a_killed_writer_left_is_removed(void **state)
{
	(void)state;
	char path[PATH_MAX + 32];
	static const char *const names[] = {"old.clbin.tmp-1", "new.clbin.tmp-2"};
	const struct timespec old[2] = {{.tv_sec = time(NULL) - 7200}, {.tv_sec = time(NULL) - 7200}};
	store();
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", programs, names[i]);
		put(path, "x", 1);
		if (i == 0)
			assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	}
	store();
	assert_int_equal(count_files(), 2); /* the entry, and what somebody may be writing */
}

static void a_folder_that_cannot_be_made_is_no_cache(void **state)
{
	(void)state;
	setenv("BENCH_CACHE_DIR", "/dev/null/cache", 1);
	bench_opencl_cache_store(KEY, (const unsigned char *)BINARY, strlen(BINARY));
	assert_false(found(KEY));
}

#define in_cache(test) cmocka_unit_test_setup_teardown(test, use_scratch, remove_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_cache(what_was_stored_is_found_by_its_key_alone),
		in_cache(files_are_for_their_user_alone_whatever_the_umask),
		in_cache(a_folder_or_an_entry_that_others_can_write_is_not_used),
		in_cache(what_another_user_owns_is_not_used),
		in_cache(links_are_not_followed_and_a_pipe_does_not_block),
		in_cache(a_damaged_entry_never_reaches_the_driver),
		in_cache(an_entry_under_the_name_of_another_is_a_miss),
		in_cache(an_entry_that_a_process_died_of_is_not_tried_again),
		in_cache(several_may_try_one_entry_at_once),
		in_cache(what_a_killed_writer_left_is_removed),
		in_cache(a_folder_that_cannot_be_made_is_no_cache),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
