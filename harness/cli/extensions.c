#include "cli/extensions.h"

int cli_extend(const struct cli_args *args, struct bench_error *error)
{
	(void)args;
	(void)error;
	return 0;
}
