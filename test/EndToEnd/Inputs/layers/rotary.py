# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary embeddings of all kinds; frequencies are those of transformers, modeling_rope_utils.py."""
import math

import numpy

from .function import Argument, Function
from .sizes import BATCHES, ELEMENTS, INTEGERS, some_lengths

POSITIONS = 1024
CALLS = ({"batch": 1, "length": 1}, {"batch": 3, "length": 17})


def default(d, base):
    return 1.0 / base ** (numpy.arange(0, d, 2) / d)


def linear(d, base, factor):
    return default(d, base) / factor, 1.0


def dynamic(d, base, factor, original, length):
    seq_len = max(length, original)
    base = base * ((factor * seq_len / original) - (factor - 1)) ** (d / (d - 2))
    return default(d, base), 1.0


def llama3(d, base, factor, low, high, original):
    inv_freq = default(d, base)
    wavelen = 2 * math.pi / inv_freq
    scaled = numpy.where(wavelen > original / low, inv_freq / factor, inv_freq)
    smooth = (original / wavelen - low) / (high - low)
    smoothed = (1 - smooth) * scaled / factor + smooth * scaled
    is_medium = ~(wavelen < original / high) & ~(wavelen > original / low)
    return numpy.where(is_medium, smoothed, scaled), 1.0


