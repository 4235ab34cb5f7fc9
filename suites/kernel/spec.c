/* Reading a specification: JSON, each member checked, each error with its line and column. */
#include "suites/kernel/spec.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "core/json_place.h"
#include "core/text.h"

enum { MOST_VALUES = 64 };
static const int64_t MOST_SIZE = INT64_C(1) << 40;

struct reader {
	struct bench_arena *arena;
	struct bench_kernel_spec *spec;
	struct bench_param *params;
	const char *file, *text;
	const cJSON *root;
	struct bench_error *error;
};

/* At a value, or at the name of a member. */
#define FAIL_AT(reader, item, ...)                                                                           \
	bench_json_place_fail((reader)->text, (reader)->file, (reader)->root, item, false, 0,                \
			      (reader)->error, __VA_ARGS__)
#define FAIL_AT_NAME(reader, item, ...)                                                                      \
	bench_json_place_fail((reader)->text, (reader)->file, (reader)->root, item, true, 0,                 \
			      (reader)->error, __VA_ARGS__)

static const cJSON *member(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* "FILE:LINE:COLUMN: what", for what is found to be wrong later. */
static const char *place_of(const struct reader *reader, const cJSON *item, const char *what)
{
	struct bench_error text;
	bench_json_place_fail(reader->text, reader->file, reader->root, item, false, 0, &text, "%s", what);
	return bench_arena_string(reader->arena, text.text);
}

/* All members are of `names`, which ends with NULL, and none is there twice. */
static int check_members(const struct reader *reader, const cJSON *object, const char *what,
			 const char *const *names)
{
	size_t count = 0;
	while (names[count])
		count++;
	for (const cJSON *item = object->child; item; item = item->next) {
		size_t i = 0;
		while (i < count && strcmp(names[i], item->string) != 0)
			i++;
		const char *nearest = i < count ? NULL : bench_text_nearest(item->string, names, count);
		if (i == count)
			return FAIL_AT_NAME(reader, item, "%s has no member '%s'%s%s%s", what, item->string,
					    BENCH_DID_YOU_MEAN(nearest));
		if (member(object, item->string) != item)
			return FAIL_AT_NAME(reader, item, "%s has '%s' twice", what, item->string);
	}
	return 0;
}

static int read_string(const struct reader *reader, const cJSON *object, const char *name, const char **value)
{
	const cJSON *item = member(object, name);
	if (!item)
		return 0;
	if (!cJSON_IsString(item) || !*item->valuestring)
		return FAIL_AT(reader, item, "'%s' is a text in quotes", name);
	*value = bench_arena_string(reader->arena, item->valuestring);
	return 0;
}

static bool is_name(const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return length > 0 && length < 32 && !text[length] && !isdigit((unsigned char)text[0]);
}

/* An expression, or a number, over the first `symbols` symbols. */
static int read_expr(const struct reader *reader, const cJSON *item, const char *what, size_t symbols,
		     bool random, struct bench_kernel_expr *into)
{
	struct bench_error cause;
	char number[40];
	const char *text = number;
	size_t at;
	if (cJSON_IsNumber(item))
		snprintf(number, sizeof(number), "%.17g", item->valuedouble);
	else if (cJSON_IsString(item))
		text = item->valuestring;
	else
		return FAIL_AT(reader, item, "%s: expected a number, or an expression in quotes", what);
	if (bench_expr_parse(text, reader->spec->symbols, symbols, random, reader->arena, &into->expr, &at,
			     &cause) != 0)
		return bench_json_place_fail(reader->text, reader->file, reader->root, item, false,
					     cJSON_IsString(item) ? at + 1 : 0, reader->error, "%s: %s", what,
					     cause.text);
	into->place = place_of(reader, item, what);
	return 0;
}

/* One to three expressions over parameters. */
static int read_shape(const struct reader *reader, const cJSON *object, const char *name,
		      struct bench_kernel_shape *shape)
{
	const cJSON *item = member(object, name);
	if (!item)
		return 0;
	shape->count = 0;
	if (!cJSON_IsArray(item)) {
		shape->count = 1;
		return read_expr(reader, item, name, reader->spec->param_count, false, &shape->extents[0]);
	}
	for (const cJSON *extent = item->child; extent; extent = extent->next) {
		if (shape->count == BENCH_KERNEL_DIMENSIONS)
			return FAIL_AT(reader, extent, "'%s' has more than %d dimensions", name,
				       BENCH_KERNEL_DIMENSIONS);
		if (read_expr(reader, extent, name, reader->spec->param_count, false,
			      &shape->extents[shape->count++]) != 0)
			return -1;
	}
	return shape->count ? 0 : FAIL_AT(reader, item, "'%s' has no dimension", name);
}

/* A text with {NAME} for values of parameters. */
static int read_words(const struct reader *reader, const cJSON *object, const char *name,
		      struct bench_kernel_words *words)
{
	const cJSON *item = member(object, name);
	if (!item)
		return 0;
	words->place = place_of(reader, item, name);
	return read_string(reader, object, name, &words->text);
}

/* A value of a parameter, as suites write them; NULL: none that can be. */
static const char *value_text(const struct reader *reader, const cJSON *item, bool words)
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
static int read_values(const struct reader *reader, const cJSON *values, struct bench_param *param,
		       struct bench_text *sweep)
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

static int read_bound(const struct reader *reader, const cJSON *object, const char *name, int64_t *bound)
{
	const cJSON *item = member(object, name);
	if (!item)
		return 0;
	if (!cJSON_IsNumber(item) || item->valuedouble != floor(item->valuedouble) ||
	    fabs(item->valuedouble) > 0x1p53)
		return FAIL_AT(reader, item, "'%s' is a whole number", name);
	*bound = (int64_t)item->valuedouble;
	return 0;
}

/* "n": 1000, or [1000, 2000], or {"values": .., "min": .., "max": .., "help": ".."}. */
static int read_param(const struct reader *reader, const cJSON *item, struct bench_param *param,
		      struct bench_text *sweep)
{
	static const char *const members[] = {"values", "min", "max", "help", NULL};
	const cJSON *values = cJSON_IsObject(item) ? member(item, "values") : item;
	*param = (struct bench_param){.name = bench_arena_string(reader->arena, item->string),
				      .help = "of the spec",
				      .min = 1,
				      .max = MOST_SIZE};
	if (!is_name(item->string) || strpbrk(item->string, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") ||
	    item->string[0] == '_')
		return FAIL_AT_NAME(
			reader, item,
			"'%s' is no name of a parameter: a lowercase letter, then lowercase letters, "
			"digits and '_', at most 31 in all",
			item->string);
	if (cJSON_IsObject(item) && check_members(reader, item, "a parameter", members) != 0)
		return -1;
	if (!values)
		return FAIL_AT(reader, item, "parameter %s lacks 'values'", param->name);
	if (read_values(reader, values, param, sweep) != 0)
		return -1;
	if (!cJSON_IsObject(item))
		return 0;
	return read_bound(reader, item, "min", &param->min) || read_bound(reader, item, "max", &param->max) ||
			       read_string(reader, item, "help", &param->help)
		       ? -1
		       : 0;
}

static int read_params(struct reader *reader, struct bench_text *sweep)
{
	static const char *const indices[BENCH_KERNEL_INDICES] = {"i", "i0", "i1", "i2"};
	struct bench_kernel_spec *spec = reader->spec;
	const cJSON *params = member(reader->root, "params");
	if (params && !cJSON_IsObject(params))
		return FAIL_AT(reader, params, "'params' is an object: {\"n\": [1000, 1000000]}");
	reader->params = bench_arena_alloc(reader->arena, BENCH_KERNEL_PARAMS + 2, sizeof(*reader->params));
	for (const cJSON *item = params ? params->child : NULL; item; item = item->next) {
		if (spec->param_count == BENCH_KERNEL_PARAMS)
			return FAIL_AT_NAME(reader, item, "more than %d parameters", BENCH_KERNEL_PARAMS);
		struct bench_param *param = &reader->params[spec->param_count];
		if (read_param(reader, item, param, sweep) != 0)
			return -1;
		for (size_t i = 0; i < BENCH_KERNEL_INDICES; i++)
			if (strcmp(indices[i], item->string) == 0)
				return FAIL_AT_NAME(reader, item, "'%s' is the number of an element",
						    indices[i]);
		if (member(params, item->string) != item || strcmp(item->string, "variant") == 0)
			return FAIL_AT_NAME(reader, item, "there is a parameter '%s' already", item->string);
		/* Words are in no expression. */
		spec->symbols[spec->param_count++].name =
			param->type == BENCH_PARAM_CHOICE ? "" : param->name;
	}
	for (size_t i = 0; i < BENCH_KERNEL_INDICES; i++)
		spec->symbols[spec->param_count + i].name = indices[i];
	spec->symbol_count = spec->param_count + BENCH_KERNEL_INDICES;
	spec->suite.params = reader->params;
	return 0;
}

static int read_access(const struct reader *reader, const cJSON *item,
		       struct bench_kernel_spec_argument *argument)
{
	static const char *const names[] = {"in", "out", "inout", "local"};
	static const enum bench_kernel_access accesses[] = {BENCH_KERNEL_IN, BENCH_KERNEL_OUT,
							    BENCH_KERNEL_INOUT, BENCH_KERNEL_LOCAL};
	const cJSON *access = member(item, "access");
	const char *word = "in";
	struct bench_error cause;
	argument->access = BENCH_KERNEL_VALUE;
	if (!member(item, "shape"))
		return access ? FAIL_AT(reader, access, "'access' without 'shape': a number is only read")
			      : 0;
	if (read_string(reader, item, "access", &word) != 0)
		return -1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(word, names[i]) == 0) {
			argument->access = accesses[i];
			return 0;
		}
	bench_text_no_such("access", word, names, sizeof(names) / sizeof(names[0]), "", &cause);
	return FAIL_AT(reader, access, "%s", cause.text);
}

/* Where the type is no parameter's, it is one. */
static int check_type(const struct reader *reader, const cJSON *item,
		      const struct bench_kernel_spec_argument *argument)
{
	const struct bench_kernel_type *type;
	struct bench_error cause;
	if (!argument->type.text)
		return FAIL_AT(reader, item, "argument %s lacks 'type', such as \"float\"", argument->name);
	if (strchr(argument->type.text, '{') ||
	    bench_kernel_type_find(argument->type.text, &type, &cause) == 0)
		return 0;
	return FAIL_AT(reader, member(item, "type"), "%s", cause.text);
}

/* What other arguments need to know of it. */
static int declare_argument(const struct reader *reader, const cJSON *item)
{
	static const char *const members[] = {"name", "type",  "shape",     "access", "value",
					      "fill", "check", "tolerance", NULL};
	struct bench_kernel_spec *spec = reader->spec;
	struct bench_kernel_spec_argument *argument = &spec->arguments[spec->argument_count];
	if (!cJSON_IsObject(item))
		return FAIL_AT(reader, item,
			       "an argument is an object: {\"name\": \"x\", \"type\": \"float\", ...}");
	if (check_members(reader, item, "an argument", members) != 0 ||
	    read_string(reader, item, "name", &argument->name) != 0)
		return -1;
	if (!argument->name || !is_name(argument->name))
		return FAIL_AT(reader, argument->name ? member(item, "name") : item,
			       "an argument has a 'name', at most 31 letters, digits and '_'");
	if (read_words(reader, item, "type", &argument->type) != 0 ||
	    check_type(reader, item, argument) != 0 || read_access(reader, item, argument) != 0)
		return -1;
	struct bench_expr_symbol *symbol = &spec->symbols[spec->symbol_count];
	symbol->name = argument->name;
	symbol->array = argument->access != BENCH_KERNEL_VALUE;
	for (size_t i = 0; i < spec->symbol_count; i++) {
		if (strcmp(spec->symbols[i].name, argument->name) != 0)
			continue;
		/* A number that is called like a parameter is that parameter. */
		if (i >= spec->param_count || symbol->array || member(item, "value"))
			return FAIL_AT(reader, member(item, "name"), "there is a '%s' already",
				       argument->name);
		symbol->name = "";
	}
	/* What a kernel leaves is no input of an expression. */
	if (argument->access == BENCH_KERNEL_OUT || argument->access == BENCH_KERNEL_LOCAL)
		symbol->name = "";
	spec->symbol_count++;
	spec->argument_count++;
	return 0;
}

static int read_tolerance(const struct reader *reader, const cJSON *object, double *tolerance)
{
	const cJSON *item = member(object, "tolerance");
	if (!item)
		return 0;
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= 1))
		return FAIL_AT(reader, item, "'tolerance' is a number from 0 to 1");
	*tolerance = item->valuedouble;
	return 0;
}

