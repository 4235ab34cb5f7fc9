#include "cli/extensions.h"

#include "cli/exec.h"

int cli_extend(const struct cli_args *args, struct bench_error *error)
{
	return cli_exec_extend(args, error);
}
