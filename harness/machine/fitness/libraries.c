/* SPDX-License-Identifier: MIT */
/* Checks of the libraries that cases run on: what they are, and whether they know this CPU. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "machine/fitness/internal.h"
#include "plan/probe.h"

/* The devices of a backend by name; false, with the finding filled, where it has none. */
static bool ask(struct probe *probe, const char *name, struct bench_device_info **devices, size_t *count)
{
	struct bench_error error = {.text = "this program was built without it"};
	const struct bench_backend *const *backends = probe->options->backends;
	for (size_t b = 0; backends && backends[b]; b++)
		if (strcmp(backends[b]->name, name) == 0 &&
		    bench_plan_probe(backends[b], probe->arena, devices, count, &error) == 0 && *count)
			return true;
	fitness_found(probe, BENCH_GRADE_ADVICE, "%s", error.text);
	fitness_cost(probe, "its cases are left out, as unsupported");
	return false;
}

/* Does the CPU have what the kernel set "old" lacks? */
static bool has_flag(struct probe *probe, const char *flag)
{
	const char *cpuinfo = fitness_read(probe, probe->proc, "cpuinfo");
	return cpuinfo && strstr(cpuinfo, flag);
}

static void check_openblas(struct probe *probe)
{
	static const char *const old[] = {"Prescott kernels", "Core2 kernels",   "Nehalem kernels",
					  "Atom kernels",     "Generic kernels", "generic kernels"};
	struct bench_device_info *devices;
	size_t count;
	bool is_old = false;
	if (!ask(probe, "openblas", &devices, &count))
		return;
	for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++)
		is_old |= strstr(devices[0].platform, old[i]) != NULL;
	const char *threads = getenv("OPENBLAS_NUM_THREADS"), *asked = getenv("OPENBLAS_CORETYPE");
	bool is_below =
		strstr(devices[0].platform, "(below this CPU)") || (is_old && has_flag(probe, " avx2"));
	char *found =
		bench_arena_format(probe->arena, "%s, %u threads%s%s", devices[0].platform, probe->threads,
				   threads ? "; OPENBLAS_NUM_THREADS=" : "", threads ? threads : "");
	if (is_below) {
		fitness_found(probe, BENCH_GRADE_BAD, "%s", found);
		fitness_cost(probe,
			     "these kernels have shorter vectors than this CPU, and every comparison with "
			     "OpenBLAS is worthless");
		fitness_change(probe, asked ? "leave the choice to the library:"
					    : "choose the kernels of a CPU with the same vectors:");
		if (asked)
			fitness_command(probe, "env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE bench run");
		else
			fitness_command(probe, "OPENBLAS_CORETYPE=%s bench run",
					has_flag(probe, " avx512dq") ? "SkylakeX" : "Haswell");
	} else if (strstr(devices[0].platform, "not its own choice")) {
		fitness_found(probe, BENCH_GRADE_ADVICE, "%s", found);
		fitness_cost(probe, "none that is known: it was loaded again with kernels for this CPU's "
				    "vectors; those of a release that knows the CPU may be faster");
		fitness_change(probe, "install a newer release:");
		fitness_command(probe, "sudo apt-get install --only-upgrade libopenblas0-pthread");
	} else {
		fitness_found(probe, BENCH_GRADE_GOOD, "%s", found);
	}
}

/* Collects files of the vendors folder that name a library which cannot be loaded. */
static void visit_vendor(struct probe *probe, const char *entry, void *context)
{
	struct bench_text *broken = context;
	size_t length = strlen(entry);
	if (length < 4 || strcmp(entry + length - 4, ".icd") != 0)
		return;
	char *library =
		fitness_read(probe, probe->etc, bench_arena_format(probe->arena, "OpenCL/vendors/%s", entry));
	if (!library) {
		bench_text_add(broken, "; %s", *probe->why ? probe->why : entry);
		return;
	}
	library[strcspn(library, "\n")] = '\0';
	void *handle = *library ? dlopen(library, RTLD_LAZY | RTLD_LOCAL) : NULL;
	if (handle)
		dlclose(handle);
	else
		bench_text_add(broken, "; %s names '%s', which cannot be loaded", entry, library);
}

static void check_opencl(struct probe *probe)
{
	struct bench_device_info *devices;
	size_t count;
	BENCH_SCOPED_TEXT text = {0}, broken = {0};
	if (!ask(probe, "opencl", &devices, &count)) {
		fitness_change(probe, "install a driver; for the CPU:");
		fitness_command(probe, "sudo apt-get install pocl-opencl-icd");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		bool first = true;
		for (size_t j = 0; j < i; j++)
			first = first && strcmp(devices[i].platform, devices[j].platform) != 0;
		if (first)
			bench_text_add(&text, "%s%s", text.length ? "; " : "", devices[i].platform);
	}
	bench_text_add(&text, "; %zu device%s", count, bench_text_plural(count));
	/* If OCL_ICD_VENDORS points elsewhere, the folder does not matter. */
	if (!getenv("OCL_ICD_VENDORS"))
		fitness_each(probe, probe->etc, "OpenCL/vendors", "", visit_vendor, &broken);
	fitness_found(probe, broken.length ? BENCH_GRADE_ADVICE : BENCH_GRADE_GOOD, "%s%s", text.data,
		      broken.length ? broken.data : "");
	if (broken.length) {
		fitness_cost(probe, "the devices of that driver are missing, and so are their cases");
		fitness_change(probe, "install the driver whole, or remove its .icd file:");
		fitness_command(probe, "grep . /etc/OpenCL/vendors/*.icd");
	}
}

#ifdef BENCH_WITHOUT
static void check_parts(struct probe *probe)
{
	fitness_found(probe, BENCH_GRADE_ADVICE, "bench was built without %s", BENCH_WITHOUT);
	fitness_cost(probe, "the backends of CLBlast and oneDNN, or a history on a server, cannot be used");
	fitness_change(probe, "install the packages in brackets, and build again");
}
#endif

const struct fitness_check fitness_library_checks[] = {
	{"openblas", check_openblas},
	{"opencl", check_opencl},
#ifdef BENCH_WITHOUT
	{"parts", check_parts},
#endif
	{0},
};
