/* SPDX-License-Identifier: MIT */
#include "backends/opencl/runtime/retarget.h"

#include <string.h>

#define TARGET ".target sm_90"
#define ENTRY  " entry " /* after a mark: what follows belongs before the body of the kernel that it is in */
#define GROUP  ".reqntid"

/*
 * Moves the directive in a comment at `mark`, which ends with its line, to a new line after the one that says
 * how large the kernel's groups are. The comment is longer than that line, so that nothing else moves. Gives
 * where to read on, or NULL.
 */
static char *move_directive(char *binary, char *mark)
{
	char *group = NULL, *directive = mark + strlen(BENCH_OPENCL_RETARGET_MARK ENTRY), line[64];
	for (char *at = binary; (at = strstr(at, GROUP)) && at < mark; at++)
		group = at;
	char *to = group ? strchr(group, '\n') : NULL;
	size_t length = strcspn(directive, "\n");
	if (!to || to > mark || length + 1 > sizeof(line))
		return NULL;
	memcpy(line, directive, length);
	line[length] = '\n';
	memset(mark, ' ', (size_t)(directive - mark) + length);
	memmove(to + length + 2, to + 1, (size_t)(mark - to) - 1);
	memcpy(to + 1, line, length + 1);
	return to + 1;
}

int bench_opencl_retarget(char *binary, size_t *length, struct bench_error *error)
{
	const size_t mark_length = strlen(BENCH_OPENCL_RETARGET_MARK);
	size_t marks = 0;
	binary[*length] = '\0';
	*length = strlen(binary); /* the driver ends the text with a zero byte */
	for (char *at = binary; (at = strstr(at, BENCH_OPENCL_RETARGET_MARK)); marks++) {
		if (strncmp(at + mark_length, ENTRY, strlen(ENTRY)) != 0)
			memset(at, ' ', mark_length);
		else if (!(at = move_directive(binary, at)))
			return bench_fail(error, BENCH_UNSUPPORTED,
					  "the device's compiler gives no PTX with '" GROUP
					  "', after which a kernel for sm_90a has its registers");
	}
	char *target = strstr(binary, TARGET);
	if (!target)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "the device's compiler gives no PTX with '" TARGET "', which kernels for "
				  "sm_90a are made of");
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
