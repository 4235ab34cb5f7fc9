/* SPDX-License-Identifier: MIT */
/*
 * The files are those of the kernel's Documentation: power/powercap/powercap.rst, hwmon/sysfs-interface.rst,
 * gpu/amdgpu/thermal.rst, ABI/testing/sysfs-driver-intel-xe-hwmon and -i915-hwmon.
 */
#include "machine/energy.h"

#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/text.h"
#include "machine/nvml.h"
#include "machine/sysfs.h"

#define NVML_STEP  0.1  /* read on an H100 */
#define RAPL_STEP  1e-3 /* Intel's manual, volume 3B, 15.10: "approximately 1 ms" */
#define HWMON_STEP 0.1  /* drivers differ: a longer step is measured where it shows */
#define MICRO      1e-6
#define NAMES      64

static struct bench_energy_zone *add_zone(struct bench_energy *energy, const char *folder, const char *file)
{
	if (energy->count == BENCH_ENERGY_ZONES)
		return NULL;
	struct bench_energy_zone *zone = &energy->zones[energy->count];
	if (snprintf(zone->path, sizeof(zone->path), "%s/%s", folder, file) >= (int)sizeof(zone->path))
		return NULL;
	zone->range = 0;
	zone->last = -1;
	energy->count++;
	return zone;
}

static bool says(const char *folder, const char *file, const char *prefix)
{
	char path[320], text[64];
	struct bench_error unread;
	snprintf(path, sizeof(path), "%.250s/%.60s", folder, file);
	return bench_machine_sysfs_text(path, text, sizeof(text), &unread) == 0 &&
	       strncmp(text, prefix, strlen(prefix)) == 0;
}

/*
 * Packages, which include their cores, and memory, which they do not include. Not psys, which counts packages
 * again, nor intel-rapl-mmio, which has the same packages by another way.
 */
static void add_rapl(struct bench_energy *energy, const char *root)
{
	char names[NAMES][BENCH_SYSFS_NAME], folder[288], range[320];
	struct bench_error unread;
	size_t count = bench_machine_sysfs_names(root, "intel-rapl:", names, NAMES);
	for (size_t i = 0; i < count; i++) {
		snprintf(folder, sizeof(folder), "%.220s/%.47s", root, names[i]);
		if (!says(folder, "name", "package") && !says(folder, "name", "dram"))
			continue;
		struct bench_energy_zone *zone = add_zone(energy, folder, "energy_uj");
		snprintf(range, sizeof(range), "%.280s/max_energy_range_uj", folder);
		if (zone && bench_machine_sysfs_number(range, &zone->range, &unread) != 0)
			zone->range = 0;
	}
	snprintf(energy->what, sizeof(energy->what), "RAPL, %zu zone%s", energy->count,
		 bench_text_plural(energy->count));
	energy->step_seconds = RAPL_STEP;
}

/* The first of these files that a folder of hwmon has; NULL: none. */
static const char *hwmon_file(const char *folder)
{
	static const char *const files[] = {"energy1_input", "power1_average", "power1_input"};
	char path[320];
	double value;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct bench_error error = {0};
		snprintf(path, sizeof(path), "%.280s/%s", folder, files[i]);
		if (bench_machine_sysfs_number(path, &value, &error) == 0 || error.code != BENCH_NOTHING)
			return files[i];
	}
	return NULL;
}

static void take_hwmon(struct bench_energy *energy, const char *folder, const char *file)
{
	char path[320], name[32];
	struct bench_error unread;
	snprintf(path, sizeof(path), "%.280s/name", folder);
	if (bench_machine_sysfs_text(path, name, sizeof(name), &unread) != 0)
		snprintf(name, sizeof(name), "hwmon");
	add_zone(energy, folder, file);
	energy->is_power = strncmp(file, "power", 5) == 0;
	energy->step_seconds = HWMON_STEP;
	snprintf(energy->what, sizeof(energy->what), "%s of %s", file, name);
}

/* A GPU's own sensors, in the folder of its address. */
static void add_gpu(struct bench_energy *energy, const char *sys, const char *pci)
{
	char root[160], folder[288], names[NAMES][BENCH_SYSFS_NAME];
	snprintf(root, sizeof(root), "%.100s/bus/pci/devices/%.23s/hwmon", sys, pci);
	size_t count = bench_machine_sysfs_names(root, "hwmon", names, NAMES);
	for (size_t i = 0; i < count && energy->count == 0; i++) {
		snprintf(folder, sizeof(folder), "%.220s/%.47s", root, names[i]);
		const char *file = hwmon_file(folder);
		if (file)
			take_hwmon(energy, folder, file);
	}
}