static bool is_output(const struct bench_kernel_spec_argument *argument)
{
	return argument->access == BENCH_KERNEL_OUT || argument->access == BENCH_KERNEL_INOUT;
}

/* A number's value; one that has none is the parameter of its name. */
static int define_value(const struct reader *reader, const cJSON *item,
			struct bench_kernel_spec_argument *argument)
{
	const cJSON *value = member(item, "value");
	const cJSON implied = {.type = cJSON_String, .valuestring = (char *)(uintptr_t)argument->name};
	struct bench_error cause = {0};
	size_t at;
	for (const char *const *name = (const char *const[]){"fill", "check", "tolerance", NULL}; *name;
	     name++)
		if (member(item, *name))
			return FAIL_AT_NAME(reader, member(item, *name),
					    "'%s' without 'shape': %s is a number", *name, argument->name);
	if (value)
		return read_expr(reader, value, "value", reader->spec->param_count, false, &argument->value);
	argument->value.place = place_of(reader, item, argument->name);
	if (bench_expr_parse(implied.valuestring, reader->spec->symbols, reader->spec->param_count, false,
			     reader->arena, &argument->value.expr, &at, &cause) == 0)
		return 0;
	return FAIL_AT(reader, item, "argument %s lacks 'value' (a number), or 'shape' (a buffer)",
		       argument->name);
}

