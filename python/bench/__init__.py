# SPDX-License-Identifier: MIT
"""Reads a history of bench: bench.open("results.db").history("gemm/*").to_pandas()"""

from ._history import Error, History, Table, Value, open

__all__ = ["Error", "History", "Table", "Value", "open"]
