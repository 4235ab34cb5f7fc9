/* SPDX-License-Identifier: MIT */
/* Image and sampler arguments. The numbers are those of Khronos' cl.h, which its binary interface fixes. */
#include "suites/kernel/images.h"

#include <string.h>

struct named {
	const char *name;
	unsigned number;
	union {
		unsigned extents;  /* of an image */
		unsigned channels; /* of an order */
		const char *type;  /* of a channel's memory */
		unsigned group;    /* of a sampler's flags: one of each at most */
	};
};

static const struct named objects[] = {
	{"image1d_t", 0x10f4, {.extents = 1}},       {"image1d_buffer_t", 0x10f6, {.extents = 1}},
	{"image1d_array_t", 0x10f5, {.extents = 2}}, {"image2d_t", 0x10f1, {.extents = 2}},
	{"image2d_array_t", 0x10f3, {.extents = 3}}, {"image3d_t", 0x10f2, {.extents = 3}},
};
static const struct named orders[] = {
	{"CL_R", 0x10b0, {.channels = 1}},         {"CL_A", 0x10b1, {.channels = 1}},
	{"CL_RG", 0x10b2, {.channels = 2}},        {"CL_RA", 0x10b3, {.channels = 2}},
	{"CL_RGBA", 0x10b5, {.channels = 4}},      {"CL_BGRA", 0x10b6, {.channels = 4}},
	{"CL_ARGB", 0x10b7, {.channels = 4}},      {"CL_INTENSITY", 0x10b8, {.channels = 1}},
	{"CL_LUMINANCE", 0x10b9, {.channels = 1}},
};
static const struct named channels[] = {
	{"CL_SNORM_INT8", 0x10d0, {.type = "char"}},       {"CL_SNORM_INT16", 0x10d1, {.type = "short"}},
	{"CL_UNORM_INT8", 0x10d2, {.type = "uchar"}},      {"CL_UNORM_INT16", 0x10d3, {.type = "ushort"}},
	{"CL_SIGNED_INT8", 0x10d7, {.type = "char"}},      {"CL_SIGNED_INT16", 0x10d8, {.type = "short"}},
	{"CL_SIGNED_INT32", 0x10d9, {.type = "int"}},      {"CL_UNSIGNED_INT8", 0x10da, {.type = "uchar"}},
	{"CL_UNSIGNED_INT16", 0x10db, {.type = "ushort"}}, {"CL_UNSIGNED_INT32", 0x10dc, {.type = "uint"}},
	{"CL_HALF_FLOAT", 0x10dd, {.type = "half"}},       {"CL_FLOAT", 0x10de, {.type = "float"}},
};
enum { COORDINATES, ADDRESSING, FILTER, GROUPS };
/* As kernels write them; clCreateSampler has the addressing and the filter without "K". */
static const struct named flags[] = {
	{"CLK_NORMALIZED_COORDS_FALSE", 0, {.group = COORDINATES}},
	{"CLK_NORMALIZED_COORDS_TRUE", 1, {.group = COORDINATES}},
	{"CLK_ADDRESS_NONE", 0x1130, {.group = ADDRESSING}},
	{"CLK_ADDRESS_CLAMP_TO_EDGE", 0x1131, {.group = ADDRESSING}},
	{"CLK_ADDRESS_CLAMP", 0x1132, {.group = ADDRESSING}},
	{"CLK_ADDRESS_REPEAT", 0x1133, {.group = ADDRESSING}},
	{"CLK_ADDRESS_MIRRORED_REPEAT", 0x1134, {.group = ADDRESSING}},
	{"CLK_FILTER_NEAREST", 0x1140, {.group = FILTER}},
	{"CLK_FILTER_LINEAR", 0x1141, {.group = FILTER}},
};
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct named *find(const struct named *table, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

/* The next word of `text`, which has blanks and `joint` between words; its table's, or an error at `item`. */
static int read_word(const struct bench_kernel_reader *reader, const cJSON *item, const char **text,
		     const char *joint, const char *what, const struct named *table, size_t count,
		     const struct named **found)
{
	const char *names[COUNT(channels)];
	struct bench_error cause;
	*text += strspn(*text, joint);
	const size_t length = strcspn(*text, joint);
	const char *word = bench_arena_format(reader->arena, "%.*s", (int)(length < 64 ? length : 64), *text);
	*text += length;
	*text += strspn(*text, joint);
	*found = find(table, count, word);
	if (*found)
		return 0;
	for (size_t i = 0; i < count; i++)
		names[i] = table[i].name;
	bench_text_no_such(what, word, names, count, "", &cause);
	return FAIL_AT(reader, item, "%s", cause.text);
}

bool bench_kernel_images_is_type(const char *type)
{
	return strcmp(type, "sampler_t") == 0 || find(objects, COUNT(objects), type);
}

/* "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST" */
static int read_sampler(const struct bench_kernel_reader *reader, const cJSON *item,
			struct bench_kernel_spec_argument *argument)
{
	const cJSON *value = bench_json_member(item, "value");
	struct bench_kernel_sampler *sampler = bench_arena_alloc(reader->arena, 1, sizeof(*sampler));
	const struct named *given[GROUPS] = {&flags[0], &flags[2], &flags[7]}, *flag;
	bool seen[GROUPS] = {false};
	for (const cJSON *each = item->child; each; each = each->next)
		if (strcmp(each->string, "name") != 0 && strcmp(each->string, "type") != 0 && each != value)
			return FAIL_AT_NAME(reader, each, "'%s' of a sampler: it has 'value' only",
					    each->string);
	if (!value || !cJSON_IsString(value) || !*value->valuestring)
		return FAIL_AT(
			reader, value ? value : item,
			"a sampler's 'value' is its flags: \"CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST\"");
	for (const char *at = value->valuestring; *at;) {
		if (read_word(reader, value, &at, " |", "flag of samplers", flags, COUNT(flags), &flag) != 0)
			return -1;
		if (seen[flag->group])
			return FAIL_AT(reader, value, "%s beside %s", flag->name, given[flag->group]->name);
		seen[flag->group] = true;
		given[flag->group] = flag;
	}
	*sampler = (struct bench_kernel_sampler){given[COORDINATES]->number, given[ADDRESSING]->number,
						 given[FILTER]->number};
	/* OpenCL leaves the result open. */
	if (strstr(given[ADDRESSING]->name, "REPEAT") && !sampler->normalized)
		return FAIL_AT(reader, value, "%s needs CLK_NORMALIZED_COORDS_TRUE", given[ADDRESSING]->name);
	argument->sampler = sampler;
	return 0;
}

/* "CL_RGBA CL_UNORM_INT8" */
static int read_image(const struct bench_kernel_reader *reader, const cJSON *item,
		      struct bench_kernel_spec_argument *argument)
{
	const cJSON *format = bench_json_member(item, "format"), *shape = bench_json_member(item, "shape");
	const struct named *object = find(objects, COUNT(objects), argument->type.text), *order, *channel;
	const int extents = cJSON_IsArray(shape) ? cJSON_GetArraySize(shape) : 1;
	struct bench_kernel_spec_image *image = bench_arena_alloc(reader->arena, 1, sizeof(*image));
	if (!format || !cJSON_IsString(format))
		return FAIL_AT(reader, format ? format : item,
			       "an image has a 'format', such as \"CL_RGBA CL_UNORM_INT8\"");
	if (!shape || extents != (int)object->extents)
		return FAIL_AT(reader, shape ? shape : item, "the 'shape' of an %s is of %u number%s%s",
			       object->name, object->extents, object->extents == 1 ? "" : "s",
			       object->extents == 1   ? ": [\"width\"]"
			       : object->extents == 2 ? ": [\"height\", \"width\"], or layers and width"
						      : ": [\"depth\", \"height\", \"width\"]");
	if (argument->access == BENCH_KERNEL_LOCAL)
		return FAIL_AT(reader, bench_json_member(item, "access"), "an image is no local memory");
	const char *at = format->valuestring;
	if (read_word(reader, format, &at, " ,", "order of channels", orders, COUNT(orders), &order) != 0 ||
	    read_word(reader, format, &at, " ,", "type of channels", channels, COUNT(channels), &channel) !=
		    0)
		return -1;
	if (*at)
		return FAIL_AT(reader, format, "'%s' behind the format", at);
	if (order->channels > 1 && object->extents == BENCH_KERNEL_DIMENSIONS)
		return FAIL_AT(reader, format,
			       "an image of three dimensions has one channel here, such as CL_R");
	bench_kernel_type_find(channel->type, &image->texel.type, &(struct bench_error){0});
	image->texel.count = order->channels;
	image->texel.bytes = order->channels * image->texel.type->bytes;
	image->bare = (struct bench_kernel_image){
		.type = object->name,
		.format = bench_arena_format(reader->arena, "%s %s", order->name, channel->name),
		.object = object->number,
		.order = order->number,
		.channel = channel->number,
		.texel_bytes = image->texel.bytes,
		.read_only = argument->access == BENCH_KERNEL_IN};
	argument->image = image;
	return 0;
}

int bench_kernel_images_read(const struct bench_kernel_reader *reader, const cJSON *item,
			     struct bench_kernel_spec_argument *argument)
{
	return strcmp(argument->type.text, "sampler_t") == 0 ? read_sampler(reader, item, argument)
							     : read_image(reader, item, argument);
}

bool bench_kernel_images_alike(const struct bench_kernel_spec *spec, const struct bench_kernel_point *point,
			       size_t a, size_t b)
{
	const struct bench_kernel_spec_argument *x = &spec->arguments[a], *y = &spec->arguments[b];
	const size_t *extents = point->columns[x->column].extents;
	if (!x->image || !y->image)
		return !x->image && !y->image;
	return strcmp(x->image->bare.format, y->image->bare.format) == 0 &&
	       memcmp(extents, point->columns[y->column].extents,
		      BENCH_KERNEL_DIMENSIONS * sizeof(*extents)) == 0;
}

int bench_kernel_images_make(const struct bench_case *bench_case, const struct bench_kernel_point *point,
			     size_t argument, struct bench_buffer **buffer, struct bench_error *error)
{
	const struct bench_kernel_spec *spec = (const struct bench_kernel_spec *)bench_case->suite;
	const struct bench_kernel_spec_argument *of = &spec->arguments[argument];
	struct bench_kernel_image image = of->image->bare;
	for (size_t d = 0; d < BENCH_KERNEL_DIMENSIONS; d++)
		image.extents[d] =
			d < of->shape.count ? point->columns[of->column].extents[of->shape.count - 1 - d] : 1;
	return bench_case->backend->kernels->image(bench_case->device, &image, buffer, error);
}
