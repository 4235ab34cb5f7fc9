/* SPDX-License-Identifier: MIT */
#include "machine/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SLOTS      128
#define SLOT_BYTES 160
#define DOOR_TRIES 500
#define DOOR_NS    10000000
#define DOOR       SLOTS /* the byte behind those of the slots: locked while the line changes */

/* A slot, as its process wrote it. */
struct slot {
	char state; /* 'm': measures, 'w': waits */
	uint64_t ticket;
	pid_t pid;
	int64_t since;
	char command[96];
};

static int fail(struct bench_error *error, const char *path, const char *what)
{
	return bench_fail(error, BENCH_ENVIRONMENT, "the waiting line '%s': %s: %s", path, what,
			  strerror(errno));
}

static struct flock byte_at(int at, short type)
{
	return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
}

static int lock(int fd, int at, short type)
{
	const struct flock byte = byte_at(at, type);
	return fcntl(fd, F_OFD_SETLK, &byte);
}

/* Nobody is at the door for long: a process that is stopped there, or one of another user, is not waited for.
 */
static int close_door(int fd)
{
	int result;
	for (int i = 0; (result = lock(fd, DOOR, F_WRLCK)) != 0 && i < DOOR_TRIES; i++)
		nanosleep(&(struct timespec){.tv_nsec = DOOR_NS}, NULL);
	return result;
}

/* Does another process have the slot? */
static bool is_taken(int fd, int at)
{
	struct flock byte = byte_at(at, F_WRLCK);
	return fcntl(fd, F_OFD_GETLK, &byte) == 0 && byte.l_type != F_UNLCK;
}

/* Never through a link, and never what waits for a reader. One that others own is not opened with O_CREAT:
 * in a folder such as /tmp the kernel refuses that. */
static int open_line(const char *path, struct bench_error *error)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	struct stat status;
	int fd = open(path, flags);
	if (fd < 0 && errno == ENOENT) {
		fd = open(path, flags | O_CREAT | O_EXCL, 0666);
		if (fd >= 0)
			(void)fchmod(fd, 0666);
		else if (errno == EEXIST)
			fd = open(path, flags);
	}
	if (fd < 0)
		return fail(error, path, "it cannot be opened");
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		return fd;
	close(fd);
	errno = EINVAL;
	return fail(error, path, "it is no file");
}

/* What is odd counts as a process that measures and came first: nobody is overtaken by mistake. */
static void read_slot(int fd, int at, struct slot *slot)
{
	char text[SLOT_BYTES + 1] = "";
	unsigned long long ticket;
	long long since;
	int pid, length = 0;
	*slot = (struct slot){.state = 'm'};
	if (pread(fd, text, SLOT_BYTES, (off_t)at * SLOT_BYTES) < 1 ||
	    sscanf(text, "%c %llu %d %lld %n", &slot->state, &ticket, &pid, &since, &length) != 4 || !length)
		return;
	slot->ticket = ticket;
	slot->pid = pid > 0 ? pid : 0;
	slot->since = since > 0 ? since : 0;
	snprintf(slot->command, sizeof(slot->command), "%.*s", (int)strcspn(text + length, "\n"),
		 text + length);
	for (char *c = slot->command; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

static int write_slot(const struct bench_turn *turn, char state)
{
	char text[SLOT_BYTES] = "";
	snprintf(text, sizeof(text), "%c %llu %d %lld %s\n", state, (unsigned long long)turn->ticket,
		 (int)getpid(), (long long)time(NULL), turn->command);
	return pwrite(turn->fd, text, sizeof(text), (off_t)turn->slot * SLOT_BYTES) == sizeof(text) ? 0 : -1;
}

/* A free slot, locked, and a ticket behind those of all others; the door is closed. */
static bool take_slot(struct bench_turn *turn)
{
	turn->slot = -1;
	turn->ticket = 1;
	for (int at = 0; at < SLOTS; at++) {
		struct slot other;
		if (!is_taken(turn->fd, at)) {
			if (turn->slot < 0 && lock(turn->fd, at, F_WRLCK) == 0)
				turn->slot = at;
			continue;
		}
		read_slot(turn->fd, at, &other);
		if (other.ticket >= turn->ticket)
			turn->ticket = other.ticket + 1;
	}
	errno = ENOSPC;
	return turn->slot >= 0 && write_slot(turn, 'w') == 0;
}

int bench_machine_turn_join(const char *path, const char *command, struct bench_turn *turn,
			    struct bench_error *error)
{
	*turn = (struct bench_turn){.fd = open_line(path, error)};
	if (turn->fd < 0)
		return -1;
	snprintf(turn->command, sizeof(turn->command), "%s", command);
	if (close_door(turn->fd) == 0 && take_slot(turn)) {
		(void)lock(turn->fd, DOOR, F_UNLCK);
		return 0;
	}
	fail(error, path, "it cannot be entered");
	bench_machine_turn_leave(turn);
	return -1;
}

static void look_ahead(const struct bench_turn *turn, struct bench_turn_ahead *ahead)
{
	uint64_t first = UINT64_MAX;
	*ahead = (struct bench_turn_ahead){0};
	for (int at = 0; at < SLOTS; at++) {
		struct slot other;
		if (at == turn->slot || !is_taken(turn->fd, at))
			continue;
		read_slot(turn->fd, at, &other);
		const bool measures = other.state != 'w';
		if (!measures &&
		    (other.ticket > turn->ticket || (other.ticket == turn->ticket && at > turn->slot)))
			continue;
		ahead->count++;
		if (ahead->measures > measures || (ahead->measures == measures && other.ticket >= first))
			continue;
		first = other.ticket;
		ahead->measures = measures;
		ahead->pid = other.pid;
		ahead->since = other.since;
		memcpy(ahead->command, other.command, sizeof(ahead->command));
	}
}

int bench_machine_turn_try(struct bench_turn *turn, bool now, struct bench_turn_ahead *ahead,
			   struct bench_error *error)
{
	if (close_door(turn->fd) != 0)
		return fail(error, "of this machine", "it cannot be locked");
	look_ahead(turn, ahead);
	const bool begins = now || ahead->count == 0;
	if (begins)
		(void)write_slot(turn, 'm');
	(void)lock(turn->fd, DOOR, F_UNLCK);
	return begins;
}

void bench_machine_turn_leave(struct bench_turn *turn)
{
	if (turn->fd >= 0)
		close(turn->fd);
	turn->fd = -1;
}
