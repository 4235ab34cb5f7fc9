/* SPDX-License-Identifier: MIT */
#include "machine/environment.h"

#include <gnu/libc-version.h>
#include <hwloc.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "core/clock.h"
#include "core/file.h"
#include "core/hash.h"
#include "machine/build_info.h"
#include "machine/program.h"

static void set(struct bench_environment *environment, const char *name, const char *value)
{
	if (value && *value)
		bench_machine_environment_add(environment, name, value);
}

/* The first line of a small file, without its end; "" where it cannot be read. */
static const char *first_line(const char *path, char *out, size_t size)
{
	out[0] = '\0';
	BENCH_SCOPED_FILE *file = bench_file_open(path);
	if (!file)
		return out;
	if (!fgets(out, (int)size, file))
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return out;
}

/* The value behind `name` in a file of "name : value" or "name=value" lines. */
static const char *field(const char *path, const char *name, char *out, size_t size)
{
	char line[1024];
	size_t length = strlen(name);
	out[0] = '\0';
	BENCH_SCOPED_FILE *file = bench_file_open(path);
	if (!file)
		return out;
	while (!*out && fgets(line, sizeof(line), file)) {
		char *rest = line + length;
		if (strncmp(line, name, length) != 0)
			continue;
		rest += strspn(rest, " \t");
		if (*rest != ':' && *rest != '=')
			continue;
		rest += 1 + strspn(rest + 1, " \t\"");
		rest[strcspn(rest, "\"\n")] = '\0';
		snprintf(out, size, "%s", rest);
	}
	return out;
}

static void hash(uint64_t *state, const char *text)
{
	for (; *text; text++)
		*state = bench_hash_bytes(*state, text, 1);
	*state = bench_hash_bytes(*state, "\n", 1);
}

static void describe_topology(struct bench_environment *environment, unsigned threads, uint64_t *fingerprint)
{
	hwloc_topology_t topology;
	char text[128];
	if (hwloc_topology_init(&topology) != 0)
		return;
	if (hwloc_topology_load(topology) == 0) {
		int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
		int units = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
		snprintf(text, sizeof(text), "%d", cores > 0 ? cores : units);
		set(environment, "cores", text);
		hash(fingerprint, text);
		snprintf(text, sizeof(text), "%d", units);
		set(environment, "hardware_threads", text);
		hash(fingerprint, text);
		snprintf(text, sizeof(text), "%u", threads ? threads : (unsigned)units);
		set(environment, "threads", text);
		static const struct {
			hwloc_obj_type_t type;
			const char *name;
		} caches[] = {{HWLOC_OBJ_L1CACHE, "l1_bytes"},
			      {HWLOC_OBJ_L2CACHE, "l2_bytes"},
			      {HWLOC_OBJ_L3CACHE, "l3_bytes"}};
		for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
			hwloc_obj_t cache = hwloc_get_obj_by_type(topology, caches[i].type, 0);
			if (!cache)
				continue;
			snprintf(text, sizeof(text), "%llu", (unsigned long long)cache->attr->cache.size);
			set(environment, caches[i].name, text);
			hash(fingerprint, text);
		}
	}
	hwloc_topology_destroy(topology);
}

static void describe_memory(struct bench_environment *environment, uint64_t *fingerprint)
{
	char text[64];
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	double bytes = (double)pages * (double)size;
	snprintf(text, sizeof(text), "%.0f", bytes);
	set(environment, "memory_bytes", text);
	/* The kernel keeps a little for itself, more or less with its version: whole GiB are stable. */
	snprintf(text, sizeof(text), "%.0f", bytes / 0x1p30);
	hash(fingerprint, text);
}

