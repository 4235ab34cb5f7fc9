/* SPDX-License-Identifier: MIT */
/* The arguments of a kernel, as its specification lists them. */
#include "suites/kernel/images.h"

#include <math.h>
#include <string.h>

static int read_access(const struct bench_kernel_reader *reader, const cJSON *item,
		       struct bench_kernel_spec_argument *argument)
{
	static const char *const names[] = {"in", "out", "inout", "local", "scratch"};
	static const enum bench_kernel_access accesses[] = {BENCH_KERNEL_IN, BENCH_KERNEL_OUT,
							    BENCH_KERNEL_INOUT, BENCH_KERNEL_LOCAL,
							    BENCH_KERNEL_SCRATCH};
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

/* Where the type is no parameter's, it is one of numbers, or a structure. */
static int check_type(const struct bench_kernel_reader *reader, const cJSON *item,
		      struct bench_kernel_spec_argument *argument)
{
	const struct bench_kernel_spec *spec = reader->spec;
	const cJSON *at = bench_json_member(item, "type"), *declared = bench_json_member(item, "declared"),
		    *format = bench_json_member(item, "format");
	const struct bench_kernel_type *type;
	struct bench_kernel_wide wide;
	struct bench_error cause;
	if (!argument->type.text)
		return FAIL_AT(reader, item, "argument %s lacks 'type', such as \"float\"", argument->name);
	for (size_t i = 0; i < spec->layout_count && !argument->layout; i++)
		if (strcmp(spec->layouts[i].name, argument->type.text) == 0)
			argument->layout = &spec->layouts[i];
	if (argument->layout && argument->access == BENCH_KERNEL_LOCAL)
		return FAIL_AT(reader, at, "local memory is of numbers: as many as the structures take");
	const bool object = bench_kernel_images_is_type(argument->type.text);
	if (format && !object)
		return FAIL_AT_NAME(reader, format, "'format' is for an image: its type is \"image2d_t\"");
	if (declared && (!bench_kernel_spec_is_buffer(argument) || object))
		return FAIL_AT_NAME(reader, declared,
				    "'declared' is for a buffer that the source has as bytes");
	if (bench_kernel_reader_string(reader, item, "declared", &argument->declared) != 0)
		return -1;
	if (argument->declared && bench_kernel_type_find(argument->declared, &type, &cause) != 0)
		return FAIL_AT(reader, declared, "%s", cause.text);
	if (object)
		return bench_kernel_images_read(reader, item, argument);
	if (argument->layout || strchr(argument->type.text, '{'))
		return 0;
	if (argument->access != BENCH_KERNEL_VALUE &&
	    bench_kernel_type_find(argument->type.text, &type, &cause) != 0)
		return FAIL_AT(reader, at, "%s%s", cause.text,
			       spec->layout_count ? "; nor is it a structure of 'structs'" : "");
	if (argument->access == BENCH_KERNEL_VALUE &&
	    (bench_kernel_type_wide(argument->type.text, &wide, &cause) != 0 || wide.array))
		return FAIL_AT(reader, at, "%s",
			       wide.array ? "an array by value is in a structure" : cause.text);
	return 0;
}

/* Lets expressions name an argument's columns: "x[i]" or "x.field[i]". */
static void name_columns(const struct bench_kernel_reader *reader,
			 const struct bench_kernel_spec_argument *argument)
{
	struct bench_kernel_spec *spec = reader->spec;
	for (size_t c = argument->column; c < argument->column + argument->column_count; c++)
		spec->symbols[bench_kernel_spec_columns(spec) + c].name =
			spec->columns[c].field ? bench_arena_format(reader->arena, "%s.%s", argument->name,
								    spec->columns[c].field->name)
					       : argument->name;
}

static int declare_columns(const struct bench_kernel_reader *reader, const cJSON *item,
			   struct bench_kernel_spec_argument *argument)
{
	struct bench_kernel_spec *spec = reader->spec;
	const bool number = argument->access == BENCH_KERNEL_VALUE;
	struct bench_kernel_wide wide = {0};
	argument->column = spec->column_count;
	argument->column_count = argument->layout ? argument->layout->count : argument->sampler ? 0 : 1;
	if (spec->column_count + argument->column_count > BENCH_KERNEL_COLUMNS)
		return FAIL_AT(reader, item, "the arguments have more than %d fields", BENCH_KERNEL_COLUMNS);
	for (size_t c = 0; c < argument->column_count; c++) {
		spec->columns[spec->column_count++].field =
			argument->layout ? &argument->layout->fields[c] : NULL;
		spec->symbols[spec->symbol_count++] =
			(struct bench_expr_symbol){.name = "", .array = !number};
	}
	if (number && !argument->layout)
		bench_kernel_type_wide(argument->type.text, &wide, &(struct bench_error){0});
	/* What a kernel leaves has a name only for checks that follow its own, and a vector is no number. */
	if (number ? !wide.vector && !argument->layout : bench_kernel_spec_is_input(argument))
		name_columns(reader, argument);
	return 0;
}

/* What other arguments need to know of it. */
static int declare_argument(const struct bench_kernel_reader *reader, const cJSON *item)
{
	static const char *const members[] = {"name", "type",  "declared",  "shape",  "access", "value",
					      "fill", "check", "tolerance", "format", NULL};
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
	argument->place = bench_kernel_reader_place(reader, item, "args");
	if (bench_kernel_reader_words(reader, item, "type", &argument->type) != 0 ||
	    read_access(reader, item, argument) != 0 || check_type(reader, item, argument) != 0)
		return -1;
	const bool number = argument->access == BENCH_KERNEL_VALUE;
	bool parameter = BENCH_FIND(spec->symbols, spec->param_count, argument->name) != NULL;
	bool taken = parameter && (!number || bench_json_member(item, "value"));
	for (size_t i = spec->param_count; i < bench_kernel_spec_columns(spec); i++)
		taken |= strcmp(spec->symbols[i].name, argument->name) == 0;
	taken |= BENCH_FIND(spec->arguments, spec->argument_count, argument->name) != NULL;
	if (parameter && number && taken)
		return FAIL_AT(reader, bench_json_member(item, "value"),
			       "'%s' is a parameter, whose value it has: leave out 'value', or give the "
			       "argument another name",
			       argument->name);
	if (taken)
		return FAIL_AT(reader, bench_json_member(item, "name"),
			       "there is a '%s' already, a parameter, an argument or the number of an "
			       "element: give it another name",
			       argument->name);
	if (declare_columns(reader, item, argument) != 0)
		return -1;
	/* A number that is called like a parameter is that parameter. */
	if (parameter)
		spec->symbols[spec->symbol_count - 1].name = "";
	spec->argument_count++;
	return 0;
}

static int read_tolerance(const struct bench_kernel_reader *reader, const cJSON *object, double *tolerance)
{
	const cJSON *item = bench_json_member(object, "tolerance");
	if (!item)
		return 0;
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && isfinite(item->valuedouble)))
		return FAIL_AT(reader, item, "'tolerance' is a number, at least 0");
	*tolerance = item->valuedouble;
	return 0;
}

