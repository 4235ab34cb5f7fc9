/* SPDX-License-Identifier: MIT */
#include "suites/spmv/matrix_market.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum field { FIELD_REAL, FIELD_INTEGER, FIELD_PATTERN };
enum symmetry { GENERAL, SYMMETRIC, SKEW_SYMMETRIC };

static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian", NULL};

struct reader {
	const char *path;
	gzFile file;
	locale_t locale;                         /* "C", in which a decimal point is a point */
	uint64_t line_number, passed_over;       /* bytes of comments and blank lines */
	char line[BENCH_MATRIX_MARKET_LINE + 2]; /* the current line, without its end */
	bool array;
	enum field field;
	enum symmetry symmetry;
	uint64_t rows, cols, stored; /* stored: entries in the file */
	struct bench_csr_entry *entries;
	size_t count, capacity;
	struct bench_error *error;
};

#define BLANKS " \t\r"

/* "PATH, line N: ..." */
#define FAIL(in, code, format, ...)                                                                          \
	bench_fail((in)->error, code, "%s, line %" PRIu64 ": " format, (in)->path, (in)->line_number,        \
		   __VA_ARGS__)

/* Enough of a line for a message, without what a terminal would take for an order. */
struct excerpt {
	char text[48];
};

static struct excerpt excerpt(const char *text)
{
	struct excerpt shown = {0};
	size_t length = 0;
	for (; text[length] && length < sizeof(shown.text) - 4; length++)
		shown.text[length] = text[length] < ' ' || text[length] > '~' ? '?' : text[length];
	if (text[length])
		memcpy(shown.text + length, "...", 4);
	return shown;
}

static int open_file(struct reader *in)
{
	/* Not blocking: a pipe is refused below, rather than waited for. */
	int file = open(in->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	if (file < 0)
		return bench_fail(in->error, BENCH_USAGE, "%s: %s", in->path, strerror(errno));
	if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
		close(file);
		return bench_fail(in->error, BENCH_USAGE, "%s: no regular file", in->path);
	}
	in->file = gzdopen(file, "rb");
	in->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!in->file) {
		close(file);
		return bench_fail(in->error, BENCH_NO_MEMORY, "%s: no memory to read it", in->path);
	}
	if (!in->locale)
		return bench_fail(in->error, BENCH_NO_MEMORY, "%s: no memory to read it", in->path);
	gzbuffer(in->file, 1 << 17);
	return 0;
}

/* Reads the next line; sets *end at the end of the file. */
static int next_line(struct reader *in, bool *end)
{
	size_t length = 0;
	int c;
	in->line_number++;
	while ((c = gzgetc(in->file)) >= 0 && c != '\n') {
		if (c == '\0')
			return FAIL(in, BENCH_USAGE,
				    "a byte of value 0 after %zu characters: this is no text", length);
		if (length > BENCH_MATRIX_MARKET_LINE)
			return FAIL(in, BENCH_USAGE, "longer than %d characters", BENCH_MATRIX_MARKET_LINE);
		in->line[length++] = (char)c;
	}
	in->line[length] = '\0';
	int status = Z_OK, failure = errno;
	const char *cause = c < 0 ? gzerror(in->file, &status) : NULL;
	if (status != Z_OK)
		return FAIL(in, status == Z_ERRNO ? BENCH_ENVIRONMENT : BENCH_USAGE, "cannot be read on: %s",
			    status == Z_ERRNO       ? strerror(failure)
			    : status == Z_BUF_ERROR ? "the compressed file is cut off"
						    : cause);
	*end = c < 0 && length == 0;
	return 0;
}

/* Blank, or a comment: nothing else begins with '%', behind blanks or not. */
static bool is_passed_over(const char *line)
{
	const char first = line[strspn(line, BLANKS)];
	return first == '\0' || first == '%';
}