/* Sockets by amd_energy; else a meter of the whole machine (ACPI). */
static void add_sensors(struct bench_energy *energy, const char *root)
{
	char names[NAMES][BENCH_SYSFS_NAME], folder[288], file[32];
	size_t count = bench_machine_sysfs_names(root, "hwmon", names, NAMES);
	for (size_t i = 0; i < count && energy->count == 0; i++) {
		snprintf(folder, sizeof(folder), "%.220s/%.47s", root, names[i]);
		if (says(folder, "name", "power_meter"))
			take_hwmon(energy, folder, "power1_average");
		for (unsigned k = 1; says(folder, "name", "amd_energy") && k < 1024; k++) {
			snprintf(file, sizeof(file), "energy%u_label", k);
			if (!says(folder, file, "E"))
				break;
			if (!says(folder, file, "Esocket"))
				continue;
			snprintf(file, sizeof(file), "energy%u_input", k);
			take_hwmon(energy, folder, file);
		}
	}
}

static int open_processor(struct bench_energy *energy, const char *sys, struct bench_error *error)
{
	char rapl[128], sensors[128];
	snprintf(rapl, sizeof(rapl), "%.100s/class/powercap", sys);
	snprintf(sensors, sizeof(sensors), "%.100s/class/hwmon", sys);
	add_rapl(energy, rapl);
	if (energy->count == 0)
		add_sensors(energy, sensors);
	if (energy->count > 0)
		return 0;
	if (!bench_file_is_folder(rapl))
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "this kernel has no %s, and no energy sensor of its processors in %s: on a "
				  "physical machine, 'sudo modprobe intel_rapl_msr' may bring it; a virtual "
				  "one has none",
				  rapl, sensors);
	return bench_fail(error, BENCH_UNSUPPORTED,
			  "%s counts no package, and %s has no energy sensor of the processors", rapl,
			  sensors);
}

int bench_machine_energy_open(struct bench_energy *energy, const struct bench_energy_place *place,
			      struct bench_error *error)
{
	const char *sys = place->sys ? place->sys : "/sys";
	double value;
	*energy = (struct bench_energy){.gpu = place->gpu < 0 ? -1 : place->gpu, .step_seconds = NVML_STEP};
	if (place->gpu >= 0) {
		snprintf(energy->what, sizeof(energy->what), "NVML");
		return bench_machine_energy_read(energy, &value, error);
	}
	if (place->processor && open_processor(energy, sys, error) != 0)
		return -1;
	if (!place->processor && *place->pci)
		add_gpu(energy, sys, place->pci);
	if (energy->count == 0 && *place->pci)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "%s/bus/pci/devices/%s/hwmon has neither energy nor power", sys,
				  place->pci);
	if (energy->count == 0)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "the device's driver does not tell its PCI address, by which its counters "
				  "would be found");
	return bench_machine_energy_read(energy, &value, error);
}

/* How to be allowed to read; "" where a command cannot help. */
static const char *remedy(const char *path, const struct bench_error *cause)
{
	return strstr(path, "/powercap/") && strncmp(cause->text, "cannot read", 11) == 0
		       ? "; 'sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj' allows it to "
			 "everyone until the next boot (the energy of a computation can betray its secrets: "
			 "CVE-2020-8694)"
		       : "";
}

/* Microjoules since the zone was last read. */
static int advance(struct bench_energy_zone *zone, double now, double *by, struct bench_error *error)
{
	*by = zone->last < 0 ? 0 : now - zone->last;
	/* It started again, if that makes it a small step; else it was set back. */
	if (*by < 0 && zone->range > 0)
		*by += zone->range;
	if (*by < 0 || (now<zone->last && * by> zone->range / 2))
		return bench_fail(error, BENCH_UNSUPPORTED, "%s went back from %.0f to %.0f", zone->path,
				  zone->last, now);
	zone->last = now;
	return 0;
}

int bench_machine_energy_read(struct bench_energy *energy, double *value, struct bench_error *error)
{
	double watts = 0;
	if (energy->gpu >= 0)
		return bench_machine_nvml_energy((unsigned)energy->gpu, value, error);
	for (size_t i = 0; i < energy->count; i++) {
		struct bench_energy_zone *zone = &energy->zones[i];
		struct bench_error cause;
		double now, by = 0;
		if (bench_machine_sysfs_number(zone->path, &now, &cause) != 0)
			return bench_fail(error, BENCH_UNSUPPORTED, "%s%s", cause.text,
					  remedy(zone->path, &cause));
		if (!energy->is_power && advance(zone, now, &by, error) != 0)
			return -1;
		energy->joules += by * MICRO;
		watts += now * MICRO;
	}
	*value = energy->is_power ? watts : energy->joules;
	return 0;
}
