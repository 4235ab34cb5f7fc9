# SPDX-License-Identifier: MIT
"""tinygrad: kernels that it writes itself, for a CPU or by OpenCL, compiled once and replayed (TinyJit)."""

import importlib
import importlib.metadata
import os

import numpy as np

from peer import Base, slug
from works import Unsupported

TYPES = {"f32": "float32", "f64": "float64", "f16": "float16"}


class Peer(Base):
    def __init__(self, kind):
        os.environ.setdefault("DEV", "CL" if kind == "gpu" else "CPU")  # read when it is imported
        self.tiny = importlib.import_module("tinygrad")
        self.version = importlib.metadata.version("tinygrad")
        self.at = self.tiny.Device.DEFAULT
        self.device = slug(self.at)
        self.tiny.Tensor([1.0]).realize()

    def finish(self, result):
        self.tiny.Device[self.at].synchronize()

    def fetch(self, result):
        return (result if result.dtype == self.tiny.dtypes.float64 else result.float()).numpy()

    def put(self, array, dtype):
        if dtype not in TYPES:
            raise Unsupported(f"{dtype} is not compared")
        tensor = self.tiny.Tensor(np.ascontiguousarray(array)).cast(getattr(self.tiny.dtypes, TYPES[dtype]))
        return tensor.contiguous().realize()

    def jitted(self, function, *tensors):
        jit = self.tiny.TinyJit(lambda *tensors: function(*tensors).realize())
        for _ in range(3):  # records in the second call, replays from the third on
            jit(*tensors)
        return lambda: jit(*tensors)

    def gemm(self, work):
        a, b = self.put(work.a, work.dtype), self.put(work.b, work.dtype)
        a = a.transpose(-1, -2) if work.trans_a else a
        b = b.transpose(-1, -2) if work.trans_b else b
        return [("matmul", self.jitted(lambda a, b: a.matmul(b), a, b))]

    def conv2d(self, work):
        if work.layout != "nchw":
            raise Unsupported("its convolution is nchw")
        x, weight = self.put(work.x, work.dtype), self.put(work.weight, work.dtype)
        options = dict(stride=work.stride, padding=work.pad, dilation=work.dilation, groups=work.groups)
        return [("conv2d", self.jitted(lambda x, weight: x.conv2d(weight, **options), x, weight))]

    def reduction(self, work):
        if work.op not in ("sum", "max"):
            raise Unsupported(f"{work.op} is not compared")
        a = self.put(work.a, work.dtype)
        return [(work.op, self.jitted(lambda a: getattr(a, work.op)(), a))]

    def elementwise(self, work):
        a, b = self.put(work.a, work.dtype), self.put(work.b, work.dtype)
        return [(work.op, self.jitted((lambda a, b: a + b) if work.op == "add" else (lambda a, b: a * b), a, b))]

    def activation(self, work):
        if work.function == "gelu":
            raise Unsupported("its gelu is by tanh")
        a = self.put(work.a, work.dtype)
        function = "relu" if work.function == "relu" else "gelu"
        return [(function, self.jitted(lambda a: getattr(a, function)(), a))]
