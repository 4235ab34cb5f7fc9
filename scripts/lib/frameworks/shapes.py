# SPDX-License-Identifier: MIT
"""Works that nobody chose: drawn from a seed, the same on every machine."""

import math
import random

# Of published networks (bench run --suite conv2d --set shapes=help): channels, rows, filters, kernel, stride, groups.
LAYERS = {
    "ResNet-50, He et al., CVPR 2016": [
        (3, 224, 64, 7, 2, 1), (64, 56, 64, 1, 1, 1), (64, 56, 64, 3, 1, 1), (64, 56, 256, 1, 1, 1),
        (256, 56, 512, 1, 2, 1), (128, 28, 128, 3, 1, 1), (512, 28, 128, 1, 1, 1), (256, 14, 256, 3, 1, 1),
        (1024, 14, 256, 1, 1, 1), (512, 7, 512, 3, 1, 1), (2048, 7, 512, 1, 1, 1),
    ],
    "VGG-16, Simonyan and Zisserman, ICLR 2015": [
        (3, 224, 64, 3, 1, 1), (64, 112, 128, 3, 1, 1), (128, 56, 256, 3, 1, 1), (256, 28, 512, 3, 1, 1),
        (512, 14, 512, 3, 1, 1),
    ],
    "MobileNetV2, Sandler et al., CVPR 2018": [
        (32, 112, 32, 3, 1, 32), (96, 112, 96, 3, 2, 96), (144, 56, 144, 3, 1, 144), (192, 28, 192, 3, 1, 192),
        (384, 14, 384, 3, 1, 384), (960, 7, 960, 3, 1, 960), (16, 112, 96, 1, 1, 1), (320, 7, 1280, 1, 1, 1),
    ],
    "U-Net, Ronneberger et al., MICCAI 2015": [(64, 128, 64, 3, 1, 1), (128, 64, 256, 3, 1, 1), (512, 32, 512, 3, 1, 1)],
}  # fmt: skip
TYPES = {"cpu": ["f32", "f64"], "gpu": ["f16", "bf16", "tf32", "f32", "f64"]}
PEERS = {"cpu": {"gemm": "numpy,mkl,pytorch", "conv2d": "pytorch,jax"}, "gpu": {}}
SIZES = {"cpu": (16, 2048), "gpu": (16, 8192)}
COUNTS = {"cpu": (1e4, 1e7), "gpu": (1e4, 1e8)}
FACTORS = {"convolutions": 5, "vectors": 10}  # one for each so many products


def between(draw, low, high):
    """A whole number, log-uniform."""
    return round(math.exp(draw.uniform(math.log(low), math.log(high))))


def product(draw, device):
    m, n, k = (between(draw, *SIZES[device]) for _ in range(3))
    return f"gemm dtype={draw.choice(TYPES[device])} m={m} n={n} k={k} trans={draw.choice(['NN', 'NT', 'TN'])}"


def convolution(draw, device):
    c, h, k, r, stride, groups = draw.choice(draw.choice(list(LAYERS.values())))
    dtype = draw.choice(["f32"] if device == "cpu" else ["f16", "f32"])
    return (
        f"conv2d dtype={dtype} layout={draw.choice(['nchw', 'nhwc'])} n={draw.choice([1, 8])} c={c} h={h} k={k} r={r} "
        f"pad={r // 2} stride={stride} groups={groups} algorithm=auto"
    )


def vector(draw, device):
    count, dtype = between(draw, *COUNTS[device]), draw.choice(["f32", "f64"])
    op = draw.choice(["sum", "max", "dot", "add", "mul", "relu"])
    if op == "relu":
        return f"activation dtype={dtype} function=relu count={count}"
    if op in ("add", "mul"):
        return f"elementwise dtype={dtype} op={op} count={count}"
    return f"reduction dtype={dtype} op={op} count={count} stages=auto"


def lines(device, count, seed):
    """`count` products, and of convolutions and of vectors so many as FACTORS says; each list by itself is the seed's."""
    drawn = []
    for make, many in (
        (product, count),
        (convolution, count // FACTORS["convolutions"]),
        (vector, count // FACTORS["vectors"]),
    ):
        draw = random.Random(f"{seed} {make.__name__}")
        drawn += [make(draw, device) for _ in range(many)]
    named = []
    for line in dict.fromkeys(drawn):
        peers = PEERS[device].get(line.split()[0])
        named.append(f"{line} peers={peers}" if peers else line)
    return named