/* The values of a number, of a vector's elements, or of a structure's fields: those of one field or vector
 * are a list, or one for all. */
static int add_values(const struct bench_kernel_reader *reader, const cJSON *item, size_t count,
		      struct bench_kernel_spec_argument *argument)
{
	const cJSON *each = cJSON_IsArray(item) ? item->child : item;
	if (!each)
		return FAIL_AT(reader, item, "an empty list has no value");
	if (cJSON_IsArray(item) && (size_t)cJSON_GetArraySize(item) != count)
		return FAIL_AT(reader, item, "%d values for %zu elements", cJSON_GetArraySize(item), count);
	for (size_t i = 0; i < count; i++, each = cJSON_IsArray(item) ? each->next : each)
		if (bench_kernel_reader_expr(reader, each, "value", reader->spec->param_count, false,
					     bench_arena_push(reader->arena, &argument->values,
							      &argument->value_count,
							      sizeof(*argument->values))) != 0)
			return -1;
	return 0;
}

/* "value": {"FIELD": .., ..}, of every field. */
static int read_fields(const struct bench_kernel_reader *reader, const cJSON *item,
		       struct bench_kernel_spec_argument *argument)
{
	const struct bench_kernel_layout *layout = argument->layout;
	const char *names[BENCH_KERNEL_COLUMNS + 1] = {NULL};
	for (size_t f = 0; f < layout->count; f++)
		names[f] = layout->fields[f].name;
	if (layout->bytes > BENCH_KERNEL_MOST_NUMBER)
		return FAIL_AT(reader, item, "more than %d bytes by value", BENCH_KERNEL_MOST_NUMBER);
	if (!cJSON_IsObject(item))
		return FAIL_AT(reader, item, "a structure's value is an object: {\"%s\": .., ..}", names[0]);
	if (bench_kernel_reader_members(reader, item, "the structure", names) != 0)
		return -1;
	for (size_t f = 0; f < layout->count; f++) {
		const cJSON *value = bench_json_member(item, names[f]);
		if (!value)
			return FAIL_AT(reader, item, "the value lacks field '%s'", names[f]);
		if (add_values(reader, value, layout->fields[f].type.count, argument) != 0)
			return -1;
	}
	return 0;
}

