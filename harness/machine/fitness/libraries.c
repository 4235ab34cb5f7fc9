/* Checks of the libraries that cases run on: what they are, and whether they know this CPU. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "machine/fitness/parts.h"
#include "plan/target.h"

/* The devices of a backend by name; false, with the finding filled, where it has none. */
static bool ask(struct look *look, const char *name, struct bench_device_info **devices, size_t *count)
{
	struct bench_error error = {.text = "this program was built without it"};
	const struct bench_backend *const *backends = look->options->backends;
	for (size_t b = 0; backends && backends[b]; b++)
		if (strcmp(backends[b]->name, name) == 0 &&
		    bench_target_devices(backends[b], look->arena, devices, count, &error) == 0 && *count)
			return true;
	look_found(look, BENCH_GRADE_ADVICE, "%s", error.text);
	look_cost(look, "its cases are left out, as unsupported");
	return false;
}

/* Does the CPU have what the kernel set "old" lacks? */
static bool has_flag(struct look *look, const char *flag)
{
	const char *cpuinfo = look_read(look, look->proc, "cpuinfo");
	return cpuinfo && strstr(cpuinfo, flag);
}

static void check_openblas(struct look *look)
{
	static const char *const old[] = {"Prescott kernels", "Core2 kernels",   "Nehalem kernels",
					  "Atom kernels",     "Generic kernels", "generic kernels"};
	struct bench_device_info *devices;
	size_t count;
	bool is_old = false;
	if (!ask(look, "openblas", &devices, &count))
		return;
	for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++)
		is_old |= strstr(devices[0].platform, old[i]) != NULL;
	const char *threads = getenv("OPENBLAS_NUM_THREADS");
	char *found =
		bench_arena_format(look->arena, "%s, %u threads%s%s", devices[0].platform, look->threads,
				   threads ? "; OPENBLAS_NUM_THREADS=" : "", threads ? threads : "");
	if (is_old && has_flag(look, " avx2")) {
		look_found(look, BENCH_GRADE_BAD, "%s", found);
		look_cost(look,
			  "these kernels use none of this CPU's AVX2 or AVX-512, and every comparison with "
			  "OpenBLAS is worthless");
		look_change(look,
			    "unset OPENBLAS_CORETYPE, or choose the kernels of a CPU with the same vectors:");
		look_command(look, "OPENBLAS_CORETYPE=%s bench run",
			     has_flag(look, " avx512dq") ? "SkylakeX" : "Haswell");
	} else if (strstr(devices[0].platform, "not its own choice")) {
		look_found(look, BENCH_GRADE_ADVICE, "%s", found);
		look_cost(look, "none that is known: it was loaded again with kernels for this CPU's "
				"vectors; those of a "
				"release that knows the CPU may be faster");
		look_change(look, "install a newer release:");
		look_command(look, "sudo apt-get install --only-upgrade libopenblas0-pthread");
	} else {
		look_found(look, BENCH_GRADE_GOOD, "%s", found);
	}
}

/* Files of the vendors folder that name a library which cannot be loaded. */
static void visit_vendor(struct look *look, const char *entry, void *context)
{
	struct bench_text *broken = context;
	size_t length = strlen(entry);
	if (length < 4 || strcmp(entry + length - 4, ".icd") != 0)
		return;
	char *library =
		look_read(look, look->etc, bench_arena_format(look->arena, "OpenCL/vendors/%s", entry));
	if (!library) {
		bench_text_add(broken, "; %s", *look->why ? look->why : entry);
		return;
	}
	library[strcspn(library, "\n")] = '\0';
	void *handle = *library ? dlopen(library, RTLD_LAZY | RTLD_LOCAL) : NULL;
	if (handle)
		dlclose(handle);
	else
		bench_text_add(broken, "; %s names '%s', which cannot be loaded", entry, library);
}

static void check_opencl(struct look *look)
{
	struct bench_device_info *devices;
	size_t count;
	struct bench_text text = {0}, broken = {0};
	if (!ask(look, "opencl", &devices, &count)) {
		look_change(look, "install a driver; for the CPU:");
		look_command(look, "sudo apt-get install pocl-opencl-icd");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		bool first = true;
		for (size_t j = 0; j < i; j++)
			first = first && strcmp(devices[i].platform, devices[j].platform) != 0;
		if (first)
			bench_text_add(&text, "%s%s", text.length ? "; " : "", devices[i].platform);
	}
	bench_text_add(&text, "; %zu device%s", count, count == 1 ? "" : "s");
	/* Where OCL_ICD_VENDORS leads elsewhere, the folder does not matter. */
	if (!getenv("OCL_ICD_VENDORS"))
		look_each(look, look->etc, "OpenCL/vendors", "", visit_vendor, &broken);
	look_found(look, broken.length ? BENCH_GRADE_ADVICE : BENCH_GRADE_GOOD, "%s%s", text.data,
		   broken.length ? broken.data : "");
	if (broken.length) {
		look_cost(look, "the devices of that driver are missing, and so are their cases");
		look_change(look, "install the driver whole, or remove its .icd file:");
		look_command(look, "grep . /etc/OpenCL/vendors/*.icd");
	}
	bench_text_free(&text);
	bench_text_free(&broken);
}

const struct look_check look_library_checks[] = {
	{"openblas", check_openblas},
	{"opencl", check_opencl},
	{0},
};
