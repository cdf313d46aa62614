# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What layers compute, in double precision. Shares nothing with the compiler; formulas
are those of transformers' modeling_*.py. Tokens are [length, channels] of one sequence."""
import math

import numpy as np

ERF = np.vectorize(math.erf)


def gelu_new(x):
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


ACT2FN = {
    "silu": lambda x: x * sigmoid(x),
    "swish": lambda x: x * sigmoid(x),
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x / 2 * (1 + ERF(x / math.sqrt(2))),
    "gelu_new": gelu_new,
    "gelu_pytorch_tanh": gelu_new,
    "gelu_fast": gelu_new,
    "quick_gelu": lambda x: x * sigmoid(1.702 * x),
    "tanh": np.tanh,
}  # fmt: skip


def softmax(x):
    power = np.exp(x - x.max(axis=-1, keepdims=True))
    return power / power.sum(axis=-1, keepdims=True)


def rms_norm(x, weight, epsilon):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * weight


def layer_norm(x, weight, bias, epsilon):
    centred = x - x.mean(-1, keepdims=True)
    normed = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    return normed * weight + bias


#===-- rotary embeddings -------------------------------------------------------===


def frequencies(scaling, base, dim, positions, max_positions, original=None):
    """The frequencies of each pair, for each of `positions`, and what cosines are multiplied by."""
    plain = base ** -(np.arange(0, dim, 2) / dim)
    kind = scaling.get("rope_type", scaling.get("type", "default")) if scaling else "default"
    same = np.broadcast_to
    shape = (len(positions), dim // 2)
    if kind in ("default", "dynamic"):
        return same(plain, shape), 1.0
    if kind in ("longrope", "su"):
        original = scaling.get("original_max_position_embeddings", original)
        factor = max_positions / original
        magnitude = scaling.get("attention_factor")
        if magnitude is None:
            magnitude = math.sqrt(1 + math.log(factor) / math.log(original)) if factor > 1 else 1.0
        is_long = (np.asarray(positions) + 1 > original)[:, None]
        return plain / np.where(is_long, scaling["long_factor"], scaling["short_factor"]), magnitude
    factor = scaling["factor"]
    if kind == "linear":
        return same(plain / factor, shape), 1.0
    if kind == "llama3":
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        original = scaling["original_max_position_embeddings"]
        waves = 2 * math.pi / plain
        smooth = (original / waves - low) / (high - low)
        between = (1 - smooth) * plain / factor + smooth * plain
        result = np.where(waves > original / low, plain / factor,
                          np.where(waves < original / high, plain, between))
        return same(result, shape), 1.0
    assert kind == "yarn"
    original = scaling.get("original_max_position_embeddings", max_positions)

    def place(rotations):
        return dim * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(base))

    low, high = place(scaling.get("beta_fast", 32)), place(scaling.get("beta_slow", 1))
    if scaling.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    if low == high:
        high += 0.001
    ramp = np.clip((np.arange(dim // 2) - low) / (high - low), 0, 1)
    magnitude = scaling.get("attention_factor")
    if magnitude is None:
        if scaling.get("mscale") and scaling.get("mscale_all_dim"):
            magnitude = mscale(factor, scaling["mscale"]) / mscale(factor, scaling["mscale_all_dim"])
        else:
            magnitude = mscale(factor, 1)
    return same(plain / factor * ramp + plain * (1 - ramp), shape), magnitude


def mscale(factor, scale):
    return 0.1 * scale * math.log(factor) + 1 if factor > 1 else 1.0


def rotate(x, angles, interleaved=False):
    """The first channels of each head of x [length, heads, channels], as many as there are angles
    of pairs; `angles` are cosines and sines [length, pairs]."""
    cosines, sines = (a[:, None, :] for a in angles)
    pairs = cosines.shape[-1]
    y = x.copy()
    if interleaved:
        first, second = x[..., 0:2 * pairs:2], x[..., 1:2 * pairs:2]
        y[..., 0:2 * pairs:2] = first * cosines - second * sines
        y[..., 1:2 * pairs:2] = second * cosines + first * sines
    else:
        first, second = x[..., :pairs], x[..., pairs:2 * pairs]
        y[..., :pairs] = first * cosines - second * sines
        y[..., pairs:2 * pairs] = second * cosines + first * sines
    return y


#===-- attention ---------------------------------------------------------------===


def attend(query, key, value, scale, window=None, softcap=None, sinks=None, slopes=None,
           causal=True):
    """Attention of [length, heads, channels]; keys may have fewer heads. `window` is how many keys
    a query sees, its own among them, to each side that it looks to."""
    length, heads, _ = query.shape
    group = heads // key.shape[1]
    key, value = (np.repeat(a, group, axis=1) for a in (key, value))
    scores = np.einsum("qhc,khc->hqk", query, key) * scale
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    distance = np.arange(length)[:, None] - np.arange(length)
    if slopes is not None:
        scores = scores - slopes[:, None, None] * distance
    kept = distance >= 0 if causal else np.full(distance.shape, True)
    if window:
        kept &= np.abs(distance) < window
    scores = np.where(kept, scores, -np.inf)
    if sinks is not None:
        more = np.broadcast_to(sinks[:, None, None], (heads, length, 1))
        scores = np.concatenate([scores, more], axis=-1)
    weights = softmax(scores)[..., :length]
    return np.einsum("hqk,khc->qhc", weights, value).reshape(length, -1)


def attend_all(query, key, value, scale, bias=0, kept=True):
    """Attention of [length, heads, channels] to every key that is `kept` [queries, keys]; `bias`
    [heads, queries, keys] joins the scores."""
    scores = np.einsum("qhc,khc->hqk", query, key) * scale + bias
    weights = softmax(np.where(kept, scores, -np.inf))
    return np.einsum("hqk,khc->qhc", weights, value).reshape(len(query), -1)


def relative_buckets(queries, keys, buckets, most_distant, causal=False):
    """T5's bucket of each pair [queries, keys]. Logarithms are f32, as transformers has them:
    powers of two lie on edges of buckets."""
    ahead = np.arange(keys) - np.arange(queries)[:, None]
    if causal:
        first, distance = 0, np.maximum(-ahead, 0)
    else:
        buckets //= 2
        first, distance = buckets * (ahead > 0), np.abs(ahead)
    exact = buckets // 2
    ratio = np.maximum(distance, exact).astype(np.float32) / np.float32(exact)
    grown = np.log(ratio) / np.float32(math.log(most_distant / exact)) * np.float32(buckets - exact)
    far = np.minimum(exact + grown.astype(np.int64), buckets - 1)
    return first + np.where(distance < exact, distance, far)


def alibi_slopes(heads):
    closest = 2 ** math.floor(math.log2(heads))
    base = 2 ** (-(2 ** -(math.log2(closest) - 3)))
    slopes = base ** np.arange(1, closest + 1)
    if closest != heads:
        more = 2 ** (-(2 ** -(math.log2(2 * closest) - 3)))
        slopes = np.concatenate([slopes, more ** np.arange(1, 1 + 2 * (heads - closest), 2)])
    return slopes
