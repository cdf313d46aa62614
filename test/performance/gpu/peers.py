# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All that needs PyTorch: the stream, events, peaks, and the same cases as PyTorch has them."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable

import torch
import torch.nn.functional as F

from torch_llama import Llama

DEVICE = "cuda"
SCRATCH = 512 << 20  # more than any L2 cache has, and time enough to launch a call
GEMM = 8192
COPY = 1 << 30


def randn(*shape: int, dtype=torch.float32) -> torch.Tensor:
    return torch.randn(*shape, dtype=dtype, device=DEVICE)


def matmul(n):
    return lambda a, b: a @ b, (randn(n, n), randn(n, n))


def linear(storage, rows, n):
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}[storage]
    return lambda x, w: F.linear(x, w), (randn(rows, n, dtype=dtype), randn(n, n, dtype=dtype))


def attention(kind, heads, length, window, documents):
    masks = {"causal": lambda: None, "window": lambda: near(length, window),
             "documents": lambda: same(length, documents),
             "masked": lambda: torch.rand(length, length, device=DEVICE) < 0.5,
             "biased": lambda: randn(1, heads, length, length)}

    def run(q, k, v, mask):
        return F.scaled_dot_product_attention(q, k, v, mask, is_causal=kind == "causal")
    return run, (*(randn(1, heads, length, 64) for _ in "qkv"), masks[kind]())


def near(length, window):
    positions = torch.arange(length, device=DEVICE)
    behind = positions[:, None] - positions
    return (behind >= 0) & (behind < window)


def same(length, documents):
    of = torch.arange(length, device=DEVICE) * documents // length
    return of[:, None] == of


def attention_decode(heads, keys):
    return (F.scaled_dot_product_attention,
            (randn(1, heads, 1, 64), randn(1, heads, keys, 64), randn(1, heads, keys, 64)))


def embedding(vocabulary, count, width):
    ids = torch.randint(vocabulary, (1, count), device=DEVICE)
    return F.embedding, (ids, randn(vocabulary, width))


def scatter(rows, count, width):
    to = torch.randint(rows, (count,), device=DEVICE)
    return (lambda x, i, u: x.index_add(0, i, u)), (randn(rows, width), to, randn(count, width))


def append(heads, before, length):
    """Into a cache that is there, as Heddle does it."""
    keys, values = (torch.zeros(1, before + length, heads * 64, device=DEVICE) for _ in "kv")

    def run(k, v):
        keys[:, before:] = k
        values[:, before:] = v
        return keys + values
    return run, (randn(1, length, heads * 64), randn(1, length, heads * 64))


def reduce(name, rows, width):
    ops = {"sum": lambda x: x.sum(1, keepdim=True), "argmax": lambda x: x.argmax(1, keepdim=True)}
    return ops[name], (randn(rows, width),)


def softmax(rows, width):
    return lambda x: F.softmax(x, 1), (randn(rows, width),)


def rms_norm(rows, width):
    def run(x, w):
        if hasattr(F, "rms_norm"):  # from 2.4 on
            return F.rms_norm(x, (width,), w, 1e-5)
        return x * torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-5) * w
    return run, (randn(rows, width), randn(width))


def layer_norm(rows, width):
    return (lambda x, w, b: F.layer_norm(x, (width,), w, b),
            (randn(rows, width), randn(width), randn(width)))


def gelu(rows, width):
    return lambda x: F.gelu(x), (randn(rows, width),)


def add(rows, width):
    return lambda a, b: a + b, (randn(rows, width), randn(rows, width))


def draw(logits):
    """One id, as gpt-fast does: torch.multinomial waits for the device."""
    p = F.softmax(logits, -1)
    return torch.argmax(p / torch.empty_like(p).exponential_(1), -1)


def sample(vocabulary):
    return lambda x: draw(x / 0.1), (randn(1, vocabulary),)


