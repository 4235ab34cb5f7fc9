/* One entry of the experiment log. */
#include "report/log/log.h"

#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "report/log/reader.h"
#include "report/render/alarms.h"
#include "report/render/block.h"
#include "report/render/words.h"

#define NAMED_FILES 10 /* dirty files that an entry names */

/* "2026-11-20 23:15:03": entries are sorted by it. */
static void add_date(const struct bench_run *run, struct bench_text *out)
{
	char iso[32];
	bench_clock_iso(run->started, iso, sizeof(iso));
	bench_text_add(out, "%.10s %.8s", iso, strlen(iso) > 11 ? iso + 11 : "");
}

static void add_title(const struct bench_run *run, const struct bench_block *blocks, size_t block_count,
		      struct bench_text *out)
{
	const char *host = bench_record_attribute_get(run->host, run->host_count, "name");
	bench_text_add(out, "## ");
	add_date(run, out);
	for (size_t i = 0; i < block_count; i++) {
		bench_text_add(out, i ? ", " : " ");
		bench_render_words_add_markdown(out, blocks[i].suite);
	}
	if (*host) {
		bench_text_add(out, " on ");
		bench_render_words_add_markdown(out, host);
	}
	bench_text_add(out, "\n\n");
}

static void add_worktree(const struct bench_git *git, struct bench_text *out)
{
	if (!git->present) {
		bench_text_add(out, "- **Worktree**: not a git work tree\n");
		return;
	}
	bench_text_add(out, "- **Worktree**: %s",
		       !git->dirty        ? "clean"
		       : git->dirty_count ? "dirty"
					  : "perhaps dirty");
	for (size_t i = 0; i < git->dirty_count && i < NAMED_FILES; i++) {
		bench_text_add(out, i ? ", " : ": ");
		bench_render_words_add_code(out, git->dirty_files[i]);
	}
	if (git->dirty_count > NAMED_FILES)
		bench_text_add(out, " and %zu more", git->dirty_count - NAMED_FILES);
	bench_text_add(out, "\n");
}

static void add_facts(const struct bench_run *run, struct bench_text *out)
{
	char iso[32];
	bench_clock_iso(run->started, iso, sizeof(iso));
	bench_text_add(out, "- **Timestamp**: %s\n- **Commit**: ", iso);
	if (run->git.present && *run->git.commit)
		bench_render_words_add_code(out, run->git.commit);
	else
		bench_text_add(out, "none");
	bench_text_add(out, "\n- **Branch**: ");
	if (run->git.present && *run->git.branch)
		bench_render_words_add_code(out, run->git.branch);
	else
		bench_text_add(out, "%s", run->git.present ? "detached" : "none");
	bench_text_add(out, "\n");
	add_worktree(&run->git, out);
	bench_text_add(out, "- **Run dir**: ");
	bench_render_words_add_code(out, *run->folder ? run->folder : run->id);
	bench_text_add(out, "\n");
}

/* A code block, fenced by more backticks than the text has in a row. */
static void add_commands(const struct bench_run *run, const struct bench_comparison *comparison,
			 struct bench_text *out)
{
	struct bench_text commands = {0};
	bench_text_add_line(&commands, run->command);
	bench_text_add(&commands, "\n");
	if (comparison) {
		bench_text_add(&commands, "bench compare ");
		bench_text_add_shell(&commands, run->id);
		bench_text_add(&commands, " --baseline ");
		bench_text_add_shell(&commands, comparison->baseline_name);
		bench_text_add(&commands, " --threshold %g%% --alpha %g%s\n",
			       100 * comparison->options.threshold, comparison->options.alpha,
			       comparison->options.allow_env_change ? " --allow-env-change" : "");
	}
	size_t marks = bench_render_words_longest(commands.data, '`') + 1;
	struct bench_text fence = {0};
	for (size_t i = 0; i < 3 || i < marks; i++)
		bench_text_add(&fence, "`");
	bench_text_add(out, "\n### Commands\n\n%ssh\n%s%s\n", fence.data, commands.data, fence.data);
	bench_text_free(&fence);
	bench_text_free(&commands);
}

static void add_measured(struct bench_arena *arena, const struct bench_block *block,
			 const struct bench_block_row *row, struct bench_text *out)
{
	const char *separator = "";
	if (row->time) {
		const char *spread = bench_render_words_spread(arena, &row->time->summary);
		bench_text_add(out, "%s%s%s",
			       bench_render_words_quantity(arena, row->time->summary.median, row->time->unit),
			       *spread ? " +/-" : "", spread);
		separator = ", ";
	}
	if (row->rate) {
		bench_text_add(
			out, "%s%s", separator,
			bench_render_words_quantity(arena, row->rate->summary.median, row->rate->unit));
		separator = ", ";
	}
	if (!isnan(row->ratio)) {
		bench_text_add(out, "%s%s ", separator, bench_render_words_times(arena, row->ratio));
		bench_render_words_add_markdown(out, block->versus);
		separator = ", ";
	}
	const struct bench_metric *relative = bench_record_metric(row->result, "relative_time");
	if (relative) {
		bench_text_add(out, "%s%s against ", separator,
			       bench_render_words_relative(arena, &relative->summary));
		bench_render_words_add_markdown(out, block->relative);
		separator = ", ";
	}
	for (size_t m = 0; m < row->result->metric_count; m++) {
		const struct bench_metric *metric = &row->result->metrics[m];
		if (!bench_render_block_is_own(metric))
			continue;
		bench_text_add(out, "%s", separator);
		bench_render_words_add_markdown(out, metric->name);
		bench_text_add(out, " %s",
			       bench_render_words_quantity(arena, metric->summary.median, metric->unit));
		separator = ", ";
	}
}

