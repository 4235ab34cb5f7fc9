/* SPDX-License-Identifier: MIT */
/*
 * Faults on purpose: a library for LD_PRELOAD, by which the n-th call of a kind fails, or the process is
 * killed at it. tests/faults/run says what for. The environment says what:
 *
 *   FAULT_KIND      alloc, write, process, clock, interrupt or affinity: the calls that are counted, below
 *   FAULT_NTH       which of them, from 1; 0: none, they are only counted
 *   FAULT_MODE      the name of the error that the call gives (ENOSPC ...), "short" (a write of half as much,
 * then ENOSPC), "slow" (it is made, 20 ms later), or that of a signal (KILL, TERM, INT, HUP) that the process
 * gets when the call has been made
 *   FAULT_STICKY    set: all later ones fail, too
 *   FAULT_TRAP      set: SIGTRAP just before it, for a debugger
 *   FAULT_COUNTER   a file of 16 bytes, shared by all processes: how many calls there were, and how many
 * faults FAULT_ROLE      worker or parent: only these processes; not given: both FAULT_ROOT      kind write:
 * only files below this folder FAULT_OBJECTS   kind alloc: only calls from objects with one of these words,
 * separated by ':', in their names; "program" is the program itself. Objects that are loaded later are not
 * among them. FAULT_SEED      kind clock: of the jumps
 *
 * Only processes of a program that is called "bench" count: what they start (git, gnuplot, a shell) is left
 * alone.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum kind { NONE, ALLOC, WRITE, PROCESS, CLOCK, INTERRUPT, AFFINITY };
enum { MOST_RANGES = 64 };

static const struct {
	const char *name;
	int number;
} errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EROFS", EROFS},   {"EDQUOT", EDQUOT},
	      {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN}, {"EMFILE", EMFILE}, {"EACCES", EACCES},
	      {"EINTR", EINTR},   {"EINVAL", EINVAL}, {"short", ENOSPC}},
  signals[] = {{"KILL", SIGKILL}, {"TERM", SIGTERM}, {"INT", SIGINT}, {"HUP", SIGHUP}};

struct counter {
	atomic_ulong calls, faults;
};

static struct {
	enum kind kind;
	unsigned long nth;
	int error, signal;
	bool sticky, cut, slow, trap;
	char root[PATH_MAX];
	struct {
		uintptr_t from, to;
	} ranges[MOST_RANGES];
	size_t range_count;
	bool any_object;
	uint64_t seed;
	struct counter *counter;
} shim;

static struct counter own_counter;

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name)

/* Is this call the one? Counts it. */
static bool struck(void)
{
	unsigned long number = atomic_fetch_add(&shim.counter->calls, 1) + 1;
	bool hit = shim.nth && (number == shim.nth || (shim.sticky && number > shim.nth));
	if (hit)
		atomic_fetch_add(&shim.counter->faults, 1);
	if (hit && shim.trap)
		raise(SIGTRAP);
	return hit;
}

/* 0: the call is made as it is asked for; -1, with errno: it fails. */
static int before(enum kind kind)
{
	if (shim.kind != kind || shim.signal || !struck())
		return 0;
	if (shim.slow) {
		usleep(20000);
		return 0;
	}
	errno = shim.error;
	return -1;
}

/* Behind a call that was made. */
static void after(enum kind kind)
{
	if (shim.kind == kind && shim.signal && struck()) {
		int kept = errno;
		raise(shim.signal);
		errno = kept;
	}
}

/* ---- which processes, which objects ---- */

static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *words = context, *name = info->dlpi_name;
	const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	bool wanted = false;
	char word[64];
	(void)size;
	if (!*name)
		base = "program";
	while (*words) {
		size_t length = strcspn(words, ":");
		snprintf(word, sizeof(word), "%.*s", (int)length, words);
		wanted |= strstr(base, word) != NULL;
		words += length + (words[length] == ':');
	}
	for (int i = 0; wanted && i < info->dlpi_phnum && shim.range_count < MOST_RANGES; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
			uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			shim.ranges[shim.range_count].from = from;
			shim.ranges[shim.range_count++].to = from + info->dlpi_phdr[i].p_memsz;
		}
	return 0;
}

static int number_of(const char *name, bool of_signals)
{
	for (size_t i = 0; !of_signals && i < sizeof(errors) / sizeof(errors[0]); i++)
		if (strcmp(errors[i].name, name) == 0)
			return errors[i].number;
	for (size_t i = 0; of_signals && i < sizeof(signals) / sizeof(signals[0]); i++)
		if (strcmp(signals[i].name, name) == 0)
			return signals[i].number;
	return 0;
}

