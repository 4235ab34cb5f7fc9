# SPDX-License-Identifier: MIT
"""Tests of the package that is installed, with the databases of tests/golden/stored and the program that BENCH names."""

import csv
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import unittest
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any, Dict, Tuple

import bench
from bench._history import VERSIONS
from bench._pack import unpack

SOURCE = Path(os.environ.get("BENCH_SOURCE", Path(__file__).parents[2]))
STORED = SOURCE / "tests" / "golden" / "stored"
PROGRAM = os.environ.get("BENCH", "")


class InFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "results.db"

    def make(self, number: int) -> bench.History:
        """The history of that schema version, opened."""
        database = sqlite3.connect(self.path)
        database.executescript((STORED / f"schema-{number}.sql").read_text(encoding="utf-8"))
        database.close()
        history = bench.open(self.path)
        self.addCleanup(history.close)
        return history


class OldHistories(InFolder):
    def test_every_version_is_read_or_refused_with_the_remedy(self) -> None:
        numbers = sorted(int(file.stem.split("-")[1]) for file in STORED.glob("schema-*.sql"))
        self.assertEqual(numbers[-1], VERSIONS[-1])
        for number in numbers:
            self.path = self.folder / f"{number}.db"
            with self.subTest(version=number):
                if number not in VERSIONS:
                    with self.assertRaisesRegex(bench.Error, f"version {number}; any 'bench ingest'"):
                        self.make(number)
                    continue
                history = self.make(number)
                self.assertEqual(len(history.runs()), 3)
                self.assertGreater(len(history.history("*/time")), 0)
                self.assertGreater(len(history.samples("*/time")), 0)

    def test_newer_version_is_refused(self) -> None:
        self.make(VERSIONS[-1]).close()
        with sqlite3.connect(self.path) as database:
            database.execute("PRAGMA user_version = 999")
        with self.assertRaisesRegex(bench.Error, "version 999 and this package knows up to"):
            bench.open(self.path)


