# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What is written and run elsewhere; functions that are called by name.
# shellcheck disable=SC2016,SC2317
# What is in recipes/: their shell lines run as they stand there, on a program of a user's, as far as that goes without the
# service. Gates are short.

# A repository with a program, of which each commit changes how long it takes; `origin` is where it was cloned from.
app()
{
	mkdir -p origin bin home
	cp "$BENCH" bin/program
	printf '#!/bin/sh\n[ "$1" != gate ] || case " $* " in\n*" --base "*) set -- "$@" --budget 30s --precision 20%% -k 10 --watch no ;;\n*) set -- "$@" --budget 30s --precision 20%% -k 6 --watch no ;;\nesac\nexec "%s" "$@"\n' "$BENCH" >bin/bench
	printf '#!/bin/sh\nawk "BEGIN { for (i = 0; i < %s; i++) s += i; print s }"\n' 20000 >origin/app.sh
	printf 'all:\n\tmkdir -p build && cp app.sh build/app && chmod +x build/app\n' >origin/Makefile
	mkdir origin/bench
	echo '{"suite": "app", "commands": {"work": "build/app"}, "directory": ".."}' >origin/bench/app.json
	# bench's own files, and what is built
	printf 'build/\nbase/\nruns/\nresults.db*\n*.md\n*.xml\n*.txt\n' >origin/.gitignore
	chmod +x bin/bench origin/app.sh
	export PATH=$PWD/bin:$PATH HOME=$PWD/home GIT_CONFIG_GLOBAL=/dev/null
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
	git init -q -b main origin
	commit origin 'begin'
	git clone -q origin app
}

commit()
{
	git -C "$1" add -A
	git -C "$1" commit -q -m "$2"
}

# slower FOLDER: the program there takes several times as long.
slower()
{
	sed -i 's/20000/400000/' "$1/app.sh"
	commit "$1" 'slower'
}

# step FILE NAME: the shell lines of a step of a GitHub workflow.
step()
{
	python3 - "$BENCH_SOURCE/$1" "$2" <<-'END'
		import sys
		lines = open(sys.argv[1]).read().split("\n")
		at = next(i for i, line in enumerate(lines) if line.strip() == "- name: " + sys.argv[2])
		at = next(i for i in range(at, len(lines)) if lines[i].strip().startswith("run:"))
		first = lines[at].split("run:", 1)[1].strip()
		depth = len(lines[at]) - len(lines[at].lstrip())
		if first != "|":
		    print(first)
		else:
		    for line in lines[at + 1:]:
		        if line.strip() and len(line) - len(line.lstrip()) <= depth:
		            break
		        print(line[depth + 2:])
	END
}

# variables FILE: what stands under env, exported.
variables()
{
	local name value
	while IFS=: read -r name value; do
		export "${name// /}=${value# }"
	done < <(sed -n '/^env:/,/^[a-z]*:$/p' "$BENCH_SOURCE/$1" | grep '^  [A-Z]')
}

# run STATUS FILE STEP: as GitHub runs it, in the program's folder.
run()
{
	step "$2" "$3" >"$TMPDIR_STEP"
	(cd app && decided "$1" bash -e "$TMPDIR_STEP")
}

# Stands in for the service's program: comments are files.
fake_gh()
{
	cat >bin/gh <<-'END'
		#!/bin/bash
		# gh api [--paginate] [-X METHOD] PATH [--jq EXPRESSION] [-F body=@FILE]
		shift
		method=GET body= path=
		while [ $# -gt 0 ]; do
		    case $1 in
		    -X) method=$2; shift ;;
		    -F) body=${2#body=@}; [ $method != GET ] || method=POST; shift ;;
		    --jq) shift ;;
		    --paginate) ;;
		    *) path=$1 ;;
		    esac
		    shift
		done
		echo "$method $path" >>"$HOME/asked"
		case $method in
		GET) [ ! -e "$HOME/comment" ] || { head -n 1 "$HOME/comment" | grep -q '^<!-- bench-comment -->$' && echo 17; } ;;
		*) cp "$body" "$HOME/comment" ;;
		esac
	END
	chmod +x bin/gh
}

