# SPDX-License-Identifier: MIT
"""PyTorch: on CPUs oneDNN and MKL, on GPUs cuBLAS, cuDNN with its search, cuSPARSE; launched, and in a CUDA graph."""

import numpy as np
import torch

from peer import Base, slug
from works import Unsupported

TYPES = {
    "f32": torch.float32,
    "tf32": torch.float32,
    "f64": torch.float64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
}


class Peer(Base):
    def __init__(self, kind):
        self.version = torch.__version__
        self.gpu = kind == "gpu"
        if self.gpu and not torch.cuda.is_available():
            raise RuntimeError("this PyTorch sees no GPU")
        self.graphs = self.gpu
        self.at = torch.device("cuda" if self.gpu else "cpu")
        self.device = slug(torch.cuda.get_device_name()) if self.gpu else "cpu"
        torch.backends.cudnn.benchmark = True
        torch.set_grad_enabled(False)
        if self.gpu:
            self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]

    def finish(self, result):
        if self.gpu:
            torch.cuda.synchronize()

    def fetch(self, result):
        result = result.detach()
        if result.dtype in (torch.float16, torch.bfloat16):
            result = result.float()
        return result.cpu().numpy()

    def release(self):
        if self.gpu:
            torch.cuda.empty_cache()

    def put(self, array, dtype):
        """On the device, in the type. TF32 is a mode of products, and off for f32."""
        tf32 = dtype == "tf32"
        if tf32 and not self.gpu:
            raise Unsupported("no TF32 on CPUs")
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.at).to(TYPES[dtype])

    def graph(self, call, repeats):
        graph, held = torch.cuda.CUDAGraph(), []
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                call()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            for _ in range(repeats):
                held[:] = [call()]
        first, last = self.events

        def device_time():
            graph.replay()
            first.record()
            graph.replay()
            last.record()
            last.synchronize()
            return first.elapsed_time(last) * 1e-3

        def replay():
            graph.replay()
            return held[0]

        replay()
        torch.cuda.synchronize()
        return replay, held[0], device_time

    def gemm(self, work):
        a, b = self.put(work.a, work.dtype), self.put(work.b, work.dtype)
        a = a.transpose(-1, -2) if work.trans_a else a
        b = b.transpose(-1, -2) if work.trans_b else b
        c = torch.empty(a.shape[:-1] + b.shape[-1:], dtype=a.dtype, device=self.at)
        ways = [("matmul", lambda: torch.matmul(a, b, out=c))]
        if work.batch == 1 and work.m == 1:
            row, rows = a.reshape(-1), b.t()
            ways.append(("mv", lambda: torch.mv(rows, row, out=c.view(-1)).view(1, -1)))
        if work.batch == 1 and work.n == 1:
            column = b.reshape(-1)
            ways.append(("mv", lambda: torch.mv(a, column, out=c.view(-1)).view(-1, 1)))
        return ways

    def gemmchain(self, work):
        a = self.put(work.a, work.dtype)
        factors = [self.put(factor, work.dtype) for factor in work.factors]
        spare = torch.empty_like(a), torch.empty_like(a)

        def call():
            last = a
            for i, factor in enumerate(factors):
                last = torch.mm(last, factor, out=spare[i % 2])
            return last

        return [("mm", call)]

    def conv2d(self, work):
        form = torch.channels_last if work.layout == "nhwc" else torch.contiguous_format
        x = self.put(work.x, work.dtype).contiguous(memory_format=form)
        weight = self.put(work.weight, work.dtype).contiguous(memory_format=form)
        options = dict(stride=work.stride, padding=work.pad, dilation=work.dilation, groups=work.groups)
        return [("conv2d", lambda: torch.nn.functional.conv2d(x, weight, **options))]

    def reduction(self, work):
        a = self.put(work.a, work.dtype)
        if work.op == "dot":
            b = self.put(work.b, work.dtype)
            return [("dot", lambda: torch.dot(a, b))]
        return [(work.op, getattr(a, work.op))]

    def elementwise(self, work):
        a, b = self.put(work.a, work.dtype), self.put(work.b, work.dtype)
        c, operation = torch.empty_like(a), torch.add if work.op == "add" else torch.mul
        return [(work.op, lambda: operation(a, b, out=c))]

    def activation(self, work):
        a = self.put(work.a, work.dtype)
        functions = torch.nn.functional
        ways = {
            "relu": lambda: functions.relu(a),
            "gelu": lambda: functions.gelu(a),
            "gelu_tanh": lambda: functions.gelu(a, approximate="tanh"),
        }
        return [(work.function, ways[work.function])]

    def random(self, work):
        if work.distribution == "bits":
            if work.dtype == "f64":
                raise Unsupported("random_ gives 63 bits of 64")
            out = torch.empty(work.count, dtype=torch.int32, device=self.at)
            return [("random_", lambda: out.random_(-(2**31), 2**31))]
        out = torch.empty(work.count, dtype=TYPES[work.dtype], device=self.at)
        fill = out.normal_ if work.distribution == "normal" else out.uniform_
        return [(work.distribution, fill)]

    def spmv(self, work):
        csr = work.matrix
        matrix = torch.sparse_csr_tensor(
            torch.from_numpy(csr.indptr.astype(np.int32)),
            torch.from_numpy(csr.indices.astype(np.int32)),
            torch.from_numpy(csr.data),
            size=csr.shape,
        ).to(self.at)
        x = self.put(work.x, work.dtype)
        return [("csr", lambda: torch.mv(matrix, x))]

    def mnist(self, work):
        """By hand: what autograd does for these layers, without its bookkeeping."""
        weights = w1, b1, w2, b2 = [self.put(weight, "f32") for weight in work.weights]
        images, order = (torch.from_numpy(array).to(self.at) for array in (work.images, work.order))
        one_hot = torch.eye(10, device=self.at)[torch.from_numpy(work.taught).to(self.at)]

        def epoch():
            for chosen in order:
                x = images[chosen].float().mul_(1 / 255)
                hidden = torch.addmm(b1, x, w1).relu_()
                error = torch.softmax(torch.addmm(b2, hidden, w2), dim=1).sub_(one_hot[chosen]).mul_(1 / work.BATCH)
                back = torch.mm(error, w2.t()).mul_(hidden > 0)
                w2.addmm_(hidden.t(), error, alpha=-work.RATE)
                b2.sub_(error.sum(0), alpha=work.RATE)
                w1.addmm_(x.t(), back, alpha=-work.RATE)
                b1.sub_(back.sum(0), alpha=work.RATE)
            return weights

        return [("epoch", epoch)]
