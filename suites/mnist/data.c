/* SPDX-License-Identifier: MIT */
#include "suites/mnist/data.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/clock.h"
#include "core/file.h"
#include "suites/mnist/digits.h"
#include "suites/mnist/idx.h"

_Static_assert(BENCH_MNIST_PIXELS == (int)BENCH_DIGIT_PIXELS, "drawn images have the size of those read");

/* The test images of a seed are those of its series from here on. */
#define TEST_INDEX (UINT64_C(1) << 32)

enum { TRAIN_IMAGES, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS, FILES };

/* The files of MNIST, with the CRC-32 of what they hold. */
static const struct {
	const char *name;
	unsigned rank;
	uint32_t crc;
} files[FILES] = {
	[TRAIN_IMAGES] = {"train-images-idx3-ubyte", 3, 0xe9f4d8b3},
	[TRAIN_LABELS] = {"train-labels-idx1-ubyte", 1, 0xe0cb4ad2},
	[TEST_IMAGES] = {"t10k-images-idx3-ubyte", 3, 0x91373bdf},
	[TEST_LABELS] = {"t10k-labels-idx1-ubyte", 1, 0x4ab9eff9},
};

/* Is it there? A folder of the name is passed over: archives are unpacked into such. */
static bool is_file(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* The file, by the name of its first publisher or with a dot for the second dash; either of them compressed.
 */
static int find_file(const char *folder, const char *name, char *path, struct bench_error *error)
{
	static const char *const ends[] = {".gz", ""};
	const char *kind = strstr(name, "-idx");
	for (size_t i = 0; i < 4; i++) {
		char file[64];
		snprintf(file, sizeof(file), "%.*s%c%s%s", (int)(kind - name), name, i < 2 ? '-' : '.',
			 kind + 1, ends[i % 2]);
		if (!bench_file_join(path, PATH_MAX, folder, file))
			return bench_fail(error, BENCH_ENVIRONMENT,
					  "mnist: the path of %s in %.80s... is too long", name, folder);
		if (is_file(path))
			return 0;
	}
	return bench_fail(error, BENCH_ENVIRONMENT,
			  "mnist: %.800s has none of %s, %.*s.%s and the same with .gz (scripts/fetch_mnist "
			  "fetches them; data=synthetic needs no files)",
			  folder, name, (int)(kind - name), name, kind + 1);
}

/* Reads file `which`, of `count` images or labels, and checks that it is of the kind. */
static int read_file(const char *folder, int which, size_t count, uint8_t **out, bool *genuine,
		     struct bench_error *error)
{
	char path[PATH_MAX];
	struct bench_idx idx;
	size_t limit = count * (files[which].rank == 3 ? BENCH_MNIST_PIXELS : 1);
	if (find_file(folder, files[which].name, path, error) != 0 ||
	    bench_idx_read(path, files[which].rank, limit, &idx, error) != 0)
		return -1;
	bool images = files[which].rank == 3;
	size_t side = images ? BENCH_MNIST_SIDE : 1;
	if (idx.dimensions[0] != count || idx.dimensions[1] != side || idx.dimensions[2] != side) {
		bench_fail(error, BENCH_ENVIRONMENT,
			   "%s: it holds %zu x %zu x %zu, and %zu x %zu x %zu were expected", path,
			   idx.dimensions[0], idx.dimensions[1], idx.dimensions[2], count, side, side);
		bench_idx_free(&idx);
		return -1;
	}
	for (size_t i = 0; !images && i < count; i++)
		if (idx.data[i] >= BENCH_MNIST_CLASSES) {
			bench_fail(error, BENCH_ENVIRONMENT,
				   "%s: byte %zu of its contents: label %u, and 0 to %d were expected", path,
				   8 + i, idx.data[i], BENCH_MNIST_CLASSES - 1);
			bench_idx_free(&idx);
			return -1;
		}
	*genuine &= idx.crc == files[which].crc;
	*out = idx.data;
	return 0;
}

int bench_mnist_load(const char *folder, size_t train, size_t test, struct bench_mnist_data *data,
		     struct bench_error *error)
{
	*data = (struct bench_mnist_data){.genuine = true};
	const struct {
		int which;
		size_t count;
		uint8_t **out;
		double *seconds;
	} parts[] = {
		{TRAIN_IMAGES, train, &data->train.images, &data->images_seconds},
		{TEST_IMAGES, test, &data->test.images, &data->images_seconds},
		{TRAIN_LABELS, train, &data->train.labels, &data->labels_seconds},
		{TEST_LABELS, test, &data->test.labels, &data->labels_seconds},
	};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint64_t start = bench_clock_real.now_ns(bench_clock_real.context);
		if (read_file(folder, parts[i].which, parts[i].count, parts[i].out, &data->genuine, error) !=
		    0) {
			bench_mnist_free(data);
			return -1;
		}
		uint64_t end = bench_clock_real.now_ns(bench_clock_real.context);
		*parts[i].seconds += (double)(end - start) * 1e-9;
	}
	data->train.count = train;
	data->test.count = test;
	return 0;
}

