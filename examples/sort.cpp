// Two ways to sort, compared sample against sample, and its inputs put back before each sample.
#include <algorithm>
#include <bench/fn.h>
#include <cstring>
#include <vector>

struct sort {
	std::vector<uint64_t> input, sorted;
	bool stable;
};

BENCH_FN(sort, "n=1000,100000 variant=plain,stable");

BENCH_FN_WORK(sort)
{
	work->items = (double)bench_fn_size(fn, "n");
}

BENCH_FN_SETUP(sort)
{
	s->stable = std::strcmp(bench_fn_word(fn, "variant"), "stable") == 0;
	s->input.resize(bench_fn_size(fn, "n"));
	for (auto &value : s->input)
		value = bench_fn_random(fn);
}

BENCH_FN_PREPARE(sort)
{
	s->sorted.clear();
}

// The copy is part of what is timed: without it the second iteration would sort what is sorted.
BENCH_FN_RUN(sort)
{
	s->sorted = s->input;
	if (s->stable)
		std::stable_sort(s->sorted.begin(), s->sorted.end());
	else
		std::sort(s->sorted.begin(), s->sorted.end());
}

BENCH_FN_CHECK(sort, 0)
{
	bool right = s->sorted.size() == s->input.size() && std::is_sorted(s->sorted.begin(), s->sorted.end());
	uint64_t before = 0, after = 0;
	for (auto value : s->input)
		before += value;
	for (auto value : s->sorted)
		after += value;
	return right && before == after ? 0 : 1;
}
