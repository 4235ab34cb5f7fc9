#include "cli/extensions.h"

int cli_extend(const struct cli_args *args, struct bench_error *error)
{
	return cli_extend_kernels(args, error);
}
