/* SPDX-License-Identifier: MIT */
/*
 * PostgreSQL runs the store's SQL. Statements go into libpq's pipeline, and nothing is waited for until rows
 * are asked for, a transaction ends or many wait: a run's rows cost as many turns to the server as there are
 * questions among them, and not one each. Values travel in binary form, so that a double keeps every bit.
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "store/engine.h"
#include "store/libpq.h"
#include "store/server.h"
#include "store/tables.h"

#define MOST_PARAMETERS 20
#define MOST_WAITING    100 /* statements without an answer: the server's buffers hold theirs */
#define MOST_PREPARED   128

/* Object identifiers of types: they never change (the server's pg_type.dat). */
enum { BOOLEAN = 16, BYTES = 17, INT8 = 20, INT2 = 21, INT4 = 23, TEXT = 25, FLOAT8 = 701 };

/* By enum store_type; 0: the type of the target column. */
static const Oid oids[] = {[STORE_INTEGER] = INT8,
			   [STORE_REAL] = FLOAT8,
			   [STORE_TEXT] = TEXT,
			   [STORE_BLOB] = BYTES,
			   [STORE_NULL] = 0};

struct server {
	PGconn *connection;
	bool pipeline;
	int waiting;                   /* statements without an answer */
	char *prepared[MOST_PREPARED]; /* what the statements b<first>, b<first + 1> ... of this connection
					  are */
	unsigned prepared_count, first;
	int64_t changed; /* rows, by the last statement that was answered */
};

struct statement {
	struct store_statement base;
	char *sql; /* in PostgreSQL's words */
	bool once, gives_rows;
	PGresult *result;
	int row;
};

static struct statement *of(const struct store_statement *statement)
{
	return (struct statement *)(uintptr_t)statement;
}

static struct server *server_of(const struct bench_store *store)
{
	return store->connection;
}

/* What the user can do about it, by the first letters of the SQLSTATE (appendix A of PostgreSQL's manual). */
static const struct {
	const char *state, *advice;
} advices[] = {
	/* Also of a connection that is not made: libpq tells no state then. */
	{"08", "see that the server is there, and address, user and password (~/.pgpass) are right, and do "
	       "it again; a run that was measured is whole in its folder, and 'bench ingest' takes it in"},
	{"57P", "the server is going down, or has ended this session: do it again; a run that was measured "
		"is whole in its folder, and 'bench ingest' takes it in"},
	{"53", "the server has no room, or no connection left: do it again when it has; a run that was "
	       "measured is whole in its folder, and 'bench ingest' takes it in"},
	{"58", "look at the server's disk and do it again; a run that was measured is whole in its folder, "
	       "and 'bench ingest' takes it in"},
	{"42501", "its owner may allow it: 'bench db grant', or where there is no history yet, GRANT CREATE "
		  "ON SCHEMA"},
	{"42P07", "another program has something called so: give it a schema of its own "
		  "(?options=-csearch_path%3DNAME)"},
	{"25006", "the server takes no writes: is it a standby?"},
	{"55P03", "another process is writing to it: try again when that has ended"},
	{"57014", "the server has a time limit for this user (statement_timeout), or somebody canceled it: "
		  "do it again"},
	{"40", "another process is writing to it: try again"},
	{"42P01", "it is damaged, or not all of it is there: 'bench db check' says what"},
	{"42703", "it is damaged, or not all of it is there: 'bench db check' says what"},
	{"XX", "it is damaged: 'bench db check' says what; restore a backup of the server's"},
};

/* Does an error say nothing of what is in the history? The session ended, a limit of time was reached,
 * another was in the way, or there was no room. */
static bool is_from_outside(const char *state)
{
	static const char *const states[] = {"08", "57", "53", "40", "55P03", "25P03", "25P04"};
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (strncmp(states[i], state, strlen(states[i])) == 0)
			return true;
	return false;
}

/* The first line of a message, without blanks around it. */
static int first_line(const char *text)
{
	return (int)strcspn(text, "\n");
}

/* Fills `error` from an answer, or from the connection if the answer is NULL; returns -1. */
static int fail(struct bench_store *store, const PGresult *answer, struct bench_error *error)
{
	PGconn *connection = server_of(store)->connection;
	const char *state = answer ? store_pq.PQresultErrorField(answer, PG_DIAG_SQLSTATE) : NULL;
	const char *text = answer ? store_pq.PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY) : NULL;
	const char *advice = "";
	if (!state)
		state = store_pq.PQstatus(connection) == CONNECTION_OK ? "" : "08006";
	/* Of a connection that is refused libpq tells no state (53300). */
	if (!answer && strstr(store_pq.PQerrorMessage(connection), "too many connections"))
		state = "53";
	store->unreachable = store->unreachable || is_from_outside(state);
	if (!text || !*text)
		text = store_pq.PQerrorMessage(connection);
	if (!*text)
		text = "the connection to the server is lost";
	for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]) && !*advice; i++)
		if (strncmp(advices[i].state, state, strlen(advices[i].state)) == 0)
			advice = advices[i].advice;
	return bench_fail(error, BENCH_ENVIRONMENT, "database '%s': %.*s%s%s", store->path, first_line(text),
			  text, *advice ? "; " : "", advice);
}

