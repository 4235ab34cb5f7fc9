/* SPDX-License-Identifier: MIT */
/* How a block is laid out for people: what stands above rows instead of in each, and what targets are called.
 */
#include <stdint.h>
#include <string.h>

#include "core/text.h"
#include "report/render/block.h"
#include "report/render/words.h"

#define FEW    6  /* values of a parameter that can stand above its rows */
#define GROUPS 64 /* more are no order */

/* A value that says by itself what it is: "f32", "nn", and not "yes", "1" or "a". */
static bool is_telling(const char *value)
{
	static const char *const others[] = {"yes",  "no",  "on",  "off",  "true",   "false",
					     "none", "all", "any", "auto", "default"};
	double number;
	bool telling =
		value[0] && value[1] && !bench_text_real(value, &number) && strspn(value, "0123456789.") == 0;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		telling &= strcmp(value, others[i]) != 0;
	return telling;
}

static void add_value(struct bench_text *text, const char *title, const char *value)
{
	if (is_telling(value))
		bench_text_add(text, " %s", value);
	else
		bench_text_add(text, " %s=%s", title, *value ? value : "-");
}

char *bench_render_block_target_name(struct bench_arena *arena, const struct bench_block *block,
				     const struct bench_result *result)
{
	size_t alike = 0;
	for (size_t t = 0; t < block->target_count; t++)
		alike += strcmp(block->targets[t]->backend, result->backend) == 0;
	if (alike == 1)
		return bench_arena_string(arena, result->backend);
	if (alike == block->target_count)
		return bench_arena_string(arena, result->device);
	return bench_render_block_target(arena, result);
}

char *bench_render_block_case(struct bench_arena *arena, const struct bench_block *block,
			      const struct bench_result *result)
{
	BENCH_SCOPED_TEXT text = {0};
	if (block->target_varies || !block->varying_count)
		bench_text_add(&text, "%s", bench_render_block_target_name(arena, block, result));
	for (size_t v = 0; v < block->varying_count; v++)
		add_value(&text, block->titles[v], bench_record_param(result, block->varying[v]));
	return bench_render_words_line(arena, text.data + (*text.data == ' '));
}

char *bench_render_block_heading(struct bench_arena *arena, const struct bench_block *block)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s", block->suite);
	for (size_t i = 0; i < block->fixed_count; i++)
		add_value(&text, block->fixed[i].name, block->fixed[i].value);
	if (!block->target_varies)
		bench_text_add(&text, ", %s", bench_render_block_target(arena, block->rows[0].result));
	return bench_render_words_keep(&text, arena);
}

/* The values of a parameter; counting ends at `most`. */
static size_t count_values(struct bench_arena *arena, const struct bench_block *block, const char *name,
			   size_t most)
{
	const char **values = bench_arena_alloc(arena, most, sizeof(*values));
	size_t count = 0;
	for (size_t i = 0; i < block->row_count && count < most; i++) {
		const char *value = bench_record_param(block->rows[i].result, name);
		if (!BENCH_FIND(values, count, value))
			values[count++] = value;
	}
	return count;
}

/* The parameter that the table runs along: the number, or else the word, with the most values. */
static size_t find_main(struct bench_arena *arena, const struct bench_block *block)
{
	size_t main = 0, most = 0;
	bool number = false;
	for (size_t v = 0; v < block->varying_count; v++) {
		bool is_number = bench_render_block_is_number(block, block->varying[v]);
		size_t count = count_values(arena, block, block->varying[v], 64);
		if ((is_number && !number) || (is_number == number && count > most)) {
			main = v;
			most = count;
			number = is_number;
		}
	}
	return main;
}

static char *group_of(struct bench_arena *arena, const struct bench_block *block, const bool *grouped,
		      const struct bench_result *result)
{
	struct bench_text text = {0};
	for (size_t v = 0; v < block->varying_count; v++)
		if (grouped[v])
			add_value(&text, block->titles[v], bench_record_param(result, block->varying[v]));
	return bench_text_keep(&text, arena);
}

/* Orders the rows by group, and returns how many groups there are; more than GROUPS: the order is not set. */
static size_t order(struct bench_arena *arena, const struct bench_block *block,
		    struct bench_block_layout *layout)
{
	char **names = bench_arena_alloc(arena, block->row_count + 1, sizeof(*names)), **seen = NULL;
	size_t groups = 0, placed = 0;
	for (size_t i = 0; i < block->row_count; i++) {
		names[i] = group_of(arena, block, layout->grouped, block->rows[i].result);
		bench_text_find_or_add(arena, &seen, &groups, sizeof(*seen), names[i]);
		if (groups > GROUPS)
			return SIZE_MAX;
	}
	memset(layout->groups, 0, (block->row_count + 1) * sizeof(layout->groups[0]));
	for (size_t g = 0; g < groups; g++) {
		if (*seen[g])
			layout->groups[placed] = seen[g] + 1;
		for (size_t i = 0; i < block->row_count; i++)
			if (strcmp(names[i], seen[g]) == 0)
				layout->order[placed++] = i;
	}
	return groups;
}

struct bench_block_layout bench_render_block_layout(struct bench_arena *arena,
						    const struct bench_block *block,
						    enum bench_block_grouping by)
{
	const bool numbers = by == BENCH_BLOCK_BY_NUMBERS;
	struct bench_block_layout layout = {
		.grouped = bench_arena_alloc(arena, block->varying_count + 1, sizeof(bool)),
		.order = bench_arena_alloc(arena, block->row_count + 1, sizeof(size_t)),
		.groups = bench_arena_alloc(arena, block->row_count + 1, sizeof(char *))};
	size_t main = find_main(arena, block);
	/* Variants stand beside what they are compared with. */
	for (size_t v = 0; v < block->varying_count && !*block->relative && by != BENCH_BLOCK_NO_GROUPS; v++)
		layout.grouped[v] = v != main &&
				    (numbers || !bench_render_block_is_number(block, block->varying[v])) &&
				    count_values(arena, block, block->varying[v], FEW + 1) <= FEW;
	size_t groups = order(arena, block, &layout);
	/* A heading for each row is none; where there is room for columns, two rows are the least. */
	size_t cases = block->row_count / block->target_count;
	if (groups > GROUPS || (groups > 1 && cases < (numbers ? groups + 1 : 2 * groups))) {
		memset(layout.grouped, 0, block->varying_count * sizeof(bool));
		order(arena, block, &layout);
	}
	return layout;
}

void bench_render_block_add_group(const struct bench_block_layout *layout, size_t place,
				  struct bench_grid *grid)
{
	if (layout->groups[place])
		bench_render_grid_across(grid, bench_render_grid_row(grid), 0, BENCH_TONE_STRONG,
					 layout->groups[place]);
}
