/* SPDX-License-Identifier: MIT */
/* One entry of the experiment log. */
#include "report/log/entry.h"

#include <string.h>

#include "core/clock.h"
#include "core/text.h"
#include "report/log/reader.h"
#include "report/log/sections.h"
#include "report/render/outline.h"
#include "report/render/words.h"

#define NAMED_FILES 10 /* dirty files that an entry names */

/* "## 2026-11-20 23:15:03 Wider tiles": the date of the newest run, by which entries are sorted. */
static void add_title(const struct bench_log_run *runs, size_t count, const char *title,
		      struct bench_text *out)
{
	char iso[32];
	int64_t newest = runs[0].run->started;
	for (size_t i = 1; i < count; i++)
		newest = runs[i].run->started > newest ? runs[i].run->started : newest;
	bench_clock_iso(newest, iso, sizeof(iso));
	bench_text_add(out, "## %.10s %.8s", iso, strlen(iso) > 11 ? iso + 11 : "");
	/* The run may say what it was for. */
	for (size_t i = 0; i < count && !title; i++) {
		const char *label = bench_record_label(runs[i].run, "title");
		title = *label ? label : NULL;
	}
	if (!title)
		bench_log_add_purpose(runs, count, out);
	else if (*title)
		bench_render_words_markdown(out, " %s", title);
	bench_text_add(out, "\n\n");
}

/* A fact about the runs; runs that share it share the line. */
struct fact {
	const char *label;
	char *text;
	char *ids; /* of the runs that share it */
	size_t runs;
};

struct facts {
	struct bench_arena arena;
	struct fact *items;
	size_t count;
	const struct bench_log_run *part; /* that facts are added of */
	const struct bench_run *run;      /* the same */
};

/* Takes the text, which is Markdown. */
static void add_fact(struct facts *facts, const char *label, struct bench_text *text)
{
	char *value = bench_text_keep(text, &facts->arena);
	size_t at = 0;
	while (at < facts->count &&
	       (strcmp(facts->items[at].label, label) != 0 || strcmp(facts->items[at].text, value) != 0))
		at++;
	if (at == facts->count)
		BENCH_PUSH(&facts->arena, facts->items, facts->count) =
			(struct fact){.label = label, .text = value};
	struct fact *fact = &facts->items[at];
	fact->ids = fact->runs++ ? bench_arena_format(&facts->arena, "%s, %s", fact->ids, facts->run->id)
				 : bench_arena_string(&facts->arena, facts->run->id);
}

static void add_code_fact(struct facts *facts, const char *label, const char *code, const char *otherwise)
{
	struct bench_text text = {0};
	if (*code)
		bench_render_words_add_code(&text, code);
	else
		bench_text_add(&text, "%s", otherwise);
	add_fact(facts, label, &text);
}

/* "`kernels/gemm.cl` +10 -3, `notes.md` new and 3 more": what was measured, and no commit has. */
static void add_dirty(const struct bench_git *git, struct bench_text *out)
{
	for (size_t i = 0; i < git->dirty_count && i < NAMED_FILES; i++) {
		const char *change = i < git->dirty_change_count ? git->dirty_changes[i] : "";
		bench_text_add(out, "%s", i ? ", " : "");
		bench_render_words_add_code(out, git->dirty_files[i]);
		if (*change)
			bench_render_words_markdown(out, " %s", change);
	}
	if (git->dirty_count > NAMED_FILES)
		bench_text_add(out, " and %zu more", git->dirty_count - NAMED_FILES);
}

static void add_worktree(struct facts *facts, const struct bench_git *git)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s",
		       !git->present      ? "not a git work tree"
		       : !git->dirty      ? "clean"
		       : git->dirty_count ? "dirty"
					  : "perhaps dirty");
	if (git->present && git->dirty_count) {
		bench_text_add(&text, ": ");
		add_dirty(git, &text);
	}
	add_fact(facts, "Worktree", &text);
}

/* Host, devices, and other lines from the head of a run's report. */
static void add_outline(struct facts *facts)
{
	static const struct {
		const char *line, *label;
	} shown[] = {{"host", "Host"},     {"device", "Device"}, {"tuned", "Tuned"},
		     {"slowed", "Slowed"}, {"aside", "Aside"},   {"watch", "Watch"}};
	const struct bench_outline head = bench_render_outline_head(&facts->arena, facts->run);
	for (size_t i = 0; i < head.count; i++)
		for (size_t s = 0; s < sizeof(shown) / sizeof(shown[0]); s++) {
			struct bench_text text = {0};
			if (strcmp(head.lines[i].label, shown[s].line) != 0)
				continue;
			bench_render_words_add_markdown(&text, head.lines[i].text);
			add_fact(facts, shown[s].label, &text);
		}
}