/* The next line that is no comment and not blank. */
static int next_content(struct reader *in, bool *end)
{
	for (;;) {
		if (next_line(in, end))
			return -1;
		if (*end || !is_passed_over(in->line))
			return 0;
		/* A small compressed file can hold hours of them. */
		in->passed_over += strlen(in->line) + 1;
		if (in->passed_over > BENCH_MATRIX_MARKET_COMMENTS)
			return FAIL(in, BENCH_USAGE, "more than %d bytes of comments and blank lines",
				    BENCH_MATRIX_MARKET_COMMENTS);
	}
}

/* Cuts the next word off *rest; "" at its end. */
static char *next_word(char **rest)
{
	char *word = *rest + strspn(*rest, BLANKS);
	char *end = word + strcspn(word, BLANKS);
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

/* The index of `word` among `words`, in any case; -1. */
static int find_word(const char *word, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (strcasecmp(word, words[i]) == 0)
			return i;
	return -1;
}

static int read_banner(struct reader *in)
{
	static const char *const formats[] = {"coordinate", "array", NULL};
	static const char *const fields[] = {"real", "integer", "pattern", "complex", "double", NULL};
	bool end;
	if (next_line(in, &end))
		return -1;
	char *rest = in->line;
	const char *words[6];
	for (size_t i = 0; i < 6; i++)
		words[i] = next_word(&rest);
	if (strcasecmp(words[0], "%%MatrixMarket") != 0 && strcasecmp(words[0], "%MatrixMarket") != 0)
		return FAIL(in, BENCH_USAGE,
			    "no Matrix Market file: it begins with '%s', not with '%%%%MatrixMarket'",
			    excerpt(words[0]).text);
	if (strcasecmp(words[1], "matrix") != 0)
		return FAIL(in, BENCH_USAGE, "the object is '%s'; it should be 'matrix'",
			    excerpt(words[1]).text);
	int format = find_word(words[2], formats), field = find_word(words[3], fields),
	    symmetry = find_word(words[4], symmetries);
	if (format < 0)
		return FAIL(in, BENCH_USAGE, "the format is '%s'; it should be coordinate or array",
			    excerpt(words[2]).text);
	if (field < 0)
		return FAIL(in, BENCH_USAGE, "the values are '%s'; they should be real, integer or pattern",
			    excerpt(words[3]).text);
	if (symmetry < 0)
		return FAIL(in, BENCH_USAGE,
			    "the symmetry is '%s'; it should be general, symmetric or skew-symmetric",
			    excerpt(words[4]).text);
	if (words[5][0])
		return FAIL(in, BENCH_USAGE, "'%s' after the banner's five words", excerpt(words[5]).text);
	if (field == 3 || symmetry == 3)
		return FAIL(in, BENCH_UNSUPPORTED, "a %s matrix: complex numbers are not supported",
			    field == 3 ? "complex" : "hermitian");
	in->array = format == 1;
	in->field = field == 4 ? FIELD_REAL : (enum field)field;
	in->symmetry = (enum symmetry)symmetry;
	if (in->field == FIELD_PATTERN && (in->array || in->symmetry == SKEW_SYMMETRIC))
		return FAIL(in, BENCH_USAGE, "a pattern has no values, so it cannot be %s",
			    in->array ? "an array" : "skew-symmetric");
	return 0;
}

/* A whole decimal number in [min, max] and nothing else; max is at most 2^60. */
static bool read_size(const char *word, uint64_t min, uint64_t max, uint64_t *value)
{
	uint64_t number = 0;
	if (!*word)
		return false;
	for (; *word; word++) {
		if (*word < '0' || *word > '9')
			return false;
		number = 10 * number + (uint64_t)(*word - '0');
		if (number > max)
			return false; /* long before it would overflow */
	}
	*value = number;
	return number >= min;
}

/* Entries that an array of these sizes stores: below 2^62, as each of the two is below 2^31. */
static uint64_t array_entries(const struct reader *in)
{
	uint64_t n = in->rows;
	return in->symmetry == GENERAL     ? in->rows * in->cols
	       : in->symmetry == SYMMETRIC ? n * (n + 1) / 2
					   : n * (n - 1) / 2;
}

static int check_sizes(struct reader *in)
{
	uint64_t limit = BENCH_MATRIX_MARKET_SPARE + BENCH_MATRIX_MARKET_SPARSE * in->stored;
	if (in->symmetry != GENERAL && in->rows != in->cols)
		return FAIL(in, BENCH_USAGE,
			    "%" PRIu64 " rows and %" PRIu64 " columns: a %s matrix is square", in->rows,
			    in->cols, symmetries[in->symmetry]);
	if (in->stored > (in->symmetry == GENERAL ? BENCH_CSR_ENTRIES_MAX : BENCH_CSR_ENTRIES_MAX / 2))
		return FAIL(in, BENCH_USAGE, "%" PRIu64 " entries: %" PRIu64 " are the most there may be",
			    in->stored, BENCH_CSR_ENTRIES_MAX);
	if (in->rows > limit || in->cols > limit)
		return FAIL(in, BENCH_USAGE,
			    "%" PRIu64 " rows and %" PRIu64 " columns for %" PRIu64
			    " entries: taken for a mistake; %" PRIu64 " are the most for so few",
			    in->rows, in->cols, in->stored, limit);
	return 0;
}

static int read_sizes(struct reader *in)
{
	bool end;
	if (next_content(in, &end))
		return -1;
	if (end)
		return FAIL(in, BENCH_USAGE, "the file ends where the line of sizes should be%s", "");
	char shown[48];
	memcpy(shown, excerpt(in->line).text, sizeof(shown));
	char *rest = in->line;
	bool valid = read_size(next_word(&rest), 1, BENCH_CSR_ROWS_MAX, &in->rows) &&
		     read_size(next_word(&rest), 1, BENCH_CSR_ROWS_MAX, &in->cols) &&
		     (in->array || read_size(next_word(&rest), 0, (uint64_t)1 << 60, &in->stored)) &&
		     !*next_word(&rest);
	if (!valid)
		return FAIL(in, BENCH_USAGE, "'%s' should be %s, rows and columns from 1 to %" PRIu64, shown,
			    in->array ? "ROWS COLUMNS" : "ROWS COLUMNS ENTRIES", BENCH_CSR_ROWS_MAX);
	if (in->array)
		in->stored = array_entries(in);
	return check_sizes(in);
}

/* A finite number in `field`'s notation, and nothing else. Fortran's exponents become C's, in place. */
static bool read_value(const struct reader *in, char *word, double *value)
{
	/* What strtod takes beyond these are hexadecimal numbers, nan and inf. */
	const char *allowed = in->field == FIELD_INTEGER ? "+-0123456789" : "+-.0123456789eEdD";
	char *end;
	if (!*word || word[strspn(word, allowed)])
		return false;
	char *exponent = word + strcspn(word, "dD");
	if (*exponent)
		*exponent = 'e';
	*value = strtod_l(word, &end, in->locale);
	return end != word && !*end && isfinite(*value);
}

static int push(struct reader *in, uint64_t row, uint64_t column, double value)
{
	if (in->count == in->capacity) {
		size_t capacity = in->capacity ? 2 * in->capacity : 1024;
		struct bench_csr_entry *grown = reallocarray(in->entries, capacity, sizeof(*grown));
		if (!grown)
			return bench_fail(in->error, BENCH_NO_MEMORY, "%s: no memory for %zu entries",
					  in->path, capacity);
		in->entries = grown;
		in->capacity = capacity;
	}
	in->entries[in->count++] =
		(struct bench_csr_entry){.row = (uint32_t)row, .column = (uint32_t)column, .value = value};
	return 0;
}

/* An entry as stored, and its mirror image. */
static int push_stored(struct reader *in, uint64_t row, uint64_t column, double value)
{
	if (in->symmetry == SKEW_SYMMETRIC && row == column && value != 0)
		return FAIL(in, BENCH_USAGE, "%g on the diagonal of a skew-symmetric matrix, which is 0",
			    value);
	if (push(in, row, column, value))
		return -1;
	if (in->symmetry == GENERAL || row == column)
		return 0;
	return push(in, column, row, in->symmetry == SKEW_SYMMETRIC ? -value : value);
}

static int read_coordinate(struct reader *in)
{
	char shown[48];
	memcpy(shown, excerpt(in->line).text, sizeof(shown));
	char *rest = in->line;
	uint64_t row, column;
	double value = 1;
	if (!read_size(next_word(&rest), 1, in->rows, &row) ||
	    !read_size(next_word(&rest), 1, in->cols, &column))
		return FAIL(in, BENCH_USAGE,
			    "'%s' should begin with a row from 1 to %" PRIu64
			    " and a column from 1 to %" PRIu64 "; the format counts from 1, not from 0",
			    shown, in->rows, in->cols);
	if (in->field != FIELD_PATTERN && !read_value(in, next_word(&rest), &value))
		return FAIL(in, BENCH_USAGE, "'%s' should have a finite %s number after row and column",
			    shown, in->field == FIELD_INTEGER ? "whole" : "decimal");
	if (*next_word(&rest))
		return FAIL(in, BENCH_USAGE, "'%s' has more than %s", shown,
			    in->field == FIELD_PATTERN ? "a row and a column"
						       : "a row, a column and a value");
	if (in->symmetry != GENERAL && column > row)
		return FAIL(in, BENCH_USAGE,
			    "'%s' lies above the diagonal: a %s matrix stores the lower half alone", shown,
			    symmetries[in->symmetry]);
	return push_stored(in, row - 1, column - 1, value);
}

/* Reads the value at (*row, *column) of an array, stored by columns, and moves on to the next place. */
static int read_array_value(struct reader *in, uint64_t *row, uint64_t *column)
{
	char shown[48];
	memcpy(shown, excerpt(in->line).text, sizeof(shown));
	char *rest = in->line;
	double value;
	if (!read_value(in, next_word(&rest), &value) || *next_word(&rest))
		return FAIL(in, BENCH_USAGE,
			    "'%s' should be one finite %s number: an array has a value a line, column after "
			    "column",
			    shown, in->field == FIELD_INTEGER ? "whole" : "decimal");
	if (push_stored(in, *row, *column, value))
		return -1;
	if (++*row == in->rows) {
		++*column;
		*row = in->symmetry == GENERAL ? 0 : *column + (in->symmetry == SKEW_SYMMETRIC);
	}
	return 0;
}

static int read_entries(struct reader *in)
{
	uint64_t row = in->symmetry == SKEW_SYMMETRIC, column = 0; /* of an array's next value */
	bool end;
	for (uint64_t i = 0; i < in->stored; i++) {
		if (next_content(in, &end))
			return -1;
		if (end)
			return FAIL(in, BENCH_USAGE,
				    "the file ends after %" PRIu64 " entries; its sizes promise %" PRIu64, i,
				    in->stored);
		if (in->array ? read_array_value(in, &row, &column) : read_coordinate(in))
			return -1;
	}
	if (next_content(in, &end))
		return -1;
	if (!end)
		return FAIL(in, BENCH_USAGE, "'%s' after the last of %" PRIu64 " entries",
			    excerpt(in->line).text, in->stored);
	return 0;
}

int bench_matrix_market_read(const char *path, struct bench_csr *csr, struct bench_error *error)
{
	*csr = (struct bench_csr){0};
	struct reader *in = calloc(1, sizeof(*in));
	if (!in)
		return bench_fail(error, BENCH_NO_MEMORY, "%s: no memory to read it", path);
	in->path = path;
	in->error = error;
	int result = -1;
	if (open_file(in) == 0 && read_banner(in) == 0 && read_sizes(in) == 0 && read_entries(in) == 0)
		result = bench_csr_assemble(csr, in->rows, in->cols, in->entries, in->count, error);
	if (in->locale)
		freelocale(in->locale);
	if (in->file)
		gzclose(in->file);
	free(in->entries);
	free(in);
	return result;
}
