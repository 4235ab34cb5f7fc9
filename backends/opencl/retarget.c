#include "retarget.h"

#include <string.h>

#define TARGET ".target sm_90"

int bench_opencl_retarget(char *binary, size_t *length, struct bench_error *error)
{
	const size_t mark_length = strlen(BENCH_OPENCL_RETARGET_MARK);
	size_t marks = 0;
	binary[*length] = '\0';
	*length = strlen(binary); /* the driver ends the text with a zero byte */
	char *target = strstr(binary, TARGET);
	if (!target)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "the device's compiler gives no PTX with '" TARGET "', which kernels for "
				  "sm_90a are made of");
	for (char *at = binary; (at = strstr(at, BENCH_OPENCL_RETARGET_MARK)); marks++)
		memset(at, ' ', mark_length);
	if (marks == 0)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "the device's compiler keeps no comments of inline assembly, which kernels "
				  "for sm_90a are made of");
	char *end = target + strlen(TARGET);
	if (*end == 'a')
		return 0;
	memmove(end + 1, end, *length - (size_t)(end - binary) + 1);
	*end = 'a';
	(*length)++;
	return 0;
}
