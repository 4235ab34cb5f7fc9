# SPDX-License-Identifier: MIT
"""
The works: operands as the suite of the same name makes them, and the reference that each framework's
result is checked against. What a framework is given is in single precision (or double), already rounded to
the work's type, so that all frameworks compute with the same numbers.
"""

import functools
import math

import numpy as np

EPSILON = {"f32": 2.0**-24, "f64": 2.0**-53, "tf32": 2.0**-24, "f16": 2.0**-24, "bf16": 2.0**-24}
# Of one rounding of the result to the type it is stored in.
STORED = {"f16": 2.0**-11, "bf16": 2.0**-8}


class Unsupported(Exception):
    """A framework has no such operation; the text says what it lacks."""


class Wrong(Exception):
    """A result that is not the reference's."""


@functools.cache
def pool(dtype):
    return rounded(np.random.default_rng(1).random((1 << 24) + 3, dtype=np.float32) * 2 - 1, dtype)


def uniform(count, stream, dtype="f32"):
    """`count` numbers of the type, uniform in [-1, 1): for each stream another part of one pool, again and again."""
    numbers = pool(dtype)
    offset = stream * 5000011 % numbers.size
    if numbers.size - offset >= count:
        return numbers[offset : offset + count]
    return np.resize(np.roll(numbers, -offset), count)


def rounded(values, dtype):
    """To the nearest number of the type, in an array of single precision (double for f64)."""
    if dtype == "f16":
        return values.astype(np.float16).astype(np.float32)
    if dtype in ("bf16", "tf32"):
        bits = values.view(np.uint32).copy()
        drop = np.uint32(16 if dtype == "bf16" else 13)
        half = np.uint32(1) << (drop - np.uint32(1))
        bits += (half - np.uint32(1)) + ((bits >> drop) & np.uint32(1))
        return ((bits >> drop) << drop).view(np.float32)
    return values.astype(np.float64) if dtype == "f64" else values


def require(params, **wanted):
    for name, value in wanted.items():
        if name in params and float(params[name]) != value:
            raise Unsupported(f"{name}={params[name]}: only {value:g} is compared")


def places(count, most, seed=1):
    """Up to `most` indices below `count`, the first and the last among them."""
    if count <= most:
        return np.arange(count)
    chosen = np.random.default_rng(seed).integers(0, count, most)
    return np.unique(np.concatenate([[0, count - 1], chosen]))


def judge(result, expected, allowed):
    """The largest error over what is allowed: above 1, or NaN, is wrong."""
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.abs(np.asarray(result, dtype=np.float64) - expected)
        worst = float(np.max(np.where(error == 0, 0, error / allowed))) if error.size else 0.0
    if not worst <= 1:
        raise Wrong(f"an error of {worst:.3g} times what is allowed")
    return worst


def dense_allowed(terms, dtype, magnitudes, expected):
    """kit/dense.h: 3 sqrt(terms + 4) u of the sum of magnitudes, and one rounding to the stored type."""
    allowed = 3 * math.sqrt(terms + 4) * EPSILON[dtype] * magnitudes
    return allowed + STORED.get(dtype, 0) * np.abs(expected) * 1.01


class Gemm:
    """C = op(A) op(B), one or a batch; alpha = 1 and beta = 0."""

    def __init__(self, params):
        require(params, alpha=1, beta=0)
        self.dtype = params["dtype"]
        self.m, self.n, self.k = (int(params[name]) for name in "mnk")
        self.batch = int(params["batch"])
        self.trans_a, self.trans_b = (letter == "T" for letter in params["trans"])
        shape_a = (self.k, self.m) if self.trans_a else (self.m, self.k)
        shape_b = (self.n, self.k) if self.trans_b else (self.k, self.n)
        lead = (self.batch,) if self.batch > 1 else ()
        self.a = uniform(self.batch * self.m * self.k, 1, self.dtype).reshape(lead + shape_a)
        self.b = uniform(self.batch * self.k * self.n, 2, self.dtype).reshape(lead + shape_b)

    @functools.cached_property
    def expected(self):
        """[(product, rows, what they are, what an element may be off)]: all rows of a small one, some of a large one."""
        found = []
        for i in places(self.batch, 4):
            a = self.a[i] if self.batch > 1 else self.a
            b = self.b[i] if self.batch > 1 else self.b
            a = a.T if self.trans_a else a
            b = b.T if self.trans_b else b
            rows = places(self.m, self.m if self.m * self.n * self.k <= 1 << 26 else 6)
            a, b = a[rows].astype(np.float64), b.astype(np.float64)
            product = a @ b
            allowed = dense_allowed(self.k, self.dtype, np.abs(a) @ np.abs(b, out=b), product)
            found.append((i, rows, product, allowed))
        return found

    def check(self, c):
        c = c.reshape(self.batch, self.m, self.n)
        if not np.isfinite(c).all():
            raise Wrong("elements that are no finite numbers")
        return max(judge(c[i][rows], product, allowed) for i, rows, product, allowed in self.expected)