class Histories(InFolder):
    def test_runs_that_are_set_aside_are_no_history(self) -> None:
        history = self.make(VERSIONS[-1])
        aside = {row["run"] for row in history.runs() if row["aside"]}
        self.assertEqual(len(aside), 1)
        self.assertFalse(aside & {row["run"] for row in history.history()})
        self.assertTrue(aside & {row["run"] for row in history.samples()})

    def test_pattern_chooses_metrics(self) -> None:
        history = self.make(VERSIONS[-1])
        self.assertEqual({row["metric"] for row in history.history("*/time")}, {"time"})
        self.assertEqual(len(history.history("nosuch/*")), 0)
        self.assertEqual(history.history("nosuch/*").columns, history.history().columns)

    def test_samples_are_of_one_run_where_it_is_named(self) -> None:
        history = self.make(VERSIONS[-1])
        (*_, last) = history.runs()
        self.assertEqual({row["run"] for row in history.samples(run=str(last["run"]))}, {last["run"]})

    def test_samples_are_a_table_of_sql(self) -> None:
        history = self.make(VERSIONS[-1])
        (row,) = history.sql("SELECT run, count(*) AS samples, max(value) AS most FROM samples GROUP BY run ORDER BY most DESC LIMIT 1")
        ours = list(history.samples(run=str(row["run"])))
        self.assertEqual((row["samples"], row["most"]), (len(ours), max(float(sample["value"] or 0) for sample in ours)))

    def test_wrong_statement_is_an_error_of_the_package(self) -> None:
        history = self.make(VERSIONS[-1])
        for statement in "SELECT nosuch FROM runs", "SELECT 1; SELECT 2", "SELEC", "SELECT ?":
            with self.subTest(statement=statement), self.assertRaisesRegex(bench.Error, "results.db"):
                history.sql(statement)

    def test_slowest_run_is_one_statement(self) -> None:
        history = self.make(VERSIONS[-1])
        slowest = history.sql(
            "SELECT run FROM measurements WHERE metric = ? AND started_utc LIKE '2026-11-%' ORDER BY median_seconds DESC LIMIT 1",
            ("time",),
        )
        rows = [row for row in history.sql("SELECT * FROM measurements WHERE metric = 'time'")]
        self.assertEqual(list(slowest)[0]["run"], max(rows, key=lambda row: float(row["median_seconds"] or 0))["run"])

    def test_nothing_is_written(self) -> None:
        history = self.make(VERSIONS[-1])
        before = self.path.read_bytes()
        for statement in (
            "DELETE FROM run",
            "CREATE TABLE mine (x)",
            "UPDATE run SET branch = 'x'",
            "PRAGMA query_only = OFF",
            "PRAGMA journal_mode = DELETE",
            f"VACUUM INTO '{self.folder}/copy.db'",
            f"ATTACH '{self.folder}/other.db' AS other",
            "BEGIN",
        ):
            with self.subTest(statement=statement), self.assertRaisesRegex(bench.Error, "a query reads"):
                history.sql(statement)
        history.close()
        self.assertEqual(self.path.read_bytes(), before)
        self.assertEqual(os.listdir(self.folder), ["results.db"])

    def test_view_of_somebody_else_is_not_in_the_way(self) -> None:
        self.make(VERSIONS[-1]).close()
        with sqlite3.connect(self.path) as database:
            database.executescript("DROP VIEW runs; CREATE VIEW runs AS SELECT 1 AS x")
        with bench.open(self.path) as history:
            self.assertEqual(len(history.runs()), 3)

    def test_what_is_no_history_is_refused(self) -> None:
        with self.assertRaisesRegex(bench.Error, "there is no history"):
            bench.open(self.path)
        with self.assertRaisesRegex(bench.Error, "db backup"):
            bench.open("postgresql://server/bench")
        self.path.write_bytes(b"no database, but a text that is longer than a header")
        with self.assertRaisesRegex(bench.Error, "not a database"):
            bench.open(self.path)
        self.path.unlink()
        sqlite3.connect(self.path).executescript("CREATE TABLE t (x)")
        with self.assertRaisesRegex(bench.Error, "no history of bench"):
            bench.open(self.path)

    def test_damaged_or_locked_file_is_an_error_with_the_remedy(self) -> None:
        self.make(VERSIONS[-1]).close()
        with closing(sqlite3.connect(self.path)) as database:
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
            database.execute("BEGIN EXCLUSIVE")
            with self.assertRaisesRegex(bench.Error, "results.db': another process is changing it"):
                bench.open(self.path)
        os.truncate(self.path, 3 * 4096)
        with self.assertRaisesRegex(bench.Error, "results.db': it is damaged: 'bench db check'"):
            with bench.open(self.path) as history:
                history.samples()

    def test_closed_history_says_so(self) -> None:
        history = self.make(VERSIONS[-1])
        history.close()
        with self.assertRaisesRegex(bench.Error, "closed"):
            history.runs()

    def test_damaged_samples_are_an_error_that_names_the_run(self) -> None:
        self.make(VERSIONS[-1]).close()
        with sqlite3.connect(self.path) as database:
            database.execute("UPDATE result SET samples = x'ffff' WHERE samples IS NOT NULL")
        with bench.open(self.path) as history, self.assertRaisesRegex(bench.Error, "run '.*damaged.*bench db check"):
            history.samples()

    def test_missing_pandas_is_an_error_that_says_what_to_install(self) -> None:
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(bench.Error, "pip install pandas"):
                self.make(VERSIONS[-1]).runs().to_pandas()
        else:
            self.skipTest("pandas is installed")

    def test_pandas_has_the_rows_and_times(self) -> None:
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        table = self.make(VERSIONS[-1]).history()
        frame = table.to_pandas()
        self.assertEqual(list(frame.columns), list(table.columns))
        self.assertEqual(len(frame), len(table))
        self.assertEqual(set(frame["started_utc"].dt.year), {2026})
        empty = bench.Table(("finished_utc", "ci_lo"), [("2026-03-05 03:00:00", None), (None, None)]).to_pandas()
        self.assertEqual(empty["finished_utc"].isna().tolist(), [False, True])
        self.assertEqual(empty["ci_lo"].dtype.kind, "f")

    @unittest.skipIf(os.geteuid() == 0, "root owns every file")
    def test_folder_that_cannot_be_written_is_read_from_a_copy(self) -> None:
        self.make(VERSIONS[-1]).close()
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        with bench.open(self.path) as history:
            self.assertEqual(len(history.runs()), 3)
        self.assertEqual(os.listdir(self.folder), ["results.db"])


