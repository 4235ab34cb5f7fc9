/* SPDX-License-Identifier: MIT */
/*
 * The backend interface: a compute library or API that the suites run on.
 *
 * A backend is one `const struct bench_backend`, listed in backends/backends.c. The table
 * is checked at start: name, ABI number and required hooks; the message names the offender.
 *
 * Threads: the hooks of a device are called from one thread, the same from open to close; those of another
 * device may be called from another thread at the same time. devices() is called from one thread.
 * Errors: every hook that returns int returns 0, or -1 with `error` filled; the text
 * carries the API's own error name, the operation and the device. BENCH_UNSUPPORTED
 * says that this device cannot do it, with the reason.
 */
#ifndef BENCH_BACKEND_H
#define BENCH_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/dtype.h"
#include "bench/error.h"
#include "bench/op/activation.h"
#include "bench/op/conv2d.h"
#include "bench/op/elementwise.h"
#include "bench/op/fused.h"
#include "bench/op/gemm.h"
#include "bench/op/kernel.h"
#include "bench/op/launch.h"
#include "bench/op/peak.h"
#include "bench/op/peer.h"
#include "bench/op/random.h"
#include "bench/op/reduction.h"
#include "bench/op/spmv.h"
#include "bench/op/training.h"

#define BENCH_BACKEND_ABI 2

enum bench_device_kind { BENCH_DEVICE_CPU, BENCH_DEVICE_GPU, BENCH_DEVICE_ACCELERATOR, BENCH_DEVICE_KINDS };

/* The names of the kinds, in files, lists and options. */
/* clang-format off */
#define BENCH_DEVICE_KIND_NAMES {"cpu", "gpu", "accelerator"}
/* clang-format on */
static inline const char *bench_device_kind_name(enum bench_device_kind kind)
{
	static const char *const names[BENCH_DEVICE_KINDS] = BENCH_DEVICE_KIND_NAMES;
	return names[kind];
}

/* What a backend says of a device without opening it. Strings are empty where unknown. */
struct bench_device_info {
	char slug[64]; /* stable key of all history: [a-z0-9-]+, from the device's name, never its index */
	char name[128];
	char platform[128]; /* the API's platform or library, with its version */
	char driver[128];   /* the driver's or library's version */
	char pci[24];       /* its address on the host, "0000:3b:00.0"; "": it has none, or does not tell */
	enum bench_device_kind kind;
	unsigned compute_units;
	unsigned clock_mhz;        /* 0: unknown */
	uint64_t memory_bytes;     /* memory that buffers come from */
	uint64_t max_buffer_bytes; /* largest single buffer */
	bool f64;                  /* double precision is supported */
	bool f16;                  /* half precision is, as a type of stored elements */
	bool device_time;          /* reports device-side time (time_begin, time_end work) */
	bool pinned;               /* has page-locked host memory */
	char note[256];            /* what the user should know of how it is used; "": nothing */
};

/* Both are private to the backend that made them. */
struct bench_device;
struct bench_buffer;

/* A number that a backend leaves to measurement, since the best one depends on the device. */
struct bench_tunable {
	const char *name;            /* "gemm.slice": letters, digits, '.', '_'; no other backend's */
	const char *help;            /* what it is, with its unit */
	const char *suite;           /* the suite whose cases tell the best value, */
	const char *sets;            /* and their parameters: "n=512,1024 dtype=f32", blank-separated */
	enum bench_device_kind kind; /* the kind of device that it is for */
	const uint64_t *values;      /* candidates, ascending, the default among them */
	size_t value_count;
	uint64_t fallback; /* the default */
};

/* A value that was found; the name is a tunable's. */
struct bench_tuned {
	const char *name;
	uint64_t value;
};

struct bench_open_options {
	unsigned threads;                /* host threads the backend may use; 0: all of the machine's */
	const struct bench_tuned *tuned; /* others have their defaults; names of other backends are there */
	size_t tuned_count;
};

/* Memory on the host that transfers read and write. */
enum bench_host_memory {
	BENCH_HOST_PAGEABLE, /* ordinary memory, copied as the driver sees fit */
	BENCH_HOST_PINNED,   /* page-locked */
	BENCH_HOST_STAGED,   /* ordinary memory, which the backend copies through its own page-locked pieces
			      */
};

