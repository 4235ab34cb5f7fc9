# SPDX-License-Identifier: MIT
"""A history in a file: opened without changing it, and read by the views of its schema."""

import os
import shutil
import sqlite3
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Type, Union

from ._pack import unpack

Value = Union[str, int, float, None]

APPLICATION_ID = 0x42454E43
VERSIONS = range(6, 9)  # of the schema: those whose tables the views of the newest can read
_SETTLED_SECONDS = 0.02  # after which a change of a file shows in its time
_ATTEMPTS = 100


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
        """A pandas.DataFrame; columns that end in _utc become timestamps."""
        try:
            import pandas
        except ImportError as cause:
            raise Error("to_pandas() needs pandas: pip install pandas") from cause
        frame = pandas.DataFrame.from_records(self.rows, columns=list(self.columns))
        for column in self.columns:
            if column.endswith("_utc"):
                frame[column] = pandas.to_datetime(frame[column], utc=True)
        return frame


def _copy_whole(path: Path, copy: Path) -> None:
    """A file is whole as long as its log is empty: a copy is, if the file did not change meanwhile."""
    log = Path(f"{path}-wal")
    for _ in range(_ATTEMPTS):
        before = path.stat()
        if time.time() - before.st_mtime > _SETTLED_SECONDS:
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


class History:
    """A history that is read and never written. Close it, or use it in a `with` statement."""

    def __init__(self, path: Path) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="bench-")
        self._connection: Optional[sqlite3.Connection] = None
        try:
            self._connection = _connect(path, Path(self._folder.name))
            self._connection.execute("PRAGMA trusted_schema = OFF")
            self._check(path)
            views = Path(__file__).with_name("views.sql").read_text(encoding="utf-8")
            views = views[views.index("CREATE VIEW") :]  # before them, what a migration changes
            self._connection.executescript(views.replace("CREATE VIEW", "CREATE TEMP VIEW"))
            self._connection.execute("PRAGMA query_only = ON")
        except (OSError, sqlite3.Error) as cause:
            self.close()
            raise Error(f"'{path}': {cause}") from cause
        except Error:
            self.close()
            raise

    def _check(self, path: Path) -> None:
        (application,), (version,) = (self._rows(f"PRAGMA {name}")[0] for name in ("application_id", "user_version"))
        if application != APPLICATION_ID:
            raise Error(f"'{path}': it is no history of bench")
        if version < VERSIONS[0]:
            raise Error(f"'{path}': its schema is version {version}; any 'bench ingest' brings it to the newest")
        if version > VERSIONS[-1]:
            raise Error(f"'{path}': its schema is version {version} and this package knows up to {VERSIONS[-1]}")

    def _execute(self, statement: str, parameters: Sequence[Value] = ()) -> sqlite3.Cursor:
        if not self._connection:
            raise Error("the history is closed")
        return self._connection.execute(statement, parameters)

    def _rows(self, statement: str) -> List[Any]:
        return self._execute(statement).fetchall()

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
        """The rows of a query, such as "SELECT * FROM runs WHERE branch = ?"."""
        cursor = self._execute(statement, parameters)
        columns = tuple(column[0] for column in cursor.description or ())
        return Table(columns, cursor.fetchall())

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
        names = {
            row[0]: row[1:]
            for row in self._execute(
                "SELECT metric_key, substr(key, 1, length(key) - length(name) - 1) AS case_key, name AS metric, unit, "
                "better FROM metric_key WHERE key GLOB ?",
                (pattern,),
            )
        }
        results = self._execute(
            "SELECT result.samples, runs.run, runs.started_utc, runs.host, runs.commit_hash, runs.branch, runs.aside "
            "FROM result JOIN run USING (run) JOIN runs ON runs.run = run.id "
            "WHERE samples IS NOT NULL AND (?1 IS NULL OR run.id = ?1) "
            "ORDER BY run.started, length(run.id), run.id, position",
            (run,),
        )
        rows: List[Tuple[Value, ...]] = []
        for packed, *about in results:
            try:
                for series in unpack(packed):
                    if series.metric_key in names:
                        rows.extend(
                            (*about, *names[series.metric_key], series.invocation, at, int(series.disturbed[at]), value)
                            for at, value in enumerate(series.values)
                        )
            except ValueError as cause:
                raise Error(f"run '{about[0]}': {cause}: 'bench db check'") from cause
        return Table(
            ("run", "started_utc", "host", "commit_hash", "branch", "aside", "case_key", "metric", "unit", "better")
            + ("invocation", "sample", "disturbed", "value"),
            rows,
        )


def open(path: Union[str, "os.PathLike[str]"]) -> History:
    """Opens the history in a file. A history on a server: copy it to a file by 'bench db backup FILE --db ADDRESS'."""
    text = os.fspath(path)
    if text.startswith(("postgres://", "postgresql://")):
        raise Error("a history on a server is read from a copy: 'bench db backup FILE --db ADDRESS'")
    if not os.path.isfile(text):
        raise Error(f"there is no history '{text}'")
    return History(Path(text).resolve())
