# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2016
# The experiment log: what an entry says of commits between two runs, of several runs and of duels; entries that are
# listed, shown and made anew; a file that people have edited.

# A folder with a repository of two commits, each with a run.
two_runs()
{
	command -v git >/dev/null || skip "no git"
	git init -q .
	git config user.name n
	git config user.email e
	printf 'runs/\nresults.db*\nout\nerr\n*.md\n' >.gitignore
	seq 9 >kernel.cl
	git add .
	git commit -q -m 'First'
	expect 0 bench run --source . --suite null --set spin=0,1000 -k 2 --budget 0.2s
	seq 20 >kernel.cl
	echo x >other.c
	git add .
	git commit -q -m 'Wider <tiles> | `a`'
	git commit -q --allow-empty -m "$(printf 'Esc\033[2Jape')"
	expect 0 bench run --source . --suite null --set spin=0,1000 -k 2 --budget 0.2s
	before=$(bench list runs --format csv | sed -n 3p | cut -d, -f1 | tr -d \")
	after=$(bench list runs --format csv | sed -n 2p | cut -d, -f1 | tr -d \")
}

test_an_entry_says_what_changed_since_the_baseline()
{
	two_runs
	expect 0 bench log
	has out '^## 20.* null spin=0\.\.1000: .* on .*'
	has out '^- \*\*Outcome\*\*: .* (than|against|as) the run before'
	has out '^- \*\*Host\*\*: .* cores'
	has out "^\`$(git rev-parse --short=12 HEAD~2)\.\.$(git rev-parse --short=12 HEAD)\`: 2 commits$"
	has out '^- [0-9a-f]{12} Wider &lt;tiles\\> \\\| \\`a\\`$'
	has out '^- [0-9a-f]{12} Esc\?\[2Jape$|^- [0-9a-f]{12} Esc\?\\\[2Jape$'
	has out '^2 files: kernel.cl \+11 -0, other.c \+1 -0$'
	has out '^(all )?[0-9]+ .*(against|than|as) the run before'
	has out "^bench compare $after --baseline $before --threshold 5%"
	expect 0 bench log "$before" --baseline "$after" --allow-env-change
	has out '^`.*`: 0 commits \(and without 2 of the baseline\)$'
	# The other's commit is not here.
	git checkout -q --orphan other
	git commit -q -m 'Alone'
	git branch -D -q main 2>/dev/null || git branch -D -q master
	git reflog expire --expire=all --all
	git gc -q --prune=now
	expect 0 bench log
	has out '^Not known: the repository here has no commit [0-9a-f]{12}$'
	expect 0 bench log "$before"
	has out '^None: nothing to compare with'
	has_not out '^### Changes'
}

test_an_entry_has_the_environment_and_what_was_not_committed()
{
	two_runs
	mkdir kernels
	seq 8 >kernel.cl
	echo new >notes.txt
	BENCH_KERNELS=kernels OMP_DYNAMIC=true BENCH_DB=no expect 0 bench run --source . --suite null --set spin=0,1000 -k 2 --budget 0.2s
	expect 0 bench log
	has out '^- \*\*Worktree\*\*: dirty: `kernel\.cl` \+0 -12, `notes\.txt` new$'
	has out '^(BENCH_KERNELS=kernels OMP_DYNAMIC=true|OMP_DYNAMIC=true BENCH_KERNELS=kernels) bench run --source \. --suite null'
	has_not out 'OMP_PROC_BIND|BENCH_DB'
	has out '^No commit: the baseline is of the same one\.$'
	has out '^Not committed: `kernel\.cl` \+0 -12, `notes\.txt` new$'
	expect 0 bench show
	has out '^command .*BENCH_KERNELS=kernels .*bench run --source \. --suite null'
	expect 0 bench show --format json
	[ "$(json out 'j["git"]["dirty_changes"]')" = "['+0 -12', 'new']" ] || fail "$(json out 'j["git"]')"
	expect 0 bench log "$after"
	has_not out 'BENCH_KERNELS'
}

test_entries_are_found_by_text_and_date()
{
	two_runs
	expect 0 bench log "$before" --append E.md --title 'Base' --note 'A quiet night.'
	expect 0 bench log "$after" --append E.md --title 'Tiles' --result 'Tiles of *8x32* pay.'
	expect 0 bench log --list E.md --grep 'tiles? of|no such'
	has out 'match$'
	has out 'Tiles +null .*Tiles of \*8x32\* pay\.'
	has_not out 'Base'
	expect 0 bench log --list E.md --grep nothing.of.that.kind
	has out '^none$'
	expect 0 bench log --list E.md --since "$before" --until "$before"
	has out Base
	# Runs of one second are of one time.
	[[ $after == "$before"* ]] || has_not out 'Tiles +null'
	expect 0 bench log --list E.md --until 2020-01-01
	has out '^none$'
	expect 2 bench log --list E.md --grep '('
	has err "regular expression '\('"
	expect 2 bench log --list E.md --since yesterday
	has err "since 'yesterday': expected a date"
	expect 2 bench log "$after" --grep x
	has err 'grep is for --list'
	expect 2 bench log --show E.md --since 7d
	has err 'show and --since'
}

test_ten_cases_that_moved_are_listed()
{
	command -v python3 >/dev/null || skip "no python3"
	expect 0 bench run --suite null --set spin=100,200,300,400,500,600,700,800,900,1000,1100,1200 -k 1 --budget 0.2s
	expect 0 bench log
	[ "$(grep -c '^- spin=' out)" = 10 ] || fail "not ten cases: $(grep -c '^- spin=' out)"
	has out '^- 2 more cases not listed$'
	has out '^The other 2: `bench show 20'
}

test_a_commit_of_a_record_is_no_option_of_git()
{
	two_runs
	local commit
	for commit in --output=stolen "$(printf 'a%.0s' {1..40})" 'HEAD' "\$(touch stolen)"; do
		cp -r "runs/$before" x
		COMMIT=$commit perl -0pi -e 's/("commit":\s*")[0-9a-f]{40}/$1$ENV{COMMIT}/; s/20(\d{6})-(\d{6})/19$1-$2/g' x/metrics.json
		expect 0 bench log "runs/$after" --baseline x
		has out '^Not known: the repository here has no commit'
		rm -r x
	done
	[ ! -e stolen ] || fail "git wrote a file"
}

test_a_run_without_a_run_before_says_so()
{
	expect 0 bench run --suite null -k 2 --budget 0.1s --label 'title=Base line'
	expect 0 bench log
	has out '^## [0-9: -]{19} Base line$'
	has out '^None: nothing to compare with: no finished run before'
	expect 0 bench log --title 'From the *person*'
	has out '^## [0-9: -]{19} From the \\\*person\\\*$'
	expect 2 bench log --baseline nothing_of_that_name
	rm -f results.db*
	expect 0 bench log runs/*
	has out '^None: '
}

test_a_duel_is_logged_with_its_verdicts()
{
	bench duel "$BENCH" "$BENCH" --suite null --set spin=1000 -k 2 --budget 0.3s >out 2>err || true
	expect 0 bench log runs/*
	has out '^1 [a-z]+ (against|than|as) '
	has out 'against the base'
	has_not out '^bench compare'
}

test_entries_are_listed_shown_and_filled_in()
{
	two_runs
	expect 0 bench log "$before" --append E.md --title 'Base' --note 'Quiet.'
	expect 0 bench log "$after" --append E.md --hypothesis 'Wider is faster.'
	expect 0 bench log --list E.md
	has out 'date +title +suites +runs +result'
	has out "Base +null +$before +Quiet\."
	expect 0 bench log --list E.md --format json
	python3 -c 'import json; j = json.load(open("out")); assert [len(j), j[1]["title"]] == [2, "Base"], j'
	expect 0 bench log --show E.md
	has out "run: $after"
	has out '^> Wider is faster\.$'
	expect 0 bench log "runs/$before" --show E.md
	has out '^> Quiet\.$'
	has_not out "run: $after"
	expect 0 bench log "$before" --rewrite E.md --result 'As it was.' --title 'The base'
	expect 0 bench log "$before" --show E.md
	has out '^> As it was\.$'
	has out '^> Quiet\.$'
	has E.md '^  - \[[0-9: -]{19} The base\]\(#'
	cp E.md kept.md
	expect 2 bench log "$before" --edit E.md
	has err '--edit'
	cmp E.md kept.md
}

test_an_entry_is_made_anew_with_another_baseline()
{
	two_runs
	expect 0 bench log "$after" --append E.md --result 'It pays.'
	printf '\n### Other tools\n\n| a | b |\n' >>E.md
	expect 0 bench log "$after" "$before" --rewrite E.md --allow-env-change
	has E.md "^<!-- run: $before -->"
	has E.md '^> It pays\.$'
	has E.md '^\| a \| b \|$'
	[ "$(grep -c '^## ' E.md)" = 1 ] || fail "there are two entries"
	sed -i 's/^### Key Results$/&\n\nTaken at night./' E.md
	cp E.md kept.md
	expect 2 bench log "$after" --rewrite E.md
	has err "E.md, line [0-9]+: --rewrite would lose 'Taken at night\.'"
	cmp E.md kept.md
	expect 2 bench log "$before" --append E.md
	has err '--rewrite'
}

test_what_cannot_stand_together_is_refused()
{
	local words
	printf '# Log\n' >E.md
	while IFS='|' read -r words; do
		# shellcheck disable=SC2086 # words
		expect 2 bench log $words
	done <<-END
		a --list E.md
		a b --show E.md
		--show E.md --note x
		--list E.md --show E.md
		--index E.md --format json
		--append E.md --rewrite E.md
		--format json
		--show E.md --baseline x
	END
	expect 3 bench log --show E.md
	expect 3 bench log --list none.md
	expect 3 bench log --show none.md
	printf 'a\0b' >E.md
	expect 5 bench log --list E.md
	[ ! -e none.md ] || fail "none.md was made"
}