def yarn(d, base, factor, original, fast=32.0, slow=1.0, attention=None, truncate=True):
    def correction(rotations):
        return d * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(base))

    low, high = correction(fast), correction(slow)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, d - 1)
    if low == high:
        high += 0.001
    ramp = numpy.clip((numpy.arange(d // 2) - low) / (high - low), 0, 1)
    inv_freq = default(d, base)
    if attention is None:
        attention = 0.1 * math.log(factor) + 1.0 if factor > 1 else 1.0
    return inv_freq / factor * ramp + inv_freq * (1 - ramp), attention


def longrope(d, base, factor, original, short_factor, long_factor, length=None, attention=None):
    """Without a length a function of positions, which count from 0."""
    if attention is None:
        attention = math.sqrt(1 + math.log(factor) / math.log(original)) if factor > 1 else 1.0

    def frequencies(lengths):
        divisors = numpy.where(numpy.asarray(lengths)[..., None] > original, long_factor, short_factor)
        return default(d, base) / divisors

    return (frequencies(length) if length else lambda p: frequencies(p + 1)), attention


KINDS = {f.__name__: f for f in (linear, dynamic, llama3, yarn, longrope)}


def rotate(x, cosine, sine, heads, interleaved):
    """`cosine` and `sine` are [batch, length, pairs], or broadcast to that."""
    batch, length, channels = x.shape
    x = x.reshape(batch, length, heads, channels // heads)
    cosine, sine = cosine[..., None, :], sine[..., None, :]
    n = cosine.shape[-1]
    first, second = (slice(0, 2 * n, 2), slice(1, 2 * n, 2)) if interleaved else (
        slice(0, n), slice(n, 2 * n))  # fmt: skip
    y = x.copy()
    y[..., first] = x[..., first] * cosine - x[..., second] * sine
    y[..., second] = x[..., second] * cosine + x[..., first] * sine
    return y.reshape(batch, length, channels)


def starts_of(rng, shape, sizes):
    return rng.integers(0, POSITIONS - sizes["length"] + 1, shape)


def ids_of(rng, shape, sizes):
    return rng.integers(0, POSITIONS, shape)


def text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def rotary(name, heads, head_dim, rotated=None, interleaved=False, base=10000.0, calls=CALLS,
           element="i32", place="starts", **scaling):  # fmt: skip
    """`place` says what positions are: `starts` of sequences, or those of tokens, `ids`."""
    channels, d = heads * head_dim, rotated or head_dim
    kind = next((k for k in KINDS if k in scaling), None)
    options = f"rotated({rotated}) " if rotated else ""
    options += "interleaved " if interleaved else ""
    stretched, attention = default(d, base), 1.0
    clause = ""
    if kind:
        fields = ", ".join(f"{key} = {text(value)}" for key, value in scaling[kind].items())
        clause = f" scaling(<{kind}, {fields}>)"
        stretched, attention = KINDS[kind](d, base, **scaling[kind])
    x = Argument("batch", "length", channels)
    positions = Argument("batch", element=element, fill=starts_of)
    at = f"at(%positions : {positions})"
    if place == "ids":
        positions = Argument("batch", "length", element=element, fill=ids_of)
        at = f"position_ids(%positions : {positions})"

    def formula(x, positions):
        if place == "starts":
            positions = positions[:, None] + numpy.arange(x.shape[1])
        frequencies = stretched(positions) if callable(stretched) else stretched
        angles = positions[..., None] * frequencies
        return rotate(x, attention * numpy.cos(angles), attention * numpy.sin(angles), heads,
                      interleaved)  # fmt: skip

    return Function(
        name, {"x": x, "positions": positions}, {"y": x},
        f"%y = heddle.rotary %x {at} heads({heads}) {options}positions({POSITIONS}) "
        f"base({base}){clause} : {x}",
        formula, calls,
    )  # fmt: skip


def given(name, heads, head_dim, rotated=None, interleaved=False, sizes=("batch", "length"),
          element="f32", calls=CALLS):  # fmt: skip
    """Cosines and sines of any angles, with these dimensions before that of pairs."""
    x = Argument("batch", "length", heads * head_dim)
    angles = Argument(*sizes, (rotated or head_dim) // 2, element=element)
    options = f" rotated({rotated})" if rotated else ""
    options += " interleaved" if interleaved else ""
    return Function(
        name, {"x": x, "cosine": angles, "sine": angles}, {"y": x},
        f"%y = heddle.rotary %x cosines(%cosine : {angles}) sines(%sine : {angles}) "
        f"heads({heads}){options} : {x}",
        lambda x, cosine, sine: rotate(x, cosine, sine, heads, interleaved), calls,
    )  # fmt: skip


YARN = {"factor": 4.0, "original": 256}
FUNCTIONS = [
    rotary("half", 4, 16),
    rotary("interleaved", 4, 16, interleaved=True),
    rotary("interleaved_odd", 3, 6, interleaved=True),
    rotary("partial", 2, 20, rotated=12),
    rotary("ids", 2, 12, rotated=8, place="ids", element="i64"),
    given("given", 4, 16),
    given("given_shared", 3, 7, rotated=4, sizes=("length",), element="bf16"),
    given("given_once", 2, 10, rotated=6, interleaved=True, sizes=(1, "length")),
    rotary("partial_odd", 3, 7, rotated=4),
    rotary("partial_interleaved", 2, 24, rotated=16, interleaved=True),
    rotary("partial_interleaved_odd", 3, 5, rotated=4, interleaved=True),
    rotary("linear", 2, 16, linear={"factor": 4.0}),
    rotary("dynamic", 2, 16, dynamic={"factor": 2.0, "original": 128, "length": 1024}),
    rotary("dynamic_short", 2, 16, dynamic={"factor": 2.0, "original": 2048, "length": 1024}),
    rotary("llama3", 2, 32, base=500000.0,
           llama3={"factor": 8.0, "low": 1.0, "high": 4.0, "original": 64}),
    rotary("yarn", 2, 64, yarn=YARN),
    rotary("yarn_partial", 2, 40, rotated=32, interleaved=True, yarn=YARN),
    rotary("yarn_given", 1, 64,
           yarn={**YARN, "fast": 16.0, "slow": 2.0, "attention": 1.25, "truncate": False}),
    rotary("yarn_shrunk", 1, 64, yarn={"factor": 0.5, "original": 256}),
    rotary("longrope", 2, 8,
           longrope={"factor": 4.0, "original": 256, "length": 1024,
                     "short_factor": [1.0, 1.1, 1.2, 1.3], "long_factor": [1.0, 2.0, 3.5, 8.0]}),
    rotary("longrope_short", 2, 8,
           longrope={"factor": 4.0, "original": 1024, "length": 1024, "attention": 1.5,
                     "short_factor": [1.0, 1.1, 1.2, 1.3], "long_factor": [1.0, 2.0, 3.5, 8.0]}),
    rotary("longrope_by_position", 2, 8,
           longrope={"factor": 4.0, "original": 300,
                     "short_factor": [1.0, 1.1, 1.2, 1.3], "long_factor": [1.0, 2.0, 3.5, 8.0]}),
]  # fmt: skip


def draw_scaling(random, pairs):
    """The fields of each kind; `length` and `original` on either side of each other."""
    kind = random.choice(sorted(KINDS))
    if kind == "dynamic" and pairs < 2:
        kind = "linear"
    fields = {"factor": random.choice((0.5, 1.0, 2.0, 4.0, 32.0))}
    if kind != "linear":
        fields["original"] = random.choice((2, 64, 256, 4096))
    if kind == "dynamic" or (kind == "longrope" and random.random() < 0.6):
        fields["length"] = random.choice((1, 64, 257, 8192))
    if kind == "dynamic":
        fields["factor"] = random.choice((1.0, 2.0, 4.0))  # the base stays positive
    if kind == "llama3":
        fields["low"], fields["high"] = random.choice(((1.0, 4.0), (0.5, 32.0)))
    if kind == "yarn" and random.random() < 0.5:
        fields["fast"], fields["slow"] = random.choice(((16.0, 2.0), (64.0, 0.5)))
        fields["truncate"] = random.random() < 0.5
    if kind in ("yarn", "longrope") and random.random() < 0.4:
        fields["attention"] = random.choice((0.75, 1.25))
    if kind == "longrope":
        for field in ("short_factor", "long_factor"):
            fields[field] = [1.0 + random.randrange(8) / 4 for _ in range(pairs)]
    return {kind: fields}


def draw(name, random):
    place = random.choice(("starts", "starts", "ids", "given"))
    heads, head_dim = random.choice((1, 2, 3, 5)), random.choice((2, 7, 8, 48, 64, 80, 96, 128, 256))
    rotated = None
    if head_dim % 2 or random.random() < 0.4:
        rotated = 2 * random.randint(1, head_dim // 2)
    calls = [{"batch": b, "length": n} for b, n in zip(BATCHES, some_lengths(random))]
    if place == "given":
        sizes = random.choice((("batch", "length"), ("length",), (1, "length")))
        return given(name, heads, head_dim, rotated, random.random() < 0.5, sizes,
                     random.choice(ELEMENTS), calls)  # fmt: skip
    scaling = draw_scaling(random, (rotated or head_dim) // 2) if random.random() < 0.9 else {}
    return rotary(name, heads, head_dim, rotated, random.random() < 0.5,
                  random.choice((100.0, 10000.0, 500000.0)), calls, random.choice(INTEGERS),
                  place, **scaling)  # fmt: skip


DRAWN = {"rotary": draw}