static void add_interrupted(struct facts *facts)
{
	const struct bench_run *run = facts->run;
	struct bench_text text = {0};
	size_t measured = 0;
	if (!run->interrupted && run->finished != 0)
		return;
	for (size_t i = 0; i < run->result_count; i++)
		measured += run->results[i].status == BENCH_STATUS_OK;
	bench_text_add(&text, "%s: %zu of %zu case%s numbers",
		       run->interrupted ? "the run was interrupted" : "the run was cut short", measured,
		       run->result_count, run->result_count == 1 ? " has" : "s have");
	add_fact(facts, "Interrupted", &text);
}

static void gather_facts(struct facts *facts)
{
	const struct bench_run *run = facts->run;
	char iso[32];
	struct bench_text stamp = {0}, outcome = {0};
	bench_render_words_add_markdown(&outcome, bench_log_outcome(&facts->arena, facts->part));
	add_fact(facts, "Outcome", &outcome);
	bench_clock_iso(run->started, iso, sizeof(iso));
	bench_text_add(&stamp, "%s", iso);
	add_fact(facts, "Timestamp", &stamp);
	add_code_fact(facts, "Commit", run->git.present ? run->git.commit : "", "none");
	add_code_fact(facts, "Branch", run->git.present ? run->git.branch : "",
		      run->git.present ? "detached" : "none");
	add_worktree(facts, &run->git);
	add_code_fact(facts, "Run dir", *run->folder ? run->folder : run->id, "");
	add_outline(facts);
	add_interrupted(facts);
}

/* In the order of the first run's facts, grouped by label. */
static void add_facts(const struct bench_log_run *runs, size_t count, struct bench_text *out)
{
	struct facts facts = {0};
	for (size_t r = 0; r < count; r++) {
		facts.part = &runs[r];
		facts.run = runs[r].run;
		gather_facts(&facts);
	}
	for (size_t i = 0; i < facts.count; i++) {
		const char *label = facts.items[i].label;
		for (size_t j = i; label && j < facts.count; j++) {
			struct fact *fact = &facts.items[j];
			if (!fact->label || strcmp(fact->label, label) != 0)
				continue;
			/* A run's folder says whose it is, and must be the line's last word. */
			bool named = fact->runs < count && strcmp(label, "Run dir") != 0;
			bench_text_add(out, "- **%s**: %s", label, fact->text);
			if (named)
				bench_render_words_markdown(out, " (%s)", fact->ids);
			bench_text_add(out, "\n");
			fact->label = NULL;
		}
	}
	bench_arena_free(&facts.arena);
}

/* The command that repeats the comparison. */
static void add_compare(const struct bench_run *run, const struct bench_comparison *comparison,
			struct bench_text *out)
{
	/* A run that was found, and not named, has its id in place of a name. */
	const char *name = comparison->baseline_name;
	if (strchr(name, ' ') && comparison->baseline_count == 1)
		name = comparison->baseline_ids[0];
	bench_text_add_command(out, "bench compare %s --baseline %s", run->id, name);
	if (comparison->branch)
		bench_text_add_option(out, "branch", comparison->branch);
	bench_text_add(out, " --threshold %g%% --alpha %g%s\n", 100 * comparison->options.threshold,
		       comparison->options.alpha,
		       comparison->options.allow_env_change ? " --allow-env-change" : "");
}

/* A code block, fenced by more backticks than the text has in a row. */
static void add_commands(const struct bench_log_run *runs, size_t count, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_TEXT commands = {0};
	for (size_t i = 0; i < count; i++) {
		bench_text_add_line(&commands, bench_record_command_line(runs[i].run, &arena));
		bench_text_add(&commands, "\n");
		if (runs[i].comparison && !runs[i].pairs)
			add_compare(runs[i].run, runs[i].comparison, &commands);
	}
	size_t marks = bench_render_words_longest(commands.data, '`') + 1;
	BENCH_SCOPED_TEXT fence = {0};
	for (size_t i = 0; i < 3 || i < marks; i++)
		bench_text_add(&fence, "`");
	bench_text_add(out, "\n### Commands\n\n%ssh\n%s%s\n", fence.data, commands.data, fence.data);
}

#define SHORT_COMMIT 12