static void describe_system(struct bench_environment *environment)
{
	char text[256];
	struct utsname name;
	if (uname(&name) == 0) {
		set(environment, "name", name.nodename);
		snprintf(text, sizeof(text), "%.60s %.60s %.60s", name.sysname, name.release, name.machine);
		set(environment, "kernel", text);
	}
	set(environment, "os", field("/etc/os-release", "PRETTY_NAME", text, sizeof(text)));
	set(environment, "governor",
	    first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", text, sizeof(text)));
	set(environment, "boost", first_line("/sys/devices/system/cpu/cpufreq/boost", text, sizeof(text)));
	set(environment, "no_turbo",
	    first_line("/sys/devices/system/cpu/intel_pstate/no_turbo", text, sizeof(text)));
	set(environment, "microcode", field("/proc/cpuinfo", "microcode", text, sizeof(text)));
	set(environment, "huge_pages",
	    first_line("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof(text)));
	set(environment, "clocksource",
	    first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", text,
		       sizeof(text)));
	set(environment, "cpu_limit", first_line("/sys/fs/cgroup/cpu.max", text, sizeof(text)));
	first_line("/proc/loadavg", text, sizeof(text));
	text[strcspn(text, " ")] = '\0';
	set(environment, "load_1min", text);
}

static void describe_clock(struct bench_environment *environment)
{
	char text[32];
	struct bench_clock_quality quality;
	bench_clock_calibrate(&bench_clock_real, &quality);
	snprintf(text, sizeof(text), "%.0f", quality.tick_ns);
	set(environment, "clock_tick_ns", text);
	snprintf(text, sizeof(text), "%.1f", quality.cost_ns);
	set(environment, "clock_cost_ns", text);
}

void bench_machine_environment_build(struct bench_environment *environment)
{
	set(environment, "version", BENCH_BUILD_VERSION);
	set(environment, "build_commit", BENCH_BUILD_COMMIT);
	set(environment, "build_type", BENCH_BUILD_TYPE);
	set(environment, "compiler", BENCH_BUILD_COMPILER);
	set(environment, "flags", BENCH_BUILD_FLAGS);
	set(environment, "lib.glibc", gnu_get_libc_version());
	set(environment, "lib.sqlite", sqlite3_libversion());
	set(environment, "lib.zlib", zlibVersion());
}

static void describe_executable(struct bench_environment *environment)
{
	const char *values[BENCH_MACHINE_PROGRAM_VARIABLES];
	char *identity;
	for (size_t i = 0; i < BENCH_MACHINE_PROGRAM_VARIABLES; i++)
		values[i] = getenv(bench_machine_program_variables[i]);
	if (bench_machine_program_identity("/proc/self/exe", bench_machine_program_kernels(), NULL, values,
					   &environment->arena, &identity, NULL) == 0)
		set(environment, "executable", identity);
}

static void describe_machine(struct bench_environment *environment, unsigned threads)
{
	char text[256];
	uint64_t fingerprint = BENCH_HASH_START;
	hash(&fingerprint, first_line("/etc/machine-id", text, sizeof(text)));
	field("/proc/cpuinfo", "model name", text, sizeof(text));
	hash(&fingerprint, text);
	set(environment, "cpu", text);
	describe_system(environment);
	describe_topology(environment, threads, &fingerprint);
	describe_memory(environment, &fingerprint);
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)fingerprint);
	set(environment, "fingerprint", text);
}

void bench_machine_environment_extend(struct bench_environment *environment, const char *const *texts,
				      size_t count)
{
	const char *executable = bench_machine_environment_fact(environment, "executable");
	char text[24];
	uint64_t hash = bench_hash_bytes(BENCH_HASH_START, executable, strlen(executable));
	if (count == 0 || !*executable)
		return;
	for (size_t i = 0; i < count; i++)
		hash = bench_hash_bytes(hash, texts[i], strlen(texts[i]) + 1);
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)hash);
	for (size_t i = 0; i < environment->fact_count; i++)
		if (strcmp(environment->facts[i].name, "executable") == 0)
			environment->facts[i].value = bench_arena_string(&environment->arena, text);
}

void bench_machine_environment_host(struct bench_environment *environment, unsigned threads)
{
	describe_machine(environment, threads);
	describe_clock(environment);
	bench_machine_environment_build(environment);
	describe_executable(environment);
}

char *bench_machine_environment_fingerprint(struct bench_arena *arena)
{
	struct bench_environment environment = {0};
	describe_machine(&environment, 0);
	char *fingerprint =
		bench_arena_string(arena, bench_machine_environment_fact(&environment, "fingerprint"));
	bench_machine_environment_free(&environment);
	return fingerprint;
}

void bench_machine_environment_add(struct bench_environment *environment, const char *name, const char *value)
{
	bench_record_attribute_set(&environment->arena, &environment->facts, &environment->fact_count, name,
				   value);
}

const char *bench_machine_environment_fact(const struct bench_environment *environment, const char *name)
{
	return bench_record_attribute_get(environment->facts, environment->fact_count, name);
}

void bench_machine_environment_record(const struct bench_environment *environment, struct bench_run *run)
{
	struct bench_arena *arena = &run->arena;
	const struct bench_git *git = &environment->git;
	for (size_t i = 0; i < environment->fact_count; i++)
		bench_record_attribute_set(arena, &run->host, &run->host_count, environment->facts[i].name,
					   environment->facts[i].value);
	run->git = (struct bench_git){.present = git->present,
				      .commit = bench_arena_string(arena, git->commit),
				      .branch = bench_arena_string(arena, git->branch),
				      .dirty = git->dirty};
	for (size_t i = 0; i < git->dirty_count; i++)
		BENCH_PUSH(arena, run->git.dirty_files, run->git.dirty_count) =
			bench_arena_string(arena, git->dirty_files[i]);
	for (size_t i = 0; i < git->dirty_change_count; i++)
		BENCH_PUSH(arena, run->git.dirty_changes, run->git.dirty_change_count) =
			bench_arena_string(arena, git->dirty_changes[i]);
}

void bench_machine_environment_free(struct bench_environment *environment)
{
	bench_arena_free(&environment->arena);
}
