# SPDX-License-Identifier: MIT
"""A history in a file: opened without changing it, and read by the views of its schema."""

import json
import os
import shutil
import sqlite3
import struct
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Type, Union

from ._pack import unpack

Value = Union[str, int, float, None]

APPLICATION_ID = 0x42454E43
VERSIONS = range(6, 10)  # of the schema: those whose tables the views of the newest can read
_SETTLED_SECONDS = 0.02  # after which a change of a file shows in its time
_ATTEMPTS = 100


# As the views of the schema, but unpacked: SQL has no number for all bits of a double but an integer.
_SAMPLES = """
    CREATE TEMP VIEW samples AS
        WITH cases AS MATERIALIZED (
            SELECT head, head.suite || '/' || backend || ':' || slug || '/' ||
                   coalesce((SELECT group_concat(key || '=' || value, ',') FROM json_each(text, '$.case')), '') AS case_key
            FROM head JOIN device USING (device)
        )
        SELECT run.id AS run, strftime('%Y-%m-%d %H:%M:%S', started, 'unixepoch') AS started_utc, host.name AS host, commit_hash,
               branch, aside, case_key, metric_key.name AS metric, unit, better, json_extract(row.value, '$[1]') AS invocation,
               json_extract(row.value, '$[2]') AS sample, json_extract(row.value, '$[3]') AS disturbed,
               as_double(json_extract(row.value, '$[4]')) AS value
        FROM run CROSS JOIN host USING (host) CROSS JOIN result USING (run) CROSS JOIN cases ON cases.head = result.head
             CROSS JOIN json_each(unpack(run.id, CAST(samples AS BLOB))) AS row
             CROSS JOIN metric_key ON metric_key.metric_key = json_extract(row.value, '$[0]');
"""
_READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)

_MEANINGS = {
    "authorization denied": "a query reads, and does nothing else",
    "not authorized": "a query reads, and does nothing else",
    "database disk image is malformed": "it is damaged: 'bench db check' says what, 'bench db repair' saves the rest",
    "database is locked": "another process is changing it: try again later",
}


class Error(Exception):
    """A history that cannot be read; the text says why, and what to do."""


@dataclass(frozen=True)
class Table:
    """Rows with named columns. Iterating yields a dict for each row."""

    columns: Tuple[str, ...]
    rows: List[Tuple[Value, ...]]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Dict[str, Value]]:
        return (dict(zip(self.columns, row)) for row in self.rows)

    def to_pandas(self) -> Any:
        """
        A pandas.DataFrame. Columns that end in _utc become timestamps, NaT where pandas cannot hold the time; columns
        without any value are of floats.
        """
        try:
            import pandas
        except ImportError as cause:
            raise Error("to_pandas() needs pandas: pip install pandas") from cause
        frame = pandas.DataFrame.from_records(self.rows, columns=list(self.columns))
        for column in self.columns:
            if column.endswith("_utc"):
                frame[column] = pandas.to_datetime(frame[column], utc=True, errors="coerce")
            elif self.rows and frame[column].isna().all():
                frame[column] = frame[column].astype(float)
        return frame


def _copy_whole(path: Path, copy: Path) -> None:
    """A file is whole as long as its log is empty: a copy is, if the file did not change meanwhile."""
    log = Path(f"{path}-wal")
    for _ in range(_ATTEMPTS):
        before = path.stat()
        if abs(time.time() - before.st_mtime) > _SETTLED_SECONDS:
            shutil.copyfile(path, copy)
            after = path.stat()
            same = (before.st_ino, before.st_size, before.st_mtime_ns) == (after.st_ino, after.st_size, after.st_mtime_ns)
            if same and not (log.exists() and log.stat().st_size):
                return
        time.sleep(_SETTLED_SECONDS)
    raise Error(f"'{path}': another process is writing to it all the time: try again later")


def _connect(path: Path, folder: Path) -> sqlite3.Connection:
    """
    Leaves nothing behind in the folder of the file. A read-only connection makes SQLite's log and index where they
    are missing, and cannot remove them. So the file's owner connects as a writer does, and others read what a writer
    has there now, or else a copy in `folder`.
    """
    owner = path.stat().st_uid
    own = os.geteuid() in (0, owner) and os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    mode = "rw" if own else "ro"
    if not own and not (Path(f"{path}-wal").exists() and Path(f"{path}-shm").exists()):
        copy = folder / "results.db"
        _copy_whole(path, copy)
        path, mode = copy, "rw"
    return sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True)