static void add_results(struct bench_arena *arena, const struct bench_block *blocks, size_t block_count,
			struct bench_text *out)
{
	bench_text_add(out, "\n### Key Results\n");
	if (block_count == 0)
		bench_text_add(out, "\nNothing was measured.\n");
	for (size_t b = 0; b < block_count; b++) {
		bench_text_add(out, "\n**");
		bench_render_words_add_markdown(out, blocks[b].suite);
		bench_text_add(out, "**%s", *blocks[b].shared ? " (" : "");
		bench_render_words_add_markdown(out, blocks[b].shared);
		bench_text_add(out, "%s\n\n", *blocks[b].shared ? ")" : "");
		for (size_t i = 0; i < blocks[b].row_count; i++) {
			const struct bench_block_row *row = &blocks[b].rows[i];
			bench_text_add(out, "- ");
			bench_render_words_add_markdown(out,
							bench_render_block_label(arena, &blocks[b], row));
			bench_text_add(out, ": ");
			if (row->result->status == BENCH_STATUS_OK) {
				add_measured(arena, &blocks[b], row, out);
			} else {
				bench_text_add(out,
					       "**%s**: ", bench_record_status_name(row->result->status));
				bench_render_words_add_markdown(out, bench_render_words_reason(row->result));
			}
			bench_text_add(out, "\n");
		}
	}
}

/* *space: what sets the list apart from what is before it; nothing once it has begun. */
static void add_differences(const char *what, char *const *differences, size_t count, const char **space,
			    struct bench_text *out)
{
	for (size_t i = 0; i < count; i++) {
		bench_text_add(out, "%s- %s: ", *space, what);
		bench_render_words_add_markdown(out, differences[i]);
		bench_text_add(out, "\n");
		*space = "";
	}
}

static void add_comparison(struct bench_arena *arena, const struct bench_comparison *comparison,
			   struct bench_text *out)
{
	bench_text_add(out, "\n### Comparison\n\n");
	if (!comparison) {
		bench_text_add(out, "None.\n");
		return;
	}
	bench_render_words_add_markdown(out, bench_render_words_summary(arena, comparison));
	bench_text_add(out, "\n");
	const char *space = "\n";
	if (comparison->removed) {
		bench_text_add(out, "%s- removed: %zu accepted\n", space, comparison->removed);
		space = "";
	}
	struct bench_alarm_group *alarms;
	size_t alarm_count;
	bench_render_alarms(arena, comparison, &alarms, &alarm_count);
	for (size_t i = 0; i < alarm_count; i++) {
		bench_text_add(out, "%s- ", space);
		bench_render_words_add_markdown(out, bench_render_alarms_line(arena, &alarms[i]));
		bench_text_add(out, "\n");
		space = "";
	}
	add_differences("environment changed, as allowed", comparison->env_changes,
			comparison->env_change_count, &space, out);
	add_differences("environment differs", comparison->env_notes, comparison->env_note_count, &space,
			out);
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (verdict->kind == BENCH_SAME)
			continue;
		bench_text_add(out, "%s- **%s**: ", space, bench_render_words_verdict(arena, verdict));
		bench_render_words_add_code(out, verdict->key);
		if (isfinite(verdict->base_median) && isfinite(verdict->candidate_median))
			bench_text_add(
				out, " (%s against %s)",
				bench_render_words_quantity(arena, verdict->candidate_median, verdict->unit),
				bench_render_words_quantity(arena, verdict->base_median, verdict->unit));
		bench_text_add(out, "%s", *verdict->reason ? ": " : "");
		bench_render_words_add_markdown(out, verdict->reason);
		bench_text_add(out, "\n");
		space = "";
	}
}

/*
 * The note, as a quotation: whatever its lines start with (a heading, a fence, a comment)
 * stays inside of it. Its own Markdown works but for HTML.
 */
static void add_note(const char *note, struct bench_text *out)
{
	bench_text_add(out, "\n### Notes\n\n");
	if (!note || !*note) {
		bench_text_add(out, "None.\n");
		return;
	}
	while (*note) {
		size_t length = strcspn(note, "\r\n");
		struct bench_text line = {0}, safe = {0};
		bench_text_add_bytes(&line, note, length);
		bench_text_add_line(&safe, line.data);
		bench_text_add(out, ">%s", safe.length ? " " : "");
		for (const char *at = safe.data; *at; at++)
			bench_text_add_bytes(out, *at == '<' ? "&lt;" : at, *at == '<' ? 4 : 1);
		bench_text_add(out, "\n");
		bench_text_free(&line);
		bench_text_free(&safe);
		note += length;
		note += note[0] == '\r' && note[1] == '\n' ? 2 : *note ? 1 : 0;
	}
}

void bench_log_entry(const struct bench_run *run, const struct bench_comparison *comparison, const char *note,
		     struct bench_text *out)
{
	struct bench_arena arena = {0};
	struct bench_block *blocks;
	size_t count;
	bench_render_blocks(&arena, run, comparison, &blocks, &count);
	bench_log_add_marker(run->id, out);
	add_title(run, blocks, count, out);
	add_facts(run, out);
	add_commands(run, comparison, out);
	add_results(&arena, blocks, count, out);
	add_comparison(&arena, comparison, out);
	add_note(note, out);
	bench_arena_free(&arena);
}