test_a_pull_request_on_github()
{
	TMPDIR_STEP=$PWD/step
	app
	fake_gh
	variables recipes/github-pull-request.yml
	export GITHUB_BASE_REF=main GITHUB_REPOSITORY=o/r NUMBER=3 GH_TOKEN=x
	slower app
	ln -s "$BENCH_SOURCE" bench
	run 0 recipes/github-pull-request.yml build
	run 1 recipes/github-pull-request.yml gate
	run 0 recipes/github-pull-request.yml comment
	has home/comment '### SLOWER: '
	has home/comment '^\| slower \| app/host:cpu/command=work/(cpu_)?time \| .* \| \+'
	has home/asked '^POST repos/o/r/issues/3/comments$'
	git -C app reset -q --hard origin/main
	git -C app worktree remove --force base
	run 0 recipes/github-pull-request.yml build
	run 0 recipes/github-pull-request.yml gate
	run 0 recipes/github-pull-request.yml comment
	has_not home/comment 'slower'
	has home/asked '^PATCH repos/o/r/issues/comments/17$'
}

test_the_action_on_github()
{
	TMPDIR_STEP=$PWD/step
	app
	fake_gh
	export GITHUB_REPOSITORY=o/r NUMBER=3 GH_TOKEN=x GITHUB_OUTPUT=$PWD/output GITHUB_ACTION_PATH=$BENCH_SOURCE
	slower app
	git -C app worktree add -q base origin/main
	for tree in app app/base; do
		make -s -C "$tree"
	done
	export WHAT='--exec bench/app.json' BASE='bench --exec base/bench/app.json' OPTIONS='--threshold 3%'
	run 1 action.yml gate
	has output '^status=1$'
	step action.yml comment | sed "s/^'//; s/'$//" >comment-step
	(cd app && expect 0 bash -e ../comment-step)
	has home/comment '### SLOWER: '
	BASE='' run 0 action.yml gate
	has output '^status=7$'
	# A token that may not write.
	printf '#!/bin/sh\nexit 1\n' >bin/gh
	(cd app && cp ../home/comment comment.md && expect 0 bash -e ../comment-step && has out '^::notice title=bench::SLOWER')
}

test_bench_please_on_github()
{
	local head
	TMPDIR_STEP=$PWD/step
	app
	variables recipes/github-bench-please.yml
	cp "$BENCH_SOURCE/recipes/github-comment" app/bench/
	mkdir app/.github
	mv app/bench/github-comment app/.github/
	commit app 'the recipe'
	export BASE_COMMIT GITHUB_REPOSITORY=o/r NUMBER=3 GH_TOKEN=x GITHUB_OUTPUT=$PWD/output COMMENT
	BASE_COMMIT=$(git -C app rev-parse HEAD)
	slower app
	head=$(git -C app rev-parse HEAD)
	fake_gh
	mv bin/gh bin/comments
	printf '#!/bin/sh\ncase "$*" in *.head.sha) echo %s ;; *.base.sha) echo %s ;; *) exec comments "$@" ;; esac\n' "$head" "$BASE_COMMIT" >bin/gh
	chmod +x bin/gh
	# Another commit than the one that was read; a text that is no command.
	for COMMENT in 'bench please 0000000' 'bench please $(touch${IFS}here) *'; do
		run 1 recipes/github-bench-please.yml commit
		has app/out "^::error title=bench::the head is $head"
	done
	for COMMENT in 'bench please' "bench please ${head:0:7} again"; do
		run 0 recipes/github-bench-please.yml commit
	done
	[ ! -e app/here ] || fail 'the comment ran'
	has output "^head=$head\$"
	has output "^base=$BASE_COMMIT\$"
	run 0 recipes/github-bench-please.yml build
	run 1 recipes/github-bench-please.yml gate
	run 0 recipes/github-bench-please.yml comment
	has home/comment '^### SLOWER: '
	has home/asked '^POST repos/o/r/issues/3/comments$'
}

# The nights of a recipe: first, second, and one with a change for the worse, in which it ends with status $1.
nights()
{
	local bad=$1
	shift
	local status=0
	"$@" || fail "the first night: $?"
	# A busy machine may leave it open.
	"$@" || status=$?
	[ "$status" = 0 ] || [ $status = 6 ] || fail "the second night: $status"
	slower origin
	status=0
	"$@" || status=$?
	[ "$status" = "$bad" ] || fail "the bad night ended with $status"
}

test_nights_on_github()
{
	TMPDIR_STEP=$PWD/step
	app
	variables recipes/github-nightly.yml
	night()
	{
		git -C app pull -q
		step recipes/github-nightly.yml build >steps
		step recipes/github-nightly.yml gate >>steps
		(cd app && bash -e ../steps >../out 2>../err)
	}
	nights 1 night
	has out '^::error title=slower%3A app/host%3Acpu/command=work/(cpu_)?time::'
}