/* The second word of the command line is "worker". */
static bool is_worker(void)
{
	char line[512] = "";
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, line, sizeof(line) - 1) : 0;
	if (fd >= 0)
		close(fd);
	size_t first = strlen(line) + 1;
	return got > (ssize_t)first && strcmp(line + first, "worker") == 0;
}

static void map_counter(const char *path)
{
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *page = fd >= 0 ? mmap(NULL, sizeof(struct counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
			     : MAP_FAILED;
	if (fd >= 0)
		close(fd);
	shim.counter = page == MAP_FAILED ? &own_counter : page;
}

__attribute__((constructor)) static void start(void)
{
	static const char *const kinds[] = {"",      "alloc",     "write",   "process",
					    "clock", "interrupt", "affinity"};
	const char *kind = getenv("FAULT_KIND"), *nth = getenv("FAULT_NTH"), *mode = getenv("FAULT_MODE");
	const char *role = getenv("FAULT_ROLE"), *root = getenv("FAULT_ROOT"), *seed = getenv("FAULT_SEED");
	char *objects = getenv("FAULT_OBJECTS");
	enum kind wanted = NONE;
	char program[PATH_MAX] = "";
	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0 || !strrchr(program, '/') ||
	    strcmp(strrchr(program, '/'), "/bench") != 0)
		return;
	if (role && (strcmp(role, "worker") == 0) != is_worker())
		return;
	for (size_t i = 1; kind && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i], kind) == 0)
			wanted = (enum kind)i;
	shim.nth = nth ? strtoul(nth, NULL, 10) : 0;
	shim.error = number_of(mode ? mode : "", false);
	shim.signal = number_of(mode ? mode : "", true);
	shim.cut = mode && strcmp(mode, "short") == 0;
	shim.slow = mode && strcmp(mode, "slow") == 0;
	shim.sticky = getenv("FAULT_STICKY") != NULL;
	shim.trap = getenv("FAULT_TRAP") != NULL;
	shim.seed = seed ? strtoull(seed, NULL, 10) : 1;
	if (root)
		snprintf(shim.root, sizeof(shim.root), "%s", root);
	shim.any_object = !objects || strcmp(objects, "all") == 0;
	if (!shim.any_object)
		dl_iterate_phdr(add_object, objects);
	map_counter(getenv("FAULT_COUNTER"));
	shim.kind = wanted; /* last: from here on calls count */
}

/* ---- alloc ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static int before_alloc(const void *caller)
{
	if (shim.kind != ALLOC)
		return 0;
	bool ours = shim.any_object;
	for (size_t i = 0; !ours && i < shim.range_count; i++)
		ours = (uintptr_t)caller >= shim.ranges[i].from && (uintptr_t)caller < shim.ranges[i].to;
	return ours ? before(ALLOC) : 0;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
	return before_alloc(CALLER) == 0 ? __libc_malloc(size) : NULL;
}

void *calloc(size_t count, size_t size)
{
	return before_alloc(CALLER) == 0 ? __libc_calloc(count, size) : NULL;
}

void *realloc(void *memory, size_t size)
{
	return before_alloc(CALLER) == 0 ? __libc_realloc(memory, size) : NULL;
}

void *reallocarray(void *memory, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return before_alloc(CALLER) == 0 ? __libc_realloc(memory, bytes) : NULL;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return before_alloc(CALLER) == 0 ? __libc_memalign(alignment, size) : NULL;
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
	if (before_alloc(CALLER) != 0)
		return ENOMEM;
	*memory = __libc_memalign(alignment, size);
	return *memory ? 0 : ENOMEM;
}

/* ---- files, by their paths ---- */

static bool is_below_root(const char *path)
{
	size_t length = strlen(shim.root);
	return !length || (strncmp(path, shim.root, length) == 0 && (path[length] == '/' || !path[length]));
}

static bool is_file_of_ours(int fd)
{
	char link[64], path[PATH_MAX];
	if (shim.kind != WRITE)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return false;
	path[length] = '\0';
	return is_below_root(path);
}

/* A relative path counts: tests work in the folder. */
static bool is_path_of_ours(const char *path)
{
	return shim.kind == WRITE && path && (path[0] != '/' || is_below_root(path));
}

/* ---- interrupt: of the calls that a signal may interrupt, each nth is, before it has done anything ---- */

