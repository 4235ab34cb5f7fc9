/* SPDX-License-Identifier: MIT */
/* libpq, PostgreSQL's client library, loaded when a history on a server is named: bench runs without it. */
#ifndef BENCH_STORE_LIBPQ_H
#define BENCH_STORE_LIBPQ_H

#include <libpq-fe.h>

#include "bench/error.h"

#define STORE_LIBPQ_FUNCTIONS(F)                                                                             \
	F(PQclear)                                                                                           \
	F(PQcmdTuples)                                                                                       \
	F(PQconnectdbParams)                                                                                 \
	F(PQconninfoFree)                                                                                    \
	F(PQconninfoParse)                                                                                   \
	F(PQenterPipelineMode)                                                                               \
	F(PQerrorMessage)                                                                                    \
	F(PQexec)                                                                                            \
	F(PQexitPipelineMode)                                                                                \
	F(PQfinish)                                                                                          \
	F(PQfreemem)                                                                                         \
	F(PQftype)                                                                                           \
	F(PQgetResult)                                                                                       \
	F(PQgetisnull)                                                                                       \
	F(PQgetlength)                                                                                       \
	F(PQgetvalue)                                                                                        \
	F(PQnfields)                                                                                         \
	F(PQntuples)                                                                                         \
	F(PQpipelineSync)                                                                                    \
	F(PQreset)                                                                                           \
	F(PQresultErrorField)                                                                                \
	F(PQresultStatus)                                                                                    \
	F(PQsendPrepare)                                                                                     \
	F(PQsendQueryParams)                                                                                 \
	F(PQsendQueryPrepared)                                                                               \
	F(PQserverVersion)                                                                                   \
	F(PQsetNoticeProcessor)                                                                              \
	F(PQstatus)

#define STORE_LIBPQ_MEMBER(name) __typeof__(&(name)) name; /* NOLINT(bugprone-macro-parentheses) */
struct store_libpq {
	STORE_LIBPQ_FUNCTIONS(STORE_LIBPQ_MEMBER)
};
#undef STORE_LIBPQ_MEMBER

/* The functions, once they are loaded. */
extern struct store_libpq store_pq;

/* Loads them at the first call; BENCH_ENVIRONMENT, with what to install, where that cannot be done. Before
 * there are threads. */
int store_libpq_load(struct bench_error *error);

#endif