static int draw(uint64_t seed, uint64_t first, size_t count, struct bench_mnist_set *set,
		struct bench_error *error)
{
	set->images = malloc(count * BENCH_MNIST_PIXELS);
	set->labels = malloc(count);
	if (!set->images || !set->labels)
		return bench_fail(error, BENCH_NO_MEMORY, "mnist: no host memory for %zu images", count);
	set->count = count;
	for (size_t i = 0; i < count; i++)
		set->labels[i] = bench_digit_draw(seed, first + i, set->images + i * BENCH_MNIST_PIXELS);
	return 0;
}

int bench_mnist_draw(uint64_t seed, size_t train, size_t test, struct bench_mnist_data *data,
		     struct bench_error *error)
{
	*data = (struct bench_mnist_data){.drawn = true};
	if (draw(seed, 0, train, &data->train, error) == 0 &&
	    draw(seed, TEST_INDEX, test, &data->test, error) == 0)
		return 0;
	bench_mnist_free(data);
	return -1;
}

static void free_set(struct bench_mnist_set *set)
{
	free(set->images);
	free(set->labels);
}

void bench_mnist_free(struct bench_mnist_data *data)
{
	free_set(&data->train);
	free_set(&data->test);
	*data = (struct bench_mnist_data){0};
}

static bool is_path(const struct bench_value *value)
{
	return value->path[0] != '\0';
}

int bench_mnist_check(const struct bench_value *value, struct bench_error *error)
{
	if (is_path(value) && strcmp(value->text, "synthetic") == 0)
		return bench_fail(error, BENCH_USAGE,
				  "mnist: data=%.800s: results of a folder of this name would pass for drawn "
				  "digits; rename it",
				  bench_value_given(value));
	return 0;
}

/* Where scripts/fetch_mnist puts them. */
static int default_folder(char *folder, size_t size, struct bench_error *error)
{
	const char *data = getenv("BENCH_DATA_DIR"), *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	int length = -1;
	if (data && *data)
		length = snprintf(folder, size, "%s/mnist", data);
	else if (xdg && *xdg)
		length = snprintf(folder, size, "%s/bench/mnist", xdg);
	else if (home && *home)
		length = snprintf(folder, size, "%s/.local/share/bench/mnist", home);
	if (length < 0 || (size_t)length >= size)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "mnist: data=mnist is looked for below BENCH_DATA_DIR, XDG_DATA_HOME or "
				  "HOME: none is set, or the path is too long");
	return 0;
}

int bench_mnist_get(const struct bench_value *value, uint64_t seed, size_t train, size_t test,
		    struct bench_mnist_data *data, struct bench_error *error)
{
	char found[PATH_MAX];
	const char *folder = bench_value_given(value);
	if (!is_path(value)) {
		if (strcmp(value->text, "synthetic") == 0)
			return bench_mnist_draw(seed, train, test, data, error);
		if (default_folder(found, sizeof(found), error) != 0)
			return -1;
		folder = found;
	}
	if (bench_mnist_load(folder, BENCH_MNIST_TRAIN, BENCH_MNIST_TEST, data, error) != 0)
		return -1;
	if (!data->genuine && strcmp(value->text, "mnist") == 0)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "mnist: the files in %.800s are not MNIST's, but results would say "
				  "data=mnist: give them a folder of another name",
				  folder);
	data->train.count = train;
	data->test.count = test;
	return 0;
}