static bool is_interrupted(void)
{
	if (shim.kind != INTERRUPT || !shim.nth ||
	    (atomic_fetch_add(&shim.counter->calls, 1) + 1) % shim.nth != 0)
		return false;
	atomic_fetch_add(&shim.counter->faults, 1);
	errno = EINTR;
	return true;
}

#define INTERRUPTED(type, name, parameters, arguments)                                                       \
	type name parameters                                                                                 \
	{                                                                                                    \
		REAL(name);                                                                                  \
		return is_interrupted() ? -1 : real arguments;                                               \
	}

INTERRUPTED(ssize_t, read, (int fd, void *data, size_t length), (fd, data, length))
INTERRUPTED(ssize_t, recv, (int fd, void *data, size_t length, int flags), (fd, data, length, flags))
INTERRUPTED(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
INTERRUPTED(ssize_t, send, (int fd, const void *data, size_t length, int flags), (fd, data, length, flags))
INTERRUPTED(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
INTERRUPTED(int, poll, (struct pollfd * files, nfds_t count, int limit), (files, count, limit))
INTERRUPTED(int, ppoll,
	    (struct pollfd * files, nfds_t count, const struct timespec *limit, const sigset_t *mask),
	    (files, count, limit, mask))
INTERRUPTED(int, flock, (int fd, int how), (fd, how))
INTERRUPTED(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options))
INTERRUPTED(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options))

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	REAL(nanosleep);
	if (!is_interrupted())
		return real(wanted, left);
	if (left)
		*left = *wanted;
	return -1;
}

/* ---- affinity: a thread cannot be put on a processor, as where that has gone offline ----
 */

#define OF_AFFINITY(type, name, parameters, failed, arguments)                                               \
	type name parameters                                                                                 \
	{                                                                                                    \
		REAL(name);                                                                                  \
		return before(AFFINITY) ? (failed) : real arguments;                                         \
	}
OF_AFFINITY(int, sched_setaffinity, (pid_t pid, size_t size, const cpu_set_t *set), -1, (pid, size, set))
OF_AFFINITY(int, pthread_setaffinity_np, (pthread_t thread, size_t size, const cpu_set_t *set), EINVAL,
	    (thread, size, set))
OF_AFFINITY(int, sched_getcpu, (void), -1, ())

/* ---- write ---- */

ssize_t write(int fd, const void *data, size_t length)
{
	REAL(write);
	if (is_interrupted())
		return -1;
	if (!is_file_of_ours(fd))
		return real(fd, data, length);
	if (before(WRITE) != 0)
		return shim.cut && length > 1 ? real(fd, data, length / 2) : -1;
	ssize_t result = real(fd, data, length);
	after(WRITE);
	return result;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t at)
{
	REAL(pwrite);
	if (!is_file_of_ours(fd))
		return real(fd, data, length, at);
	if (before(WRITE) != 0)
		return shim.cut && length > 1 ? real(fd, data, length / 2, at) : -1;
	ssize_t result = real(fd, data, length, at);
	after(WRITE);
	return result;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at)
{
	return pwrite(fd, data, length, at);
}

/* One call that gives an int, of a file or a path. */
#define OF_FILE(name, parameters, fd, arguments)                                                             \
	int name parameters                                                                                  \
	{                                                                                                    \
		REAL(name);                                                                                  \
		if (!is_file_of_ours(fd))                                                                    \
			return real arguments;                                                               \
		int result = before(WRITE) ? -1 : real arguments;                                            \
		after(WRITE);                                                                                \
		return result;                                                                               \
	}
#define OF_PATH(name, parameters, path, arguments)                                                           \
	int name parameters                                                                                  \
	{                                                                                                    \
		REAL(name);                                                                                  \
		if (!is_path_of_ours(path))                                                                  \
			return real arguments;                                                               \
		int result = before(WRITE) ? -1 : real arguments;                                            \
		after(WRITE);                                                                                \
		return result;                                                                               \
	}

OF_FILE(fsync, (int fd), fd, (fd))
OF_FILE(fdatasync, (int fd), fd, (fd))
OF_FILE(ftruncate, (int fd, off_t length), fd, (fd, length))
OF_FILE(ftruncate64, (int fd, off64_t length), fd, (fd, length))
OF_FILE(fchmod, (int fd, mode_t mode), fd, (fd, mode))
OF_PATH(rename, (const char *from, const char *to), to, (from, to))
OF_PATH(renameat, (int from_fd, const char *from, int to_fd, const char *to), to, (from_fd, from, to_fd, to))
OF_PATH(renameat2, (int from_fd, const char *from, int to_fd, const char *to, unsigned flags), to,
	(from_fd, from, to_fd, to, flags))
