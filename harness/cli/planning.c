#include "cli/planning.h"

#include <string.h>

#include "backends/backends.h"
#include "core/text.h"

/*
 * Ten invocations let the rank test speak at a family-wise 1% over hundreds of metrics
 * (docs/comparing.md); six are the fewest that give an interval of 95%.
 */
static const struct cli_preset presets[] = {
	{"quick", BENCH_PRESET_QUICK, 6, 10, 220, 0.02},
	{"nightly", BENCH_PRESET_NIGHTLY, 10, 150, 840, 0.01},
	{"full", BENCH_PRESET_FULL, 10, 0, 0, 0.01},
};

int cli_preset(const struct cli_args *args, const struct cli_preset **preset, struct bench_error *error)
{
	return cli_preset_named(
		cli_value(args, "preset", args->verb->preset ? args->verb->preset : "nightly"), preset,
		error);
}

int cli_preset_named(const char *name, const struct cli_preset **preset, struct bench_error *error)
{
	const char *names[sizeof(presets) / sizeof(presets[0])];
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		names[i] = presets[i].name;
		if (strcmp(presets[i].name, name) == 0) {
			*preset = &presets[i];
			return 0;
		}
	}
	const char *nearest = bench_text_nearest(name, names, sizeof(names) / sizeof(names[0]));
	return bench_fail(error, BENCH_USAGE,
			  "there is no preset '%s': there are quick, nightly and full%s%s%s", name,
			  BENCH_DID_YOU_MEAN(nearest));
}

int cli_plan(const struct cli_args *args, const struct bench_suite *const *suites, const char *const *only,
	     struct bench_plan **plan, struct bench_error *error)
{
	const struct cli_preset *preset = NULL;
	struct bench_plan_options options = {.suites = suites,
					     .backends = bench_backends,
					     .backend_text = cli_value(args, "backend", NULL),
					     .filter = cli_value(args, "filter", NULL),
					     .only = only};
	if (cli_preset(args, &preset, error) != 0)
		return -1;
	options.preset = preset->sweeps;
	options.sets = cli_values(args, "set", &options.set_count);
	return bench_plan_make(&options, plan, error);
}
