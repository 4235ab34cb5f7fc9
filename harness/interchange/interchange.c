/* SPDX-License-Identifier: MIT */
#include "interchange/interchange.h"

#include <string.h>
#include <strings.h>

#include "core/memory.h"
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

/* The length of a number that JSON lacks: NaN, -nan, Infinity, -inf ...; 0 for any other text. */
static size_t no_number(const char *at)
{
	static const char *const words[] = {"nan", "infinity", "inf"};
	const size_t sign = *at == '-' || *at == '+';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strncasecmp(at + sign, words[i], strlen(words[i])) == 0)
			return sign + strlen(words[i]);
	return 0;
}

/* Python and C write NaN and infinities into JSON, which has neither: they become texts. malloc'd. */
static char *quote_nan(const char *data, size_t length)
{
	struct bench_text out = {0};
	bool quoted = false;
	const char *kept = data;
	for (const char *at = data; at < data + length; at++) {
		if (quoted && *at == '\\' && at + 1 < data + length) {
			at++;
			continue;
		}
		if (*at == '"')
			quoted = !quoted;
		const size_t word = quoted || !strchr("NnIi-+", *at) ? 0 : no_number(at);
		if (word == 0)
			continue;
		bench_text_add_bytes(&out, kept, (size_t)(at - kept));
		bench_text_add(&out, "\"%.*s\"", (int)word, at);
		kept = at + word;
		at = kept - 1;
	}
	bench_text_add_bytes(&out, kept, (size_t)(data + length - kept));
	return out.data;
}

/* A line each: not one document. */
static bool is_lines_of_json(const char *data)
{
	return strstr(data, "\"benchmark-complete\"") || strstr(data, "\"Action\":");
}

/* The document, if the file is one JSON document; else NULL, with the error filled if it is damaged. */
static cJSON *parse(const struct bench_interchange_file *file, struct bench_error *error)
{
	static const char variable[] = "window.BENCHMARK_DATA"; /* of a script */
	const char *data = file->data + strspn(file->data, " \t\r\n");
	error->code = BENCH_OK;
	if (strncmp(data, variable, sizeof(variable) - 1) == 0)
		data += sizeof(variable) - 1 + strspn(data + sizeof(variable) - 1, " =\r\n");
	if ((*data != '{' && *data != '[') || is_lines_of_json(data))
		return NULL;
	size_t length = strlen(data);
	while (length > 0 && strchr("; \t\r\n", data[length - 1]))
		length--;
	BENCH_SCOPED_MEMORY char *quoted = quote_nan(data, length);
	return bench_json_parse(quoted, strlen(quoted), file->path, error);
}

static int check_text(const struct bench_interchange_file *file, struct bench_error *error)
{
	const char *data = file->data;
	const size_t length = strlen(data);
	uint32_t point;
	if (strncmp(data, "\xff\xfe", 2) == 0 || strncmp(data, "\xfe\xff", 2) == 0)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "%.300s: is UTF-16: iconv -f UTF-16 -t UTF-8 makes it UTF-8", file->path);
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

/* Files that are known and not read, by what they begin with, and what is read in their place. */
static const struct {
	const char *begins, *what, *instead;
} others[] = {
	{"\"Benchmark\",\"Mode\",\"Threads\"", "JMH's CSV", "its JSON (-rf json)"},
	{"Benchmark,Mode,Threads", "JMH's CSV", "its JSON (-rf json)"},
	{"name,iterations,real_time,cpu_time", "Google Benchmark's CSV",
	 "its JSON (--benchmark_format=json)"},
	{"command,mean,stddev,median,user,system,min,max", "hyperfine's CSV", "its JSON (--export-json)"},
	{"| Command | Mean", "hyperfine's table", "its JSON (--export-json)"},
	{"Benchmark,Device,Device Name", "nvbench's CSV", "its JSON (--json)"},
	{"Benchmark,Skipped", "nvbench's CSV", "its JSON (--json)"},
	{"group,function,value,", "Criterion's raw.csv", "the folder target/criterion"},
	{"Run on (", "Google Benchmark's table", "its JSON (--benchmark_format=json)"},
	{"Benchmark  ", "a table of results", "the JSON that its tool writes"},
	{"-----", "a table of results", "the JSON that its tool writes"},
	{"Method,Job", "BenchmarkDotNet's CSV", "its full JSON (--exporters fulljson)"},
	{"Method;Job", "BenchmarkDotNet's CSV", "its full JSON (--exporters fulljson)"},
	{"name,fullname,mean", "pytest-benchmark's CSV", "its JSON (--benchmark-json)"},
	{"<?xml", "XML", "JSON or CSV"},
	{"<!DOCTYPE", "a web page", "the results that it shows, as JSON or CSV"},
};

