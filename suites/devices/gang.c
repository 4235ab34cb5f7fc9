/* SPDX-License-Identifier: MIT */
#include "suites/devices/gang.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/clock.h"

/* What a member is to do, or is at. */
enum state { WAITING, WORKING, SPOILING, FETCHING, LEAVING };

struct member {
	struct bench_gang *gang;
	size_t device; /* its index */
	pthread_t thread;
	bool busy;   /* it is at something */
	double done; /* iterations since the start */
	bool ran;    /* since its result was spoiled */
	struct bench_station station;
	struct bench_error error;
	bool failed;
};

struct bench_gang {
	const struct bench_station_job *job;
	pthread_mutex_t lock; /* of all below, and of the members' busy, done and failed */
	pthread_cond_t changed;
	enum state state;
	uint64_t order;     /* counts the changes of state: a member that was quick does nothing twice */
	int64_t stopped_ns; /* when it was told to end */
	size_t count;
	struct member members[];
};

/* A member's work, done without the lock. */
static int act(struct member *member, enum state state)
{
	switch (state) {
	case SPOILING:
		return bench_station_spoil(&member->station, &member->error);
	case FETCHING:
		return bench_station_fetch(&member->station, &member->error);
	case WORKING:
		return bench_station_run(&member->station, &member->error) ||
				       bench_station_finish(&member->station, &member->error)
			       ? -1
			       : 0;
	case WAITING:
	case LEAVING:
		break;
	}
	return 0;
}

/* With the lock held: is there something that this member has not done yet? */
static bool has_work(const struct member *member, uint64_t seen)
{
	enum state state = member->gang->state;
	if (member->failed || state == WAITING)
		return false;
	return state == WORKING || member->gang->order != seen;
}

static int64_t now_ns(void)
{
	return (int64_t)bench_clock_real.now_ns(NULL);
}

/* With the lock held: the iteration that began then is over. It counts by how much of it lies before the
 * stop. */
static void count(struct member *member, int64_t begun_ns)
{
	const struct bench_gang *gang = member->gang;
	const int64_t taken = now_ns() - begun_ns, before = gang->stopped_ns - begun_ns;
	if (gang->state == WORKING || before >= taken)
		member->done++;
	else if (before > 0)
		member->done += (double)before / (double)taken;
}

static void serve(struct member *member)
{
	struct bench_gang *gang = member->gang;
	uint64_t seen = gang->order;
	while (gang->state != LEAVING) {
		if (!has_work(member, seen)) {
			member->busy = false;
			pthread_cond_broadcast(&gang->changed);
			pthread_cond_wait(&gang->changed, &gang->lock);
			continue;
		}
		enum state state = gang->state;
		seen = gang->order;
		member->busy = true;
		pthread_mutex_unlock(&gang->lock);
		const int64_t begun_ns = now_ns();
		int result = act(member, state);
		pthread_mutex_lock(&gang->lock);
		member->failed = result != 0;
		member->ran = !result && (state == WORKING || (member->ran && state != SPOILING));
		if (state == WORKING && !result)
			count(member, begun_ns);
	}
}

/* The thread of a member: its device is opened, used and closed here, where the device's place is. */
static void *run_member(void *argument)
{
	struct member *member = argument;
	struct bench_gang *gang = member->gang;
	const struct bench_backend *backend = gang->job->backend;
	struct bench_device *device = NULL;
	int result =
		bench_station_bind(gang->job, member->device, &member->error) ||
		backend->open(member->device, &(struct bench_open_options){0}, &device, &member->error) ||
		bench_station_open(&member->station, gang->job, device, member->device, &member->error);
	pthread_mutex_lock(&gang->lock);
	member->failed = result != 0;
	serve(member);
	member->busy = false;
	pthread_mutex_unlock(&gang->lock);
	bench_station_close(&member->station);
	backend->close(device);
	return NULL;
}

