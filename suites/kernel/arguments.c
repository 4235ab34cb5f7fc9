/* SPDX-License-Identifier: MIT */
/* The arguments of a kernel, as its specification lists them. */
#include "suites/kernel/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

static int read_access(const struct bench_kernel_reader *reader, const cJSON *item,
		       struct bench_kernel_spec_argument *argument)
{
	static const char *const names[] = {"in", "out", "inout", "local"};
	static const enum bench_kernel_access accesses[] = {BENCH_KERNEL_IN, BENCH_KERNEL_OUT,
							    BENCH_KERNEL_INOUT, BENCH_KERNEL_LOCAL};
	const cJSON *access = bench_json_member(item, "access");
	const char *word = "in";
	struct bench_error cause;
	argument->access = BENCH_KERNEL_VALUE;
	if (!bench_json_member(item, "shape"))
		return access ? FAIL_AT(reader, access, "'access' without 'shape': a number is only read")
			      : 0;
	if (bench_kernel_reader_string(reader, item, "access", &word) != 0)
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
static int check_type(const struct bench_kernel_reader *reader, const cJSON *item,
		      const struct bench_kernel_spec_argument *argument)
{
	const struct bench_kernel_type *type;
	struct bench_error cause;
	if (!argument->type.text)
		return FAIL_AT(reader, item, "argument %s lacks 'type', such as \"float\"", argument->name);
	if (strchr(argument->type.text, '{') ||
	    bench_kernel_type_find(argument->type.text, &type, &cause) == 0)
		return 0;
	return FAIL_AT(reader, bench_json_member(item, "type"), "%s", cause.text);
}

/* What other arguments need to know of it. */
static int declare_argument(const struct bench_kernel_reader *reader, const cJSON *item)
{
	static const char *const members[] = {"name", "type",  "shape",     "access", "value",
					      "fill", "check", "tolerance", NULL};
	struct bench_kernel_spec *spec = reader->spec;
	struct bench_kernel_spec_argument *argument = &spec->arguments[spec->argument_count];
	if (!cJSON_IsObject(item))
		return FAIL_AT(reader, item,
			       "an argument is an object: {\"name\": \"x\", \"type\": \"float\", ...}");
	if (bench_kernel_reader_members(reader, item, "an argument", members) != 0 ||
	    bench_kernel_reader_string(reader, item, "name", &argument->name) != 0)
		return -1;
	if (!argument->name || !bench_kernel_reader_is_name(argument->name))
		return FAIL_AT(reader, argument->name ? bench_json_member(item, "name") : item,
			       "an argument has a 'name', at most 31 letters, digits and '_'");
	if (bench_kernel_reader_words(reader, item, "type", &argument->type) != 0 ||
	    check_type(reader, item, argument) != 0 || read_access(reader, item, argument) != 0)
		return -1;
	struct bench_expr_symbol *symbol = &spec->symbols[spec->symbol_count];
	symbol->name = argument->name;
	symbol->array = argument->access != BENCH_KERNEL_VALUE;
	for (size_t i = 0; i < spec->symbol_count; i++) {
		if (strcmp(spec->symbols[i].name, argument->name) != 0)
			continue;
		/* A number that is called like a parameter is that parameter. */
		if (i >= spec->param_count || symbol->array || bench_json_member(item, "value"))
			return FAIL_AT(reader, bench_json_member(item, "name"), "there is a '%s' already",
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

static int read_tolerance(const struct bench_kernel_reader *reader, const cJSON *object, double *tolerance)
{
	const cJSON *item = bench_json_member(object, "tolerance");
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
static int define_value(const struct bench_kernel_reader *reader, const cJSON *item,
			struct bench_kernel_spec_argument *argument)
{
	const cJSON *value = bench_json_member(item, "value");
	struct bench_error cause = {0};
	size_t at;
	for (const char *const *name = (const char *const[]){"fill", "check", "tolerance", NULL}; *name;
	     name++)
		if (bench_json_member(item, *name))
			return FAIL_AT_NAME(reader, bench_json_member(item, *name),
					    "'%s' without 'shape': %s is a number", *name, argument->name);
	if (value)
		return bench_kernel_reader_expr(reader, value, "value", reader->spec->param_count, false,
						&argument->value);
	argument->value.place = bench_kernel_reader_place(reader, item, argument->name);
	if (bench_expr_parse(argument->name, reader->spec->symbols, reader->spec->param_count, false,
			     reader->arena, &argument->value.expr, &at, &cause) == 0)
		return 0;
	return FAIL_AT(reader, item, "argument %s lacks 'value' (a number), or 'shape' (a buffer)",
		       argument->name);
}

/* An expression, or {"file": "y-{n}.bin"}, whose name counts from the folder of the spec. */
static int read_check(const struct bench_kernel_reader *reader, const cJSON *check,
		      struct bench_kernel_spec_argument *argument)
{
	static const char *const members[] = {"file", NULL};
	const char *folder = strrchr(reader->file, '/');
	if (!cJSON_IsObject(check))
		return bench_kernel_reader_expr(reader, check, "check", reader->spec->symbol_count, false,
						&argument->check);
	if (bench_kernel_reader_members(reader, check, "a check", members) != 0 ||
	    bench_kernel_reader_words(reader, check, "file", &argument->file) != 0)
		return -1;
	if (!argument->file.text)
		return FAIL_AT(reader, check, "a check is an expression, or {\"file\": \"y.bin\"}");
	if (folder && argument->file.text[0] != '/')
		argument->file.text =
			bench_arena_format(reader->arena, "%.*s/%s", (int)(folder - reader->file),
					   reader->file, argument->file.text);
	return 0;
}

static int define_argument(const struct bench_kernel_reader *reader, const cJSON *item,
			   struct bench_kernel_spec_argument *argument)
{
	const cJSON *fill = bench_json_member(item, "fill"), *check = bench_json_member(item, "check");
	const size_t symbols = reader->spec->param_count;
	argument->tolerance = -1;
	if (argument->access == BENCH_KERNEL_VALUE)
		return define_value(reader, item, argument);
	if (bench_json_member(item, "value"))
		return FAIL_AT_NAME(reader, bench_json_member(item, "value"),
				    "'value' beside 'shape': say 'fill'");
	if (fill && (argument->access == BENCH_KERNEL_OUT || argument->access == BENCH_KERNEL_LOCAL))
		return FAIL_AT_NAME(reader, fill,
				    "'fill' of what the kernel does not read: is its access \"inout\"?");
	if (check && !is_output(argument))
		return FAIL_AT_NAME(reader, check,
				    "'check' of what the kernel does not write: is its access \"out\"?");
	if (bench_kernel_reader_shape(reader, item, "shape", &argument->shape) != 0 ||
	    (fill && bench_kernel_reader_expr(reader, fill, "fill", symbols + BENCH_KERNEL_INDICES, true,
					      &argument->value) != 0) ||
	    (check && read_check(reader, check, argument) != 0))
		return -1;
	return read_tolerance(reader, item, &argument->tolerance);
}

int bench_kernel_reader_arguments(const struct bench_kernel_reader *reader)
{
	const cJSON *arguments = bench_json_member(reader->root, "args"), *item;
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
		    !bench_json_member(reader->root, "reference"))
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
