# SPDX-License-Identifier: MIT
"""NumPy: what its users write, results into arrays that exist."""

import numpy as np

from peer import Base
from works import Unsupported


class Peer(Base):
    device = "cpu"

    def __init__(self, kind):
        self.version = np.__version__
        self.rng = np.random.default_rng(1)

    def fetch(self, result):
        return np.asarray(result)

    @staticmethod
    def plain(work):
        if work.dtype not in ("f32", "f64"):
            raise Unsupported(f"no products of {work.dtype}")

    def gemm(self, work):
        self.plain(work)
        a = work.a.swapaxes(-1, -2) if work.trans_a else work.a
        b = work.b.swapaxes(-1, -2) if work.trans_b else work.b
        c = np.empty(a.shape[:-1] + b.shape[-1:], a.dtype)
        return [("matmul", lambda: np.matmul(a, b, out=c))]

    def gemmchain(self, work):
        self.plain(work)
        c, d = np.empty_like(work.a), np.empty_like(work.a)

        def call():
            last = work.a
            for i, factor in enumerate(work.factors):
                last = np.matmul(last, factor, out=(c, d)[i % 2])
            return last

        return [("matmul", call)]

    def reduction(self, work):
        ways = {
            "sum": lambda: work.a.sum(),
            "max": lambda: work.a.max(),
            "argmax": lambda: work.a.argmax(),
            "dot": lambda: work.a.dot(work.b),
        }
        return [(work.op, ways[work.op])]

    def elementwise(self, work):
        operation, c = (np.add if work.op == "add" else np.multiply), np.empty_like(work.a)
        return [(work.op, lambda: operation(work.a, work.b, out=c))]

    def activation(self, work):
        if work.function != "relu":
            raise Unsupported("NumPy has no erf; see scipy")
        c = np.empty_like(work.a)
        return [("maximum", lambda: np.maximum(work.a, 0, out=c))]

    def random(self, work):
        kind = np.float64 if work.dtype == "f64" else np.float32
        out = np.empty(work.count, kind)
        if work.distribution == "bits":
            raise Unsupported("its bits cannot be written into an array that exists")
        fill = self.rng.standard_normal if work.distribution == "normal" else self.rng.random
        return [(work.distribution, lambda: fill(dtype=kind, out=out))]

    def mnist(self, work):
        weights = w1, b1, w2, b2 = [weight.copy() for weight in work.weights]
        one_hot = np.eye(10, dtype=np.float32)[work.taught]
        rate = np.float32(work.RATE)

        def epoch():
            for chosen in work.order:
                x = work.images[chosen] * np.float32(1 / 255)
                hidden = np.maximum(x @ w1 + b1, 0)
                scores = hidden @ w2 + b2
                scores = np.exp(scores - scores.max(axis=1, keepdims=True))
                error = (scores / scores.sum(axis=1, keepdims=True) - one_hot[chosen]) * np.float32(1 / work.BATCH)
                back = (error @ w2.T) * (hidden > 0)
                gradients = x.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(axis=0)
                for weight, gradient in zip(weights, gradients):
                    weight -= rate * gradient
            return weights

        return [("epoch", epoch)]
