/* SPDX-License-Identifier: MIT */
/*
 * Members of JSON objects, by tables: one row names a member, says what it may be and where its value is in a
 * struct, for writing and for reading alike. What is read is from outside: checked and bounded, and a message
 * names the member.
 */
#ifndef BENCH_RECORD_MEMBER_H
#define BENCH_RECORD_MEMBER_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "core/arena.h"

/* Where values are read from (`what`, for messages) and where texts are kept: NULL leaves them in the JSON.
 */
struct reader {
	struct bench_arena *arena;
	const char *what;
	struct bench_error *error;
};

/* Fills in->error with "what: ...", BENCH_ENVIRONMENT. The macro returns -1, so that analyzers see it. */
#define record_fail(...) (record_set_error(__VA_ARGS__), -1)
void record_set_error(const struct reader *in, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum member_type {
	MEMBER_TEXT,        /* char *, of at most `limit` characters; one of `words`, where there are some */
	MEMBER_TEXT_IF_ANY, /* char *; not there where it is "" */
	MEMBER_WORD,        /* an enum, as one of `words` */
	MEMBER_HINT,        /* char *; NULL where there is no such text, which is no error */
	MEMBER_FIELD,       /* char[limit] */
	MEMBER_SEED,        /* uint64_t, as text: a seed has 64 bits, a JSON number 53 */
	MEMBER_LIST,        /* char ** of texts of at most `limit` characters, and their `count` */
	MEMBER_LIST_IF_ANY, /* the same; not there where it is empty */
	MEMBER_ATTRIBUTES,  /* struct bench_attribute *, at most `limit` of them, and their `count` */
	MEMBER_BOOL,        /* bool */
	MEMBER_FLAG,        /* bool; not there where it is false */
	MEMBER_NUMBER,      /* double, finite */
	MEMBER_QUANTITY,    /* double, and not negative */
	MEMBER_SHARE,       /* double, from 0 to 1 */
	MEMBER_QUANTITY_OR_NULL,  /* double; null is NaN */
	MEMBER_QUANTITY_IF_ANY,   /* double; 0 if missing */
	MEMBER_ANY_NUMBER,        /* double; NaN if missing, which is allowed */
	MEMBER_SIZE,              /* uint64_t; above 2^53, where a JSON number is not exact, cut to that */
	MEMBER_UNSIGNED,          /* unsigned, up to 2^31 - 1 */
	MEMBER_INVOCATION,        /* int */
	MEMBER_INVOCATION_IF_ANY, /* int; 0 if missing */
	MEMBER_INDEX,             /* size_t: of a result */
	MEMBER_TIME,              /* int64_t: Unix seconds */
	MEMBER_TIME_OR_NULL,      /* int64_t; null is 0 */
	MEMBER_OBJECT,            /* a struct with `members` */
	MEMBER_ALL_OF,            /* the same, but its `members` are in this object */
};

struct member_words {
	const char *const *names; /* from the value 0 on */
	unsigned first, end;      /* values that may stand in a file */
	const char *expected;     /* for messages */
};

struct member {
	const char *name; /* NULL ends a table */
	enum member_type type;
	size_t offset; /* of the value in the struct */
	size_t limit;
	size_t count; /* offset of the count */
	const struct member_words *words;
	const struct member *members;
};

/* Reads the members of `object` into the struct, in the order of the table; -1: `in->error` is filled. */
int record_read_members(const struct reader *in, const cJSON *object, const struct member *table, void *into);
/* Adds them. Text that is no UTF-8 has U+FFFD in its place, or other programs could not read it at all. */
void record_add_members(cJSON *object, const struct member *table, const void *from);

/* Puts the value of that word into an enum; false where it is none of them. */
bool record_find_word(const struct member_words *words, const char *name, void *value);

/* Single members, for what no table can say. */
int record_read_text(const struct reader *in, const cJSON *object, const char *member, size_t max_length,
		     char **out);
int record_read_number_or_null(const struct reader *in, const cJSON *object, const char *member, double *out);
void record_add_text(cJSON *object, const char *member, const char *value);

#endif