test_nights_on_jenkins()
{
	app
	night()
	{
		git -C app pull -q
		{
			sed -n "s/^ *sh '\(.*\)'$/\1/p" "$BENCH_SOURCE/recipes/Jenkinsfile"
			sed -n "/'''$/,/^ *''')/p" "$BENCH_SOURCE/recipes/Jenkinsfile" | sed '1d;$d'
		} >steps
		local status=0
		(cd app && sh -e ../steps) || status=$?
		[ "$status" != 7 ] || status=0
		return "$status"
	}
	nights 1 night
	has app/verdicts.xml '<failure .*type="slower"'
}

test_nights_on_gitlab()
{
	app
	export BUILD=make
	night()
	{
		git -C app pull -q
		sed -n '/^bench nightly:/,$p' "$BENCH_SOURCE/recipes/gitlab-ci.yml" | sed -n 's/^    - //p' >steps
		local status=0
		(cd app && bash -e ../steps) || status=$?
		[ "$status" != 7 ] || status=0
		return "$status"
	}
	nights 1 night
	has app/verdicts.xml '<failure .*type="slower"'
}

test_a_merge_request_on_gitlab()
{
	app
	export BUILD=make CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main
	sed -n '/^bench merge/,/^bench nightly:/p' "$BENCH_SOURCE/recipes/gitlab-ci.yml" | sed -n '/^  script:/,$s/^    - //p' >steps
	slower app
	(cd app && decided 1 bash -e ../steps)
	has app/verdicts.xml '<failure .*type="slower"'
}

test_nights_by_cron()
{
	app
	mv app home/app
	printf '#!/bin/sh\ncat >"$HOME/mail"\n' >bin/mail
	chmod +x bin/mail
	sed -n 's/^15 2 [*] [*] [*]  //p' "$BENCH_SOURCE/recipes/crontab" >line
	sh line
	has home/mail 'no verdict yet'
	slower origin
	sh line
	has home/mail 'gate: FAIL: [12] slower'
}

test_nights_by_systemd()
{
	app
	mkdir srv
	mv app srv/app
	sed -n 's/^ExecStart\(Pre\)*=//p' "$BENCH_SOURCE/recipes/bench-gate.service" |
		sed "s|/srv/|$PWD/srv/|g; s|/usr/bin/bench|bench|" >steps
	has "$BENCH_SOURCE/recipes/bench-gate.service" '^SuccessExitStatus=7$'
	has "$BENCH_SOURCE/recipes/bench-gate.timer" '^OnCalendar='
	night()
	{
		local status=0
		(cd srv/app && sh -e ../../steps) || status=$?
		[ "$status" != 7 ] || status=0
		return "$status"
	}
	nights 1 night
	if command -v systemd-analyze >/dev/null; then
		systemd-analyze calendar "$(sed -n 's/^OnCalendar=//p' "$BENCH_SOURCE/recipes/bench-gate.timer")" >/dev/null || fail "the timer has no time"
	fi
}

# The commands of the how-to's n-th block.
block()
{
	awk -v n="$1" '/^```sh$/ { at++; inside = 1; next } /^```$/ { inside = 0 } inside && at == n' "$BENCH_SOURCE/docs/how-to/ci.md"
}

# A night of 2 s may fall into an hour in which the machine has little time for it, and a history with such a night does not
# hold even the tenfold time against the last one: another history is tried, three in all.
test_the_how_to_from_a_pull_request_to_an_accepted_change()
{
	local status try n
	export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
	for n in 1 2 3 4; do
		block $n >$n.sh
	done
	for try in 1 2 3; do
		mkdir app$try
		cd app$try || return
		expect 0 bash -e ../1.sh
		has out '1 ok'
		decided 1 bash -e ../2.sh
		has comment.md '^### SLOWER: '
		has comment.md '^\| slower \| app/host:cpu/command=sum/time \| .* \| \+'
		status=0
		bash -e ../3.sh >out 2>err || status=$?
		[ "$status" = 6 ] || break
		[ "$try" -lt 3 ] || skip "the machine is too busy to decide"
		cd ..
	done
	ended 1 "$status" bash -e ../3.sh
	has out '^SLOWER: '
	has out '^new alarm 1: '
	status=0
	bash -e ../4.sh >out 2>err || status=$?
	case $status in
	0 | 6 | 7) ;;
	*) cat out err >&2 && fail "accepted, and exit status $status" ;;
	esac
	has_not out 'FAIL'
	expect 0 bench alarms show 1
	has out 'ten times as many terms'
}
