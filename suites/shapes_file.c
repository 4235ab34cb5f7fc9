/* SPDX-License-Identifier: MIT */
#include "suites/shapes_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/json_place.h"
#include "core/memory.h"
#include "core/text.h"

#define COUNT(a)    (sizeof(a) / sizeof((a)[0]))
#define MOST_BYTES  ((size_t)256 << 20)
#define MOST_SHAPES 10000
#define PLACES      32768 /* of the table of shapes by their hashes */
#define MOST_WORDS  256
#define MOST_USES   (INT64_C(1) << 53)

struct reader {
	const char *name;
	const struct bench_suite *suite;
	struct bench_arena *arena;
	struct bench_shapes_file *file;
	struct bench_error *error;
	uint16_t *places; /* the number of a shape, from 1; 0: none */
	size_t line;      /* of a list */
	const char *text; /* of a capture */
	const cJSON *root, *product;
	uint64_t skipped; /* uses of what the suite does not compute */
	double skipped_seconds;
	struct bench_text skipped_names;
	size_t gaps; /* batches whose matrices do not follow each other in memory */
};

/* A product of matrices in rows. */
struct product {
	const char *dtype;
	char trans[3];
	const char *m, *n, *k, *batch; /* as texts, which the suite's parameters check */
	const char *lda, *ldb, *ldc;   /* NULL: rows without gaps */
	bool adds;                     /* beta is not 0 */
	int64_t uses;
	double seconds;
};