def sample_likely(vocabulary):
    """As Hugging Face transformers' warpers do it."""
    def run(x):
        x = x / 0.6
        x = x.masked_fill(x < torch.topk(x, 50)[0][:, -1:], -torch.inf)
        ascending, order = torch.sort(x)
        dropped = F.softmax(ascending, -1).cumsum(-1) <= 1 - 0.9
        x = x.masked_fill(dropped.scatter(1, order, dropped), -torch.inf)
        return draw(x)
    return run, (randn(1, vocabulary),)


def prompt(config, length):
    """In f32, as Heddle computes."""
    model = Llama(config, length, torch.float32, DEVICE)
    ids = torch.randint(config["vocab_size"], (1, length), device=DEVICE)
    return lambda ids: model(ids, 0), (ids,)


def decode(config, length):
    """In bf16, which is how PyTorch reads such weights."""
    model = Llama(config, length + 1, torch.bfloat16, DEVICE)
    ids = torch.randint(config["vocab_size"], (1, 1), device=DEVICE)
    return lambda ids: model(ids, length), (ids,)


PEERS = {f.__name__: f for f in (
    matmul, linear, attention, attention_decode, softmax, rms_norm, layer_norm, gelu, add,
    embedding, scatter, append, reduce, sample, sample_likely, prompt, decode)}


class Gpu:
    """What clock.HostClock is, on a GPU: calls are timed by events in one stream."""

    def __init__(self):
        if not torch.cuda.is_available():
            sys.exit("PyTorch finds no GPU")
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        # Not the default stream, whose address is null.
        self._stream = torch.cuda.Stream()
        torch.cuda.set_stream(self._stream)
        self.stream = self._stream.cuda_stream
        self.device_name = (f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, "
                            f"CUDA {torch.version.cuda}")
        self._scratch = torch.empty(SCRATCH, dtype=torch.uint8, device=DEVICE)
        source = torch.empty(COPY, dtype=torch.uint8, device=DEVICE)
        target = torch.empty_like(source)
        self.bandwidth = 2 * COPY / self.seconds(lambda: target.copy_(source))
        multiply, factors = matmul(GEMM)
        self.peak = 2 * GEMM**3 / self.seconds(lambda: multiply(*factors))

    def seconds(self, call: Callable[[], object], _wait=None) -> float:
        """The median of calls that find no data in caches. While those are overwritten, the
        host goes ahead and launches the call."""
        self._timed(call, 3)  # what is made at the first time, and clocks
        estimate = statistics.median(self._timed(call, 3))
        return statistics.median(self._timed(call, int(min(100, max(10, 0.5 / estimate)))))

    def _timed(self, call, count: int) -> list[float]:
        events = []
        for _ in range(count):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            self._scratch.zero_()
            begin.record()
            call()
            end.record()
            events.append((begin, end))
        torch.cuda.synchronize()
        return [begin.elapsed_time(end) / 1e3 for begin, end in events]

    def peers(self, case) -> tuple[float, float, str]:
        """Seconds of PyTorch, eager and compiled, 0 where it fails, and why it does."""
        times = [0.0, 0.0]
        try:
            with torch.inference_mode():
                self._time_peer(case, times)
            reason = ""
        except Exception as error:  # whatever PyTorch throws: it is not what is measured
            text = (str(error) or "no reason given").splitlines()[0]
            who = "torch.compile" if times[0] else "PyTorch"
            reason = f"{who}: {type(error).__name__}: {text}"
        torch.cuda.empty_cache()  # Heddle allocates its memory itself
        return *times, reason

    def _time_peer(self, case, times: list[float]) -> None:
        kind, *numbers = case.peer
        function, arguments = PEERS[kind](*numbers)
        times[0] = self.seconds(lambda: function(*arguments))
        torch.compiler.reset()  # each case is the first one
        compiled = torch.compile(function, dynamic=False)
        times[1] = self.seconds(lambda: compiled(*arguments))
