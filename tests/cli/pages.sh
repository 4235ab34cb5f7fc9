# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Help, man pages and completions: each has every verb and every option, since one table makes them all.

verbs()
{
	bench --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# The options of a verb, by its help.
options()
{
	bench "$1" --help | sed -n '/^Options:/,/^$/s/^  ...[ ,]* *--\([a-z-]*\).*/\1/p'
}

test_help_of_a_verb_is_that_of_its_option()
{
	local verb
	for verb in $(verbs); do
		cmp <(bench help "$verb") <(bench "$verb" --help) || fail "$verb"
		[ "$(options "$verb" | wc -l)" -gt 1 ] || fail "no options of $verb"
	done
	cmp <(bench help) <(bench --help)
}

test_help_is_at_most_80_columns_wide_but_for_examples()
{
	local verb
	for verb in $(verbs); do
		! bench help "$verb" | sed '/^Examples:/,$d' | grep -E '.{81}' || fail "$verb"
	done
	! bench --help | grep -vE '^  (changepoints|[a-z]+) ' | grep -E '.{90}' || fail "bench --help"
}

test_help_says_nothing_twice()
{
	local verb
	for verb in $(verbs); do
		bench help "$verb" | sed -n '/^Options:/,$d; /.\{40\}/p' | sort | uniq -d >twice
		[ ! -s twice ] || fail "$verb: $(cat twice)"
	done
}

test_man_pages_have_every_verb_and_option()
{
	local verb option
	bench --man >whole
	for verb in $(verbs); do
		bench --man "$verb" >page
		has page "^\.TH \"BENCH-${verb^^}\" \"1\""
		for option in $(options "$verb"); do
			grep -qF "\\fB\\-\\-${option//-/\\-}\\fR" page || fail "the page of $verb has no --$option"
		done
		grep -qF "\\fBbench\\-$verb\\fR(1)" whole || fail "bench(1) does not name $verb"
	done
	has whole '^\.SH EXIT STATUS'
	has whole CLICOLOR_FORCE
}

test_man_pages_are_without_warnings()
{
	local verb
	command -v groff >/dev/null || skip "there is no groff"
	for verb in "" $(verbs); do
		# shellcheck disable=SC2086 # none for the program's own
		bench --man $verb | groff -man -ww -Tutf8 -Z >/dev/null 2>warnings
		[ ! -s warnings ] || fail "bench --man $verb: $(cat warnings)"
	done
}

test_completions_have_every_verb_and_option()
{
	local shell verb option
	for shell in bash zsh fish; do
		bench --completion $shell >made.$shell
	done
	for verb in $(verbs); do
		sed -n "/^\t$verb)\$/,/^\t\t;;/p" made.bash >bash.verb
		sed -n "/^\t$verb)\$/,/^\t\t;;/p" made.zsh >zsh.verb
		for option in $(options "$verb"); do
			grep -qE -- "--$option( |')" bash.verb || fail "bash: $verb --$option"
			grep -qE -- "--$option(\[|\})" zsh.verb || fail "zsh: $verb --$option"
			grep -qE -- "'__bench_verb $verb' -l $option " made.fish || fail "fish: $verb --$option"
		done
	done
}

test_completions_are_well_formed()
{
	local shell
	for shell in bash zsh fish; do
		! command -v $shell >/dev/null || $shell -n <(bench --completion $shell) || fail $shell
	done
}

# What bash offers for a command line.
offered()
{
	# shellcheck disable=SC2034 # read by what completes
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	_bench
	echo "${COMPREPLY[*]}"
}

test_bash_completes_words_lists_and_values()
{
	# shellcheck source=/dev/null
	. <(bench --completion bash)
	[[ " $(offered bench '') " == *" run "*" --version "* ]] || fail verbs
	[ "$(offered bench run --prec)" = --precision ] || fail options
	[ "$(offered bench run --suite gemm,trans)" = gemm,transfer ] || fail lists
	[ "$(offered bench run --pin = n)" = no ] || fail "what follows ="
	[ "$(offered bench run -p q)" = quick ] || fail letters
	[ "$(offered bench compare --format jun)" = junit ] || fail formats
	[ "$(offered bench db b)" = backup ] || fail operands
	[ "$(offered bench help cha)" = changepoints ] || fail help
	[ "$(offered bench run --budget '')" = "" ] || fail "a free value"
}

# printed OPTION VERB [CASE]: the default that --help prints for the option, in that case.
printed()
{
	local cases
	cases="; $(bench "$2" --help | awk '/^Options:/ { on = 1; next } /^Examples:/ { on = 0 }
		on && /^  .*--/ { print line; line = "" } on { sub(/^ +/, " "); line = line $0 } END { print line }' |
		sed -nE "s/^ (-., )?--$1 .*\(default: (.*)\)\$/\2/p")"
	if [ -n "${3-}" ]; then
		cases=${cases##*"; $3: "}
	fi
	cases=${cases#; }
	echo "${cases%%; *}"
}

# in_effect OPTION VERB [OPERAND]...: what the verb reads where the option is not given, by what it expects in place of
# a value that it refuses.
in_effect()
{
	{ bench "${@:2}" "--$1=?" 2>&1 || true; } | sed -nE "s/.*expected (a fraction such as )?([^ ,]+)[, ].*/\2/p"
}

# agree OPTION CASE VERB [OPERAND]...
agree()
{
	local shown real
	shown=$(printed "$1" "$3" "$2")
	real=$(in_effect "$1" "${@:3}")
	[ "${shown:-none}" = "$real" ] || fail "bench ${*:3}: --help says '$shown' of --$1, and it takes '$real'"
}

test_defaults_in_help_are_those_in_effect()
{
	local verb option case
	bench run --suite null --set spin=1000 -k 1 --budget 0.1s >/dev/null
	[ -d "$(printed runs-dir run)" ] || fail --runs-dir
	[ -f "$(printed db run)" ] || fail --db
	printf 'a\n1\n' >series.csv
	local -A of=([run]="--baseline last" [gate]="" [compare]="" [duel]="a b" [why]="a b" [bisect]="a b --build c" [backfill]="a..b --build c" [show]="--baseline last" [history]=""
		[changepoints]=series.csv [plot]=trend [report]="" [log]="--baseline last" [fleet]=nodes [power]="")
	for verb in $(verbs); do
		for option in $(options "$verb"); do
			case $option in
			threshold | alpha | undecided | error | pin | cache | shuffle | watch)
				[ -v "of[$verb]" ] || fail "$verb has --$option, and is not tried"
				case=""
				[ "$verb" != fleet ] && [ "$verb" != plot ] || [ "$option" != threshold ] || case=${of[$verb]}
				# shellcheck disable=SC2086 # words
				agree "$option" "$case" "$verb" ${of[$verb]}
				;;
			esac
		done
	done
	agree threshold gate fleet gate
	agree threshold compare plot compare last --baseline last
	agree threshold "against earlier runs" gate --baseline rolling:3
	agree threshold "against earlier runs" gate --cache cold
}