/* What was prepared may not be there any more. Names are not used twice. */
static void forget_prepared(struct server *server)
{
	for (unsigned i = 0; i < server->prepared_count; i++)
		free(server->prepared[i]);
	server->first += server->prepared_count;
	server->prepared_count = 0;
}

/*
 * Waits for all answers. *last, where not NULL: the rows of the last statement; the caller clears it. Reports
 * the first error; the server has not run the statements after it.
 */
static int settle(struct bench_store *store, PGresult **last, struct bench_error *error)
{
	struct server *server = server_of(store);
	PGresult *rows = NULL, *answer;
	int status = 0, nothing = 0;
	bool settled = false;
	if (!server->pipeline || server->waiting == 0)
		return 0;
	if (!store_pq.PQpipelineSync(server->connection))
		status = fail(store, NULL, error);
	/* A connection that is lost has no answer any more. */
	while (!settled && nothing < 2) {
		answer = store_pq.PQgetResult(server->connection);
		nothing = answer ? 0 : nothing + 1;
		if (!answer)
			continue;
		const ExecStatusType kind = store_pq.PQresultStatus(answer);
		settled = kind == PGRES_PIPELINE_SYNC;
		if (kind == PGRES_TUPLES_OK || kind == PGRES_COMMAND_OK)
			server->changed = strtoll(store_pq.PQcmdTuples(answer), NULL, 10);
		else if (!settled && kind != PGRES_PIPELINE_ABORTED && status == 0)
			status = fail(store, answer, error);
		if (kind == PGRES_TUPLES_OK) {
			store_pq.PQclear(rows);
			rows = answer;
		} else {
			store_pq.PQclear(answer);
		}
	}
	server->waiting = 0;
	if (status == 0 && !settled)
		status = fail(store, NULL, error);
	if (status != 0)
		forget_prepared(server);
	if (status == 0 && last) {
		*last = rows;
		rows = NULL;
	}
	store_pq.PQclear(rows);
	return status;
}

static void silence(void *context, const char *text)
{
	(void)context;
	(void)text;
}

/* Of a connection that is new. */
static int set_up(struct bench_store *store, struct bench_error *error)
{
	struct server *server = server_of(store);
	store_pq.PQsetNoticeProcessor(server->connection, silence, NULL);
	server->pipeline = false;
	server->waiting = 0;
	forget_prepared(server);
	return store_pq.PQstatus(server->connection) == CONNECTION_OK ? 0 : fail(store, NULL, error);
}

static int script(struct bench_store *store, const char *sql, struct bench_error *error)
{
	struct server *server = server_of(store);
	if (settle(store, NULL, error) != 0)
		return -1;
	if (server->pipeline && !store_pq.PQexitPipelineMode(server->connection))
		return fail(store, NULL, error);
	server->pipeline = false;
	PGresult *answer = store_pq.PQexec(server->connection, sql);
	const ExecStatusType kind = store_pq.PQresultStatus(answer);
	const int status =
		kind == PGRES_COMMAND_OK || kind == PGRES_TUPLES_OK ? 0 : fail(store, answer, error);
	store_pq.PQclear(answer);
	return status;
}

/* ? and ?1 become $1. */
static char *translate(const char *sql)
{
	struct bench_text text = {0};
	unsigned number = 0;
	bool quoted = false;
	for (const char *c = sql; *c; c++) {
		quoted ^= *c == '\'';
		if (*c != '?' || quoted)
			bench_text_add_bytes(&text, c, 1);
		else if (c[1] >= '0' && c[1] <= '9')
			bench_text_add(&text, "$");
		else
			bench_text_add(&text, "$%u", ++number);
	}
	return text.data;
}

static int prepare(struct bench_store *store, const char *sql, bool once, struct store_statement **statement,
		   struct bench_error *error)
{
	struct statement *made = bench_memory_alloc(1, sizeof(*made));
	(void)error;
	*made = (struct statement){.base = {store}, .sql = translate(sql), .once = once};
	made->gives_rows = strncmp(sql, "SELECT", 6) == 0 || strstr(sql, " RETURNING ");
	*statement = &made->base;
	return 0;
}

