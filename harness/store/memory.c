/* SPDX-License-Identifier: MIT */
/*
 * SQLite's memory. Where it gets none SQLite reports an error, or, for a text or an argument of a function, a
 * NULL: that would read as "nothing there". So it gets memory or the process ends, which is to the database
 * what a kill is: a transaction that was not committed has not been.
 */
#include "core/memory.h"
#include "store/sqlite.h"

static sqlite3_mem_methods usual;

static void *get(int bytes)
{
	void *memory = usual.xMalloc(bytes);
	if (!memory)
		bench_memory_exhausted("%d bytes for the database", bytes);
	return memory;
}

static void *resize(void *memory, int bytes)
{
	void *resized = usual.xRealloc(memory, bytes);
	if (!resized)
		bench_memory_exhausted("%d bytes for the database", bytes);
	return resized;
}

void store_hold_memory(void)
{
	/* SQLite takes these settings only before its first use: where another has used it, it stays as it
	 * is. */
	if (usual.xMalloc || sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual) != SQLITE_OK)
		return;
	sqlite3_mem_methods methods = usual;
	methods.xMalloc = get;
	methods.xRealloc = resize;
	(void)sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}
