/* SPDX-License-Identifier: MIT */
/* "structs" of a specification: structures, and where their fields lie. */
#include "suites/kernel/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A structure or an array of them, stated before: "near" or "near[26]"; else NULL. */
static const struct bench_kernel_layout *find_inner(const struct bench_kernel_reader *reader,
						    const struct bench_kernel_layout *before,
						    const char *type, size_t *count)
{
	const size_t length = strcspn(type, "[");
	int read = 0;
	*count = 1;
	if (type[length] &&
	    (sscanf(type + length, "[%5zu]%n", count, &read) != 1 ||
	     !isdigit((unsigned char)type[length + 1]) || *count == 0 || type[length + (size_t)read]))
		return NULL;
	for (const struct bench_kernel_layout *layout = reader->spec->layouts; layout < before; layout++)
		if (strlen(layout->name) == length && strncmp(layout->name, type, length) == 0)
			return layout;
	return NULL;
}

/* A field of the structure, whose alignment is `alignment`: where it begins. */
static size_t place_field(struct bench_kernel_layout *layout, bool packed, size_t alignment, size_t bytes)
{
	const size_t to = packed ? 1 : alignment;
	const size_t offset = (layout->bytes + to - 1) / to * to;
	layout->alignment = to > layout->alignment ? to : layout->alignment;
	layout->bytes = offset + bytes;
	return offset;
}

/* A structure in another: its fields are also the other's. */
static int add_inner(const struct bench_kernel_reader *reader, const cJSON *item,
		     const struct bench_kernel_layout *inner, size_t count, bool packed,
		     struct bench_kernel_layout *layout)
{
	const bool array = strchr(item->valuestring, '[');
	const size_t offset = place_field(layout, packed, inner->alignment, inner->bytes * count);
	char *name = bench_arena_string(reader->arena, item->string);
	BENCH_PUSH(reader->arena, layout->bare, layout->bare_count) =
		(struct bench_kernel_field){name, NULL, offset, inner->bytes * count, false, array};
	for (size_t f = 0; f < inner->bare_count; f++) {
		struct bench_kernel_field bare = inner->bare[f];
		bare.name = bench_arena_format(reader->arena, "%s%s.%s", name, array ? "[0]" : "", bare.name);
		bare.offset += offset;
		BENCH_PUSH(reader->arena, layout->bare, layout->bare_count) = bare;
	}
	for (size_t f = 0; f < inner->count; f++) {
		struct bench_kernel_layout_field field = inner->fields[f];
		if (array && field.times > 1)
			return FAIL_AT(reader, item,
				       "field '%s': an array of structures with arrays of structures", name);
		field.name = bench_arena_format(reader->arena, "%s.%s", name, field.name);
		if (strlen(field.name) > 63)
			return FAIL_AT(reader, item, "field '%s': more than 63 characters", field.name);
		field.offset += offset;
		if (array) {
			field.times = count;
			field.stride = inner->bytes;
			field.type.count *= count;
		}
		BENCH_PUSH(reader->arena, layout->fields, layout->count) = field;
	}
	return 0;
}

static int read_field(const struct bench_kernel_reader *reader, const cJSON *item, bool packed,
		      struct bench_kernel_layout *layout)
{
	struct bench_kernel_layout_field field = {.name = bench_arena_string(reader->arena, item->string),
						  .times = 1};
	struct bench_error cause;
	size_t count;
	if (!bench_kernel_reader_is_name(field.name))
		return FAIL_AT_NAME(reader, item,
				    "a field has a unique name of at most 31 letters, digits and '_'");
	if (!cJSON_IsString(item))
		return FAIL_AT(reader, item, "field '%s': its type in quotes, such as \"float4\"",
			       field.name);
	const struct bench_kernel_layout *inner = find_inner(reader, layout, item->valuestring, &count);
	if (inner)
		return add_inner(reader, item, inner, count, packed, layout);
	if (bench_kernel_type_wide(item->valuestring, &field.type, &cause) != 0)
		return FAIL_AT(reader, item, "field '%s': %s", field.name, cause.text);
	field.offset = place_field(layout, packed, field.type.alignment, field.type.bytes);
	BENCH_PUSH(reader->arena, layout->fields, layout->count) = field;
	BENCH_PUSH(reader->arena, layout->bare, layout->bare_count) =
		(struct bench_kernel_field){field.name,       field.type.type->name, field.offset,
					    field.type.bytes, field.type.vector,     field.type.array};
	return 0;
}

