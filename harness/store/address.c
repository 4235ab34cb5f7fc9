/* SPDX-License-Identifier: MIT */
/* The address of a history on a server: is it one, is it right, and what of it may be shown. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/hash.h"
#include "core/text.h"
#include "store/server.h"

/* What libpq takes for an address of a server. */
static const char *const schemes[] = {"postgresql://", "postgres://"};

bool bench_store_is_server(const char *path)
{
	return strncasecmp(path, schemes[0], strlen(schemes[0])) == 0 ||
	       strncasecmp(path, schemes[1], strlen(schemes[1])) == 0;
}

/* Rather more is left out than is a password. */
char *store_address_shown(const char *address, struct bench_arena *arena)
{
	static const char *const secrets[] = {"password=", "sslpassword="};
	struct bench_text text = {0};
	const char *from = strchr(address, ':') + 3;
	const char *host = strrchr(from, '@'), *colon = strchr(from, ':');
	for (const char *c = address; *c; c++) {
		bench_text_add_bytes(&text, c, 1);
		if (host && c == colon && colon < host) {
			bench_text_add(&text, "***");
			c = host - 1;
		}
		for (size_t i = 0; strchr("?&", *c) && i < sizeof(secrets) / sizeof(secrets[0]); i++)
			if (strncmp(c + 1, secrets[i], strlen(secrets[i])) == 0) {
				bench_text_add(&text, "%s***", secrets[i]);
				c += strlen(secrets[i]) + strcspn(c + 1 + strlen(secrets[i]), "&");
			}
	}
	return bench_text_keep(&text, arena);
}

char *store_address_beside(const char *address, struct bench_arena *arena)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	const char *name = store_address_shown(address, arena);
	const unsigned long long hash = bench_hash_bytes(BENCH_HASH_START, name, strlen(name));
	/* The XDG specification: a relative path is invalid and to be ignored. */
	return data && *data == '/' ? bench_arena_format(arena, "%s/bench/server-%016llx", data, hash)
				    : bench_arena_format(arena, "%s/.local/share/bench/server-%016llx",
							 home && *home == '/' ? home : "/tmp", hash);
}