/* A parameter as it travels: integers and doubles with the highest byte first, in `word`. */
static const char *travelling(const struct store_value *value, uint64_t *word, int *length)
{
	*length = (int)value->bytes;
	switch (value->type) {
	case STORE_INTEGER:
		*word = htobe64((uint64_t)value->integer);
		break;
	case STORE_REAL:
		memcpy(word, &value->real, sizeof(*word));
		*word = htobe64(*word);
		break;
	case STORE_NULL:
		return NULL;
	default:
		return value->bytes ? value->data : "";
	}
	*length = sizeof(*word);
	return (const char *)word;
}

/* The name of a statement that is started more than once; it is prepared where it is not yet. "": run it
 * unprepared. */
static int name_of(struct server *server, const struct statement *statement, const Oid *types, int count,
		   char *name, size_t size)
{
	unsigned at = 0;
	name[0] = '\0';
	while (at < server->prepared_count && strcmp(server->prepared[at], statement->sql) != 0)
		at++;
	if (at == MOST_PREPARED)
		return 0;
	snprintf(name, size, "b%u", server->first + at);
	if (at < server->prepared_count)
		return 0;
	server->prepared[server->prepared_count++] = strdup(statement->sql);
	server->waiting++;
	return store_pq.PQsendPrepare(server->connection, name, statement->sql, count, types) ? 0 : -1;
}

static int send(struct server *server, const struct statement *statement,
		const struct store_parameter *parameters, int count)
{
	Oid types[MOST_PARAMETERS];
	const char *values[MOST_PARAMETERS];
	uint64_t words[MOST_PARAMETERS];
	int lengths[MOST_PARAMETERS], formats[MOST_PARAMETERS];
	char name[24] = "";
	for (int i = 0; i < count; i++) {
		types[i] = oids[parameters[i].declared];
		values[i] = travelling(&parameters[i].value, &words[i], &lengths[i]);
		formats[i] = 1;
	}
	if (!server->pipeline && !store_pq.PQenterPipelineMode(server->connection))
		return -1;
	server->pipeline = true;
	if (!statement->once && name_of(server, statement, types, count, name, sizeof(name)) != 0)
		return -1;
	server->waiting++;
	return (*name ? store_pq.PQsendQueryPrepared(server->connection, name, count, values, lengths,
						     formats, 1)
		      : store_pq.PQsendQueryParams(server->connection, statement->sql, count, types, values,
						   lengths, formats, 1))
		       ? 0
		       : -1;
}

static int next(struct store_statement *statement, struct bench_error *error)
{
	struct statement *in = of(statement);
	(void)error;
	return in->result && ++in->row < store_pq.PQntuples(in->result);
}

/* What gives no rows is not waited for, within a transaction: its end does. */
static int start(struct store_statement *statement, const struct store_parameter *parameters, int count,
		 struct bench_error *error)
{
	struct statement *in = of(statement);
	struct bench_store *store = statement->store;
	store_pq.PQclear(in->result);
	in->result = NULL;
	in->row = -1;
	if (send(server_of(store), in, parameters, count) != 0)
		return fail(store, NULL, error);
	if (!in->gives_rows && store->depth > 0 && server_of(store)->waiting < MOST_WAITING)
		return 0;
	if (settle(store, &in->result, error) != 0)
		return -1;
	return next(statement, error);
}

static void finish(struct store_statement *statement)
{
	struct statement *in = of(statement);
	store_pq.PQclear(in->result);
	free(in->sql);
	free(in);
}

static int64_t read_integer(const char *data, size_t bytes)
{
	uint64_t value = bytes > 0 && (data[0] & 0x80) ? UINT64_MAX : 0;
	for (size_t i = 0; i < bytes && i < 8; i++)
		value = value << 8 | (unsigned char)data[i];
	return (int64_t)value;
}

static struct store_value column(const struct store_statement *row, int at)
{
	const struct statement *in = of(row);
	struct store_value value = {.type = STORE_NULL};
	int64_t bits;
	if (!in->result || store_pq.PQgetisnull(in->result, in->row, at))
		return value;
	value.data = store_pq.PQgetvalue(in->result, in->row, at);
	value.bytes = (size_t)store_pq.PQgetlength(in->result, in->row, at);
	switch (store_pq.PQftype(in->result, at)) {
	case BOOLEAN:
	case INT2:
	case INT4:
	case INT8:
		return (struct store_value){.type = STORE_INTEGER,
					    .integer = read_integer(value.data, value.bytes)};
	case FLOAT8:
		bits = read_integer(value.data, value.bytes);
		value = (struct store_value){.type = STORE_REAL};
		memcpy(&value.real, &bits, sizeof(value.real));
		break;
	case BYTES:
		value.type = STORE_BLOB;
		break;
	default:
		value.type = STORE_TEXT;
	}
	return value;
}

