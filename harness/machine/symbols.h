/* SPDX-License-Identifier: MIT */
/* Names of functions in ELF files: those of .symtab, or where it was stripped off, of .dynsym. */
#ifndef BENCH_MACHINE_SYMBOLS_H
#define BENCH_MACHINE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The function at `offset` from the file's first address, in a 64-bit file of this machine's byte order. The
 * data may be anything. False, and the name is left alone: none is known.
 */
bool bench_machine_symbols_find(const unsigned char *data, size_t length, uint64_t offset, char *name,
				size_t size);

/* Of an address in this process: the function, and the path of its file. Where that has no name for it: the
 * file's, in brackets. */
void bench_machine_symbols_name(uintptr_t address, char *name, size_t name_size, char *file,
				size_t file_size);

#endif