/* Files of other tools that are not read are refused by their names; 0: it is none of these. */
static int refuse_others(struct interchange_reader *in)
{
	const char *data = in->file->data + strspn(in->file->data, " \t\r\n");
	const cJSON *first = in->root ? in->root->child : NULL;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && !in->root; i++)
		if (strncasecmp(data, others[i].begins, strlen(others[i].begins)) == 0)
			return interchange_fail(in, "is %s, which is not read: import %s", others[i].what,
						others[i].instead);
	if (cJSON_HasObjectItem(first, "param_names") && cJSON_HasObjectItem(first, "params"))
		return interchange_fail(
			in, "is asv's benchmarks.json: import the files in the neighboring folders");
	if (cJSON_HasObjectItem(in->root, "full_id") && cJSON_HasObjectItem(in->root, "group_id"))
		return interchange_fail(
			in, "is Criterion's benchmark.json: import the sample.json in the same folder");
	return 0;
}

static int refuse(struct interchange_reader *in)
{
	const cJSON *list = bench_json_member(in->root, "benchmarks");
	if (!in->file->data[strspn(in->file->data, " \t\r\n")])
		return interchange_fail(in, "is empty");
	if (in->root && cJSON_HasObjectItem(in->root, "schema") && cJSON_HasObjectItem(in->root, "run"))
		return interchange_fail(in, "is a run of bench: 'bench ingest' takes its folder");
	return interchange_fail(in, "%s of no known tool (docs/interchange.md lists them)%s",
				in->root ? "JSON" : "text",
				list ? "; it has 'benchmarks', but nothing that names the tool" : "");
}

static int read_file(const struct bench_interchange_format *format, struct interchange_reader *in)
{
	if (check_text(in->file, in->error) != 0)
		return -1;
	cJSON *root = parse(in->file, in->error);
	in->root = root;
	if (!root && in->error->code != BENCH_OK)
		return -1;
	in->told = format != NULL;
	if (refuse_others(in) != 0)
		return -1;
	if (!format)
		format = recognise(in);
	if (format)
		in->format = format->name;
	const int result = format ? format->read(in) : refuse(in);
	cJSON_Delete(root);
	in->root = NULL;
	return result;
}

/* Without the byte order mark that some tools begin with. */
static struct bench_interchange_file without_mark(const struct bench_interchange_file *file)
{
	const size_t mark = file->length >= 3 && memcmp(file->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	return (struct bench_interchange_file){file->path, file->data + mark, file->length - mark};
}

int bench_interchange_read(const struct bench_interchange_format *format,
			   const struct bench_interchange_file *files, size_t count,
			   const struct bench_interchange_options *options,
			   struct bench_interchange_notes *notes, struct bench_interchange_runs *runs,
			   struct bench_error *error)
{
	struct interchange_draft draft = {
		.run = bench_record_new(), .options = options, .notes = notes, .runs = runs};
	struct interchange_reader in = {
		.draft = &draft, .arena = &draft.run->arena, .error = error, .format = ""};
	int result = 0;
	*error = (struct bench_error){0};
	for (size_t i = 0; i < count && result == 0; i++) {
		const struct bench_interchange_file file = without_mark(&files[i]);
		in.file = &file;
		draft.file = i;
		draft.entered = NULL;
		result = read_file(format, &in);
	}
	in.file = files;
	if (result == 0 && (draft.case_count > 0 || runs->count == 0))
		result = interchange_finish(&in);
	runs->lost = draft.lost;
	bench_record_free(draft.run);
	return result;
}

void bench_interchange_free(struct bench_interchange_runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		bench_record_free(runs->list[i]);
	bench_arena_free(&runs->arena);
	*runs = (struct bench_interchange_runs){0};
}