/* A number's value; one that has none is the parameter of its name. */
static int define_value(const struct bench_kernel_reader *reader, const cJSON *item,
			struct bench_kernel_spec_argument *argument)
{
	const cJSON *value = bench_json_member(item, "value");
	struct bench_error cause = {0};
	size_t at;
	if (argument->sampler)
		return 0;
	for (const char *const *name = (const char *const[]){"fill", "check", "tolerance", NULL}; *name;
	     name++)
		if (bench_json_member(item, *name))
			return FAIL_AT_NAME(reader, bench_json_member(item, *name),
					    "'%s' without 'shape': %s is a number", *name, argument->name);
	if (value && argument->layout)
		return read_fields(reader, value, argument);
	/* A parameter may make it a vector: as many as there are. */
	if (value)
		return add_values(reader, value, cJSON_IsArray(value) ? (size_t)cJSON_GetArraySize(value) : 1,
				  argument);
	argument->values = bench_arena_alloc(reader->arena, 1, sizeof(*argument->values));
	argument->values[argument->value_count++].place =
		bench_kernel_reader_place(reader, item, argument->name);
	if (!argument->layout &&
	    bench_expr_parse(argument->name, reader->spec->symbols, reader->spec->param_count, false,
			     reader->arena, &argument->values[0].expr, &at, &cause) == 0)
		return 0;
	const bool words = bench_json_member(bench_json_member(reader->root, "params"), argument->name);
	return FAIL_AT(reader, item, "argument %s lacks 'value' (a number), or 'shape' (a buffer)%s",
		       argument->name, words ? ": the parameter of this name is no number" : "");
}

static bool is_none(const cJSON *check)
{
	return check && cJSON_IsString(check) && strcmp(check->valuestring, "none") == 0;
}

/* What a column's elements are filled with, and what they must hold: an expression, or "none". */
static int read_column(const struct bench_kernel_reader *reader, const cJSON *fill, const cJSON *check,
		       struct bench_kernel_spec_column *column)
{
	column->unchecked = is_none(check);
	if (fill && bench_kernel_reader_expr(reader, fill, "fill", bench_kernel_spec_columns(reader->spec),
					     true, &column->fill) != 0)
		return -1;
	return check && !column->unchecked
		       ? bench_kernel_reader_expr(reader, check, "check", reader->spec->symbol_count, false,
						  &column->check)
		       : 0;
}

