/* SPDX-License-Identifier: MIT */
/* A specification: its parameters, launches and presets. */
#include "suites/kernel/spec.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "core/text.h"
#include "suites/kernel/reader.h"

enum { MOST_VALUES = 64 };
static const int64_t MOST_SIZE = INT64_C(1) << 40;

/* A value of a parameter, as suites write them; NULL: none that can be. */
static const char *value_text(const struct bench_kernel_reader *reader, const cJSON *item, bool words)
{
	struct bench_value value;
	const struct bench_param real = {.name = "", .type = BENCH_PARAM_REAL};
	char text[40];
	if (words) {
		const size_t length = cJSON_IsString(item) ? strlen(item->valuestring) : 0;
		const char *unfit = " ,=|/:";
		bool legal = length > 0 && length < BENCH_VALUE_MAX;
		for (size_t i = 0; i < length; i++)
			legal &= item->valuestring[i] > ' ' && item->valuestring[i] <= '~' &&
				 !strchr(unfit, item->valuestring[i]);
		return legal ? bench_arena_string(reader->arena, item->valuestring) : NULL;
	}
	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
		return NULL;
	if (item->valuedouble == floor(item->valuedouble) && fabs(item->valuedouble) <= 0x1p53)
		return bench_arena_format(reader->arena, "%lld", (long long)item->valuedouble);
	snprintf(text, sizeof(text), "%.17g", item->valuedouble);
	if (bench_value_parse(&real, text, &value, NULL) != 0)
		return NULL;
	return bench_arena_string(reader->arena, value.text);
}

/* The values of a parameter: its type follows from them, its first is its fallback, and "name=v1,v2" joins
 * the sweep. */
static int read_values(const struct bench_kernel_reader *reader, const cJSON *values,
		       struct bench_param *param, struct bench_text *sweep)
{
	const cJSON *first = cJSON_IsArray(values) ? values->child : values;
	const bool words = cJSON_IsString(first);
	struct bench_text choices = {0};
	size_t count = 0;
	int result = first ? 0 : FAIL_AT(reader, values, "parameter %s has no value", param->name);
	param->type = words ? BENCH_PARAM_CHOICE : BENCH_PARAM_INT;
	bench_text_add(sweep, "%s%s=", sweep->length ? " " : "", param->name);
	for (const cJSON *item = first; result == 0 && item;
	     item = cJSON_IsArray(values) ? item->next : NULL) {
		const char *text = value_text(reader, item, words);
		if (!text)
			result = FAIL_AT(
				reader, item,
				"parameter %s: expected numbers, or words of at most %d characters without "
				"blanks and ',=|/:'",
				param->name, BENCH_VALUE_MAX - 1);
		else if (count == MOST_VALUES)
			result = FAIL_AT(reader, item, "parameter %s has more than %d values", param->name,
					 MOST_VALUES);
		if (result != 0)
			break;
		param->fallback = count ? param->fallback : text;
		if (!words && item->valuedouble != floor(item->valuedouble))
			param->type = BENCH_PARAM_REAL;
		if (!words && item->valuedouble < (double)param->min && fabs(item->valuedouble) <= 0x1p53)
			param->min = (int64_t)floor(item->valuedouble);
		bench_text_add(&choices, "%s%s", count ? "|" : "", text);
		bench_text_add(sweep, "%s%s", count++ ? "," : "", text);
	}
	if (words)
		param->choices = bench_text_keep(&choices, reader->arena);
	else
		bench_text_free(&choices);
	return result;
}

static int read_bound(const struct bench_kernel_reader *reader, const cJSON *object, const char *name,
		      int64_t *bound)
{
	const cJSON *item = bench_json_member(object, name);
	if (!item)
		return 0;
	if (!cJSON_IsNumber(item) || item->valuedouble != floor(item->valuedouble) ||
	    fabs(item->valuedouble) > 0x1p53)
		return FAIL_AT(reader, item, "'%s' is a whole number", name);
	*bound = (int64_t)item->valuedouble;
	return 0;
}

