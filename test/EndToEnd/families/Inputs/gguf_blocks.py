# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random blocks of ggml's types, and the numbers that they stand for: ggml-common.h has the
structures, dequantize_row_* of ggml-quants.c the formulas."""
import numpy as np

SCALE = 2.0**-7  # of most numbers
UNEVEN = np.array([-127, -104, -83, -65, -49, -35, -22, -10,
                   1, 13, 25, 38, 53, 69, 89, 113])  # fmt: skip
FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])


class Blocks:
    """Rows of blocks whose fields are read one after the other."""

    def __init__(self, raw):
        self.raw, self.at = raw, 0

    def bytes(self, count):
        self.at += count
        return self.raw[..., self.at - count:self.at]

    def half(self):
        return np.ascontiguousarray(self.bytes(2)).view("<f2").astype(np.float64)

    def integers(self, count):
        return self.bytes(count).astype(np.int64)

    def signed(self, count):
        return np.ascontiguousarray(self.bytes(count)).view(np.int8).astype(np.int64)

    def bits(self, count):
        """Of so many bytes, the lowest one of each first."""
        return np.unpackbits(self.bytes(count), axis=-1, bitorder="little").astype(np.int64)


def halves(nibbles):
    return np.concatenate([nibbles & 15, nibbles >> 4], axis=-1)


def runs(nibbles, count):
    """Runs of `count` bytes, each of which has its lower halves first."""
    split = nibbles.reshape(*nibbles.shape[:-1], -1, count)
    return halves(split).reshape(*nibbles.shape[:-1], -1)


def pairs(data):
    """Runs of 32 bytes with four times two bits, the lowest of all first."""
    split = data.reshape(*data.shape[:-1], -1, 1, 32)
    return (split >> np.arange(0, 8, 2)[:, None] & 3).reshape(*data.shape[:-1], -1)


def each(groups, of):
    return np.repeat(groups, of, axis=-1)


def q4_0(b):
    return b.half() * (halves(b.integers(16)) - 8)


def q4_1(b):
    d, m = b.half(), b.half()
    return d * halves(b.integers(16)) + m


def q5_0(b):
    d, fifth = b.half(), b.bits(4)
    return d * (halves(b.integers(16)) + 16 * fifth - 16)


def q5_1(b):
    d, m, fifth = b.half(), b.half(), b.bits(4)
    return d * (halves(b.integers(16)) + 16 * fifth) + m


def q8_0(b):
    return b.half() * b.signed(32)


def iq4_nl(b):
    return b.half() * UNEVEN[halves(b.integers(16))]


def mxfp4(b):
    exponent = b.integers(1)
    return 2.0 ** (exponent - 127) * FP4[halves(b.integers(16))]


def six_bits(b):
    """Eight scales and eight minimums in twelve bytes."""
    low, middle, high = b.integers(4), b.integers(4), b.integers(4)
    return (np.concatenate([low & 63, high & 15 | low >> 6 << 4], -1),
            np.concatenate([middle & 63, high >> 4 | middle >> 6 << 4], -1))


def q4_k(b):
    d, least = b.half(), b.half()
    scales, minimums = six_bits(b)
    return each(d * scales, 32) * runs(b.integers(128), 32) - each(least * minimums, 32)


def q5_k(b):
    d, least = b.half(), b.half()
    scales, minimums = six_bits(b)
    fifth = b.bits(32).reshape(*b.raw.shape[:-1], 32, 8)
    codes = runs(b.integers(128), 32) + 16 * fifth.swapaxes(-1, -2).reshape(*b.raw.shape[:-1], -1)
    return each(d * scales, 32) * codes - each(least * minimums, 32)


def q6_k(b):
    low = runs(b.integers(128), 64)
    codes = low + 16 * pairs(b.integers(64)) - 32
    scales = b.signed(16)
    return each(b.half() * scales, 16) * codes


def q2_k(b):
    both, codes = b.integers(16), pairs(b.integers(64))
    d, least = b.half(), b.half()
    return each(d * (both & 15), 16) * codes - each(least * (both >> 4), 16)


def q3_k(b):
    mask = b.bits(32).reshape(*b.raw.shape[:-1], 32, 8).swapaxes(-1, -2)
    codes = pairs(b.integers(64)) - 4 * (1 - mask.reshape(*b.raw.shape[:-1], -1))
    packed = b.integers(12)
    upper = packed[..., 8:][..., None, :] >> np.arange(0, 8, 2)[:, None] & 3
    scales = halves(packed[..., :8]) | upper.reshape(*b.raw.shape[:-1], -1) << 4
    return each(b.half() * (scales - 32), 16) * codes


def iq4_xs(b):
    d, high, low = b.half(), b.bits(2), b.integers(4)
    upper = high[..., 0::2] + 2 * high[..., 1::2]
    lower = np.stack([low & 15, low >> 4], -1).reshape(*b.raw.shape[:-1], -1)
    scales = (lower | upper << 4) - 32
    return each(d * scales, 32) * UNEVEN[runs(b.integers(128), 16)]


# Number, elements, bytes, formula, where halves are, and how large they are beside SCALE.
TYPES = {
    "Q4_0": (2, 32, 18, q4_0, {0: 1}), "Q4_1": (3, 32, 20, q4_1, {0: 1, 2: -8}),
    "Q5_0": (6, 32, 22, q5_0, {0: 0.5}), "Q5_1": (7, 32, 24, q5_1, {0: 0.5, 2: -8}),
    "Q8_0": (8, 32, 34, q8_0, {0: 0.06}), "Q2_K": (10, 256, 84, q2_k, {80: 0.3, 82: 0.4}),
    "Q3_K": (11, 256, 110, q3_k, {108: 0.2}), "Q4_K": (12, 256, 144, q4_k, {0: 0.03, 2: 0.2}),
    "Q5_K": (13, 256, 176, q5_k, {0: 0.02, 2: 0.2}), "Q6_K": (14, 256, 210, q6_k, {208: 0.005}),
    "IQ4_NL": (20, 32, 18, iq4_nl, {0: 0.1}), "IQ4_XS": (23, 256, 136, iq4_xs, {0: 0.004}),
    "MXFP4": (39, 32, 17, mxfp4, {}),
}  # fmt: skip


class Encoded:
    """Random blocks of a type, and their values of that shape."""

    def __init__(self, kind, shape, random):
        self.number, elements, size, decode, halves_at = TYPES[kind]
        assert shape[-1] % elements == 0, (kind, shape)
        raw = random.integers(0, 256, (*shape[:-1], shape[-1] // elements, size), dtype=np.uint8)
        for at, factor in halves_at.items():
            d = SCALE * factor * random.uniform(0.5, 2, raw.shape[:-1])
            raw[..., at:at + 2] = d.astype("<f2")[..., None].view(np.uint8)
        if kind == "MXFP4":
            raw[..., 0] = random.integers(118, 122, raw.shape[:-1])
        self.bytes, self.values = raw.tobytes(), decode(Blocks(raw)).reshape(shape)
        self.shape = tuple(shape)