/* An expression, or {"file": "y-{n}.bin"}, whose name counts from the folder of the spec. */
static int read_check(const struct reader *reader, const cJSON *check,
		      struct bench_kernel_spec_argument *argument)
{
	static const char *const members[] = {"file", NULL};
	const char *folder = strrchr(reader->file, '/');
	if (!cJSON_IsObject(check))
		return read_expr(reader, check, "check", reader->spec->symbol_count, false, &argument->check);
	if (check_members(reader, check, "a check", members) != 0 ||
	    read_words(reader, check, "file", &argument->file) != 0)
		return -1;
	if (!argument->file.text)
		return FAIL_AT(reader, check, "a check is an expression, or {\"file\": \"y.bin\"}");
	if (folder && argument->file.text[0] != '/')
		argument->file.text =
			bench_arena_format(reader->arena, "%.*s/%s", (int)(folder - reader->file),
					   reader->file, argument->file.text);
	return 0;
}

static int define_argument(const struct reader *reader, const cJSON *item,
			   struct bench_kernel_spec_argument *argument)
{
	const cJSON *fill = member(item, "fill"), *check = member(item, "check");
	const size_t symbols = reader->spec->param_count;
	argument->tolerance = -1;
	if (argument->access == BENCH_KERNEL_VALUE)
		return define_value(reader, item, argument);
	if (member(item, "value"))
		return FAIL_AT_NAME(reader, member(item, "value"), "'value' beside 'shape': say 'fill'");
	if (fill && (argument->access == BENCH_KERNEL_OUT || argument->access == BENCH_KERNEL_LOCAL))
		return FAIL_AT_NAME(reader, fill,
				    "'fill' of what the kernel does not read: is its access \"inout\"?");
	if (check && !is_output(argument))
		return FAIL_AT_NAME(reader, check,
				    "'check' of what the kernel does not write: is its access \"out\"?");
	if (read_shape(reader, item, "shape", &argument->shape) != 0 ||
	    (fill &&
	     read_expr(reader, fill, "fill", symbols + BENCH_KERNEL_INDICES, true, &argument->value) != 0) ||
	    (check && read_check(reader, check, argument) != 0))
		return -1;
	return read_tolerance(reader, item, &argument->tolerance);
}

