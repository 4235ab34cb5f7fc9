# SPDX-License-Identifier: MIT
"""JAX: each work compiled by XLA, launched one after another."""

import functools
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp
import numpy as np

from peer import Base, slug
from works import Unsupported

TYPES = {
    "f32": jnp.float32,
    "tf32": jnp.float32,
    "f64": jnp.float64,
    "f16": jnp.float16,
    "bf16": jnp.bfloat16,
}


class Peer(Base):
    def __init__(self, kind):
        self.gpu = kind == "gpu"
        self.at = jax.devices("gpu" if self.gpu else "cpu")[0]
        self.version = jax.__version__
        self.device = slug(self.at.device_kind) if self.gpu else "cpu"
        jax.config.update("jax_enable_x64", True)
        self.nhwc = False

    def finish(self, result):
        jax.block_until_ready(result)

    def fetch(self, result):
        if result.dtype == jnp.bfloat16:
            result = result.astype(jnp.float32)
        result = np.asarray(result)
        return result.transpose(0, 3, 1, 2) if self.nhwc else result

    def release(self):
        self.nhwc = False

    def put(self, array, dtype):
        if dtype == "tf32" and not self.gpu:
            raise Unsupported("no TF32 on CPUs")
        return jax.device_put(jnp.asarray(array, dtype=TYPES[dtype]), self.at)

    def precision(self, dtype):
        return "tensorfloat32" if dtype == "tf32" else jax.lax.Precision.HIGHEST

    def compiled(self, function, *arguments):
        with jax.default_device(self.at):
            ready = jax.jit(function).lower(*arguments).compile()
        return functools.partial(ready, *arguments)

    def gemm(self, work):
        a, b = self.put(work.a, work.dtype), self.put(work.b, work.dtype)
        precision = self.precision(work.dtype)

        def product(a, b):
            a = jnp.swapaxes(a, -1, -2) if work.trans_a else a
            b = jnp.swapaxes(b, -1, -2) if work.trans_b else b
            return jnp.matmul(a, b, precision=precision)

        return [("matmul", self.compiled(product, a, b))]

    def gemmchain(self, work):
        a = self.put(work.a, work.dtype)
        factors = [self.put(factor, work.dtype) for factor in work.factors]
        precision = self.precision(work.dtype)

        def chain(a, factors):
            for factor in factors:
                a = jnp.matmul(a, factor, precision=precision)
            return a

        return [("matmul", self.compiled(chain, a, factors))]

    def conv2d(self, work):
        x, weight = self.put(work.x, work.dtype), self.put(work.weight, work.dtype)
        nhwc = self.nhwc = work.layout == "nhwc"
        if nhwc:
            x, weight = x.transpose(0, 2, 3, 1), weight.transpose(2, 3, 1, 0)
        names = ("NHWC", "HWIO", "NHWC") if nhwc else ("NCHW", "OIHW", "NCHW")

        def convolution(x, weight):
            return jax.lax.conv_general_dilated(
                x,
                weight,
                (work.stride,) * 2,
                [(work.pad,) * 2] * 2,
                rhs_dilation=(work.dilation,) * 2,
                dimension_numbers=names,
                feature_group_count=work.groups,
                precision=self.precision(work.dtype),
            )

        return [("conv", self.compiled(convolution, x, weight))]

    def reduction(self, work):
        a = self.put(work.a, work.dtype)
        if work.op == "dot":
            b = self.put(work.b, work.dtype)
            precision = self.precision(work.dtype)
            return [("dot", self.compiled(lambda a, b: jnp.dot(a, b, precision=precision), a, b))]
        return [(work.op, self.compiled(getattr(jnp, work.op), a))]

    def elementwise(self, work):
        a, b = self.put(work.a, work.dtype), self.put(work.b, work.dtype)
        return [(work.op, self.compiled(jnp.add if work.op == "add" else jnp.multiply, a, b))]

    def activation(self, work):
        ways = {
            "relu": jax.nn.relu,
            "gelu": functools.partial(jax.nn.gelu, approximate=False),
            "gelu_tanh": functools.partial(jax.nn.gelu, approximate=True),
        }
        return [(work.function, self.compiled(ways[work.function], self.put(work.a, work.dtype)))]

    def random(self, work):
        if work.distribution == "bits":
            draw = functools.partial(jax.random.bits, shape=(work.count,), dtype=jnp.uint32)
        else:
            function = jax.random.normal if work.distribution == "normal" else jax.random.uniform
            draw = functools.partial(function, shape=(work.count,), dtype=TYPES[work.dtype])
        return [(work.distribution, self.compiled(draw, jax.device_put(jax.random.key(1), self.at)))]

    def mnist(self, work):
        images, order = (jax.device_put(jnp.asarray(array), self.at) for array in (work.images, work.order))
        one_hot = jax.device_put(jnp.eye(10, dtype=jnp.float32)[work.taught], self.at)
        product = functools.partial(jnp.matmul, precision=jax.lax.Precision.HIGHEST)

        def step(weights, chosen):
            w1, b1, w2, b2 = weights
            x = images[chosen].astype(jnp.float32) * np.float32(1 / 255)
            hidden = jax.nn.relu(product(x, w1) + b1)
            error = (jax.nn.softmax(product(hidden, w2) + b2) - one_hot[chosen]) * np.float32(1 / work.BATCH)
            back = product(error, w2.T) * (hidden > 0)
            gradients = product(x.T, back), back.sum(0), product(hidden.T, error), error.sum(0)
            return [w - np.float32(work.RATE) * g for w, g in zip(weights, gradients)], None

        epoch = jax.jit(lambda weights: jax.lax.scan(step, weights, order)[0])
        state = [[jax.device_put(jnp.asarray(weight), self.at) for weight in work.weights]]

        def call():
            state[0] = epoch(state[0])
            return state[0]

        return [("epoch", call)]
