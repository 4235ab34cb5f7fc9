/* SPDX-License-Identifier: MIT */
/* What a specification launches: one kernel or a chain, in variants, and the reference. */
#include "suites/kernel/reader.h"

#include <ctype.h>
#include <string.h>

enum { MOST_OPS = 64 };   /* of a list */
enum { MOST_LABEL = 51 }; /* characters behind "device_time_" */

/* The number of the argument of that name, a buffer where one is needed; `item` is for the message. */
static int find_argument(const struct bench_kernel_reader *reader, const cJSON *item, const char *name,
			 bool buffer, size_t *index)
{
	const struct bench_kernel_spec *spec = reader->spec;
	const char *names[BENCH_KERNEL_ARGUMENTS];
	struct bench_error cause;
	size_t count = 0;
	for (size_t i = 0; i < spec->argument_count; i++) {
		if (buffer && !bench_kernel_spec_is_buffer(&spec->arguments[i]))
			continue;
		*index = i;
		if (name && strcmp(spec->arguments[i].name, name) == 0)
			return 0;
		names[count++] = spec->arguments[i].name;
	}
	bench_text_no_such(buffer ? "buffer" : "argument", name ? name : "", names, count, "", &cause);
	return FAIL_AT(reader, item, "%s", cause.text);
}

/* "(int)n - t": a number that only this launch has. */
static int read_number(const struct bench_kernel_reader *reader, const cJSON *item,
		       struct bench_kernel_spec_pass *pass)
{
	const char *text = item->valuestring, *close = strchr(text, ')');
	const struct bench_kernel_type *type;
	struct bench_error cause;
	size_t at;
	if (!close)
		return FAIL_AT(reader, item, "a number is \"(TYPE)EXPRESSION\", such as \"(int)n\"");
	pass->name = bench_arena_string(reader->arena, text);
	pass->argument = SIZE_MAX;
	pass->type.text = bench_arena_format(reader->arena, "%.*s", (int)(close - text - 1), text + 1);
	pass->type.place = pass->value.place = bench_kernel_reader_place(reader, item, "args");
	if (!strchr(pass->type.text, '{') && bench_kernel_type_find(pass->type.text, &type, &cause) != 0)
		return FAIL_AT(reader, item, "%s; a vector or a structure is one of the spec's 'args'",
			       cause.text);
	if (bench_expr_parse(close + 1, reader->spec->symbols, bench_kernel_spec_indices(reader->spec), false,
			     reader->arena, &pass->value.expr, &at, &cause) == 0)
		return 0;
	return bench_json_place_fail(reader->text, reader->file, reader->root, item, false,
				     (size_t)(close - text) + 2 + at, reader->error, "args: %s", cause.text);
}

/* What a launch passes: names of the spec's arguments, and numbers. */
static int read_passes(const struct bench_kernel_reader *reader, const cJSON *object,
		       struct bench_kernel_spec_launch *launch)
{
	const cJSON *list = bench_json_member(object, "args"), *item;
	if (!list || object == reader->root)
		return 0;
	if (!cJSON_IsArray(list))
		return FAIL_AT(reader, list, "'args' of a launch is a list: [\"x\", \"y\", \"(int)n\"]");
	launch->passes = bench_arena_alloc(reader->arena, BENCH_KERNEL_ARGUMENTS, sizeof(*launch->passes));
	launch->pass_count = 0;
	cJSON_ArrayForEach(item, list)
	{
		if (launch->pass_count == BENCH_KERNEL_ARGUMENTS)
			return FAIL_AT(reader, item, "more than %d arguments", BENCH_KERNEL_ARGUMENTS);
		struct bench_kernel_spec_pass *pass = &launch->passes[launch->pass_count++];
		if (!cJSON_IsString(item))
			return FAIL_AT(
				reader, item,
				"expected the name of one of the spec's 'args', or a number: \"(int)n\"");
		if (item->valuestring[0] == '(') {
			if (read_number(reader, item, pass) != 0)
				return -1;
			continue;
		}
		if (find_argument(reader, item, item->valuestring, false, &pass->argument) != 0)
			return -1;
		pass->name = reader->spec->arguments[pass->argument].name;
	}
	return 0;
}

/* False where the name is nowhere in the source and in the options, and nothing puts it together. */
static bool may_be_kernel(const struct bench_kernel_reader *reader, const cJSON *object, const char *name)
{
	const char *options[] = {bench_json_string_or(object, "options", ""),
				 bench_json_string_or(reader->root, "options", "")};
	return strstr(reader->spec->source, name) || strstr(reader->spec->source, "##") ||
	       strstr(options[0], name) || strstr(options[1], name);
}