static int read_arguments(const struct reader *reader)
{
	const cJSON *arguments = member(reader->root, "args"), *item;
	struct bench_kernel_spec *spec = reader->spec;
	size_t outputs = 0;
	if (!cJSON_IsArray(arguments) || !arguments->child)
		return FAIL_AT(reader, arguments ? arguments : reader->root,
			       "the spec needs 'args', a list of the kernel's arguments in their order");
	cJSON_ArrayForEach(item, arguments)
	{
		if (spec->argument_count == BENCH_KERNEL_ARGUMENTS)
			return FAIL_AT(reader, item, "more than %d arguments", BENCH_KERNEL_ARGUMENTS);
		if (declare_argument(reader, item) != 0)
			return -1;
	}
	struct bench_kernel_spec_argument *argument = spec->arguments;
	cJSON_ArrayForEach(item, arguments)
	{
		if (define_argument(reader, item, argument) != 0)
			return -1;
		outputs += is_output(argument);
		if (is_output(argument) && !argument->check.expr && !argument->file.text &&
		    !member(reader->root, "reference"))
			return FAIL_AT(reader, item,
				       "nothing says what %s must hold: give it 'check', such as \"2 * "
				       "x[i]\", or the "
				       "spec a 'reference'",
				       argument->name);
		argument++;
	}
	return outputs ? 0
		       : FAIL_AT(reader, arguments,
				 "no argument is written: one has access \"out\" or \"inout\"");
}