static int refuse(struct reader *in, const cJSON *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static int refuse(struct reader *in, const cJSON *at, const char *format, ...)
{
	char words[sizeof(in->error->text)];
	va_list list;
	va_start(list, format);
	vsnprintf(words, sizeof(words), format, list);
	va_end(list);
	if (in->text)
		return bench_json_place_fail(in->text, in->name, in->root, at, false, 0, in->error, "%s",
					     words);
	return bench_fail(in->error, BENCH_USAGE, "%s:%zu: %s", in->name, in->line, words);
}

static const struct bench_param *param_of(const struct reader *in, const char *name)
{
	for (const struct bench_param *param = in->suite->params; param->name; param++)
		if (strcmp(param->name, name) == 0)
			return param;
	return NULL;
}

/* Adds "NAME=VALUE" to a sweep, checked. */
static int add_value(struct reader *in, struct bench_text *sweep, const char *name, const char *text,
		     const cJSON *at)
{
	struct bench_value value;
	struct bench_error error;
	const struct bench_param *param = param_of(in, name);
	if (!param) {
		const char *names[64];
		size_t count = 0;
		for (; count < COUNT(names) && in->suite->params[count].name; count++)
			names[count] = in->suite->params[count].name;
		const char *nearest = bench_text_nearest(name, names, count);
		return refuse(in, at, "suite %s has no parameter '%s'%s%s%s", in->suite->name, name,
			      BENCH_DID_YOU_MEAN(nearest));
	}
	if (bench_value_parse(param, text, &value, &error) != 0)
		return refuse(in, at, "%s", error.text);
	bench_text_add(sweep, "%s%s=", sweep->length ? " " : "", name);
	/* A sweep is split at blanks and commas. */
	if (param->type == BENCH_PARAM_TEXT)
		bench_text_add_percent(sweep, bench_value_given(&value), " ,=:");
	else if (strpbrk(bench_value_given(&value), " ,"))
		return refuse(in, at, "parameter %s: '%s': a blank or a comma ends a value here", name, text);
	else
		bench_text_add(sweep, "%s", bench_value_given(&value));
	return 0;
}

/* A shape, which may be there already. */
static int add_shape(struct reader *in, struct bench_text *sweep, uint64_t uses, double seconds,
		     const cJSON *at)
{
	struct bench_shapes_file *file = in->file;
	const char *text = bench_text_keep(sweep, in->arena);
	uint64_t place = bench_hash_bytes(BENCH_HASH_START, text, strlen(text));
	while (in->places[place %= PLACES] && strcmp(file->shapes[in->places[place] - 1].sweep, text) != 0)
		place++;
	if (!in->places[place]) {
		if (file->count == MOST_SHAPES)
			return refuse(in, at, "more than %d different shapes: keep those that are used most",
				      MOST_SHAPES);
		BENCH_PUSH(in->arena, file->shapes, file->count) =
			(struct bench_shape){.sweep = text, .line = in->line};
		in->places[place] = (uint16_t)file->count;
	}
	struct bench_shape *shape = &file->shapes[in->places[place] - 1];
	if (shape->uses > (uint64_t)MOST_USES - uses)
		return refuse(in, at, "more uses of one shape than can be counted");
	shape->uses += uses;
	shape->seconds += seconds;
	return 0;
}

/* What the suite does not compute is counted and named. */
static void skip(struct reader *in, const char *name, uint64_t uses, double seconds)
{
	char found[64];
	snprintf(found, sizeof(found), "%.60s,", name);
	in->skipped += uses;
	in->skipped_seconds += seconds;
	if (in->skipped_names.length < 200 &&
	    !(in->skipped_names.data && strstr(in->skipped_names.data, found)))
		bench_text_add(&in->skipped_names, "%s%s", in->skipped_names.length ? " " : "", found);
}

static bool has_choice(const struct bench_param *param, const char *word)
{
	const size_t length = strlen(word);
	const char *at = param ? param->choices : NULL;
	while (at && length) {
		if (strncmp(at, word, length) == 0 && (at[length] == '|' || !at[length]))
			return true;
		at = strchr(at, '|');
		if (at)
			at++;
	}
	return false;
}

/* Leaves the leading dimensions to the suite that make gaps between rows; `names`: of lda, ldb and ldc. */
static int keep_gaps(struct reader *in, struct product *product, const char *const names[3], const cJSON *at)
{
	const struct {
		const char **ld, *row;
	} sides[] = {{&product->lda, product->trans[0] == 'T' ? product->m : product->k},
		     {&product->ldb, product->trans[1] == 'T' ? product->k : product->n},
		     {&product->ldc, product->n}};
	for (size_t i = 0; i < COUNT(sides); i++) {
		const char *text = *sides[i].ld;
		char *end = NULL;
		const long long ld = text ? strtoll(text, &end, 10) : 0,
				row = strtoll(sides[i].row, NULL, 10);
		if (text && (*end || ld < row))
			return refuse(in, at, "%s '%s': expected a number from %s on, the length of a row",
				      names[i], text, sides[i].row);
		if (ld == row)
			*sides[i].ld = NULL;
	}
	return 0;
}

static int add_product(struct reader *in, const struct product *product, const cJSON *at)
{
	const char *const values[][2] = {{"dtype", product->dtype}, {"m", product->m},
					 {"n", product->n},         {"k", product->k},
					 {"trans", product->trans}, {"beta", product->adds ? "1" : NULL},
					 {"batch", product->batch}, {"lda", product->lda},
					 {"ldb", product->ldb},     {"ldc", product->ldc}};
	BENCH_SCOPED_TEXT sweep = {0};
	if (strcmp(in->suite->name, "gemm") != 0)
		return refuse(in, at, "this is a matrix product, which suite gemm measures, not suite %s",
			      in->suite->name);
	if (!has_choice(param_of(in, "dtype"), product->dtype)) {
		skip(in, product->dtype, (uint64_t)product->uses, product->seconds);
		return 0;
	}
	for (size_t i = 0; i < COUNT(values); i++) {
		if (!values[i][1] || add_value(in, &sweep, values[i][0], values[i][1], at) == 0)
			continue;
		return -1;
	}
	return add_shape(in, &sweep, (uint64_t)product->uses, product->seconds, at);
}

/* Captures. */

/* The member, which is there and is a text. */
static const char *text_member(struct reader *in, const char *name, const char *words)
{
	const cJSON *member = cJSON_GetObjectItemCaseSensitive(in->product, name);
	if (cJSON_IsString(member) && *member->valuestring)
		return member->valuestring;
	refuse(in, member ? member : in->product, "'%s': expected %s", name, words);
	return NULL;
}

static int check_members(struct reader *in, const cJSON *object, const char *what, const char *const *names,
			 size_t count)
{
	BENCH_SCOPED_TEXT words = {0};
	const cJSON *stray = bench_json_place_stray(object, what, names, count, &words);
	if (stray)
		bench_json_place_fail(in->text, in->name, in->root, stray, true, 0, in->error, "%s",
				      words.data);
	return stray ? -1 : 0;
}

enum { M, N, K, LDA, LDB, LDC, BETA, USES, WHOLE };
static const char *const members[WHOLE] = {"m", "n", "k", "lda", "ldb", "ldc", "beta", "count"};

static int read_whole(struct reader *in, const char *texts[WHOLE], int64_t values[WHOLE])
{
	for (size_t i = 0; i < WHOLE; i++) {
		const cJSON *member = cJSON_GetObjectItemCaseSensitive(in->product, members[i]);
		char *end = NULL;
		texts[i] = cJSON_IsNumber(member) ? member->valuestring : "";
		values[i] = strtoll(texts[i], &end, 10);
		if (!*texts[i] || *end || values[i] < (i != BETA) || values[i] > MOST_USES)
			return refuse(in, member ? member : in->product,
				      "'%s': expected a whole number from %d to 2^53", members[i], i != BETA);
	}
	return 0;
}

static int read_product(struct reader *in)
{
	static const char *const names[] = {"routine", "dtype", "trans", "m",    "n",     "k",
					    "lda",     "ldb",   "ldc",   "beta", "count", "seconds"};
	const cJSON *seconds = cJSON_GetObjectItemCaseSensitive(in->product, "seconds");
	const char *routine, *dtype, *trans, *texts[WHOLE];
	int64_t values[WHOLE];
	if (!cJSON_IsObject(in->product))
		return refuse(in, in->product, "'products': expected an object for each");
	if (check_members(in, in->product, "a product", names, COUNT(names)) ||
	    !(routine = text_member(in, "routine", "gemm, gemv or syrk")) ||
	    !(dtype = text_member(in, "dtype", "a type such as f32")) ||
	    !(trans = text_member(in, "trans", "NN, NT, TN or TT")) || read_whole(in, texts, values))
		return -1;
	if (strcmp(routine, "gemm") != 0 && strcmp(routine, "gemv") != 0 && strcmp(routine, "syrk") != 0)
		return refuse(in, cJSON_GetObjectItemCaseSensitive(in->product, "routine"),
			      "'routine': expected gemm, gemv or syrk");
	if (strlen(trans) != 2 || strspn(trans, "NT") != 2)
		return refuse(in, cJSON_GetObjectItemCaseSensitive(in->product, "trans"),
			      "'trans': expected NN, NT, TN or TT");
	if (!cJSON_IsNumber(seconds) || !(seconds->valuedouble >= 0 && seconds->valuedouble < 1e15))
		return refuse(in, seconds ? seconds : in->product, "'seconds': expected a number, 0 or more");
	struct product product = {.dtype = dtype,
				  .trans = {trans[0], trans[1]},
				  .m = texts[M],
				  .n = texts[N],
				  .k = texts[K],
				  .lda = texts[LDA],
				  .ldb = texts[LDB],
				  .ldc = texts[LDC],
				  .adds = values[BETA] != 0,
				  .uses = values[USES],
				  .seconds = seconds->valuedouble};
	if (strcmp(routine, "gemm") != 0) {
		skip(in, routine, (uint64_t)product.uses, product.seconds);
		return 0;
	}
	if (keep_gaps(in, &product, &members[LDA], in->product) != 0)
		return -1;
	return add_product(in, &product, in->product);
}

static int check_capture(struct reader *in)
{
	static const char *const names[] = {"schema", "command", "lost", "products", "launches"};
	static const char *const expected = "bench-capture/1";
	const cJSON *schema = cJSON_GetObjectItemCaseSensitive(in->root, "schema");
	const cJSON *products = cJSON_GetObjectItemCaseSensitive(in->root, "products");
	if (!cJSON_IsString(schema) || strcmp(schema->valuestring, expected) != 0)
		return refuse(in, schema ? schema : in->root,
			      "'schema': expected \"%s\", as bench capture writes it", expected);
	if (check_members(in, in->root, "a capture", names, COUNT(names)) != 0)
		return -1;
	if (!cJSON_IsArray(products))
		return refuse(in, products ? products : in->root, "'products': expected a list");
	const cJSON *launches = cJSON_GetObjectItemCaseSensitive(in->root, "launches"),
		    *lost = cJSON_GetObjectItemCaseSensitive(in->root, "lost"),
		    *command = cJSON_GetObjectItemCaseSensitive(in->root, "command");
	if (launches && !cJSON_IsArray(launches))
		return refuse(in, launches, "'launches': expected a list");
	if (lost && !(cJSON_IsNumber(lost) && lost->valuedouble >= 0))
		return refuse(in, lost, "'lost': expected a number, 0 or more");
	if (command && !cJSON_IsString(command))
		return refuse(in, command, "'command': expected a text");
	return 0;
}

static int read_capture(struct reader *in)
{
	if (check_capture(in) != 0)
		return -1;
	const cJSON *products = cJSON_GetObjectItemCaseSensitive(in->root, "products");
	for (in->product = products->child; in->product; in->product = in->product->next)
		if (read_product(in) != 0)
			return -1;
	return 0;
}

/* Lists. */

/* "m=512 n=768 uses=3": parameters of the suite. */
static int read_assignments(struct reader *in, char **words, size_t count)
{
	BENCH_SCOPED_TEXT sweep = {0};
	uint64_t uses = 1;
	for (size_t i = 0; i < count; i++) {
		char *value = strchr(words[i], '='), *end;
		int result = 0;
		if (!value || value == words[i] || !value[1])
			return refuse(in, NULL, "'%s': expected NAME=VALUE", words[i]);
		*value++ = '\0';
		for (size_t j = 0; j < i; j++)
			if (strcmp(words[j], words[i]) == 0)
				return refuse(in, NULL, "'%s' is there twice", words[i]);
		if (strcmp(words[i], "uses") == 0) {
			long long given = strtoll(value, &end, 10);
			uses = (uint64_t)given;
			if (*end || !isdigit((unsigned char)*value) || given < 1 || given > MOST_USES)
				result = refuse(in, NULL, "uses=%s: expected a whole number, 1 or more",
						value);
		} else {
			result = add_value(in, &sweep, words[i], value, NULL);
		}
		if (result != 0)
			return -1;
	}
	return sweep.length ? add_shape(in, &sweep, uses, 0, NULL)
			    : refuse(in, NULL, "this line has no parameter of suite %s", in->suite->name);
}

/* The value of an option, which is the word behind it; NULL: it is not there. */
static const char *option(char **words, size_t count, const char *a, const char *b)
{
	for (size_t i = 0; i + 1 < count; i++)
		if (strcmp(words[i], a) == 0 || strcmp(words[i], b) == 0)
			return words[i + 1];
	return NULL;
}

/* Do strides of a batch, as options of matrices in columns, leave gaps between matrices, or none at all? */
static bool has_strides(char **words, size_t count, const struct product *product)
{
	const bool ta = product->trans[0] == 'T', tb = product->trans[1] == 'T';
	const struct {
		const char *option, *rows, *ld, *row;
	} sides[] = {{"--stride_b", ta ? product->k : product->m, product->lda, ta ? product->m : product->k},
		     {"--stride_a", tb ? product->n : product->k, product->ldb, tb ? product->k : product->n},
		     {"--stride_c", product->m, product->ldc, product->n}};
	bool found = false;
	for (size_t i = 0; i < COUNT(sides) && product->batch && strcmp(product->batch, "1") != 0; i++) {
		const char *stride = option(words, count, sides[i].option, sides[i].option);
		const char *ld = sides[i].ld ? sides[i].ld : sides[i].row;
		found |= stride && strtod(stride, NULL) != strtod(sides[i].rows, NULL) * strtod(ld, NULL);
	}
	return found;
}

/* "rocblas-bench -f gemm -r f32_r --transposeA N --transposeB T -m 8 -n 8 -k 8 ...": matrices in columns. */
static int read_rocblas(struct reader *in, char **words, size_t count)
{
	static const char *const types[][2] = {
		{"f32_r", "f32"}, {"s", "f32"},       {"f64_r", "f64"}, {"d", "f64"},     {"f16_r", "f16"},
		{"h", "f16"},     {"bf16_r", "bf16"}, {"b", "bf16"},    {"f32_c", "c32"}, {"c", "c32"}};
	static const char *const leading[] = {"--ldb", "--lda", "--ldc"};
	const char *function = option(words, count, "-f", "--function"),
		   *type = option(words, count, "-r", "--precision"),
		   *ta = option(words, count, "--transposeA", "--transposeA"),
		   *tb = option(words, count, "--transposeB", "--transposeB"),
		   *beta = option(words, count, "--beta", "--beta");
	struct product product = {.m = option(words, count, "-n", "--sizen"),
				  .n = option(words, count, "-m", "--sizem"),
				  .k = option(words, count, "-k", "--sizek"),
				  .batch = option(words, count, "--batch_count", "--batch"),
				  .lda = option(words, count, "--ldb", "--ldb"),
				  .ldb = option(words, count, "--lda", "--lda"),
				  .ldc = option(words, count, "--ldc", "--ldc"),
				  .uses = 1};
	double factor = 0;
	if (!function)
		return refuse(in, NULL, "rocblas-bench without -f FUNCTION");
	if (strncmp(function, "gemm", 4) != 0) {
		skip(in, function, 1, 0);
		return 0;
	}
	type = type ? type : option(words, count, "--a_type", "--a_type");
	if (!type || !product.m || !product.n || !product.k)
		return refuse(in, NULL, "rocblas-bench -f %s without %s", function,
			      !type ? "-r TYPE or --a_type TYPE" : "-m, -n and -k");
	const char *const sizes[][2] = {{"-m", product.n}, {"-n", product.m}, {"-k", product.k}};
	for (size_t i = 0; i < COUNT(sizes); i++)
		if (!isdigit((unsigned char)*sizes[i][1]) || strtoll(sizes[i][1], NULL, 10) < 1)
			return refuse(in, NULL, "%s '%s': expected a whole number, 1 or more", sizes[i][0],
				      sizes[i][1]);
	const char *const transposes[][2] = {{"--transposeA", ta}, {"--transposeB", tb}};
	for (size_t i = 0; i < COUNT(transposes); i++)
		if (transposes[i][1] && (strlen(transposes[i][1]) != 1 || !strchr("NTC", *transposes[i][1])))
			return refuse(in, NULL, "%s '%s': expected N, T or C", transposes[i][0],
				      transposes[i][1]);
	if (beta && !bench_text_real(beta, &factor))
		return refuse(in, NULL, "--beta '%s' is no number", beta);
	product.adds = factor != 0;
	product.dtype = type;
	for (size_t i = 0; i < COUNT(types); i++)
		if (strcmp(types[i][0], type) == 0)
			product.dtype = types[i][1];
	/* B' A' of columns is A B of rows. */
	product.trans[0] = tb && *tb != 'N' ? 'T' : 'N';
	product.trans[1] = ta && *ta != 'N' ? 'T' : 'N';
	if (keep_gaps(in, &product, leading, NULL) != 0)
		return -1;
	in->gaps += has_strides(words, count, &product);
	return add_product(in, &product, NULL);
}

static int read_line(struct reader *in, char *line)
{
	char *words[MOST_WORDS], *word;
	size_t count = 0;
	line[strcspn(line, "#\r")] = '\0';
	for (char *at = line; *at; at++)
		*at = (char)(*at == '\t' ? ' ' : *at);
	while ((word = bench_text_next(&line, ' '))) {
		if (*word && count == MOST_WORDS)
			return refuse(in, NULL, "more than %d words", MOST_WORDS);
		if (*word)
			words[count++] = word;
	}
	if (count == 0)
		return 0;
	const char *slash = strrchr(words[0], '/');
	if (strcmp(slash ? slash + 1 : words[0], "rocblas-bench") == 0)
		return read_rocblas(in, words, count);
	return read_assignments(in, words, count);
}

static const char *left_out(struct reader *in)
{
	struct bench_text text = {0};
	char seconds[32];
	bench_text_quantity(seconds, sizeof(seconds), in->skipped_seconds, "s");
	if (in->skipped)
		bench_text_add(&text,
			       "%" PRIu64 " uses%s%s are left out, which suite %s does not compute: %.*s",
			       in->skipped, in->skipped_seconds > 0 ? ", " : "",
			       in->skipped_seconds > 0 ? seconds : "", in->suite->name,
			       (int)in->skipped_names.length - 1, in->skipped_names.data);
	if (in->gaps)
		bench_text_add(&text,
			       "%s%zu shape%s whose matrices do not follow each other in memory (strides) %s "
			       "measured as if they did",
			       text.length ? "; " : "", in->gaps, bench_text_plural(in->gaps),
			       in->gaps == 1 ? "is" : "are");
	return text.length ? bench_text_keep(&text, in->arena) : NULL;
}

static int read_lines(struct reader *in, char *text)
{
	char *line;
	while ((line = strsep(&text, "\n"))) {
		in->line++;
		if (read_line(in, line) != 0)
			return -1;
	}
	return 0;
}

int bench_shapes_file_parse(char *text, const char *name, const struct bench_suite *suite,
			    struct bench_arena *arena, struct bench_shapes_file *file,
			    struct bench_error *error)
{
	struct reader in = {.name = name, .suite = suite, .arena = arena, .file = file, .error = error};
	cJSON *root = NULL;
	int result = -1;
	*file = (struct bench_shapes_file){0};
	text += strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* a byte order mark */
	in.places = bench_arena_alloc(arena, PLACES, sizeof(*in.places));
	if (text[strspn(text, " \t\r\n")] != '{') {
		result = read_lines(&in, text);
	} else if ((root = bench_json_place_parse(text, name, error))) {
		in.text = text;
		in.root = root;
		result = read_capture(&in);
	}
	file->left_out = left_out(&in);
	if (result == 0 && file->count == 0)
		result = bench_fail(error, BENCH_USAGE, "%s: it has no shape of suite %s: %s", name,
				    suite->name,
				    file->left_out ? file->left_out
						   : "lines of NAME=VALUE, or what 'bench capture' writes");
	cJSON_Delete(root);
	bench_text_free(&in.skipped_names);
	return result;
}

int bench_shapes_file_read(const char *path, const struct bench_suite *suite, struct bench_arena *arena,
			   struct bench_shapes_file *file, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY char *text = NULL;
	size_t length;
	if (bench_file_read(path, MOST_BYTES, &text, &length, error) != 0)
		return -1;
	return strlen(text) == length ? bench_shapes_file_parse(text, path, suite, arena, file, error)
				      : bench_fail(error, BENCH_USAGE,
						   "%s: it is not a text: it contains a zero byte", path);
}
