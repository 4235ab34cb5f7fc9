/* SPDX-License-Identifier: MIT */
/* The mix of instructions of a function, as objdump of the binutils disassembles it. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "app/why_internal.h"
#include "machine/child.h"

#define LIMIT_SECONDS 20
#define MOST_BYTES    (8 << 20) /* of its output */

/*
 * Is it a vector instruction? x86-64: one on ymm or zmm, or on xmm whose name says packed (addps, paddd), but
 * for what only clears it. AArch64: an operand with lanes (v0.4s).
 */
static bool is_vector(const char *name, const char *operands)
{
	if (strstr(operands, "%ymm") || strstr(operands, "%zmm"))
		return true;
	if (strstr(operands, "%xmm")) {
		size_t length = strlen(name);
		const char *plain = name[0] == 'v' ? name + 1 : name;
		bool packed = length > 2 && name[length - 2] == 'p' &&
			      (name[length - 1] == 's' || name[length - 1] == 'd');
		return (packed || plain[0] == 'p') && strncmp(plain, "xor", 3) != 0 &&
		       strncmp(plain, "pxor", 4) != 0;
	}
	for (const char *c = operands; (c = strchr(c, 'v')); c++)
		if (isdigit((unsigned char)c[1])) {
			size_t digits = strspn(c + 1, "0123456789");
			if (c[1 + digits] == '.' && isdigit((unsigned char)c[2 + digits]))
				return true;
		}
	return false;
}

bool app_why_read_mix(const char *text, struct app_why_mix *mix)
{
	*mix = (struct app_why_mix){0};
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		char copy[256], name[32] = "", operands[200] = "";
		snprintf(copy, sizeof(copy), "%.*s", (int)(length < sizeof(copy) ? length : sizeof(copy) - 1),
			 line);
		/* "  1139:\taddps  %xmm1,%xmm0" */
		char *tab = copy[0] == ' ' ? strchr(copy, '\t') : NULL;
		if (tab && sscanf(tab + 1, "%31s %199[^\n]", name, operands) >= 1) {
			mix->instructions++;
			mix->vector += is_vector(name, operands);
		}
		line += length + (line[length] == '\n');
	}
	return mix->instructions > 0;
}

bool app_why_mix(const char *file, const char *function, struct app_why_mix *mix)
{
	char option[160];
	snprintf(option, sizeof(option), "--disassemble=%s", function);
	const char *const arguments[] = {"objdump", "--no-show-raw-insn", option, "--", file, NULL};
	BENCH_SCOPED_TEXT text = {0};
	int status;
	return bench_machine_child_ask(arguments, LIMIT_SECONDS, MOST_BYTES, &text, &status) ==
		       BENCH_CHILD_ENDED &&
	       status == 0 && text.data && text.length < MOST_BYTES && app_why_read_mix(text.data, mix);
}