class GemmChain:
    """A B_1, then that times B_2, and so on. The factor of each product is in the B already."""

    def __init__(self, params):
        self.dtype = params["dtype"]
        self.n, self.length = int(params["n"]), int(params["length"])
        n = self.n
        self.a = uniform(n * n, 1, self.dtype).reshape(n, n)
        scale = np.float32(math.sqrt(3 / n))
        self.factors = [rounded(uniform(n * n, 2 + i) * scale, self.dtype).reshape(n, n) for i in range(self.length)]

    def check(self, c):
        rows = places(self.n, 8)
        expected = self.a[rows].astype(np.float64)
        for factor in self.factors:
            expected = expected @ factor.astype(np.float64)
        # Rounding errors of a chain are followed as variances: each product has elements of variance 1/3.
        allowed = 3 * self.length * math.sqrt(self.n + 4) * EPSILON[self.dtype] * math.sqrt(self.n)
        return judge(c[rows], expected, allowed)


class Conv2d:
    def __init__(self, params):
        self.dtype, self.layout = params["dtype"], params["layout"]
        names = ("n", "c", "h", "w", "k", "r", "s", "stride", "pad", "dilation", "groups")
        for name in names:
            setattr(self, name, int(params[name]))
        channels = self.c // self.groups
        # nchw and kcrs, whatever the layout that a framework then gives them.
        self.x = uniform(self.n * self.c * self.h * self.w, 1, self.dtype).reshape(self.n, self.c, self.h, self.w)
        self.weight = uniform(self.k * channels * self.r * self.s, 2, self.dtype).reshape(
            self.k, channels, self.r, self.s
        )
        self.ho = (self.h + 2 * self.pad - self.dilation * (self.r - 1) - 1) // self.stride + 1
        self.wo = (self.w + 2 * self.pad - self.dilation * (self.s - 1) - 1) // self.stride + 1

    def check(self, y, winograd=True):
        """`y` is n x k x ho x wo. All channels at corners and at some places."""
        if y.shape != (self.n, self.k, self.ho, self.wo):
            raise Wrong(f"a result of shape {y.shape}")
        if not np.isfinite(y).all():
            raise Wrong("elements that are no finite numbers")
        channels, filters = self.c // self.groups, self.k // self.groups
        weight = self.weight.astype(np.float64).reshape(self.groups, filters, -1)
        worst = 0.0
        for place in places(self.n * self.ho * self.wo, 64):
            image, place = divmod(int(place), self.ho * self.wo)
            row, column = divmod(place, self.wo)
            window = np.zeros((self.c, self.r, self.s))
            for i in range(self.r):
                for j in range(self.s):
                    y0 = row * self.stride - self.pad + i * self.dilation
                    x0 = column * self.stride - self.pad + j * self.dilation
                    if 0 <= y0 < self.h and 0 <= x0 < self.w:
                        window[:, i, j] = self.x[image, :, y0, x0]
            window = window.reshape(self.groups, channels * self.r * self.s, 1)
            expected = (weight @ window).reshape(self.k)
            magnitudes = (np.abs(weight) @ np.abs(window)).reshape(self.k)
            if winograd and self.r == self.s == 3 and self.stride == 1:
                # docs/suites/conv2d.md: its transforms take in the whole tile and enlarge the weights.
                magnitudes = (16 * np.abs(weight).sum(axis=2) / 2).reshape(self.k)
            allowed = dense_allowed(channels * self.r * self.s, self.dtype, magnitudes, expected)
            worst = max(worst, judge(y[image, :, row, column], expected, allowed))
        return worst