def _meaning(cause: Exception) -> str:
    return _MEANINGS.get(str(cause), str(cause))


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (application,), (version,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version"))
    if application != APPLICATION_ID:
        raise Error(f"'{path}': it is no history of bench")
    if version < VERSIONS[0]:
        raise Error(f"'{path}': its schema is version {version}; any 'bench ingest' brings it to the newest")
    if version > VERSIONS[-1]:
        raise Error(f"'{path}': its schema is version {version} and this package knows up to {VERSIONS[-1]}")


def _unpack(damage: List[str], run: str, samples: Optional[bytes]) -> str:
    """
    The samples of a result in JSON, a row each: metric, invocation, number, disturbed or not, and its bits. SQLite
    does not pass an exception on: its text goes to `damage`.
    """
    rows: List[Tuple[int, ...]] = []
    try:
        for metric_key, invocation, values, disturbed in unpack(samples or b""):
            bits = struct.unpack(f"{len(values)}q", struct.pack(f"{len(values)}d", *values))
            rows.extend((metric_key, invocation, at, *row) for at, row in enumerate(zip(disturbed, bits)))
    except ValueError as cause:
        damage.append(f"run '{run}': {cause}: 'bench db check'")
        raise
    return json.dumps(rows)


def _as_double(bits: int) -> float:
    (value,) = struct.unpack("d", struct.pack("q", bits))
    return float(value)


class History:
    """A history that is read and never written. Close it, or use it in a `with` statement."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._damage: List[str] = []
        self._folder = tempfile.TemporaryDirectory(prefix="bench-")
        self._connection: Optional[sqlite3.Connection] = None
        try:
            connection = self._connection = _connect(path, Path(self._folder.name))
            connection.execute("PRAGMA trusted_schema = OFF")
            _check(connection, path)
            views = Path(__file__).with_name("views.sql").read_text(encoding="utf-8")
            views = views[views.index("CREATE VIEW") :]  # before them, what a migration changes
            connection.executescript(views.replace("CREATE VIEW", "CREATE TEMP VIEW") + _SAMPLES)
            connection.create_function("unpack", 2, partial(_unpack, self._damage), deterministic=True)
            connection.create_function("as_double", 1, _as_double, deterministic=True)
            connection.set_authorizer(lambda action, *_: int(action not in _READING))
        except (OSError, sqlite3.Error) as cause:
            self.close()
            raise Error(f"'{path}': {_meaning(cause)}") from cause
        except Error:
            self.close()
            raise

    def close(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = None
        self._folder.cleanup()

    def __enter__(self) -> "History":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def sql(self, statement: str, parameters: Sequence[Value] = ()) -> Table:
        """The rows of a query, such as "SELECT * FROM runs WHERE branch = ?". A statement that does more is refused."""
        if not self._connection:
            raise Error("the history is closed")
        self._damage.clear()
        try:
            cursor = self._connection.execute(statement, parameters)
            columns = tuple(column[0] for column in cursor.description or ())
            return Table(columns, cursor.fetchall())
        except (sqlite3.Error, sqlite3.Warning) as cause:
            raise Error(f"'{self._path}': {''.join(self._damage) or _meaning(cause)}") from cause

    def runs(self) -> Table:
        """All runs, oldest first."""
        return self.sql("SELECT * FROM runs ORDER BY started_utc, length(run), run")

    def results(self, pattern: str = "*") -> Table:
        """The cases whose key matches the pattern, in all runs, with their status and checks."""
        return self.sql(
            "SELECT * FROM results WHERE case_key GLOB ? ORDER BY case_key, started_utc, length(run), run", (pattern,)
        )

    def history(self, pattern: str = "*") -> Table:
        """As 'bench history PATTERN': the metrics whose full name matches, in the runs that are not set aside."""
        return self.sql(
            "SELECT * FROM measurements WHERE key GLOB ? AND aside = '' ORDER BY key, started_utc, length(run), run",
            (pattern,),
        )

    def samples(self, pattern: str = "*", run: Optional[str] = None) -> Table:
        """
        As 'bench export --samples': every sample of the measured metrics whose full name matches, a row each; of one
        run, or of all.
        """
        return self.sql(
            "SELECT * FROM samples WHERE case_key IN (SELECT substr(key, 1, length(key) - length(name) - 1) FROM metric_key "
            "WHERE key GLOB ?1) AND case_key || '/' || metric GLOB ?1 AND (?2 IS NULL OR run = ?2) "
            "ORDER BY case_key, metric, started_utc, length(run), run, invocation, sample",
            (pattern, run),
        )


def open(path: Union[str, "os.PathLike[str]"]) -> History:
    """Opens the history in a file. A history on a server: copy it to a file by 'bench db backup FILE --db ADDRESS'."""
    text = os.fspath(path)
    if text.startswith(("postgres://", "postgresql://")):
        raise Error("a history on a server is read from a copy: 'bench db backup FILE --db ADDRESS'")
    if not os.path.isfile(text):
        raise Error(f"there is no history '{text}'")
    return History(Path(text).resolve())