/* __attribute__((packed)) and ((aligned(N))), which are no texts as fields are. */
static bool is_attribute(const cJSON *item)
{
	return (strcmp(item->string, "packed") == 0 && cJSON_IsBool(item)) ||
	       (strcmp(item->string, "aligned") == 0 && cJSON_IsNumber(item));
}

/* "structs": {"item": {"key": "int", "weight": "float4", "bytes": "uchar[16]"}} */
static int read_layout(const struct bench_kernel_reader *reader, const cJSON *item,
		       struct bench_kernel_layout *layout)
{
	const cJSON *structs = bench_json_member(reader->root, "structs"),
		    *aligned = bench_json_member(item, "aligned");
	const bool packed = cJSON_IsTrue(bench_json_member(item, "packed"));
	const struct bench_kernel_type *type;
	if (!bench_kernel_reader_is_name(item->string) || !cJSON_IsObject(item) ||
	    bench_json_member(structs, item->string) != item ||
	    bench_kernel_type_find(item->string, &type, &(struct bench_error){0}) == 0)
		return FAIL_AT_NAME(reader, item,
				    "a structure has a unique name, at most 31 letters, digits and '_', and "
				    "is an object: {\"FIELD\": \"int\", ..}");
	layout->name = bench_arena_string(reader->arena, item->string);
	layout->alignment = 1;
	for (const cJSON *each = item->child; each; each = each->next) {
		if (bench_json_member(item, each->string) != each)
			return FAIL_AT_NAME(
				reader, each,
				"a field has a unique name of at most 31 letters, digits and '_'");
		if (!is_attribute(each) && read_field(reader, each, packed, layout) != 0)
			return -1;
		if (layout->count > BENCH_KERNEL_COLUMNS)
			return FAIL_AT_NAME(reader, item, "more than %d fields", BENCH_KERNEL_COLUMNS);
	}
	if (!layout->count)
		return FAIL_AT_NAME(reader, item, "a structure has a field: {\"FIELD\": \"int\", ..}");
	if (aligned && cJSON_IsNumber(aligned)) {
		const double to = aligned->valuedouble;
		if (to != 1 && to != 2 && to != 4 && to != 8 && to != 16 && to != 32 && to != 64 && to != 128)
			return FAIL_AT(reader, aligned, "'aligned' is a power of 2 from 1 to 128");
		layout->alignment = (size_t)to > layout->alignment ? (size_t)to : layout->alignment;
	}
	layout->bytes = (layout->bytes + layout->alignment - 1) / layout->alignment * layout->alignment;
	return 0;
}

int bench_kernel_reader_layouts(const struct bench_kernel_reader *reader)
{
	const cJSON *structs = bench_json_member(reader->root, "structs");
	struct bench_kernel_spec *spec = reader->spec;
	if (!structs)
		return 0;
	if (!cJSON_IsObject(structs))
		return FAIL_AT(reader, structs, "'structs' is an object: {\"item\": {\"key\": \"int\"}}");
	spec->layouts = bench_arena_alloc(reader->arena, (size_t)cJSON_GetArraySize(structs) + 1,
					  sizeof(*spec->layouts));
	for (const cJSON *item = structs->child; item; item = item->next)
		if (read_layout(reader, item, &spec->layouts[spec->layout_count++]) != 0)
			return -1;
	return 0;
}
