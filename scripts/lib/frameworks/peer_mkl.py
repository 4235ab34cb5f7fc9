# SPDX-License-Identifier: MIT
"""MKL by its C interface: products of dense matrices."""

import ctypes
import glob
import os
import sys

import numpy as np

from peer import Base
from works import Unsupported


def library():
    for folder in (os.environ.get("MKLROOT", "/nonexistent"), sys.prefix):
        for path in sorted(glob.glob(os.path.join(folder, "lib", "**", "libmkl_rt.so*"), recursive=True)):
            return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    raise RuntimeError(f"no libmkl_rt.so below $MKLROOT/lib and {sys.prefix}/lib")


class Peer(Base):
    device = "cpu"

    def __init__(self, kind):
        if kind != "cpu":
            raise RuntimeError("MKL is for CPUs")
        os.environ.setdefault("MKL_THREADING_LAYER", "INTEL")
        self.library = library()
        text = ctypes.create_string_buffer(200)
        self.library.MKL_Get_Version_String(text, 200)
        self.version = text.value.decode().strip()
        reals = {"f32": (ctypes.c_float, self.library.cblas_sgemm), "f64": (ctypes.c_double, self.library.cblas_dgemm)}
        for real, function in reals.values():
            integer, pointer = ctypes.c_int, ctypes.c_void_p
            function.restype = None
            function.argtypes = [integer] * 6 + [real, pointer, integer, pointer, integer, real, pointer, integer]
        self.functions = {dtype: function for dtype, (_, function) in reals.items()}

    def fetch(self, result):
        return np.asarray(result)

    def product(self, work, a, b, c):
        trans = {False: 111, True: 112}
        arguments = (
            101,
            trans[work.trans_a],
            trans[work.trans_b],
            work.m,
            work.n,
            work.k,
            1.0,
            a.ctypes.data,
            a.shape[1],
            b.ctypes.data,
            b.shape[1],
            0.0,
            c.ctypes.data,
            work.n,
        )
        function = self.functions[work.dtype]
        function(*arguments)
        return lambda: function(*arguments)

    def gemm(self, work):
        if work.dtype not in self.functions:
            raise Unsupported(f"products of {work.dtype} are not compared")
        shape = (work.batch,) + work.a.shape[-2:], (work.batch,) + work.b.shape[-2:]
        a, b = (np.ascontiguousarray(x).reshape(s) for x, s in zip((work.a, work.b), shape))
        c = np.empty((work.batch, work.m, work.n), a.dtype)
        products = [self.product(work, a[i], b[i], c[i]) for i in range(work.batch)]
        self.held = a, b

        def call():
            for product in products:
                product()
            return c

        return [("cblas", call)]
