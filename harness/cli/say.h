/* SPDX-License-Identifier: MIT */
/* What verbs say beside their payload: lines on stderr. */
#ifndef BENCH_CLI_SAY_H
#define BENCH_CLI_SAY_H

/*
 * One line, "bench: ...". What is in it from outside cannot drive the terminal, start a new line, or
 * be a command to a CI runner that reads the log (bench_text_add_line).
 */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same without "bench: ". */
void cli_say_plain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