/* What a device has done since it was opened. */
struct bench_device_stats {
	unsigned compiled;      /* programs built from source */
	unsigned cached;        /* programs loaded from the cache on disk */
	double compile_seconds; /* spent building from source */
	double load_seconds;    /* spent loading from the cache */
	uint64_t launches;      /* kernels enqueued */
};

/* How long a device took for work that ran in a row, without gaps that the host left. */
struct bench_device_row {
	double seconds; /* NaN: it could not, because the work waited for the device in between */
	/*
	 * Half of what as many empty kernels take in a row. A launch costs the device some time around the
	 * kernel, which nothing can tell from the kernel's own: `seconds` is without one half of it, and is
	 * known within the other.
	 */
	double within;
	double stamp; /* of an empty kernel, by time_begin and time_end */
};

/* What has been copied since it was opened, to and from host memory and from buffer to buffer. */
struct bench_device_traffic {
	uint64_t copies, bytes;
};

/* What a device's compiler made of a kernel. NaN: not known. */
struct bench_kernel_report {
	const char *name;
	double registers;     /* of a work-item */
	double spilled;       /* bytes that a work-item stores and loads because registers lack */
	double private_bytes; /* of memory for one work-item, what is spilled included */
	double local_bytes;   /* of memory for one group */
	double group;         /* work-items of a group, as it was launched */
	double most_items;    /* that a group may have */
	double occupancy;     /* the most, 0 to 1: resident warps over those that a multiprocessor holds */
	const char *mix;      /* "fma.f32 16, ld.global 4": instructions by class; NULL: not known */
	const char *unread;   /* why registers or instructions are not known, and how to see them, or NULL */
};

/*
 * The operations, one a line. Each is a hook, optional (NULL: cannot), that takes the struct bench_NAME of
 * bench/op/. They enqueue and may return before the work is done, except those that leave a value in host
 * memory.
 */
/* clang-format off */
#define BENCH_OPERATIONS(DO, of) \
	DO(gemm, of) \
	DO(elementwise, of) \
	DO(activate, of) \
	DO(fused, of) \
	DO(bias_add, of) \
	DO(conv2d, of) \
	DO(spmv, of) \
	DO(reduction, of) \
	DO(random, of) \
	DO(peak, of)
/* clang-format on */

/* What stands for an operation in struct bench_backend, */
/* clang-format off */
/* NOLINTNEXTLINE(bugprone-macro-parentheses): C++ wants none around the name */
#define BENCH_OPERATION_HOOK(name, of) int (*name)(struct bench_device *device, const struct bench_##name *operation, struct bench_error *error);
/* clang-format on */
/* among the declarations of backend `of`, whose function it is, */
#define BENCH_OPERATION_DECLARE(name, of)                                                                    \
	int bench_##of##_##name(struct bench_device *device, const struct bench_##name *operation,           \
				struct bench_error *error);
/* and in its table. */
#define BENCH_OPERATION_SET(name, of) .name = bench_##of##_##name,

/* For the table of backend `of`: the ABI number, and every operation. A hook that stands after it replaces
 * that one. */
#define BENCH_BACKEND_OPERATIONS(of) BENCH_OPERATIONS(BENCH_OPERATION_SET, of).abi = BENCH_BACKEND_ABI

struct bench_backend {
	int abi;             /* required: BENCH_BACKEND_ABI */
	const char *name;    /* required: [a-z][a-z0-9_+]*, unique */
	const char *summary; /* required: one line */

	const struct bench_tunable *tunables; /* optional: a table; at its end the name is NULL */

	/*
	 * required. Fills at most `capacity` entries of `info` and sets *count to how many
	 * devices there are in all (may exceed capacity; info may be NULL when capacity is 0).
	 * No device: -1, BENCH_UNSUPPORTED, with the reason ("no OpenCL platform: ...").
	 */
	int (*devices)(struct bench_device_info *info, size_t capacity, size_t *count,
		       struct bench_error *error);

