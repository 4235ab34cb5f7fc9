/* SPDX-License-Identifier: MIT */
/* The check of GPUs: what holds their clocks back, and who else computes on them. */
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "machine/drm.h"
#include "machine/fitness/internal.h"
#include "machine/nvml.h"
#include "machine/sysfs.h"

static bool has_driver(struct probe *probe)
{
	return fitness_read(probe, probe->proc, "driver/nvidia/version") != NULL;
}

static void worsen(enum bench_grade *grade, enum bench_grade to)
{
	if (to > *grade)
		*grade = to;
}

/* Adds the findings about one GPU to the text, and grades it. */
static enum bench_grade describe(const struct bench_nvml_gpu *gpu, struct bench_text *text)
{
	enum bench_grade grade = BENCH_GRADE_GOOD;
	bench_text_add(text, "%s", gpu->name);
	if (gpu->clock_mhz >= 0 && gpu->most_mhz >= 0)
		bench_text_add(text, ", %d of %d MHz", gpu->clock_mhz, gpu->most_mhz);
	if (gpu->persistent == 0) {
		bench_text_add(text, ", persistence mode off");
		worsen(&grade, BENCH_GRADE_ADVICE);
	}
	if (gpu->throttle > 0 && gpu->throttle & BENCH_NVML_POWER_CAP) {
		bench_text_add(text, ", held back by its power limit");
		worsen(&grade, BENCH_GRADE_ADVICE);
	}
	if (gpu->throttle > 0 &&
	    gpu->throttle & (BENCH_NVML_SLOWDOWN | BENCH_NVML_HEAT | BENCH_NVML_POWER_BRAKE)) {
		bench_text_add(text, ", slowed down by %s",
			       gpu->throttle & BENCH_NVML_HEAT ? "heat" : "its hardware (heat or power)");
		worsen(&grade, BENCH_GRADE_BAD);
	}
	if (gpu->processes > 0) {
		bench_text_add(text, ", %d other process%s", gpu->processes, gpu->processes == 1 ? "" : "es");
		worsen(&grade, BENCH_GRADE_BAD);
	}
	if (gpu->busy_percent > 5) {
		bench_text_add(text, ", %d%% busy", gpu->busy_percent);
		worsen(&grade, BENCH_GRADE_BAD);
	}
	return grade;
}

void fitness_gpus(struct probe *probe, const struct bench_nvml_gpu *gpus, size_t count)
{
	BENCH_SCOPED_TEXT text = {0};
	enum bench_grade grade = BENCH_GRADE_GOOD;
	bool unsteady = false;
	for (size_t i = 0; i < count; i++) {
		bench_text_add(&text, "%s%zu: ", i ? "; " : "", i);
		worsen(&grade, describe(&gpus[i], &text));
		unsteady |= gpus[i].persistent == 0;
	}
	fitness_found(probe, grade, "%s", text.data ? text.data : "none");
	if (grade == BENCH_GRADE_BAD) {
		fitness_cost(probe, "kernels run at a lower clock, or share the GPU with other processes");
		fitness_change(probe, "see who and why, end it or wait:");
		fitness_command(probe, "nvidia-smi -q -d PERFORMANCE,CLOCK,PIDS");
	} else if (unsteady) {
		fitness_cost(probe, "the driver is unloaded when nobody uses the GPU, and the next process "
				    "waits for it and finds other clocks");
		fitness_change(probe, "keep it loaded:");
		fitness_command(probe, "sudo nvidia-smi -pm 1");
	} else if (grade == BENCH_GRADE_ADVICE) {
		fitness_cost(probe, "the clock goes up and down with the power that kernels take");
		fitness_change(probe, "fix it at what the card can hold:");
		fitness_command(probe, "sudo nvidia-smi --lock-gpu-clocks=$(nvidia-smi "
				       "--query-gpu=clocks.default_applications.graphics "
				       "--format=csv,noheader,nounits | head -1)");
	}
}

enum { CARDS = 16 };

/* Another vendor's GPUs. Returns how many. */
static size_t read_cards(struct probe *probe, struct bench_nvml_gpu *gpus)
{
	char folder[4096], names[CARDS][BENCH_SYSFS_NAME];
	size_t found = 0;
	snprintf(folder, sizeof(folder), "%.4000s/class/drm", probe->sys);
	size_t count = bench_machine_sysfs_names(folder, "card", names, CARDS);
	for (size_t i = 0; i < count; i++) {
		struct bench_drm gpu;
		/* "card0-DP-1" is a connector. */
		if (!strchr(names[i], '-') && bench_machine_drm_open_card(&gpu, probe->sys, names[i]))
			bench_machine_drm_read(&gpu, &gpus[found++]);
	}
	return found;
}

static void judge_cards(struct probe *probe)
{
	struct bench_nvml_gpu gpus[CARDS];
	size_t count = read_cards(probe, gpus);
	if (count == 0) {
		fitness_found(probe, BENCH_GRADE_GOOD, "no NVIDIA driver is loaded");
		return;
	}
	fitness_gpus(probe, gpus, count);
	/* What fitness_gpus names is NVIDIA's. */
	if (probe->finding->command) {
		fitness_change(probe, "see who and why, end it or wait:");
		fitness_command(probe, "grep . /sys/class/drm/card*/device/hwmon/hwmon*/temp*_input "
				       "/sys/class/drm/card*/gt/gt0/throttle_reason_*");
	}
}

static void check_gpu(struct probe *probe)
{
	unsigned count;
	struct bench_error error;
	if (bench_machine_nvml_open(BENCH_NVML_LIBRARY, &count, &error) != 0) {
		if (has_driver(probe))
			fitness_found(probe, BENCH_GRADE_UNKNOWN, "there is an NVIDIA driver, but: %s",
				      error.text);
		else
			judge_cards(probe);
		return;
	}
	struct bench_nvml_gpu *gpus = bench_arena_alloc(probe->arena, count + CARDS, sizeof(*gpus));
	bool read = true;
	for (unsigned i = 0; read && i < count; i++)
		read = bench_machine_nvml_read(i, &gpus[i], &error) == 0;
	bench_machine_nvml_close();
	if (read)
		fitness_gpus(probe, gpus, count + read_cards(probe, gpus + count));
	else
		fitness_found(probe, BENCH_GRADE_UNKNOWN, "%s", error.text);
}

const struct fitness_check fitness_gpu_checks[] = {
	{"gpu", check_gpu},
	{0},
};
