#include "interchange/interchange.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "interchange/internal.h"

#define DECLARE(name) extern const struct bench_interchange_format bench_interchange_##name;
#define ENTER(name)   &bench_interchange_##name,

BENCH_INTERCHANGE_FORMATS(DECLARE)
const struct bench_interchange_format *const bench_interchange_formats[] = {BENCH_INTERCHANGE_FORMATS(ENTER)
										    NULL};

#define FORMATS (sizeof(bench_interchange_formats) / sizeof(bench_interchange_formats[0]) - 1)

int bench_interchange_find(const char *name, bool written, const struct bench_interchange_format **format,
			   struct bench_error *error)
{
	const char *names[FORMATS];
	size_t count = 0;
	for (size_t i = 0; i < FORMATS; i++) {
		*format = bench_interchange_formats[i];
		if (!(written ? (*format)->write != NULL : (*format)->read != NULL))
			continue;
		if (strcmp((*format)->name, name) == 0)
			return 0;
		names[count++] = (*format)->name;
	}
	return bench_text_no_such(written ? "format to write" : "format to read", name, names, count, "",
				  error);
}

/* Does the word stand at `at`, by itself? */
static size_t word_at(const char *at, const char *word)
{
	const size_t length = strlen(word);
	return strncmp(at, word, length) == 0 ? length : 0;
}

/*
 * Python writes NaN and Infinity into JSON, which has neither: they become texts. malloc'd.
 */
static char *quote_nan(const char *data, size_t length)
{
	struct bench_text out = {0};
	bool quoted = false;
	const char *kept = data;
	for (const char *at = data; at < data + length; at++) {
		size_t word = 0;
		if (quoted && *at == '\\' && at + 1 < data + length) {
			at++;
			continue;
		}
		if (*at == '"')
			quoted = !quoted;
		if (quoted || (*at != 'N' && *at != 'I' && *at != '-'))
			continue;
		if (!(word = word_at(at, "NaN")) && !(word = word_at(at, "Infinity")))
			word = word_at(at, "-Infinity");
		if (!word)
			continue;
		bench_text_add_bytes(&out, kept, (size_t)(at - kept));
		bench_text_add(&out, "\"%.*s\"", (int)word, at);
		kept = at + word;
		at = kept - 1;
	}
	bench_text_add_bytes(&out, kept, (size_t)(data + length - kept));
	return out.data;
}

static bool is_lines_of_json(const char *data)
{
	return strstr(data, "\"benchmark-complete\"") != NULL;
}

/* The document, where the file is one; NULL: it is none, or the error is filled. */
static cJSON *parse(const struct bench_interchange_file *file, struct bench_error *error)
{
	const size_t blank = strspn(file->data, " \t\r\n");
	error->code = BENCH_OK;
	if ((file->data[blank] != '{' && file->data[blank] != '[') || is_lines_of_json(file->data))
		return NULL;
	char *data = quote_nan(file->data, file->length);
	cJSON *root = bench_json_parse(data, strlen(data), file->path, error);
	free(data);
	return root;
}

static int check_text(const struct bench_interchange_file *file, struct bench_error *error)
{
	const char *data = file->data;
	const size_t length = strlen(data);
	uint32_t point;
	if (length != file->length)
		return bench_fail(error, BENCH_ENVIRONMENT, "%.300s: no text: a byte of 0 at %zu", file->path,
				  length);
	for (size_t at = 0, size; at < length; at += size) {
		size = bench_text_utf8(data + at, &point);
		if (size == 0)
			return bench_fail(error, BENCH_ENVIRONMENT, "%.300s: no UTF-8 at byte %zu",
					  file->path, at);
	}
	return 0;
}

static const struct bench_interchange_format *recognise(const struct interchange_reader *in)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (bench_interchange_formats[i]->is && bench_interchange_formats[i]->is(in))
			return bench_interchange_formats[i];
	return NULL;
}

static int read_file(const struct bench_interchange_format *format, struct interchange_draft *draft,
		     const struct bench_interchange_file *file, const char **name, struct bench_error *error)
{
	struct interchange_reader in = {.file = file,
					.draft = draft,
					.arena = &draft->run->arena,
					.error = error,
					.told = format != NULL};
	if (check_text(file, error) != 0)
		return -1;
	cJSON *root = parse(file, error);
	int result = -1;
	in.root = root;
	if (!root && error->code != BENCH_OK)
		return -1;
	if (!format)
		format = recognise(&in);
	if (format) {
		in.format = format->name;
		result = format->read(&in);
		*name = format->name;
	} else {
		bench_fail(error, BENCH_ENVIRONMENT,
			   "%.300s: the format is not known by its content: --from says it", file->path);
	}
	cJSON_Delete(root);
	return result;
}

int bench_interchange_read(const struct bench_interchange_format *format,
			   const struct bench_interchange_file *files, size_t count,
			   const struct bench_interchange_options *options,
			   struct bench_interchange_notes *notes, struct bench_run **run,
			   struct bench_error *error)
{
	struct interchange_draft draft = {.run = bench_record_new(), .options = options, .notes = notes};
	const char *name = "";
	int result = 0;
	for (size_t i = 0; i < count && result == 0; i++) {
		draft.file = i;
		result = read_file(format, &draft, &files[i], &name, error);
	}
	if (result == 0 && interchange_finish(&draft, name, error) != 0) {
		const struct bench_error cause = *error;
		result = bench_fail(error, cause.code, "%.300s: %s", files[0].path, cause.text);
	}
	if (result == 0)
		*run = draft.run;
	else
		bench_record_free(draft.run);
	return result;
}