	/* required. Opens device `index` of the order that devices() gives. close() frees it. */
	int (*open)(size_t index, const struct bench_open_options *options, struct bench_device **device,
		    struct bench_error *error);
	void (*close)(struct bench_device *device); /* required; NULL is allowed */

	/* required. A buffer of `bytes` >= 1, aligned to 64 bytes or more, contents undefined. */
	int (*alloc)(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
		     struct bench_error *error);
	void (*release)(struct bench_device *device,
			struct bench_buffer *buffer); /* required; NULL is allowed */

	/*
	 * required. Copy between host memory and a buffer, from its start; when they return,
	 * the copy is complete and `host` may be reused. `bytes` does not exceed the buffer.
	 */
	int (*upload)(struct bench_device *device, struct bench_buffer *buffer, const void *host,
		      size_t bytes, struct bench_error *error);
	int (*download)(struct bench_device *device, const struct bench_buffer *buffer, void *host,
			size_t bytes, struct bench_error *error);

	/* required. Returns when everything that was enqueued on the device is done. */
	int (*finish)(struct bench_device *device, struct bench_error *error);

	/*
	 * optional. Host memory for transfers, page-aligned. NULL: the backend has pageable
	 * memory only. A kind that the device lacks: BENCH_UNSUPPORTED.
	 */
	int (*host_alloc)(struct bench_device *device, size_t bytes, enum bench_host_memory kind, void **host,
			  struct bench_error *error);
	void (*host_free)(struct bench_device *device, void *host); /* required with host_alloc */

	/*
	 * optional. Between time_begin and time_end the device collects its own start and end
	 * time of every operation; time_end finishes the device and gives their sum. An impossible sum, such
	 * as one above the time of the call around it, is left out, and the result notes it.
	 */
	int (*time_begin)(struct bench_device *device, struct bench_error *error);
	int (*time_end)(struct bench_device *device, double *seconds, struct bench_error *error);

	/*
	 * optional, with time_begin and device_stats: for GPUs whose time stamps cost more than short kernels
	 * take. What is enqueued between the two is held back until row_end, and then runs in a row; row_end
	 * returns when it is done. BENCH_UNSUPPORTED from row_begin: use time_begin.
	 */
	int (*row_begin)(struct bench_device *device, struct bench_error *error);
	int (*row_end)(struct bench_device *device, struct bench_device_row *row, struct bench_error *error);

	/* optional. NULL: nothing is ever compiled or launched. */
	void (*device_stats)(const struct bench_device *device, struct bench_device_stats *stats);

	BENCH_OPERATIONS(BENCH_OPERATION_HOOK, )

	/*
	 * Enqueues a kernel that does nothing, with this number of buffers as arguments: 0, 1, 2, 4, 8 or 16.
	 * NULL: the backend launches no kernels.
	 */
	int (*empty)(struct bench_device *device, unsigned buffers, struct bench_error *error);
	/*
	 * Makes a program, and runs it. *seconds: what making or finding it took, without the
	 * kernel's run, for which a driver may have left part of the compilation. Unlike the others it
	 * is over when it returns. NULL: nothing is ever compiled.
	 */
	int (*compile)(struct bench_device *device, const struct bench_compile *compile, double *seconds,
		       struct bench_error *error);
	const struct bench_training *training;
	/* Kernels of the user's. NULL: the backend takes none. */
	const struct bench_kernel_hooks *kernels;
	/* Copies from device to device. NULL: there are none but through the host. */
	const struct bench_peer_hooks *peer;
	/* NULL: copies are not counted. */
	void (*device_traffic)(const struct bench_device *device, struct bench_device_traffic *traffic);
	/*
	 * All buffers are released. Frees what operations keep beside them (scratch memory, choices), so that
	 * the device is as it was opened, but for its programs. With it, one process measures many groups of
	 * cases on a GPU. NULL: each group opens the device anew.
	 */
	void (*clear)(struct bench_device *device);
	/*
	 * Tells of each kernel that was launched since the last call without `tell`, which tells nothing. May
	 * compile; the device is finished. Texts are valid in `tell` only. NULL: nothing is known.
	 */
	void (*kernel_reports)(struct bench_device *device,
			       void (*tell)(void *context, const struct bench_kernel_report *report),
			       void *context);
};

#endif