static void add_commits(const struct bench_commits *changes, struct bench_text *out)
{
	bench_text_add(out, "%s", changes->commit_count ? "\n" : "");
	for (size_t i = 0; i < changes->commit_count; i++)
		bench_render_words_markdown(out, "- %s\n", changes->commits[i]);
	if (changes->commits_in_all > changes->commit_count)
		bench_text_add(out, "- and %zu more\n", changes->commits_in_all - changes->commit_count);
}

static void add_files(const struct bench_commits *changes, struct bench_text *out)
{
	bench_text_add(out, "\n%zu file%s%s", changes->files_in_all, bench_text_plural(changes->files_in_all),
		       changes->file_count ? ": " : "");
	for (size_t i = 0; i < changes->file_count; i++)
		bench_render_words_markdown(out, i ? ", %s" : "%s", changes->files[i]);
	if (changes->file_count && changes->files_in_all > changes->file_count)
		bench_text_add(out, " and %zu more", changes->files_in_all - changes->file_count);
	bench_text_add(out, "\n");
}

static void add_change(const struct bench_commits *changes, const struct bench_git *git,
		       struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	const char *base = bench_render_words_line(&arena, changes->base),
		   *head = bench_render_words_line(&arena, changes->head);
	bench_text_add(out, "\n");
	if (*base && strcmp(base, head) == 0) {
		bench_text_add(out, "%s\n",
			       git->dirty ? "No commit: the baseline is of the same one."
					  : "None: the baseline is of the same commit.");
	} else if (changes->unknown) {
		bench_render_words_markdown(out, "Not known: %s\n", changes->unknown);
	} else {
		bench_render_words_add_code(out, bench_arena_format(&arena, "%.*s..%.*s", SHORT_COMMIT, base,
								    SHORT_COMMIT, head));
		bench_text_add(out, ": %zu commit%s", changes->commits_in_all,
			       bench_text_plural(changes->commits_in_all));
		if (changes->left_behind)
			bench_text_add(out, " (and without %zu of the baseline)", changes->left_behind);
		bench_text_add(out, "\n");
		add_commits(changes, out);
		add_files(changes, out);
	}
}

static bool same_changes(const struct bench_commits *a, const struct bench_commits *b)
{
	return a && b && strcmp(a->base, b->base) == 0 && strcmp(a->head, b->head) == 0;
}

static void add_not_committed(const struct bench_run *run, bool named, struct bench_text *out)
{
	if (run->git.dirty_count == 0)
		return;
	bench_text_add(out, "\nNot committed: ");
	add_dirty(&run->git, out);
	if (named)
		bench_render_words_markdown(out, " (%s)", run->id);
	bench_text_add(out, "\n");
}

/* Runs with the same commits since their baselines share one list. */
static void add_changes(const struct bench_log_run *runs, size_t count, struct bench_text *out)
{
	bool begun = false;
	for (size_t i = 0; i < count; i++) {
		bool said = false;
		for (size_t j = 0; j < i; j++)
			said |= same_changes(runs[j].changes, runs[i].changes);
		if (!runs[i].changes || said)
			continue;
		if (!begun)
			bench_text_add(out, "\n### Changes\n");
		begun = true;
		add_change(runs[i].changes, &runs[i].run->git, out);
		for (size_t j = i; j < count; j++)
			if (same_changes(runs[j].changes, runs[i].changes))
				add_not_committed(runs[j].run, count > 1, out);
	}
}

static void add_fields(const struct bench_log_texts *texts, struct bench_text *out)
{
	for (size_t i = 0; i < BENCH_LOG_FIELDS; i++) {
		const char *text = texts->fields[i] ? texts->fields[i] : "";
		bench_text_add(out, "\n### %s\n", bench_log_fields[i]);
		if (*text) {
			bench_text_add(out, "\n");
			bench_log_add_quoted(text, out);
		} else if (i == BENCH_LOG_NOTES) {
			bench_text_add(out, "\nNone.\n");
		}
	}
}

void bench_log_entry(const struct bench_log_run *runs, size_t count, const struct bench_log_texts *texts,
		     struct bench_text *out)
{
	for (size_t i = 0; i < count; i++)
		bench_log_add_marker(runs[i].run->id, out);
	add_title(runs, count, texts->title, out);
	add_facts(runs, count, out);
	add_commands(runs, count, out);
	add_changes(runs, count, out);
	bench_log_add_results(runs, count, out);
	bench_log_add_comparison(runs, count, out);
	add_fields(texts, out);
}