/* {"file": "y-{n}.bin"}, whose name counts from the folder of the spec. */
static int read_file(const struct bench_kernel_reader *reader, const cJSON *check,
		     struct bench_kernel_spec_argument *argument)
{
	static const char *const members[] = {"file", NULL};
	const char *folder = strrchr(reader->file, '/');
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

/* Of structures, 'fill' and 'check' are objects with a member for each field. */
static int read_columns(const struct bench_kernel_reader *reader, const cJSON *fill, const cJSON *check,
			struct bench_kernel_spec_argument *argument)
{
	struct bench_kernel_spec_column *columns = &reader->spec->columns[argument->column];
	const char *names[BENCH_KERNEL_COLUMNS + 1] = {NULL};
	const bool none = is_none(check);
	if (cJSON_IsObject(check) && (!argument->layout || bench_json_member(check, "file"))) {
		if (read_file(reader, check, argument) != 0)
			return -1;
		check = NULL;
	}
	if (!argument->layout)
		return read_column(reader, fill, check, columns);
	for (size_t f = 0; f < argument->layout->count; f++)
		names[f] = argument->layout->fields[f].name;
	for (const cJSON *const *part = (const cJSON *const[]){fill, none ? NULL : check, NULL},
				*const *end = part + 2;
	     part < end; part++) {
		if (*part && !cJSON_IsObject(*part))
			return FAIL_AT(reader, *part, "of structures it is an object: {\"%s\": .., ..}",
				       names[0]);
		if (*part && bench_kernel_reader_members(reader, *part, "the structure", names) != 0)
			return -1;
	}
	for (size_t f = 0; f < argument->layout->count; f++) {
		const cJSON *of_check = none ? check : check ? bench_json_member(check, names[f]) : NULL;
		if (check && !of_check)
			return FAIL_AT(reader, check,
				       "nothing says what field '%s' must hold; \"none\" if nobody can",
				       names[f]);
		if (read_column(reader, fill ? bench_json_member(fill, names[f]) : NULL, of_check,
				&columns[f]) != 0)
			return -1;
	}
	return 0;
}

static int define_argument(const struct bench_kernel_reader *reader, const cJSON *item,
			   struct bench_kernel_spec_argument *argument)
{
	const cJSON *fill = bench_json_member(item, "fill"), *check = bench_json_member(item, "check");
	argument->tolerance = -1;
	if (argument->access == BENCH_KERNEL_VALUE)
		return define_value(reader, item, argument);
	if (bench_json_member(item, "value"))
		return FAIL_AT_NAME(reader, bench_json_member(item, "value"),
				    "'value' beside 'shape': say 'fill'");
	if (fill && !bench_kernel_spec_is_input(argument))
		return FAIL_AT_NAME(reader, fill,
				    "'fill' of what the kernel does not read: is its access \"inout\"?");
	if (check && !bench_kernel_spec_is_output(argument))
		return FAIL_AT_NAME(reader, check,
				    "'check' of what the kernel does not write: is its access \"out\"?");
	if (bench_kernel_reader_shape(reader, item, "shape", &argument->shape) != 0 ||
	    read_columns(reader, fill, check, argument) != 0)
		return -1;
	for (size_t c = 0; c < argument->column_count; c++) {
		const struct bench_kernel_layout_field *field =
			reader->spec->columns[argument->column + c].field;
		if (field && field->type.count > 1 && argument->shape.count == BENCH_KERNEL_DIMENSIONS)
			return FAIL_AT(
				reader, bench_json_member(item, "shape"),
				"field '%s' has several elements: at most two dimensions of structures",
				field->name);
	}
	return read_tolerance(reader, item, &argument->tolerance);
}

static bool is_answered(const struct bench_kernel_reader *reader,
			const struct bench_kernel_spec_argument *argument)
{
	const struct bench_kernel_spec_column *column = &reader->spec->columns[argument->column];
	return column->check.expr || column->unchecked || argument->file.text ||
	       bench_json_member(reader->root, "reference");
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
		outputs += bench_kernel_spec_is_output(argument);
		if (bench_kernel_spec_is_output(argument) && !is_answered(reader, argument))
			return FAIL_AT(reader, item,
				       "nothing says what %s must hold: give it 'check', such as \"2 * "
				       "x[i]\", or the "
				       "spec a 'reference'",
				       argument->name);
		if (argument->access == BENCH_KERNEL_OUT)
			name_columns(reader, argument);
		argument++;
	}
	return outputs ? 0
		       : FAIL_AT(reader, arguments,
				 "no argument is written: one has access \"out\" or \"inout\"");
}
