/* SPDX-License-Identifier: MIT */
/* ELF: System V ABI, chapters 4 and 5 (object files, program loading). */
#include "machine/symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
	const unsigned char *data;
	size_t length;
};

/* Copies `size` bytes from `at`, where the file has them. */
static bool take(const struct file *file, uint64_t at, void *to, size_t size)
{
	if (at > file->length || size > file->length - at)
		return false;
	memcpy(to, file->data + at, size);
	return true;
}

static bool take_section(const struct file *file, const Elf64_Ehdr *header, uint64_t index,
			 Elf64_Shdr *section)
{
	return header->e_shentsize == sizeof(*section) && index < header->e_shnum &&
	       take(file, header->e_shoff + index * sizeof(*section), section, sizeof(*section));
}

/* The address of the first byte that is loaded: offsets are from there. */
static uint64_t first_address(const struct file *file, const Elf64_Ehdr *header)
{
	Elf64_Phdr segment;
	for (uint64_t i = 0; i < header->e_phnum; i++)
		if (take(file, header->e_phoff + i * sizeof(segment), &segment, sizeof(segment)) &&
		    segment.p_type == PT_LOAD)
			return segment.p_vaddr - segment.p_offset % 4096;
	return 0;
}

static bool take_name(const struct file *file, const Elf64_Shdr *names, uint32_t at, char *name, size_t size)
{
	if (at >= names->sh_size || names->sh_offset > file->length ||
	    names->sh_size > file->length - names->sh_offset)
		return false;
	const char *text = (const char *)file->data + names->sh_offset + at;
	size_t length = strnlen(text, (size_t)(names->sh_size - at));
	if (length == 0 || length == names->sh_size - at)
		return false;
	snprintf(name, size, "%s", text);
	return true;
}

static bool search(const struct file *file, const Elf64_Ehdr *header, const Elf64_Shdr *table,
		   uint64_t address, char *name, size_t size)
{
	Elf64_Shdr names;
	Elf64_Sym symbol;
	if (!take_section(file, header, table->sh_link, &names))
		return false;
	for (uint64_t at = 0; at + sizeof(symbol) <= table->sh_size &&
			      take(file, table->sh_offset + at, &symbol, sizeof(symbol));
	     at += sizeof(symbol)) {
		unsigned type = ELF64_ST_TYPE(symbol.st_info);
		if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF &&
		    address >= symbol.st_value && address - symbol.st_value < symbol.st_size &&
		    take_name(file, &names, symbol.st_name, name, size))
			return true;
	}
	return false;
}

bool bench_machine_symbols_find(const unsigned char *data, size_t length, uint64_t offset, char *name,
				size_t size)
{
	static const uint32_t tables[] = {SHT_SYMTAB, SHT_DYNSYM};
	const struct file file = {data, length};
	Elf64_Ehdr header;
	Elf64_Shdr section;
	if (!take(&file, 0, &header, sizeof(header)) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	uint64_t address = offset + first_address(&file, &header);
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (uint64_t i = 0; take_section(&file, &header, i, &section); i++)
			if (section.sh_type == tables[t] &&
			    search(&file, &header, &section, address, name, size))
				return true;
	return false;
}

static bool find_in(const char *path, uint64_t offset, char *name, size_t size)
{
	struct stat status;
	bool found = false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (fstat(fd, &status) == 0 && status.st_size > 0) {
		size_t length = (size_t)status.st_size;
		void *data = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
		found = data != MAP_FAILED && bench_machine_symbols_find(data, length, offset, name, size);
		if (data != MAP_FAILED)
			munmap(data, length);
	}
	close(fd);
	return found;
}

void bench_machine_symbols_name(uintptr_t address, char *name, size_t name_size, char *file, size_t file_size)
{
	Dl_info info = {0};
	char self[PATH_MAX] = "";
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): where the process was */
	bool known = dladdr((const void *)address, &info) != 0 && info.dli_fname;
	const char *path = known ? info.dli_fname : "";
	/* The program itself is known by what it was called. */
	ssize_t length = known && path[0] != '/' ? readlink("/proc/self/exe", self, sizeof(self) - 1) : 0;
	if (length > 0)
		path = self;
	snprintf(file, file_size, "%s", path);
	if (known && find_in(path, address - (uintptr_t)info.dli_fbase, name, name_size))
		return;
	if (known && info.dli_sname && *info.dli_sname) {
		snprintf(name, name_size, "%s", info.dli_sname);
		return;
	}
	const char *last = strrchr(path, '/');
	snprintf(name, name_size, "[%s]", last ? last + 1 : *path ? path : "unknown");
}
