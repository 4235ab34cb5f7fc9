/* SPDX-License-Identifier: MIT */
/* A kernel, and parts of its specification, for tests of users' kernels. */
#ifndef KERNEL_FIXTURE_H
#define KERNEL_FIXTURE_H

#include "suite_fixture.h"

#include "core/json.h"
#include "suites/kernel/check.h"
#include "suites/kernel/kernel.h"
#include "suites/kernel/tune.h"

static const char axpy[] = "kernel void axpy(int n, float a, global const float *x, global float *y)\n"
			   "{ int i = get_global_id(0); if (i < n) y[i] = a * x[i] + y[i]; }\n";

#define ARGUMENTS                                                                                            \
	"\"args\": [{\"name\": \"n\", \"type\": \"int\"}, {\"name\": \"a\", \"type\": \"float\", "           \
	"\"value\": 2.5},"                                                                                   \
	"{\"name\": \"x\", \"type\": \"float\", \"shape\": \"n\"}, {\"name\": \"y\", \"type\": \"float\","   \
	"\"shape\": \"n\", \"access\": \"inout\", \"check\": \"a * x[i] + y[i]\"}]"
#define PARAMS "\"params\": {\"n\": [100, 1000]}"

#define IMAGES                                                                                               \
	"{" PARAMS ", \"args\": [{\"name\": \"x\", \"type\": \"image2d_t\", \"format\": \"CL_RGBA "          \
	"CL_UNORM_INT16\", \"shape\": [\"n\", 3]}, {\"name\": \"s\", \"type\": \"sampler_t\", \"value\": "   \
	"\"CLK_FILTER_LINEAR\"}, {\"name\": \"y\", \"type\": \"int\", \"shape\": \"n\", \"access\": "        \
	"\"out\", "                                                                                          \
	"\"check\": \"x[i, 1, 2]\"}], \"global\": \"n\"}"

static inline cJSON *extension_of(const char *source, const char *spec)
{
	cJSON *extension = cJSON_CreateObject();
	cJSON_AddStringToObject(extension, "file", "k.cl");
	cJSON_AddStringToObject(extension, "source", source);
	cJSON_AddStringToObject(extension, "spec_file", "k.json");
	cJSON_AddStringToObject(extension, "spec", spec);
	return extension;
}

/* The suite of a spec, added to the table under a name of its own. */
static inline const struct bench_suite *add_suite_as(const char *name, const char *source, const char *spec,
						     bool search)
{
	struct bench_error error;
	struct bench_text named = {0};
	bench_text_add(&named, "{\"name\": \"%s\", %s", name, spec + 1);
	cJSON *extension = extension_of(source, named.data);
	if (search)
		cJSON_AddTrueToObject(extension, "search");
	if (bench_kernel_add(extension, &error) != 0)
		fail_msg("%s", error.text);
	cJSON_Delete(extension);
	bench_text_free(&named);
	size_t last = 0;
	while (bench_suites[last + 1])
		last++;
	return bench_suites[last];
}

static inline const struct bench_suite *add_suite(const char *name, const char *source, const char *spec)
{
	return add_suite_as(name, source, spec, false);
}

#endif
