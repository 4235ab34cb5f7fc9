# SPDX-License-Identifier: MIT
"""CuPy: cuBLAS, cuSPARSE and cuRAND as its users call them."""

import cupy
import cupyx.scipy.sparse

from peer import Base, slug
from works import Unsupported

TYPES = {"f32": cupy.float32, "f64": cupy.float64, "f16": cupy.float16}


class Peer(Base):
    def __init__(self, kind):
        if kind != "gpu":
            raise RuntimeError("CuPy is for GPUs")
        self.version = cupy.__version__
        self.device = slug(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode())
        self.rng = cupy.random.default_rng(1)

    def finish(self, result):
        cupy.cuda.Device().synchronize()

    def fetch(self, result):
        return cupy.asnumpy(result)

    def release(self):
        cupy.get_default_memory_pool().free_all_blocks()

    def put(self, array, dtype):
        if dtype not in TYPES:
            raise Unsupported(f"no products of {dtype} without a mode of the process")
        return cupy.asarray(array, dtype=TYPES[dtype])

    def gemm(self, work):
        a, b = self.put(work.a, work.dtype), self.put(work.b, work.dtype)
        a = a.swapaxes(-1, -2) if work.trans_a else a
        b = b.swapaxes(-1, -2) if work.trans_b else b
        c = cupy.empty(a.shape[:-1] + b.shape[-1:], a.dtype)
        return [("matmul", lambda: cupy.matmul(a, b, out=c))]

    def reduction(self, work):
        a = self.put(work.a, work.dtype)
        if work.op == "dot":
            b = self.put(work.b, work.dtype)
            return [("dot", lambda: cupy.dot(a, b))]
        return [(work.op, getattr(a, work.op))]

    def elementwise(self, work):
        a, b = self.put(work.a, work.dtype), self.put(work.b, work.dtype)
        c, operation = cupy.empty_like(a), cupy.add if work.op == "add" else cupy.multiply
        return [(work.op, lambda: operation(a, b, out=c))]

    def random(self, work):
        kind = TYPES[work.dtype]
        if work.distribution == "bits":
            raise Unsupported("its bits cannot be written into an array that exists")
        out = cupy.empty(work.count, kind)
        fill = self.rng.standard_normal if work.distribution == "normal" else self.rng.random
        return [(work.distribution, lambda: fill(size=work.count, dtype=kind, out=out))]

    def spmv(self, work):
        matrix = cupyx.scipy.sparse.csr_matrix(work.matrix)
        x = self.put(work.x, work.dtype)
        return [("csr", lambda: matrix @ x)]