static void order(struct bench_gang *gang, enum state state)
{
	pthread_mutex_lock(&gang->lock);
	gang->state = state;
	gang->order++;
	for (size_t i = 0; i < gang->count && state != WAITING; i++)
		gang->members[i].busy = true; /* until it says otherwise */
	pthread_cond_broadcast(&gang->changed);
	pthread_mutex_unlock(&gang->lock);
}

int bench_gang_wait(struct bench_gang *gang, struct bench_error *error)
{
	int result = 0;
	pthread_mutex_lock(&gang->lock);
	for (size_t i = 0; i < gang->count; i++)
		while (gang->members[i].busy)
			pthread_cond_wait(&gang->changed, &gang->lock);
	for (size_t i = 0; i < gang->count && !result; i++)
		if (gang->members[i].failed) {
			*error = gang->members[i].error;
			result = -1;
		}
	pthread_mutex_unlock(&gang->lock);
	return result;
}

int bench_gang_open(const struct bench_station_job *job, size_t own, bool alike, struct bench_gang **gang,
		    struct bench_error *error)
{
	const size_t count = job->devices;
	struct bench_gang *made = calloc(1, sizeof(*made) + (count - 1) * sizeof(made->members[0]));
	*gang = NULL;
	if (!made)
		return bench_fail(error, BENCH_NO_MEMORY, "devices: no host memory for %zu devices", count);
	made->job = job;
	pthread_mutex_init(&made->lock, NULL);
	pthread_cond_init(&made->changed, NULL);
	for (size_t device = 0; device < count; device++) {
		if (device == own || (alike && job->infos[device].kind != job->infos[own].kind))
			continue;
		struct member *member = &made->members[made->count++];
		*member = (struct member){.gang = made, .device = device, .busy = true};
		int failed = pthread_create(&member->thread, NULL, run_member, member);
		if (failed) {
			made->count--;
			bench_gang_close(made);
			return bench_fail(error, BENCH_NO_MEMORY, "devices: no thread for device %zu",
					  device);
		}
	}
	if (bench_gang_wait(made, error)) {
		bench_gang_close(made);
		return -1;
	}
	*gang = made;
	return 0;
}

void bench_gang_close(struct bench_gang *gang)
{
	if (!gang)
		return;
	order(gang, LEAVING);
	for (size_t i = 0; i < gang->count; i++)
		pthread_join(gang->members[i].thread, NULL);
	pthread_cond_destroy(&gang->changed);
	pthread_mutex_destroy(&gang->lock);
	free(gang);
}

void bench_gang_start(struct bench_gang *gang)
{
	pthread_mutex_lock(&gang->lock);
	for (size_t i = 0; i < gang->count; i++)
		gang->members[i].done = 0;
	pthread_mutex_unlock(&gang->lock);
	order(gang, WORKING);
}

void bench_gang_stop(struct bench_gang *gang)
{
	pthread_mutex_lock(&gang->lock);
	gang->stopped_ns = now_ns();
	pthread_mutex_unlock(&gang->lock);
	order(gang, WAITING);
}

double bench_gang_done(struct bench_gang *gang)
{
	double done = 0;
	pthread_mutex_lock(&gang->lock);
	for (size_t i = 0; i < gang->count; i++)
		done += gang->members[i].done;
	pthread_mutex_unlock(&gang->lock);
	return done;
}

static int have_done(struct bench_gang *gang, enum state state, struct bench_error *error)
{
	order(gang, state);
	return bench_gang_wait(gang, error);
}

int bench_gang_spoil(struct bench_gang *gang, struct bench_error *error)
{
	return have_done(gang, SPOILING, error);
}

size_t bench_gang_size(const struct bench_gang *gang)
{
	return gang->count;
}

int bench_gang_result(struct bench_gang *gang, size_t index, const float **host, struct bench_error *error)
{
	if (have_done(gang, FETCHING, error))
		return -1;
	*host = gang->members[index].ran ? gang->members[index].station.host : NULL;
	return 0;
}
