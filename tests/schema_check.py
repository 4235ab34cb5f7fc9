#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks metrics.json files against schema/metrics.schema.json.

usage: schema_check.py [--right] FILE...    prints what is wrong with each
       schema_check.py --spoiled FILE...    spoils each in many ways, and prints what is not refused

Exit status: 0 nothing was printed; 1 something was; 77 python3-jsonschema is not there.
"""
import copy
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "schema" / "metrics.schema.json"

# A path into the document and what is put there; DELETE takes the member away. {ok} and {failed} are the
# indices of a result that is ok and of one that is not.
DELETE = object()
SPOILS = [
    ("schema", "bench-metrics/2"),
    ("run", DELETE),
    ("run.id", "../x"),
    ("run.started", "today"),
    ("run.started", -1),
    ("run.seed", 42),
    ("run.surprise", 1),
    ("run.selection.suites", "gemm"),
    ("git", DELETE),
    ("git.dirty", "yes"),
    ("host.cores", 2),
    ("devices.0.kind", "tpu"),
    ("devices.0.memory_bytes", 1.5),
    ("results", {}),
    ("results.{ok}.suite", "Gemm"),
    ("results.{ok}.device", "a_b"),
    ("results.{ok}.case.m", 256),
    ("results.{ok}.case.m", "1,x=2"),
    ("results.{ok}.case.m", "a/b"),
    ("results.{ok}.work.flops", -1),
    ("results.{ok}.status", "pending"),
    ("results.{ok}.reason", "for no reason"),
    ("results.{ok}.check.tolerance", None),
    ("results.{ok}.relative_to", ""),
    ("results.{ok}.relative_to", 3),
    ("results.{ok}.stopped", "tired"),
    ("results.{ok}.watched", []),
    ("results.{ok}.watched.0.invocation", -1),
    ("results.{ok}.watched.0.disturbed", 1.5),
    ("results.{ok}.watched.0.canary", "slow"),
    ("results.{ok}.watched.0.others", -1),
    ("results.{ok}.watched.0.device", DELETE),
    ("results.{ok}.metrics.0.disturbed", 0),
    ("results.{ok}.metrics.0.samples.0.disturbed", [-1]),
    ("results.{ok}.metrics.0.samples.0.disturbed", [1, 1]),
    ("results.{ok}.metrics.0.better", "up"),
    ("results.{ok}.metrics.0.unit", ""),
    ("results.{ok}.metrics.0.median", "1"),
    ("results.{ok}.metrics.0.ci", [1]),
    ("results.{ok}.metrics.0.ci_over", "time"),
    ("results.{ok}.metrics.0.samples.0.values", []),
    ("results.{ok}.metrics.0.samples.0.values.0", None),
    ("results.{failed}.metrics", "that of {ok}"),
]


def spoil(document, path, value):
    """A copy of the document with `value` at the path."""
    document = copy.deepcopy(document)
    at = document
    *way, last = path.split(".")
    for part in way:
        at = at[int(part) if isinstance(at, list) else part]
    if value is DELETE:
        del at[last]
    else:
        at[int(last) if isinstance(at, list) else last] = value
    return document


def accepted(validator, document):
    """The ways to spoil the document that the schema lets pass, a line each."""
    states = [result["status"] for result in document["results"]]
    ok, failed = states.index("ok"), states.index("failed")
    for path, value in SPOILS:
        if value == "that of {ok}":
            value = document["results"][ok]["metrics"]
        path = path.format(ok=ok, failed=failed)
        if validator.is_valid(spoil(document, path, value)):
            yield f"accepted although {path} is spoiled"


def faults(validator, document):
    """What is wrong with the document, a line each."""
    for error in validator.iter_errors(document):
        yield f"{error.json_path}: {error.message}"


def main(arguments):
    check = accepted if "--spoiled" in arguments else faults
    paths = [argument for argument in arguments if argument not in ("--right", "--spoiled")]
    if not paths:
        sys.exit(__doc__)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    status = 0
    for path in paths:
        try:
            document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
            lines = list(check(validator, document))
        except (OSError, ValueError) as cause:
            lines = [str(cause)]
        for line in lines:
            print(f"{path}: {line}")
            status = 1
    return status


sys.exit(main(sys.argv[1:]))