static int columns(const struct store_statement *row)
{
	return of(row)->result ? store_pq.PQnfields(of(row)->result) : 0;
}

static int changed(struct bench_store *store, int64_t *count, struct bench_error *error)
{
	const int status = settle(store, NULL, error);
	*count = server_of(store)->changed;
	return status;
}

/*
 * One writer at a time, as with a file: digests are of whole tables. The lock is on the schema, and readers
 * do not need it. If the connection was lost since its last use, reconnect: it has no open transaction.
 */
static int begin(struct bench_store *store, struct bench_error *error)
{
	static const char *const sql = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL "
				       "statement_timeout = 0; SET LOCAL lock_timeout = " STORE_BUSY_TEXT
				       "; SELECT pg_advisory_xact_lock(1111838275, (SELECT oid::int FROM "
				       "pg_namespace WHERE nspname = current_schema()))";
	struct bench_error ignored;
	if (script(store, sql, error) == 0)
		return 0;
	if (store_pq.PQstatus(server_of(store)->connection) == CONNECTION_OK) {
		(void)script(store, "ROLLBACK", &ignored);
		return -1;
	}
	store_pq.PQreset(server_of(store)->connection);
	return set_up(store, error) == 0 ? script(store, sql, error) : -1;
}

/* The rows of a copy came with their numbers. */
static int renumber(struct bench_store *store, const char *table, struct bench_error *error)
{
	BENCH_SCOPED_TEXT sql = {0};
	bench_text_add(
		&sql,
		"SELECT setval(pg_get_serial_sequence('%s', '%s'), coalesce(max(%s), 0) + 1, false) FROM %s",
		table, table, table, table);
	return store_script(store, sql.data, error);
}

static void disconnect(struct bench_store *store)
{
	struct server *server = server_of(store);
	if (!server)
		return;
	forget_prepared(server);
	store_pq.PQfinish(server->connection);
	free(server);
}

/* Later parameters override those of the address, which override earlier ones. A broken network is reported
 * after a minute instead of two hours. */
static PGconn *connect_to(const char *address)
{
	const char *patience = getenv("PGCONNECT_TIMEOUT");
	const char *const keywords[] = {"connect_timeout",  "keepalives_idle",  "keepalives_interval",
					"keepalives_count", "tcp_user_timeout", "fallback_application_name",
					"dbname",           "client_encoding",  NULL};
	const char *const values[] = {patience && *patience ? patience : "10",
				      "30",
				      "10",
				      "3",
				      "60000",
				      "bench",
				      address,
				      "UTF8",
				      NULL};
	return store_pq.PQconnectdbParams(keywords, values, 1);
}

int store_server_connect(const char *address, struct bench_store **store, struct bench_error *error)
{
	if (store_address_check(address, error) != 0)
		return -1;
	BENCH_SCOPED_ARENA arena = {0};
	char *shown = strdup(store_address_shown(address, &arena));
	struct bench_store *opened = bench_memory_alloc(1, sizeof(*opened));
	opened->engine = &store_postgres;
	opened->path = shown;
	struct server *server = opened->connection = bench_memory_alloc(1, sizeof(*server));
	server->connection = connect_to(address);
	if (!server->connection)
		bench_memory_exhausted("a connection to '%s'", opened->path);
	if (set_up(opened, error) != 0) {
		bench_store_close(opened);
		return -1;
	}
	*store = opened;
	return 0;
}

const struct store_engine store_postgres = {
	.prepare = prepare,
	.start = start,
	.next = next,
	.finish = finish,
	.column = column,
	.columns = columns,
	.changed = changed,
	.script = script,
	.begin = begin,
	.renumber = renumber,
	.close = disconnect,
	.remedy = "a backup of the server has it as it was",
	.ends_at_error = true,
	.size = "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class WHERE relkind = 'r' AND "
		"relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())",
	/* Only these tables: the database may have others. */
	.compact = "VACUUM " STORE_TABLE_NAMES,
	.begin_reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
	.columns_of =
		"SELECT (CASE WHEN c.relkind IN ('r', 'p') THEN 'table ' WHEN c.relkind = 'v' THEN 'view ' "
		"ELSE 'index ' END || relname || coalesce('.' || attname, '')) COLLATE \"C\" FROM pg_class "
		"AS c LEFT JOIN pg_attribute AS a ON attrelid = c.oid AND c.relkind IN ('r', 'p') AND attnum "
		"> 0 AND NOT attisdropped WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = "
		"current_schema()) AND c.relkind IN ('r', 'p', 'v', 'i', 'I') ORDER BY 1",
};
