/* SPDX-License-Identifier: MIT */
/*
 * Removing the folder of a run: what the run has written, and nothing else. A folder that holds anything
 * more, that is a link or a mount point, or whose record is of another run, stays as it is.
 */
#ifndef BENCH_RECORD_REMOVAL_H
#define BENCH_RECORD_REMOVAL_H

#include "record/record.h"

/*
 * May the folder `runs_dir`/<id> be removed with the run? `run`: the head of the record in the history, with
 * the folder that it came from. 0: yes, or the folder does not exist. BENCH_ENVIRONMENT with the reason why
 * it stays. Changes nothing.
 */
int bench_record_removal_check(const char *runs_dir, const struct bench_run *run, struct bench_error *error);

/*
 * Removes such a folder; 0 where it is gone. The file that says whose it is goes last, so that a removal that
 * was cut short can be asked for again. BENCH_ENVIRONMENT with the reason where something stays.
 */
int bench_record_removal_do(const char *runs_dir, const char *id, struct bench_error *error);

#endif