class Packed(unittest.TestCase):
    def test_forms_of_the_description(self) -> None:
        # Metric 5; one series: invocation 0, two samples; form 1 with 2 digits, base 150, differences 0 and -1.
        (series,) = unpack(bytes([5, 1, 0, 2, 1 << 6, 2, 0xAC, 0x02, 0b10]))
        self.assertEqual(series, (5, 0, [1.5, 1.49], [False, False]))

    def test_cut_data_is_damaged(self) -> None:
        for data in (
            b"\x05",
            b"\x05\x01\x00\x02\x40\x02\xac",
            b"\xff" * 30,
            b"\x05\x01\x00\x01\x80\x00\x02",  # nanoseconds over no iterations
            b"\x05\x01\x00\x01\xc0\x01\x02",  # a form that there is not
            b"\x05\x01\x00\x01\x40\x0d\x02",  # 13 digits behind the point
            b"\x05\x01\x00\x01\x00" + b"\xff" * 8 + b"\x01\x02",  # a shift by more than memory holds
            b"\x05\x01\x00\x00\x40\x00\x00",  # a series without samples
            b"\x05\x01\x00\x01\x00\x34\xfe\x1f",  # infinite
        ):
            with self.subTest(data=data), self.assertRaises(ValueError):
                list(unpack(data))


@unittest.skipUnless(PROGRAM, "BENCH does not name the program")
class BesideTheProgram(InFolder):
    def setUp(self) -> None:
        super().setUp()
        shutil.unpack_archive(STORED / "history.tar.gz", self.folder)
        self.bench("ingest", "runs/20261123-012308")

    def bench(self, *arguments: str) -> str:
        return subprocess.run(
            [PROGRAM, *arguments], cwd=self.folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ).stdout

    def test_package_has_the_version_of_the_program(self) -> None:
        self.assertIn(version("bench-history"), self.bench("--version").split())

    def test_samples_are_those_of_export(self) -> None:
        exported = [json.loads(line) for line in self.bench("export", "--since", "2020-01-01", "--samples", "--to", "jsonl").splitlines()]
        self.assertGreater(len(exported), 1000)
        with bench.open(self.path) as history:
            ours = list(history.samples())
        self.assertEqual([list(row) for row in ours], [list(row) for row in exported])
        for mine, theirs in zip(ours, sorted(exported, key=self.place)):
            self.assertEqual(mine, theirs)

    @staticmethod
    def place(row: Dict[str, Any]) -> Tuple[Any, ...]:
        return row["case_key"], row["metric"], row["started_utc"], len(row["run"]), row["run"], row["invocation"], row["sample"]

    def test_history_is_that_of_the_program(self) -> None:
        rows = list(csv.DictReader(self.bench("history", "gemm/*", "--format", "csv").splitlines()))
        self.assertGreater(len(rows), 100)
        theirs = [(row["metric"], row["run"], float(row["median"]), row["unit"]) for row in rows]
        with bench.open(self.path) as history:
            ours = [(row["key"], row["run"], row["median"], row["unit"]) for row in history.history("gemm/*")]
        self.assertEqual(ours, theirs)

    def test_history_that_is_written_meanwhile_is_read(self) -> None:
        with bench.open(self.path) as history:
            before = len(history.runs())
            self.bench("runs", "label", "last", "ticket=12")
            self.assertEqual(len(history.runs()), before)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("results.db-")], [])


if __name__ == "__main__":
    unittest.main()