/* "n": 1000, or [1000, 2000], or {"values": .., "min": .., "max": .., "help": ".."}. */
static int read_param(const struct bench_kernel_reader *reader, const cJSON *item, struct bench_param *param,
		      struct bench_text *sweep)
{
	static const char *const members[] = {"values", "min", "max", "help", NULL};
	const cJSON *values = cJSON_IsObject(item) ? bench_json_member(item, "values") : item;
	*param = (struct bench_param){.name = bench_arena_string(reader->arena, item->string),
				      .help = "of the spec",
				      .min = 1,
				      .max = MOST_SIZE};
	if (!bench_kernel_reader_is_name(item->string) ||
	    strpbrk(item->string, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") || item->string[0] == '_')
		return FAIL_AT_NAME(
			reader, item,
			"'%s' is no name of a parameter: a lowercase letter, then lowercase letters, "
			"digits and '_', at most 31 in all",
			item->string);
	if (cJSON_IsObject(item) && bench_kernel_reader_members(reader, item, "a parameter", members) != 0)
		return -1;
	if (!values)
		return FAIL_AT(reader, item, "parameter %s lacks 'values'", param->name);
	if (read_values(reader, values, param, sweep) != 0)
		return -1;
	if (!cJSON_IsObject(item))
		return 0;
	return read_bound(reader, item, "min", &param->min) || read_bound(reader, item, "max", &param->max) ||
			       bench_kernel_reader_string(reader, item, "help", &param->help)
		       ? -1
		       : 0;
}

const char *const bench_kernel_reader_indices[BENCH_KERNEL_INDICES] = {"i", "i0", "i1", "i2"};

static int read_params(struct bench_kernel_reader *reader, struct bench_text *sweep)
{
	struct bench_kernel_spec *spec = reader->spec;
	const cJSON *params = bench_json_member(reader->root, "params");
	if (params && !cJSON_IsObject(params))
		return FAIL_AT(reader, params, "'params' is an object: {\"n\": [1000, 1000000]}");
	for (const cJSON *item = params ? params->child : NULL; item; item = item->next) {
		if (spec->param_count == BENCH_KERNEL_PARAMS)
			return FAIL_AT_NAME(reader, item, "more than %d parameters", BENCH_KERNEL_PARAMS);
		struct bench_param *param = &reader->params[spec->param_count];
		if (read_param(reader, item, param, sweep) != 0)
			return -1;
		for (size_t i = 0; i < BENCH_KERNEL_INDICES; i++)
			if (strcmp(bench_kernel_reader_indices[i], item->string) == 0)
				return FAIL_AT_NAME(reader, item, "'%s' is the number of an element",
						    bench_kernel_reader_indices[i]);
		if (bench_json_member(params, item->string) != item || strcmp(item->string, "variant") == 0)
			return FAIL_AT_NAME(reader, item, "there is a parameter '%s' already", item->string);
		/* Words are in no expression. */
		spec->symbols[spec->param_count++].name =
			param->type == BENCH_PARAM_CHOICE ? "" : param->name;
	}
	spec->suite.params = reader->params;
	if (bench_kernel_reader_tune(reader) != 0)
		return -1;
	for (size_t i = 0; i < BENCH_KERNEL_LOOPS; i++)
		spec->symbols[bench_kernel_spec_loops(spec) + i].name = "";
	for (size_t i = 0; i < BENCH_KERNEL_INDICES; i++)
		spec->symbols[bench_kernel_spec_indices(spec) + i] =
			(struct bench_expr_symbol){.name = bench_kernel_reader_indices[i], .implied = true};
	spec->symbol_count = bench_kernel_spec_columns(spec);
	return 0;
}

/* One preset's sweeps: a text or several, as suites have them; all variants where one names none. */
static int read_sweeps(const struct bench_kernel_reader *reader, const cJSON *item, const char *variants,
		       const char *const **sweeps)
{
	const cJSON *first = cJSON_IsArray(item) ? item->child : item;
	const char **list = bench_arena_alloc(reader->arena, MOST_VALUES + 1, sizeof(*list));
	size_t count = 0;
	for (const cJSON *sweep = first; sweep; sweep = cJSON_IsArray(item) ? sweep->next : NULL) {
		if (!cJSON_IsString(sweep) || count == MOST_VALUES)
			return FAIL_AT(reader, sweep,
				       "expected at most %d sweeps, such as \"n=1000,1000000\"", MOST_VALUES);
		const bool named = !variants || strstr(sweep->valuestring, "variant=");
		list[count++] = bench_arena_format(reader->arena, "%s%s%s", sweep->valuestring,
						   named ? "" : " ", named ? "" : variants);
	}
	*sweeps = list;
	return count ? 0 : FAIL_AT(reader, item, "no sweep");
}

static int read_presets(const struct bench_kernel_reader *reader, const char *all)
{
	static const char *const names[BENCH_PRESETS + 1] = {"quick", "nightly", "full", NULL};
	struct bench_kernel_spec *spec = reader->spec;
	const cJSON *presets = bench_json_member(reader->root, "presets");
	const char **usual = bench_arena_alloc(reader->arena, 2, sizeof(*usual));
	usual[0] = all;
	spec->suite.sweeps[BENCH_PRESET_QUICK] = usual;
	if (!presets)
		return 0;
	if (!cJSON_IsObject(presets))
		return FAIL_AT(reader, presets, "'presets' is an object: {\"quick\": [\"n=1000\"]}");
	if (bench_kernel_reader_members(reader, presets, "'presets'", names) != 0)
		return -1;
	for (size_t p = 0; p < BENCH_PRESETS; p++) {
		const cJSON *item = bench_json_member(presets, names[p]);
		const char *variants = spec->suite.variants ? strstr(all, "variant=") : NULL;
		if (item && read_sweeps(reader, item, variants, &spec->suite.sweeps[p]) != 0)
			return -1;
	}
	return 0;
}

/* "sources": ["more.cl"], whose text whoever read the files has put behind the kernel's. */
static int check_sources(const struct bench_kernel_reader *reader)
{
	const cJSON *sources = bench_json_member(reader->root, "sources"), *item;
	if (sources && !cJSON_IsArray(sources))
		return FAIL_AT(reader, sources, "'sources' is a list of files: [\"more.cl\"]");
	cJSON_ArrayForEach(item, sources)
	{
		if (!cJSON_IsString(item) || !*item->valuestring)
			return FAIL_AT(reader, item,
				       "expected the name of a file, from the folder of the "
				       "specification");
	}
	return 0;
}

/* "saxpy" of "saxpy.cl": what a suite may be called. */
static const char *name_of(const struct bench_kernel_reader *reader, const char *file)
{
	const char *folder = strrchr(file, '/');
	char *name = bench_arena_string(reader->arena, folder ? folder + 1 : file);
	name[strcspn(name, ".")] = '\0';
	for (char *at = name; *at; at++)
		*at = isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '_';
	return name;
}

static int read_members(struct bench_kernel_reader *reader)
{
	static const char *const members[] = {"name",      "summary", "params",      "presets", "args",
					      "kernel",    "options", "global",      "local",   "variants",
					      "reference", "flops",   "bytes",       "structs", "launches",
					      "sources",   "tune",    "constraints", NULL};
	struct bench_kernel_spec *spec = reader->spec;
	const char *start = spec->source;
	struct bench_kernel_spec_launch base = {.kernel = bench_kernel_reader_kernel(reader, &start),
						.options = {"", reader->file},
						.label = SIZE_MAX};
	struct bench_text sweep = {0};
	const cJSON *flops = bench_json_member(reader->root, "flops"),
		    *bytes = bench_json_member(reader->root, "bytes");
	if (!cJSON_IsObject(reader->root))
		return FAIL_AT(reader, reader->root, "a spec is an object, {...}");
	spec->name_place = bench_kernel_reader_place(reader, bench_json_member(reader->root, "name"), "name");
	spec->params_place =
		bench_kernel_reader_place(reader, bench_json_member(reader->root, "params"), "params");
	spec->presets_place =
		bench_kernel_reader_place(reader, bench_json_member(reader->root, "presets"), "presets");
	spec->suite.name = name_of(reader, spec->file);
	spec->suite.summary = bench_arena_format(reader->arena, "the user's kernel %s", spec->file);
	int result =
		bench_kernel_reader_members(reader, reader->root, "the spec", members) ||
		bench_kernel_reader_string(reader, reader->root, "name", &spec->suite.name) ||
		bench_kernel_reader_string(reader, reader->root, "summary", &spec->suite.summary) ||
		check_sources(reader) || read_params(reader, &sweep) || bench_kernel_reader_layouts(reader) ||
		bench_kernel_reader_arguments(reader) ||
		bench_kernel_reader_programs(reader, &base, &sweep) ||
		(flops && bench_kernel_reader_expr(reader, flops, "flops", bench_kernel_spec_tunables(spec),
						   false, &spec->flops)) ||
		(bytes && bench_kernel_reader_expr(reader, bytes, "bytes", bench_kernel_spec_tunables(spec),
						   false, &spec->bytes));
	const char *all = bench_text_keep(&sweep, reader->arena);
	return result || read_presets(reader, all) ? -1 : 0;
}

int bench_kernel_spec_read(const cJSON *extension, struct bench_arena *arena, struct bench_kernel_spec **spec,
			   struct bench_error *error)
{
	struct bench_kernel_spec *made = bench_arena_alloc(arena, 1, sizeof(*made));
	struct bench_error unused;
	struct bench_kernel_reader reader = {
		.arena = arena,
		.spec = made,
		/* And one for "variant", and the end. */
		.params = bench_arena_alloc(arena, BENCH_KERNEL_PARAMS + 2, sizeof(*reader.params)),
		.error = error ? error : &unused,
	};
	const char *file, *source, *spec_file, *text;
	if (bench_json_string(extension, "file", "kernel", &file, error) != 0 ||
	    bench_json_string(extension, "source", "kernel", &source, error) != 0 ||
	    bench_json_string(extension, "spec_file", "kernel", &spec_file, error) != 0 ||
	    bench_json_string(extension, "spec", "kernel", &text, error) != 0)
		return -1;
	made->file = bench_arena_string(arena, file);
	made->source = bench_arena_string(arena, source);
	reader.file = spec_file;
	reader.text = text;
	cJSON *root = bench_json_place_parse(text, spec_file, error);
	reader.root = root;
	int result = root ? read_members(&reader) : -1;
	cJSON_Delete(root);
	*spec = made;
	return result;
}
