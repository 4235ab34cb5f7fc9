# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The pages of a report as a browser has them, and as those who have none of its abilities. The history is made up
# (scripts/make_history); the browser is Debian's chromium, and what needs it is skipped where it is not there.

# A history of few metrics, and its report.
made_report()
{
	"$BENCH_SOURCE/scripts/make_history" made --metrics 20 --nights 40 --judge 30 --bench "$BENCH" || fail "no history"
	bench report --db made/results.db --runs-dir made/runs --out report 2>err || fail "$(cat err)"
}

# in_browser PAGE: the page's document, once it is loaded, in dom. The console must have nothing to say.
in_browser()
{
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$PWD/profile" \
		--enable-logging=stderr --virtual-time-budget=5000 --dump-dom "file://$PWD/$1" >dom 2>said ||
		fail "$(tail -n 5 said)"
	has_not said CONSOLE
}

test_links_resolve_and_everything_has_a_name()
{
	made_report
	"$BENCH_SOURCE/tests/report_check.py" report >found || fail "$(head -n 20 found)"
}

test_the_check_finds_what_is_wrong()
{
	mkdir -p r
	cat >r/index.html <<-'END'
		<!DOCTYPE html><html><head><title>t</title></head><body data-page="x"><nav></nav><main><h1>h</h1>
		<a href="gone.html">a</a><a href="https://example.org/">b</a><a href="#no">c</a><p style="color: red" id="i">
		<input id="i"><svg role="img"></svg><button></button><script>1</script></main></body></html>
	END
	cp r/index.html r/lone.html
	expect 1 "$BENCH_SOURCE/tests/report_check.py" r
	for what in "gone.html' leads nowhere" 'leads out of the folder' 'no such id' '<p style>' "id 'i' stands there twice" '<input> has no name' \
		'<svg> has no name' '<button> has no text' '<script> in the page' 'no lang' 'content security policy' "data-page 'x'" \
		'</main> closes p' 'lone.html: no page leads here'; do
		has out "$what"
	done
}

test_a_history_is_made_up_where_there_is_room_for_it()
{
	local make=$BENCH_SOURCE/scripts/make_history
	mkdir full && touch full/file
	expect 2 "$make" full --bench "$BENCH"
	has err 'full is not empty'
	expect 2 "$make" new --nights 0 --bench "$BENCH"
	has err '1 or more'
	ln -s "$BENCH" bench
	expect 1 "$make" new --metrics 1 --nights 2 --bench "$PWD/bench"
	has err 'tests/judge_nights is not there'
	expect 0 "$make" small --metrics 14 --nights 30 --judge 0 --bench "$PWD/bench"
	has small/planted.md '^. regression . suite=elementwise, .* . step . \+9% . 20261114-020000 . [0-9a-f]{12} '
	expect 0 bench list runs --db small/results.db --format csv
	[ "$(wc -l <out)" = 31 ] || fail "$(cat out)"
	has out 'cut short'
	! python3 -c 'import jsonschema' 2>/dev/null || valid small/runs/20261120-020000/metrics.json
}

# A page of each kind, used as tests/report_drive.js uses it; and one without its script.
test_a_browser_has_nothing_to_complain_of()
{
	local kind page browser
	browser=$(command -v chromium || command -v chromium-browser) || skip "chromium is not there"
	made_report
	cp "$BENCH_SOURCE/tests/report_drive.js" report/assets/drive.js
	for kind in index suite metric run comparison device; do
		# The last one by name: the newest run and its comparison.
		page=$(find report -name '*.html' -exec grep -l "data-page=\"$kind\"" {} + | sort | tail -n 1)
		[ -n "$page" ] || fail "no page is a $kind"
		sed -E 's|(<script src="[^"]*)report.js"></script>|&\1drive.js"></script>|' "$page" >"${page%.html}-driven.html"
		in_browser "${page%.html}-driven.html"
		grep -q '<pre id="drive">drive: ok' dom || fail "$page: $(sed -n '/id="drive"/,$p' dom)"
	done
	sed '/report.js/d' report/index.html >report/plain.html
	in_browser report/plain.html
	has dom '<tr class="row '
}