static int fail_kernel(const struct bench_kernel_reader *reader, const cJSON *item, const char *name)
{
	const char *names[BENCH_KERNEL_LABELS], *at = reader->spec->source;
	struct bench_error cause;
	size_t count = 0;
	while (count < BENCH_KERNEL_LABELS && (names[count] = bench_kernel_reader_kernel(reader, &at)))
		count++;
	if (count == 0)
		return FAIL_AT(reader, item, "there is no kernel '%s': %s has none", name,
			       reader->spec->file);
	bench_text_no_such("kernel", name, names, count, "", &cause);
	return FAIL_AT(reader, item, "%s: %s", reader->spec->file, cause.text);
}

/* The members that a launch, a variant or a reference may replace. */
static int read_launch(const struct bench_kernel_reader *reader, const cJSON *object,
		       struct bench_kernel_spec_launch *launch)
{
	const cJSON *kernel = bench_json_member(object, "kernel");
	if (bench_kernel_reader_string(reader, object, "kernel", &launch->kernel) != 0)
		return -1;
	if (kernel &&
	    strspn(launch->kernel, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
		    strlen(launch->kernel))
		return FAIL_AT(reader, kernel, "'%s' is no name of a kernel", launch->kernel);
	if (kernel && !may_be_kernel(reader, object, launch->kernel))
		return fail_kernel(reader, kernel, launch->kernel);
	if (bench_kernel_reader_words(reader, object, "options", &launch->options) != 0 ||
	    bench_kernel_reader_shape(reader, object, "global", &launch->global) != 0 ||
	    bench_kernel_reader_shape(reader, object, "local", &launch->local) != 0 ||
	    read_passes(reader, object, launch) != 0)
		return -1;
	if (launch->local.count && launch->global.count && launch->local.count != launch->global.count)
		return FAIL_AT(reader,
			       bench_json_member(object, "local")    ? bench_json_member(object, "local")
			       : bench_json_member(object, "global") ? bench_json_member(object, "global")
								     : object,
			       "'global' has %zu dimension%s and 'local' %zu: they have the same number",
			       launch->global.count, bench_text_plural(launch->global.count),
			       launch->local.count);
	return 0;
}

/* A launch, whole; `object` is where it is. */
static int check_launch(const struct bench_kernel_reader *reader, const cJSON *object,
			const struct bench_kernel_spec_launch *launch)
{
	if (!launch->kernel)
		return FAIL_AT(reader, object, "%s has no kernel: say which with 'kernel'",
			       reader->spec->file);
	return launch->global.count
		       ? 0
		       : FAIL_AT(reader, object, "'global' is missing: the work-items, such as \"n\"");
}

/* Launches of a chain have times of their own, called after their kernels, or as "name" says. */
static int label_launch(const struct bench_kernel_reader *reader, const cJSON *item,
			struct bench_kernel_spec_launch *launch, bool reference)
{
	struct bench_kernel_spec *spec = reader->spec;
	const cJSON *given = bench_json_member(item, "name");
	const char *name = launch->kernel;
	if (bench_kernel_reader_string(reader, item, "name", &name) != 0)
		return -1;
	if (given && !bench_kernel_reader_is_name(name))
		return FAIL_AT(reader, given, "'name' has letters, digits and '_', at most 31");
	if (reference)
		return 0;
	if (strlen(name) > MOST_LABEL)
		return FAIL_AT(reader, item, "'%s' is too long for a metric: give the launch a 'name'", name);
	char *label = bench_arena_format(reader->arena, "device_time_%s", name);
	for (char *at = label; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	for (size_t i = 0; i < spec->label_count; i++)
		if (strcmp(spec->labels[i].name, label) == 0) {
			launch->label = i;
			return 0;
		}
	if (spec->label_count == BENCH_KERNEL_LABELS)
		return FAIL_AT(reader, item, "more than %d different launches: give some the same 'name'",
			       BENCH_KERNEL_LABELS);
	launch->label = spec->label_count;
	spec->labels[spec->label_count++] = (struct bench_metric_spec){
		label, "s", BENCH_BETTER_LOWER,
		bench_arena_format(reader->arena, "on the device, in the launches %s of an iteration", name)};
	return 0;
}

static int read_ops(const struct bench_kernel_reader *reader, const cJSON *list,
		    const struct bench_kernel_spec_launch *base, size_t depth, bool reference,
		    struct bench_kernel_spec_ops *ops);

/* Stops the loop where it is not 0; it sees the elements of all buffers, but not of images. */
static int read_until(const struct bench_kernel_reader *reader, const cJSON *until,
		      struct bench_kernel_expr *into)
{
	struct bench_kernel_spec *spec = reader->spec;
	struct bench_expr_symbol symbols[BENCH_KERNEL_SYMBOLS];
	memcpy(symbols, spec->symbols, sizeof(symbols));
	for (size_t a = 0; a < spec->argument_count; a++)
		if (bench_kernel_spec_is_buffer(&spec->arguments[a]) && spec->arguments[a].column_count == 1)
			spec->symbols[bench_kernel_spec_columns(spec) + spec->arguments[a].column].name =
				spec->arguments[a].image ? "" : spec->arguments[a].name;
	for (size_t i = bench_kernel_spec_loops(spec); i < bench_kernel_spec_columns(spec); i++)
		spec->symbols[i].name = "";
	const int result = bench_kernel_reader_expr(reader, until, "until", spec->symbol_count, false, into);
	memcpy(spec->symbols, symbols, sizeof(symbols));
	return result;
}

/* {"for": "t", "from": 0, "to": "n", "until": "stop[0] == 1", "launches": [..]} */
static int read_loop(const struct bench_kernel_reader *reader, const cJSON *item,
		     const struct bench_kernel_spec_launch *base, size_t depth, bool reference,
		     struct bench_kernel_spec_op *op)
{
	static const char *const members[] = {"for", "from", "to", "until", "launches", NULL};
	struct bench_kernel_spec *spec = reader->spec;
	const cJSON *name = bench_json_member(item, "for"), *from = bench_json_member(item, "from"),
		    *to = bench_json_member(item, "to"), *until = bench_json_member(item, "until");
	const size_t symbols = bench_kernel_spec_indices(spec);
	const char *counter = "";
	op->kind = BENCH_KERNEL_LOOP;
	if (bench_kernel_reader_members(reader, item, "a loop", members) != 0 ||
	    bench_kernel_reader_string(reader, item, "for", &counter) != 0)
		return -1;
	if (depth == BENCH_KERNEL_LOOPS)
		return FAIL_AT(reader, item, "more than %d loops within each other", BENCH_KERNEL_LOOPS);
	if (name && !bench_kernel_reader_is_name(counter))
		return FAIL_AT(reader, name, "'for' is the name of the loop's counter, such as \"t\"");
	for (size_t i = 0; name && i < spec->symbol_count; i++)
		if (strcmp(spec->symbols[i].name, counter) == 0)
			return FAIL_AT(reader, name, "there is a '%s' already: give the counter another name",
				       counter);
	if (!to)
		return FAIL_AT(reader, item,
			       "a loop has 'to', the number that its counter ends before: with 'until' the "
			       "most rounds that it may take");
	if ((from && bench_kernel_reader_expr(reader, from, "from", symbols, false, &op->from) != 0) ||
	    bench_kernel_reader_expr(reader, to, "to", symbols, false, &op->to) != 0 ||
	    (until && read_until(reader, until, &op->until) != 0))
		return -1;
	op->symbol = bench_kernel_spec_loops(spec) + depth;
	spec->symbols[op->symbol].name = counter;
	const int result =
		read_ops(reader, bench_json_member(item, "launches"), base, depth + 1, reference, &op->body);
	spec->symbols[op->symbol].name = "";
	return result;
}

/* {"set": "x", "value": 0}: all elements of a buffer. */
static int read_set(const struct bench_kernel_reader *reader, const cJSON *item,
		    struct bench_kernel_spec_op *op)
{
	static const char *const members[] = {"set", "value", NULL};
	const cJSON *set = bench_json_member(item, "set"), *value = bench_json_member(item, "value");
	op->kind = BENCH_KERNEL_SET;
	if (bench_kernel_reader_members(reader, item, "'set'", members) != 0 ||
	    find_argument(reader, set, cJSON_IsString(set) ? set->valuestring : NULL, true,
			  &op->arguments[0]) != 0)
		return -1;
	const struct bench_kernel_spec_argument *argument = &reader->spec->arguments[op->arguments[0]];
	if (argument->access == BENCH_KERNEL_IN || argument->layout || argument->image)
		return FAIL_AT(reader, set, "'%s' is %s: it cannot be set", argument->name,
			       argument->layout  ? "a buffer of structures"
			       : argument->image ? "an image"
						 : "only read, by its 'access'");
	if (!value)
		return FAIL_AT(reader, item, "'set' lacks 'value', what its elements become");
	return bench_kernel_reader_expr(reader, value, "value", bench_kernel_spec_indices(reader->spec),
					false, &op->value);
}

/* {"swap": ["a", "b"]}: each is the other from here on. */
static int read_swap(const struct bench_kernel_reader *reader, const cJSON *item,
		     struct bench_kernel_spec_op *op)
{
	static const char *const members[] = {"swap", NULL};
	const cJSON *swap = bench_json_member(item, "swap");
	op->kind = BENCH_KERNEL_SWAP;
	if (bench_kernel_reader_members(reader, item, "'swap'", members) != 0)
		return -1;
	if (!cJSON_IsArray(swap) || cJSON_GetArraySize(swap) != 2)
		return FAIL_AT(reader, swap, "'swap' has two buffers: [\"a\", \"b\"]");
	for (int i = 0; i < 2; i++) {
		const cJSON *name = cJSON_GetArrayItem(swap, i);
		if (find_argument(reader, name, cJSON_IsString(name) ? name->valuestring : NULL, true,
				  &op->arguments[i]) != 0)
			return -1;
		if (reader->spec->arguments[op->arguments[i]].access == BENCH_KERNEL_IN)
			return FAIL_AT(reader, name,
				       "'%s' is only read, by its 'access': what is swapped is written, too",
				       name->valuestring);
	}
	return 0;
}

static int read_op(const struct bench_kernel_reader *reader, const cJSON *item,
		   const struct bench_kernel_spec_launch *base, size_t depth, bool reference,
		   struct bench_kernel_spec_op *op)
{
	static const char *const members[] = {"kernel", "args", "global", "local", "name", NULL};
	op->place = bench_kernel_reader_place(reader, item, "launches");
	if (!cJSON_IsObject(item))
		return FAIL_AT(reader, item,
			       "expected a launch {\"kernel\": ..}, a loop {\"to\": .., \"launches\": ..}, "
			       "{\"set\": ..} or {\"swap\": ..}");
	if (bench_json_member(item, "swap"))
		return read_swap(reader, item, op);
	if (bench_json_member(item, "set"))
		return read_set(reader, item, op);
	if (bench_json_member(item, "launches"))
		return read_loop(reader, item, base, depth, reference, op);
	op->launch = *base;
	if (bench_kernel_reader_members(reader, item, "a launch", members) != 0 ||
	    read_launch(reader, item, &op->launch) != 0 || check_launch(reader, item, &op->launch) != 0)
		return -1;
	return label_launch(reader, item, &op->launch, reference);
}

static int read_ops(const struct bench_kernel_reader *reader, const cJSON *list,
		    const struct bench_kernel_spec_launch *base, size_t depth, bool reference,
		    struct bench_kernel_spec_ops *ops)
{
	const cJSON *item;
	if (!cJSON_IsArray(list) || !list->child)
		return FAIL_AT(reader, list, "'launches' is a list: [{\"kernel\": ..}, {\"kernel\": ..}]");
	if (cJSON_GetArraySize(list) > MOST_OPS)
		return FAIL_AT(reader, list, "'launches' has more than %d entries", MOST_OPS);
	ops->list = bench_arena_alloc(reader->arena, (size_t)cJSON_GetArraySize(list), sizeof(*ops->list));
	cJSON_ArrayForEach(item, list)
	{
		if (read_op(reader, item, base, depth, reference, &ops->list[ops->count]) != 0)
			return -1;
		ops->count++;
	}
	return 0;
}

/* A variant's iteration: its chain, or that of `chain` where it has none, or one launch. */
static int read_program(const struct bench_kernel_reader *reader, const cJSON *object, const cJSON *chain,
			const struct bench_kernel_spec_launch *base, bool reference,
			struct bench_kernel_spec_program *program)
{
	struct bench_kernel_spec_launch launch = *base;
	if (read_launch(reader, object, &launch) != 0)
		return -1;
	chain = bench_json_member(object, "launches") ? bench_json_member(object, "launches") : chain;
	program->chain = chain != NULL;
	if (chain)
		return read_ops(reader, chain, &launch, 0, reference, &program->ops);
	program->ops.list = bench_arena_alloc(reader->arena, 1, sizeof(*program->ops.list));
	program->ops.list[program->ops.count++] = (struct bench_kernel_spec_op){
		.kind = BENCH_KERNEL_LAUNCH,
		.launch = launch,
		.place = bench_kernel_reader_place(reader, bench_json_member(reader->root, "args"), "args")};
	return check_launch(reader, object, &launch);
}

static const char *const program_members[] = {"kernel", "options",  "global", "local",
					      "args",   "launches", NULL};

static int read_variant(const struct bench_kernel_reader *reader, const cJSON *item,
			const struct bench_kernel_spec_launch *base)
{
	struct bench_kernel_spec *spec = reader->spec;
	struct bench_kernel_spec_program *program = &spec->programs[spec->program_count];
	const cJSON *variants = bench_json_member(reader->root, "variants");
	if (spec->program_count == BENCH_KERNEL_VARIANTS)
		return FAIL_AT_NAME(reader, item, "more than %d variants", BENCH_KERNEL_VARIANTS);
	if (!bench_kernel_reader_is_name(item->string) || !cJSON_IsObject(item) ||
	    bench_json_member(variants, item->string) != item)
		return FAIL_AT_NAME(
			reader, item,
			"a variant has a unique name of at most 31 letters, digits and '_', and is an "
			"object");
	program->variant = bench_arena_string(reader->arena, item->string);
	if (bench_kernel_reader_members(reader, item, "a variant", program_members) != 0 ||
	    read_program(reader, item, bench_json_member(reader->root, "launches"), base, false, program) !=
		    0)
		return -1;
	spec->program_count++;
	return 0;
}

/* "variants": {"plain": {}, "tiled": {"kernel": ..}}: each replaces some members of the spec. */
static int read_variants(const struct bench_kernel_reader *reader,
			 const struct bench_kernel_spec_launch *base, struct bench_text *sweep)
{
	struct bench_kernel_spec *spec = reader->spec;
	const cJSON *variants = bench_json_member(reader->root, "variants"), *item;
	struct bench_text choices = {0};
	if (!variants)
		return read_program(reader, reader->root, NULL, base, false,
				    &spec->programs[spec->program_count++]);
	if (!cJSON_IsObject(variants) || !variants->child)
		return FAIL_AT(reader, variants,
			       "'variants' is an object: {\"plain\": {}, \"tiled\": {\"kernel\": ..}}");
	for (item = variants->child; item; item = item->next)
		if (read_variant(reader, item, base) != 0)
			return -1;
	for (size_t i = 0; i < spec->program_count; i++)
		bench_text_add(&choices, "%s%s", i ? "|" : "", spec->programs[i].variant);
	char *words = bench_text_keep(&choices, reader->arena);
	reader->params[spec->param_count] =
		(struct bench_param){.name = "variant",
				     .type = BENCH_PARAM_CHOICE,
				     .fallback = spec->programs[0].variant,
				     .choices = words,
				     .help = "of the spec; the first is the yardstick"};
	spec->suite.variants = "variant";
	bench_text_add(sweep, "%svariant=", sweep->length ? " " : "");
	for (size_t i = 0; i < spec->program_count; i++)
		bench_text_add(sweep, "%s%s", i ? "," : "", spec->programs[i].variant);
	return 0;
}

int bench_kernel_reader_programs(const struct bench_kernel_reader *reader,
				 struct bench_kernel_spec_launch *base, struct bench_text *sweep)
{
	struct bench_kernel_spec *spec = reader->spec;
	const cJSON *reference = bench_json_member(reader->root, "reference");
	if (read_launch(reader, reader->root, base) != 0 || read_variants(reader, base, sweep) != 0)
		return -1;
	spec->suite.metrics = spec->labels;
	if (!reference)
		return 0;
	if (!cJSON_IsObject(reference) ||
	    (!bench_json_member(reference, "kernel") && !bench_json_member(reference, "launches")))
		return FAIL_AT(reader, reference,
			       "'reference' is an object with 'kernel', the one to compare with");
	/* With tunables the reference has the default values. */
	if (base->kernel && !reference->child->next &&
	    strcmp(bench_json_string_or(reference, "kernel", ""), base->kernel) == 0 &&
	    !bench_json_member(reader->root, "variants") && !bench_json_member(reader->root, "launches") &&
	    !bench_json_member(reader->root, "tune"))
		return FAIL_AT(reader, reference,
			       "the reference is the kernel itself, so that any result would be right: name "
			       "another one, or give it other 'options'");
	return bench_kernel_reader_members(reader, reference, "a reference", program_members) != 0
		       ? -1
		       : read_program(reader, reference, NULL, base, true, &spec->reference);
}