class Reduction:
    """Elements on a grid so coarse that no sum is rounded: suites/reduction.c."""

    def __init__(self, params):
        self.dtype, self.op, self.count = params["dtype"], params["op"], int(params["count"])
        digits = 53 if self.dtype == "f64" else 24
        power = math.floor(digits - 3 - math.log2(self.count) / 2)
        unit = 2.0 ** -(power // 2 if self.op == "dot" else power)
        self.a = self.grid(1, unit)
        self.b = self.grid(2, unit) if self.op == "dot" else None
        if self.op in ("max", "argmax"):
            self.a[self.count * 2 // 3] = 1.5

    def grid(self, stream, unit):
        values = uniform(self.count, stream).astype(np.float64 if self.dtype == "f64" else np.float32)
        return np.rint(values / unit) * values.dtype.type(unit)

    def check(self, value):
        value = float(np.asarray(value).reshape(-1)[0])
        if self.op == "dot":
            expected = float(np.dot(self.a.astype(np.float64), self.b.astype(np.float64)))
        elif self.op == "sum":
            expected = float(self.a.sum(dtype=np.float64))
        else:
            expected = {"max": np.max, "argmax": np.argmax}[self.op](self.a)
        if value != expected:
            raise Wrong(f"{value!r} in place of {float(expected)!r}")
        return 0.0


class Elementwise:
    def __init__(self, params):
        self.dtype, self.op, self.count = params["dtype"], params["op"], int(params["count"])
        self.a, self.b = (uniform(self.count, i, self.dtype) for i in (1, 2))

    def check(self, c):
        at = places(self.count, 1 << 20)
        a, b = self.a[at].astype(np.float64), self.b[at].astype(np.float64)
        expected = a + b if self.op == "add" else a * b
        return judge(c[at], expected, EPSILON[self.dtype] * np.abs(expected))


class Activation:
    def __init__(self, params):
        self.dtype, self.function, self.count = params["dtype"], params["function"], int(params["count"])
        self.a = uniform(self.count, 1, self.dtype) * self.a_scale()

    def a_scale(self):
        return np.float64(6) if self.dtype == "f64" else np.float32(6)

    def check(self, c):
        from scipy.special import erfc

        at = places(self.count, 1 << 20)
        x = self.a[at].astype(np.float64)
        if self.function == "relu":
            expected = np.maximum(x, 0)
        elif self.function == "gelu":
            expected = x / 2 * erfc(-x / math.sqrt(2))
        else:
            expected = x / (1 + np.exp(-2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        return judge(c[at], expected, 16 * EPSILON[self.dtype] * np.abs(x) + 1e-300)


class Random:
    """Generators differ, so the moments are checked: within 6 standard errors of theory."""

    MOMENTS = {"normal": (0, 1, 0, 3), "uniform": (1 / 2, 1 / 3, 1 / 4, 1 / 5)}
    SQUARES = {"normal": (1, 3, 15, 105), "uniform": (1 / 3, 1 / 5, 1 / 7, 1 / 9)}

    def __init__(self, params):
        self.dtype, self.distribution = params["dtype"], params["distribution"]
        self.count = int(params["count"])

    def check(self, values):
        if self.distribution == "bits":
            values = values.reshape(-1).view(np.uint32) if values.dtype.itemsize == 4 else values.reshape(-1)
            ones = sum(int((values >> i & 1).sum()) for i in range(values.dtype.itemsize * 8))
            bits = values.size * values.dtype.itemsize * 8
            if abs(ones / bits - 0.5) > 6 * 0.5 / math.sqrt(bits):
                raise Wrong(f"{ones} of {bits} bits are 1")
            return 0.0
        x, worst = values.reshape(-1).astype(np.float64), 0.0
        for power in range(4):
            mean, square = self.MOMENTS[self.distribution][power], self.SQUARES[self.distribution][power]
            error = math.sqrt((square - mean * mean) / x.size)
            worst = max(worst, abs(float(np.mean(x ** (power + 1))) - mean) / (6 * error))
        if not worst <= 1:
            raise Wrong(f"moments are {worst * 6:.3g} standard errors off")
        return worst


class Spmv:
    """y = A x; `path` is the file's where the matrix is of a file."""

    def __init__(self, params, path=None):
        import scipy.io
        import scipy.sparse

        require(params, repeat=1)
        self.dtype = params["dtype"]
        kind = np.float64 if self.dtype == "f64" else np.float32
        if path:
            matrix = scipy.io.mmread(path)
        else:
            n = int(params["n"]) or 1000000
            matrix = self.generated(scipy.sparse, params["matrix"], n, int(params["per_row"]))
        self.matrix = scipy.sparse.csr_matrix(matrix).astype(kind)
        self.matrix.sum_duplicates()
        self.x = uniform(self.matrix.shape[1], 3).astype(kind)

    @staticmethod
    def generated(sparse, kind, n, per_row):
        if kind == "cycle":
            ring = np.arange(n)
            columns = np.sort(np.stack([(ring - 1) % n, (ring + 1) % n], axis=1), axis=1)
            return sparse.csr_matrix((np.full(2 * n, 0.5), columns.reshape(-1), np.arange(0, 2 * n + 1, 2)), (n, n))
        if kind == "poisson2d":
            side = math.isqrt(n)
            line = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(side, side))
            one = sparse.identity(side)
            return sparse.kron(one, line) + sparse.kron(line, one)
        if kind == "banded":
            width = per_row or 32
            offsets = range(-(width // 2), width - width // 2)
            return sparse.diags([uniform(n, 10 + i) for i in range(width)], list(offsets), shape=(n, n))
        raise Unsupported(f"matrix={kind} is drawn by bench from its own seed; give a file")

    def check(self, y):
        matrix, x = self.matrix.astype(np.float64), self.x.astype(np.float64)
        lengths = np.diff(self.matrix.indptr)
        allowed = 3 * np.sqrt(lengths + 4) * EPSILON[self.dtype] * (abs(matrix) @ np.abs(x))
        return judge(y.reshape(-1), matrix @ x, allowed)


class Mnist:
    """
    An epoch of suite mnist: minibatches of 256, 784 to 128 to 10, ReLU, softmax with cross-entropy, plain gradient descent.
    The images are of their own: how long an epoch takes does not depend on what they show. One label in ten is wrong, so that
    gradients do not die out.
    """

    BATCH, RATE = 256, 0.7

    def __init__(self, params):
        if params["data"] != "synthetic":
            raise Unsupported("data=synthetic alone is compared")
        rng = np.random.default_rng(3)
        self.dtype, self.samples = "f32", int(params["samples"])
        self.steps = self.samples // self.BATCH
        shown = rng.random((10, 784)) < 0.13
        self.labels = rng.integers(0, 10, self.samples)
        noise = rng.integers(0, 40, (self.samples, 784), dtype=np.uint8)
        self.images = np.where(shown[self.labels], np.uint8(200), np.uint8(0)) + noise * shown[(self.labels + 1) % 10]
        wrong = rng.random(self.samples) < 0.1
        self.taught = np.where(wrong, rng.integers(0, 10, self.samples), self.labels)
        self.order = rng.permutation(self.samples)[: self.steps * self.BATCH].reshape(self.steps, self.BATCH)
        self.weights = [
            (rng.random(shape) * 2 - 1).astype(np.float32) / np.float32(math.sqrt(fan))
            for shape, fan in (((784, 128), 784), ((128,), 784), ((128, 10), 128), ((10,), 128))
        ]

    def check(self, weights):
        w1, b1, w2, b2 = (np.asarray(w, dtype=np.float64) for w in weights)
        x = self.images[:2000] / 255
        right = np.mean(np.argmax(np.maximum(x @ w1 + b1, 0) @ w2 + b2, axis=1) == self.labels[:2000])
        if not right >= 0.9:
            raise Wrong(f"{right:.3f} of the images are read right")
        return 1 - float(right)


KINDS = {
    "mnist": Mnist,
    "gemm": Gemm,
    "gemm_chain": GemmChain,
    "conv2d": Conv2d,
    "reduction": Reduction,
    "elementwise": Elementwise,
    "activation": Activation,
    "random": Random,
    "spmv": Spmv,
}


def make(suite, params, path=None):
    if suite not in KINDS:
        raise Unsupported(f"suite {suite} is not compared")
    return KINDS[suite](params, path) if path else KINDS[suite](params)
