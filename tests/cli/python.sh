# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The Python package, installed as a wheel in a clean environment, and docs/how-to/analyze.md: each answer to its question
# is the same. What is not installed here is skipped by its name. Nothing is downloaded.

# python_with STATEMENTS: a Python that runs them, if one does. Debian's packages are for its own.
python_with()
{
	local python
	for python in python3 /usr/bin/python3; do
		! "$python" -c "$1" 2>/dev/null || { echo "$python" && return; }
	done
}

# install: the package in the environment `clean`, from a wheel.
install()
{
	local python
	# No environment itself.
	python=$(python_with 'import ensurepip, setuptools, sys, wheel; sys.exit(sys.prefix != sys.base_prefix)')
	[ -n "$python" ] || skip "no python3 with ensurepip, setuptools and wheel (Debian: python3-venv, python3-setuptools, python3-wheel)"
	cp -rL "$BENCH_SOURCE/python" package
	"$python" -m venv --system-site-packages builds
	builds/bin/pip --disable-pip-version-check wheel -q --no-index --no-build-isolation --no-deps -w wheels ./package
	"$python" -m venv clean
	clean/bin/pip --disable-pip-version-check install -q --no-index wheels/bench_history-*.whl
}

test_wheel_passes_its_tests_in_a_clean_environment()
{
	install
	mkdir elsewhere
	cp package/tests/test_bench.py elsewhere
	cd elsewhere || return
	expect 0 ../clean/bin/python -m unittest -v test_bench
	has err '^OK'
	sed -n '/skipped/p' err
	../clean/bin/python -c 'import bench, os; assert os.path.exists(os.path.dirname(bench.__file__) + "/py.typed")'
}

test_package_is_typed()
{
	local python
	python=$(python_with 'import mypy')
	[ -n "$python" ] || skip "mypy is not installed (Debian: mypy)"
	cp -rL "$BENCH_SOURCE/python" package
	cd package || return
	expect 0 "$python" -m mypy --strict bench tests
}

# march: three runs of that month, of which the second is the slowest; a slower one that is set aside, and one of April.
march()
{
	local day run
	for day in 03-05:1.0 03-12:1.3 03-19:1.1 03-26:1.9 04-02:2.0; do
		{
			echo 'suite,backend,device,param.m,metric,unit,better,invocation,value,date'
			for run in 0 1 2; do
				echo "gemm,openblas,skylakex,1024,time,s,lower,$run,${day#*:},2026-${day%:*}T03:00:00Z"
			done
		} >one.csv
		bench import one.csv 2>/dev/null
	done
	bench runs aside last~1 "the fan was broken" >/dev/null 2>&1
	slowest=$(bench list runs --format csv | tr -d '"' | grep -o '^20260312[^,]*')
}

# block LANGUAGE: that block of the page.
block()
{
	sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$BENCH_SOURCE/docs/how-to/analyze.md" | sed '/^```/d'
}

# answers FILE: it names the slowest run, and no other.
answers()
{
	[ "$(grep -oE '2026[0-9]{4}-[0-9]+' "$1" | sort -u)" = "$slowest" ] || fail "not $slowest: $(cat "$1")"
}

test_page_is_answered_by_sql()
{
	march
	block sql >question.sql
	python3 -c 'import sqlite3; print(*sqlite3.connect("results.db").execute(open("question.sql").read()))' >out
	answers out
	command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
	sqlite3 results.db <question.sql >out
	answers out
}

test_page_is_answered_by_the_package()
{
	local python
	python=$(python_with 'import pandas')
	[ -n "$python" ] || skip "pandas is not installed (Debian: python3-pandas)"
	march
	export PYTHONPATH=$BENCH_SOURCE/python
	block python >question.py
	"$python" -B question.py >out
	answers out
	# Those that the clean environment skips.
	cp "$PYTHONPATH/tests/test_bench.py" .
	expect 0 "$python" -B -m unittest test_bench.Histories
	has err '^OK'
}

test_page_is_answered_by_duckdb()
{
	march
	bash -ec "$(block sh)"
	block duckdb >question.sql
	if command -v duckdb >/dev/null; then
		duckdb -c "$(cat question.sql)" >out
	else
		python3 -c 'import duckdb' 2>/dev/null || skip "duckdb is not installed (Debian has no package of it)"
		python3 -c 'import duckdb; print(*duckdb.sql(open("question.sql").read()).fetchall())' >out
	fi
	answers out
}

test_page_is_answered_by_r()
{
	march
	bash -ec "$(block sh)"
	block r >question.r
	command -v Rscript >/dev/null || skip "R is not installed (Debian: r-base-core)"
	Rscript question.r >out
	answers out
}