/* The first kernel of the source; NULL where none is seen. */
static const char *first_kernel(const struct reader *reader)
{
	static const char blanks[] = " \t\r\n";
	for (const char *at = reader->spec->source; (at = strstr(at, "kernel")); at += strlen("kernel")) {
		const char *word = at + strlen("kernel");
		if (!strchr(blanks, *word))
			continue;
		for (word += strspn(word, blanks); *word && strncmp(word, "void", 4) != 0;) {
			/* Only attributes may stand between. */
			if (strncmp(word, "__attribute__", 13) != 0 || !strchr(word, ')'))
				break;
			word = strchr(word, ')') + strspn(strchr(word, ')'), ")");
			word += strspn(word, blanks);
		}
		if (strncmp(word, "void", 4) != 0 || !strchr(blanks, word[4]))
			continue;
		word += 4 + strspn(word + 4, blanks);
		size_t length = 0;
		while (isalnum((unsigned char)word[length]) || word[length] == '_')
			length++;
		if (length)
			return bench_arena_format(reader->arena, "%.*s", (int)length, word);
	}
	return NULL;
}

/* The members that a variant or a reference may replace. */
static int read_launch(const struct reader *reader, const cJSON *object,
		       struct bench_kernel_spec_launch *launch)
{
	const cJSON *kernel = member(object, "kernel");
	if (read_string(reader, object, "kernel", &launch->kernel) != 0)
		return -1;
	if (kernel &&
	    strspn(launch->kernel, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
		    strlen(launch->kernel))
		return FAIL_AT(reader, kernel, "'%s' is no name of a kernel", launch->kernel);
	if (read_words(reader, object, "options", &launch->options) != 0 ||
	    read_shape(reader, object, "global", &launch->global) != 0 ||
	    read_shape(reader, object, "local", &launch->local) != 0)
		return -1;
	if (launch->local.count && launch->global.count && launch->local.count != launch->global.count)
		return FAIL_AT(reader, object, "'global' has %zu dimensions and 'local' %zu",
			       launch->global.count, launch->local.count);
	return 0;
}

static const char *const launch_members[] = {"kernel", "options", "global", "local", NULL};

static int check_launch(const struct reader *reader, const cJSON *object,
			const struct bench_kernel_spec_launch *launch)
{
	if (!launch->kernel)
		return FAIL_AT(reader, object, "%s has no kernel: say which with 'kernel'",
			       reader->spec->file);
	return launch->global.count
		       ? 0
		       : FAIL_AT(reader, object, "'global' is missing: the work-items, such as \"n\"");
}

static int read_variant(const struct reader *reader, const cJSON *item,
			const struct bench_kernel_spec_launch *base)
{
	struct bench_kernel_spec *spec = reader->spec;
	struct bench_kernel_spec_launch *launch = &spec->launches[spec->launch_count];
	const cJSON *variants = member(reader->root, "variants");
	if (spec->launch_count == BENCH_KERNEL_VARIANTS)
		return FAIL_AT_NAME(reader, item, "more than %d variants", BENCH_KERNEL_VARIANTS);
	if (!is_name(item->string) || !cJSON_IsObject(item) || member(variants, item->string) != item)
		return FAIL_AT_NAME(
			reader, item,
			"a variant has a name of its own, at most 31 letters, digits and '_', and is an "
			"object");
	*launch = *base;
	launch->variant = bench_arena_string(reader->arena, item->string);
	if (check_members(reader, item, "a variant", launch_members) != 0 ||
	    read_launch(reader, item, launch) != 0 || check_launch(reader, item, launch) != 0)
		return -1;
	spec->launch_count++;
	return 0;
}

/* "variants": {"plain": {}, "tiled": {"kernel": ..}}: each is the spec but for what it replaces. */
static int read_variants(struct reader *reader, const struct bench_kernel_spec_launch *base,
			 struct bench_text *sweep)
{
	struct bench_kernel_spec *spec = reader->spec;
	const cJSON *variants = member(reader->root, "variants"), *item;
	struct bench_text choices = {0};
	if (!variants) {
		spec->launches[spec->launch_count++] = *base;
		return check_launch(reader, reader->root, base);
	}
	if (!cJSON_IsObject(variants) || !variants->child)
		return FAIL_AT(reader, variants,
			       "'variants' is an object: {\"plain\": {}, \"tiled\": {\"kernel\": ..}}");
	for (item = variants->child; item; item = item->next)
		if (read_variant(reader, item, base) != 0)
			return -1;
	for (size_t i = 0; i < spec->launch_count; i++)
		bench_text_add(&choices, "%s%s", i ? "|" : "", spec->launches[i].variant);
	char *words = bench_text_keep(&choices, reader->arena);
	reader->params[spec->param_count] =
		(struct bench_param){.name = "variant",
				     .type = BENCH_PARAM_CHOICE,
				     .fallback = spec->launches[0].variant,
				     .choices = words,
				     .help = "of the spec; the first is the yardstick"};
	spec->suite.variants = "variant";
	bench_text_add(sweep, "%svariant=", sweep->length ? " " : "");
	for (size_t i = 0; i < spec->launch_count; i++)
		bench_text_add(sweep, "%s%s", i ? "," : "", spec->launches[i].variant);
	return 0;
}

static int read_reference(const struct reader *reader, const struct bench_kernel_spec_launch *base)
{
	const cJSON *reference = member(reader->root, "reference");
	struct bench_kernel_spec_launch *launch = &reader->spec->reference;
	if (!reference)
		return 0;
	*launch = *base;
	if (!cJSON_IsObject(reference) || !member(reference, "kernel"))
		return FAIL_AT(reader, reference,
			       "'reference' is an object with 'kernel', the one to compare with");
	if (check_members(reader, reference, "a reference", launch_members) != 0 ||
	    read_launch(reader, reference, launch) != 0)
		return -1;
	return check_launch(reader, reference, launch);
}

/* One preset's sweeps: a text or several, as suites have them; all variants where one names none. */
static int read_sweeps(const struct reader *reader, const cJSON *item, const char *variants,
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

static int read_presets(const struct reader *reader, const char *all)
{
	static const char *const names[BENCH_PRESETS + 1] = {"quick", "nightly", "full", NULL};
	struct bench_kernel_spec *spec = reader->spec;
	const cJSON *presets = member(reader->root, "presets");
	const char **usual = bench_arena_alloc(reader->arena, 2, sizeof(*usual));
	usual[0] = all;
	spec->suite.sweeps[BENCH_PRESET_QUICK] = usual;
	if (!presets)
		return 0;
	if (!cJSON_IsObject(presets))
		return FAIL_AT(reader, presets, "'presets' is an object: {\"quick\": [\"n=1000\"]}");
	if (check_members(reader, presets, "'presets'", names) != 0)
		return -1;
	for (size_t p = 0; p < BENCH_PRESETS; p++) {
		const cJSON *item = member(presets, names[p]);
		const char *variants = spec->suite.variants ? strstr(all, "variant=") : NULL;
		if (item && read_sweeps(reader, item, variants, &spec->suite.sweeps[p]) != 0)
			return -1;
	}
	return 0;
}

/* "saxpy" of "saxpy.cl": what a suite may be called. */
static const char *name_of(const struct reader *reader, const char *file)
{
	const char *folder = strrchr(file, '/');
	char *name = bench_arena_string(reader->arena, folder ? folder + 1 : file);
	name[strcspn(name, ".")] = '\0';
	for (char *at = name; *at; at++)
		*at = isalnum((unsigned char)*at) ? (char)tolower((unsigned char)*at) : '_';
	return name;
}

static int read_members(struct reader *reader)
{
	static const char *const members[] = {"name",      "summary", "params", "presets", "args",
					      "kernel",    "options", "global", "local",   "variants",
					      "reference", "flops",   "bytes",  NULL};
	struct bench_kernel_spec *spec = reader->spec;
	struct bench_kernel_spec_launch base = {.kernel = first_kernel(reader),
						.options = {"", reader->file}};
	struct bench_text sweep = {0};
	const cJSON *flops = member(reader->root, "flops"), *bytes = member(reader->root, "bytes");
	if (!cJSON_IsObject(reader->root))
		return FAIL_AT(reader, reader->root, "a spec is an object, {...}");
	spec->suite.name = name_of(reader, spec->file);
	spec->suite.summary = bench_arena_format(reader->arena, "the user's kernel %s", spec->file);
	int result = check_members(reader, reader->root, "the spec", members) ||
		     read_string(reader, reader->root, "name", &spec->suite.name) ||
		     read_string(reader, reader->root, "summary", &spec->suite.summary) ||
		     read_params(reader, &sweep) || read_arguments(reader) ||
		     read_launch(reader, reader->root, &base) || read_variants(reader, &base, &sweep) ||
		     read_reference(reader, &base) ||
		     (flops && read_expr(reader, flops, "flops", spec->param_count, false, &spec->flops)) ||
		     (bytes && read_expr(reader, bytes, "bytes", spec->param_count, false, &spec->bytes));
	const char *all = bench_text_keep(&sweep, reader->arena);
	return result || read_presets(reader, all) ? -1 : 0;
}

int bench_kernel_spec_read(const cJSON *extension, struct bench_arena *arena, struct bench_kernel_spec **spec,
			   struct bench_error *error)
{
	struct bench_kernel_spec *made = bench_arena_alloc(arena, 1, sizeof(*made));
	struct bench_error unused;
	struct reader reader = {.arena = arena, .spec = made, .error = error ? error : &unused};
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
