# SPDX-License-Identifier: MIT
"""Unpacks samples. docs/file-formats.md ("Packed samples") has the format, harness/store/pack.c packs them."""

import math
import struct
from typing import Iterator, List, NamedTuple

_WORD = (1 << 64) - 1
_BITS, _DECIMAL, _TICKS = range(3)
_MOST_UNARY = 24
_MOST_DIGITS = 12
_INVOCATIONS = range(-(1 << 31), 1 << 31)


class Series(NamedTuple):
    """The samples of a metric in one invocation, in the order taken."""

    metric_key: int
    invocation: int
    values: List[float]
    disturbed: List[bool]


def _unfold(folded: int) -> int:
    return (folded >> 1) ^ -(folded & 1)


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.start_metric()

    def start_metric(self) -> None:
        """What the first series of a metric is coded as: nothing."""
        self.form, self.low, self.parameter, self.base = _TICKS + 1, 0, 0, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def count(self) -> int:
        number = 0
        for shift in range(0, 64, 7):
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number & _WORD
        raise ValueError("samples are damaged")

    def coding(self, same: bool) -> None:
        if not same:
            head = self.byte()
            self.form, self.low, self.parameter, self.base = head >> 6, head & 0x3F, self.count(), 0
        self.base += _unfold(self.count())
        most = {_BITS: 63, _DECIMAL: _MOST_DIGITS, _TICKS: _WORD}.get(self.form, -1)
        if self.low == 63 or self.parameter > most:
            raise ValueError("samples are damaged")

    def whole_numbers(self, count: int) -> List[int]:
        """The differences from the base, by Rice's code: the first bit is the lowest of the first byte."""
        if count == 1:
            return [self.base & _WORD]
        word = held = 0
        numbers = []

        def take(bits: int) -> int:
            nonlocal word, held
            while held < bits:
                word |= self.byte() << held
                held += 8
            taken = word & ((1 << bits) - 1)
            word >>= bits
            held -= bits
            return taken

        for _ in range(count):
            ones = 0
            while ones < _MOST_UNARY and take(1):
                ones += 1
            folded = ones << self.low | take(self.low) if ones < _MOST_UNARY else take(64)
            numbers.append((self.base + _unfold(folded)) & _WORD)
        return numbers

    def value(self, whole: int) -> float:
        if self.form == _DECIMAL:
            return _signed(whole) / 10.0**self.parameter
        if self.form == _TICKS:
            return _signed(whole) * 1e-9 / self.parameter
        bits = whole << self.parameter & _WORD
        if bits >> 63:
            bits ^= _WORD >> 1
        (value,) = struct.unpack("<d", struct.pack("<Q", bits))
        return float(value)

    def flags(self, count: int) -> List[bool]:
        packed = [self.byte() for _ in range((count + 7) // 8)]
        return [bool(packed[i // 8] >> i % 8 & 1) for i in range(count)]


def unpack(data: bytes) -> Iterator[Series]:
    """The series of a result, metric by metric. ValueError: they are damaged."""
    reader = _Reader(data)
    try:
        while reader.at < len(data):
            metric_key, series_count = reader.count(), reader.count()
            invocation = -1
            reader.start_metric()
            for _ in range(series_count):
                word, count = reader.count(), reader.count()
                invocation += 1 + _unfold(word >> 2)
                if count < 1 or invocation not in _INVOCATIONS:
                    raise ValueError("samples are damaged")
                reader.coding(same=bool(word & 2))
                values = [reader.value(whole) for whole in reader.whole_numbers(count)]
                flags = reader.flags(count) if word & 1 else [False] * count
                if not all(map(math.isfinite, values)):
                    raise ValueError("samples are damaged")
                yield Series(metric_key, invocation, values, flags)
    except (IndexError, ZeroDivisionError) as cause:
        raise ValueError("samples are damaged") from cause
