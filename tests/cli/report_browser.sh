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

# in_browser PAGE [OPTION..]: the page's document, once it is loaded, in dom. The console must have nothing to say.
in_browser()
{
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$PWD/profile" \
		--enable-logging=stderr --virtual-time-budget=300000 "${@:2}" --dump-dom "file://$PWD/$1" >dom 2>said ||
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

test_a_printed_table_has_its_header_on_each_page()
{
	local page browser
	local -a printed
	browser=$(command -v chromium || command -v chromium-browser) || skip "chromium is not there"
	command -v gs >/dev/null || skip "ghostscript is not there"
	made_report
	in_browser report/runs.html --print-to-pdf="$PWD/runs.pdf"
	gs -q -dBATCH -dNOPAUSE -sDEVICE=txtwrite -o page%d.txt runs.pdf >said 2>&1 || fail "$(cat said)"
	printed=(page*.txt)
	[ "${#printed[@]}" -gt 1 ] || fail "all runs are on one page"
	for page in "${printed[@]}"; do
		has "$page" 'started +commit +branch'
	done
}

# wide_history: 90 days of what is hard to lay out (scripts/make_history --wide), in made.
wide_history()
{
	"$BENCH_SOURCE/scripts/make_history" made --metrics 60 --nights 90 --judge 40 --wide --bench "$BENCH" || fail "no history"
}

# looked_at DOCUMENT..: what tests/report_layout.js finds in them, in found; "layout: ok" where there is nothing.
looked_at()
{
	local scheme
	cp "$BENCH_SOURCE/tests/report_layout.js" .
	{
		printf '<!DOCTYPE html><title>layout</title><body><script>const DOCUMENTS = ['
		printf '"%s",' "$@"
		printf '];</script><script src="report_layout.js"></script>'
	} >layout.html
	# In dark colors, then in light ones.
	for scheme in 0 1; do
		in_browser layout.html --allow-file-access-from-files --blink-settings="preferredColorScheme=$scheme" --window-size=1400,1000
		sed -n '/<pre id="layout">/,$p' dom
	done >found
}

# Two pages of each kind and every kind of picture, at the width of a phone, a tablet and a desk: no text is on another, on a point or
# on a line, and none is cut off.
test_no_text_overlaps_or_is_cut_off()
{
	local kind browser
	local -a pages=() pictures
	browser=$(command -v chromium || command -v chromium-browser) || skip "chromium is not there"
	wide_history
	bench report --db made/results.db --runs-dir made/runs --out report 2>err || fail "$(cat err)"
	for kind in index suite metric run comparison device; do
		mapfile -t -O "${#pages[@]}" pages < <(find report -name '*.html' -exec grep -l "data-page=\"$kind\"" {} + | sort | tail -n 2)
	done
	pages+=(report/runs.html report/devices.html)
	if command -v gnuplot >/dev/null; then
		for kind in roofline learning scaling distribution compare trend; do
			bench plot "$kind" --db made/results.db --runs-dir made/runs -o "$kind.svg" 2>err || fail "$(cat err)"
		done
		bench plot trend --db made/results.db -m '*/opencl*dtype=f32,n=64,*/time' -o trend-together.svg 2>err || fail "$(cat err)"
		bench plot trend --db made/results.db -m 'gemm/opencl*dtype=f32,n=64,*/time' -o trend-alone.svg 2>err || fail "$(cat err)"
	fi
	shopt -s nullglob
	pictures=(*.svg)
	looked_at "${pages[@]}" "${pictures[@]}"
	[ "$(grep -c 'layout: ok' found)" = 2 ] || fail "$(head -n 30 found)"
}

test_the_look_finds_what_is_wrong()
{
	local browser what
	browser=$(command -v chromium || command -v chromium-browser) || skip "chromium is not there"
	cat >bad.html <<-'END'
		<!DOCTYPE html><title>bad</title><body style="margin: 0; font: 16px sans-serif">
		<p style="position: absolute; margin: 0">first</p><p style="position: absolute; margin: 0">second</p>
		<p style="position: absolute; top: 100px; left: 390px; white-space: nowrap">far to the right</p>
		<p style="position: absolute; top: 520px; width: 90px; overflow-wrap: anywhere">20261120-020000</p>
		<p style="position: absolute; top: 200px; width: 50px; overflow: hidden; white-space: nowrap">hidden by its box</p>
		<svg style="position: absolute; top: 300px" width="200" height="200"><text x="20" y="40">crossed</text>
		<line x1="0" x2="200" y1="35" y2="35" stroke="#000000"></line><text x="20" y="90">dotted</text>
		<circle cx="30" cy="85" r="4"></circle><text x="180" y="140">outside</text></svg>
	END
	looked_at bad.html
	for what in "'first' and 'second' overlap" "'far to the right' is cut off by the page" "'hidden by its box' is cut off by P" \
		"'crossed' is struck through" "'dotted' stands on a point" "'outside' is cut off by the picture" "'20261120-020000' is broken in its middle"; do
		has found "$what"
	done
}
