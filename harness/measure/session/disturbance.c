/* SPDX-License-Identifier: MIT */
#include "measure/session/disturbance.h"

#include <math.h>
#include <stdio.h>

#include "core/text.h"
#include "measure/worker/watch.h"

static void note_watched(struct bench_disturbance *disturbance, const struct bench_event_watched *event)
{
	const struct bench_watched *seen = &event->seen;
	double fastest = event->canary_fastest;
	if (fastest > 0 && !(disturbance->fastest > 0 && disturbance->fastest <= fastest))
		disturbance->fastest = fastest;
	disturbance->watched++;
	disturbance->share_sum += seen->disturbed;
	if (!(seen->disturbed > 0))
		return;
	disturbance->others = fmax(disturbance->others, seen->others);
	disturbance->steal = fmax(disturbance->steal, seen->steal);
	disturbance->canary = fmax(disturbance->canary, seen->canary_worst);
}

void bench_session_disturbance_note(struct bench_disturbance *disturbance, const struct bench_event *event)
{
	if (event->kind == BENCH_EVENT_WATCHED)
		note_watched(disturbance, &event->watched);
	if (event->kind != BENCH_EVENT_DISTURBED)
		return;
	disturbance->now = true;
	snprintf(disturbance->reason, sizeof(disturbance->reason), "%s",
		 event->disturbed.reason ? event->disturbed.reason : "");
}

bool bench_session_disturbance_end_worker(struct bench_disturbance *disturbance)
{
	bool was = disturbance->now;
	disturbance->now = false;
	disturbance->workers++;
	disturbance->disturbed += was;
	return was;
}

bool bench_session_disturbance_words(const struct bench_disturbance *disturbance, char *out, size_t size)
{
	BENCH_SCOPED_TEXT text = {0};
	if (!disturbance->disturbed)
		return false;
	double share = disturbance->watched ? disturbance->share_sum / (double)disturbance->watched : 0;
	bench_text_add(&text, "%zu of %zu invocation%s of groups %s disturbed, %.0f%% of the measurements",
		       disturbance->disturbed, disturbance->workers, bench_text_plural(disturbance->workers),
		       disturbance->workers == 1 ? "was" : "were", ceil(100 * share));
	const char *separator = ": ";
	if (disturbance->others > BENCH_WATCH_OTHERS) {
		bench_text_add(&text, "%sother programs used up to %.1f cores", separator,
			       disturbance->others);
		separator = ", ";
	}
	if (disturbance->steal > BENCH_WATCH_STEAL) {
		bench_text_add(&text, "%sthe hypervisor took up to %.2f cores", separator,
			       disturbance->steal);
		separator = ", ";
	}
	if (disturbance->canary > BENCH_WATCH_CANARY) {
		bench_text_add(&text, "%sa fixed piece of work took up to %.1f times as long", separator,
			       disturbance->canary);
		separator = ", ";
	}
	if (*separator == ':' && *disturbance->reason)
		bench_text_add(&text, "%s%s", separator, disturbance->reason);
	snprintf(out, size, "%s", text.data);
	return true;
}
