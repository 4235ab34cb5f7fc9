/* SPDX-License-Identifier: MIT */
#include "suites/mnist/idx.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define TYPE_UNSIGNED_BYTE 0x08
#define BUFFER_BYTES       (256 << 10)
#define FIRST_BYTES        ((size_t)1 << 20)

enum { HEADER_MAX = 4 + 4 * BENCH_IDX_DIMENSIONS };

struct reader {
	const char *path;
	gzFile file;
	uint64_t file_bytes; /* as stored */
	size_t offset;       /* bytes read so far, decompressed */
	uint32_t crc;
};

/* NULL: the file was opened, and `reader` is ready. */
static const char *open_file(const char *path, struct reader *reader)
{
	struct stat status;
	/* Without O_NONBLOCK the opening of a pipe would wait for its writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return strerror(errno);
	const char *cause = NULL;
	if (fstat(fd, &status) != 0)
		cause = strerror(errno);
	else if (!S_ISREG(status.st_mode))
		cause = "it is no regular file";
	else if (!(reader->file = gzdopen(fd, "rb")))
		cause = "no memory to read it";
	if (cause) {
		close(fd);
		return cause;
	}
	gzbuffer(reader->file, BUFFER_BYTES);
	reader->path = path;
	reader->file_bytes = (uint64_t)status.st_size;
	return NULL;
}

/* Reads up to `bytes` (fewer only at the end of the file) into `to`. */
static int read_some(struct reader *reader, void *to, size_t bytes, size_t *got, struct bench_error *error)
{
	*got = 0;
	while (*got < bytes) {
		size_t left = bytes - *got;
		unsigned chunk = left < BUFFER_BYTES ? (unsigned)left : BUFFER_BYTES;
		int count = gzread(reader->file, (char *)to + *got, chunk), failure = errno;
		int code = Z_OK;
		const char *cause = gzerror(reader->file, &code);
		/* A compressed file that ends in the middle gives what there is, and then this. */
		if (count < 0 || (count == 0 && code != Z_OK))
			return bench_fail(error, BENCH_ENVIRONMENT,
					  "%s: %s after byte %zu of its contents: %s", reader->path,
					  code == Z_ERRNO ? "cannot be read" : "damaged", reader->offset,
					  code == Z_ERRNO ? strerror(failure) : cause);
		if (count == 0)
			return 0;
		reader->crc = (uint32_t)crc32(reader->crc, (const Bytef *)to + *got, (unsigned)count);
		*got += (size_t)count;
		reader->offset += (size_t)count;
	}
	return 0;
}

static int read_header(struct reader *reader, unsigned rank, size_t limit, struct bench_idx *idx,
		       struct bench_error *error)
{
	uint8_t header[HEADER_MAX] = {0};
	size_t got, length = 4 + 4 * (size_t)rank;
	if (read_some(reader, header, length, &got, error) != 0)
		return -1;
	const uint8_t expected[4] = {0, 0, TYPE_UNSIGNED_BYTE, (uint8_t)rank};
	static const char *const what[4] = {"0, of an IDX file", "0, of an IDX file", "8, for unsigned bytes",
					    "the number of dimensions"};
	for (size_t i = 0; i < 4 && i < got; i++)
		if (header[i] != expected[i])
			return bench_fail(error, BENCH_ENVIRONMENT,
					  "%s: byte %zu is %u where %u was expected (%s)", reader->path, i,
					  header[i], expected[i], what[i]);
	if (got < length)
		return bench_fail(
			error, BENCH_ENVIRONMENT,
			"%s: it ends at byte %zu: the header of an IDX file of %u dimension%s has %zu",
			reader->path, got, rank, rank == 1 ? "" : "s", length);
	uint64_t bytes = 1;
	for (size_t d = 0; d < BENCH_IDX_DIMENSIONS; d++) {
		idx->dimensions[d] = 1;
		if (d >= rank)
			continue;
		const uint8_t *at = header + 4 + 4 * d;
		uint32_t dimension =
			(uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
		if (dimension == 0 || __builtin_mul_overflow(bytes, dimension, &bytes) || bytes > limit)
			return bench_fail(error, BENCH_ENVIRONMENT,
					  "%s: byte %zu: dimension %zu is %u: expected 1 or more, and at "
					  "most %zu elements in all",
					  reader->path, 4 + 4 * d, d + 1, dimension, limit);
		idx->dimensions[d] = dimension;
	}
	idx->bytes = (size_t)bytes;
	/* What is not compressed has a size that can be compared at once. */
	if (gzdirect(reader->file) && reader->file_bytes != length + bytes)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "%s: it has %llu bytes where its header says %llu", reader->path,
				  (unsigned long long)reader->file_bytes,
				  (unsigned long long)(length + bytes));
	return 0;
}

/* The elements, into memory that grows as they come. */
static int read_elements(struct reader *reader, struct bench_idx *idx, struct bench_error *error)
{
	size_t capacity = idx->bytes < FIRST_BYTES ? idx->bytes : FIRST_BYTES, filled = 0, got;
	for (;;) {
		uint8_t *grown = realloc(idx->data, capacity);
		if (!grown)
			return bench_fail(error, BENCH_NO_MEMORY, "%s: no host memory for %zu bytes",
					  reader->path, capacity);
		idx->data = grown;
		if (read_some(reader, grown + filled, capacity - filled, &got, error) != 0)
			return -1;
		filled += got;
		if (filled < capacity)
			return bench_fail(error, BENCH_ENVIRONMENT,
					  "%s: it ends at byte %zu of its contents: its header says %zu",
					  reader->path, reader->offset, reader->offset + idx->bytes - filled);
		if (capacity == idx->bytes)
			break;
		capacity = capacity > idx->bytes / 2 ? idx->bytes : 2 * capacity;
	}
	uint8_t beyond;
	uint32_t crc = reader->crc;
	/* Reads the end of a compressed stream as well, where its checksum is. */
	if (read_some(reader, &beyond, 1, &got, error) != 0)
		return -1;
	if (got > 0)
		return bench_fail(
			error, BENCH_ENVIRONMENT,
			"%s: it goes on after byte %zu of its contents, where its header says it ends",
			reader->path, reader->offset - got);
	idx->crc = crc;
	return 0;
}

int bench_idx_read(const char *path, unsigned rank, size_t limit, struct bench_idx *idx,
		   struct bench_error *error)
{
	struct reader reader = {0};
	*idx = (struct bench_idx){0};
	const char *cause = open_file(path, &reader);
	if (cause)
		return bench_fail(error, BENCH_ENVIRONMENT, "cannot read %s: %s", path, cause);
	int result = read_header(&reader, rank, limit, idx, error);
	if (result == 0)
		result = read_elements(&reader, idx, error);
	gzclose(reader.file);
	if (result != 0)
		bench_idx_free(idx);
	return result;
}

void bench_idx_free(struct bench_idx *idx)
{
	free(idx->data);
	*idx = (struct bench_idx){0};
}