OF_PATH(link, (const char *from, const char *to), to, (from, to))
OF_PATH(linkat, (int from_fd, const char *from, int to_fd, const char *to, int flags), to,
	(from_fd, from, to_fd, to, flags))
OF_PATH(mkdir, (const char *path, mode_t mode), path, (path, mode))
OF_PATH(mkostemp, (char *path, int flags), path, (path, flags))
OF_PATH(mkostemp64, (char *path, int flags), path, (path, flags))
OF_PATH(mkstemp, (char *path), path, (path))
OF_PATH(mkstemp64, (char *path), path, (path))
OF_PATH(chmod, (const char *path, mode_t mode), path, (path, mode))

/* Those that make a file. */
#define OPENER(name, parameters, path, arguments)                                                            \
	int name parameters                                                                                  \
	{                                                                                                    \
		REAL(name);                                                                                  \
		va_list rest;                                                                                \
		va_start(rest, flags);                                                                       \
		mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? (mode_t)va_arg(rest, unsigned) : 0;          \
		va_end(rest);                                                                                \
		if (!(flags & O_CREAT) || !is_path_of_ours(path))                                            \
			return real arguments;                                                               \
		int result = before(WRITE) ? -1 : real arguments;                                            \
		after(WRITE);                                                                                \
		return result;                                                                               \
	}

OPENER(open, (const char *path, int flags, ...), path, (path, flags, mode))
OPENER(open64, (const char *path, int flags, ...), path, (path, flags, mode))
OPENER(openat, (int folder, const char *path, int flags, ...), path, (folder, path, flags, mode))
OPENER(openat64, (int folder, const char *path, int flags, ...), path, (folder, path, flags, mode))

/* ---- process ---- */

pid_t fork(void)
{
	REAL(fork);
	return before(PROCESS) ? -1 : real();
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
	REAL(posix_spawn);
	return before(PROCESS) ? shim.error : real(pid, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
	REAL(posix_spawnp);
	return before(PROCESS) ? shim.error : real(pid, path, actions, attributes, arguments, environment);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
	REAL(pthread_create);
	return before(PROCESS) ? EAGAIN : real(thread, attributes, run, argument);
}

#define OF_PROCESS(name, parameters, arguments)                                                              \
	int name parameters                                                                                  \
	{                                                                                                    \
		REAL(name);                                                                                  \
		return before(PROCESS) ? -1 : real arguments;                                                \
	}
OF_PROCESS(pipe, (int ends[2]), (ends))
OF_PROCESS(pipe2, (int ends[2], int flags), (ends, flags))
OF_PROCESS(socketpair, (int domain, int type, int protocol, int ends[2]), (domain, type, protocol, ends))
OF_PROCESS(memfd_create, (const char *name, unsigned flags), (name, flags))

void *mmap(void *where, size_t length, int protection, int flags, int fd, off_t at)
{
	static __typeof__(&mmap) real;
	if (!real)
		real = (__typeof__(&mmap))(uintptr_t)dlsym(RTLD_NEXT, "mmap");
	return before(PROCESS) ? MAP_FAILED : real(where, length, protection, flags, fd, at);
}

void *mmap64(void *where, size_t length, int protection, int flags, int fd, off64_t at)
{
	return mmap(where, length, protection, flags, fd, at);
}

/* ---- clock: from the n-th reading on, the time of day is off by hours, days or years, each time by others
 * ---- */

static int64_t jump(void)
{
	static const int64_t steps[] = {
		0, 1, -1, 3600, -3600, 86400, -86400, 365 * INT64_C(86400), -365 * INT64_C(86400)};
	if (shim.kind != CLOCK || !shim.nth || atomic_fetch_add(&shim.counter->calls, 1) + 1 < shim.nth)
		return 0;
	atomic_fetch_add(&shim.counter->faults, 1);
	shim.seed = shim.seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return steps[(shim.seed >> 33) % (sizeof(steps) / sizeof(steps[0]))];
}

int clock_gettime(clockid_t id, struct timespec *now)
{
	REAL(clock_gettime);
	int result = real(id, now);
	if (result == 0 && id == CLOCK_REALTIME)
		now->tv_sec += jump();
	return result;
}

time_t time(time_t *out)
{
	struct timespec now = {0};
	clock_gettime(CLOCK_REALTIME, &now);
	if (out)
		*out = now.tv_sec;
	return now.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	REAL(gettimeofday);
	int result = real(now, zone);
	if (result == 0)
		now->tv_sec += jump();
	return result;
}
