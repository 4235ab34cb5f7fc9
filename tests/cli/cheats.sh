# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Work that is not done, and what becomes of it: the table of docs/notes/measuring-methods.md, a row for
# each of tests/cheats.

# Lines "ID ANSWER", as the page has them.
# The backticks are the page's.
# shellcheck disable=SC2016
rows()
{
	sed -nE 's/^\| `([a-z_]+)` \|.*\| \*\*([a-z ]+)\*\*.*/\1 \2/p' "$BENCH_SOURCE/docs/notes/measuring-methods.md" | sort
}

# Lines "ID ANSWER", as a run had them.
found()
{
	json out '"\n".join("%s %s" % (r["suite"], "caught" if r["status"] in ("incorrect", "failed") else
		"warned" if "first_call" in r.get("notes", {}) else
		"not caught" if r["status"] == "ok" else r["status"]) for r in j["results"])'
}

test_every_cheat_is_found_or_not_as_the_page_says()
{
	local kernels=() file
	[ "$(rows | wc -l)" -ge 15 ] || fail "a table of $(rows | wc -l) rows"
	gcc -O2 -fPIC -shared -I "$BENCH_SOURCE/include" "$BENCH_SOURCE/tests/cheats/functions.c" -o functions.so -lm -pthread
	for file in "$BENCH_SOURCE"/tests/cheats/*.cl; do
		kernels+=(--kernel "$file")
	done
	expect 4 bench run --plugin ./functions.so -k 1 --budget 4s --no-store --watch no --format json
	found >answers
	expect 4 bench run "${kernels[@]}" -k 1 --budget 2s --no-store --watch no --format json
	found >>answers
	sort -o answers answers
	rows >expected
	diff expected answers || fail "the page says otherwise (<) than the run (>)"
}
