# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The formulas of the cases, in float64. `rows` are those of the result that are wanted."""

import math

import numpy as np


def matmul(calls, rows, _):
    arrays = calls[-1][1]
    return arrays["a"][rows].astype(np.float64) @ arrays["b"].astype(np.float64)


def linear(calls, rows, weights):
    return calls[-1][1]["x"][rows].astype(np.float64) @ weights("w").astype(np.float64).T


def softmax(calls, rows, _):
    x = calls[-1][1]["x"][rows].astype(np.float64)
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def rms_norm(calls, rows, _):
    arrays = calls[-1][1]
    x = arrays["x"][rows].astype(np.float64)
    return x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * arrays["w"]


def layer_norm(calls, rows, _):
    arrays = calls[-1][1]
    x = arrays["x"][rows].astype(np.float64)
    x = x - x.mean(1, keepdims=True)
    return x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * arrays["w"] + arrays["b"]


def gelu(calls, rows, _):
    x = calls[-1][1]["x"][rows].astype(np.float64)
    return x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def add(calls, rows, _):
    arrays = calls[-1][1]
    return arrays["a"][rows].astype(np.float64) + arrays["b"][rows]


def attend(q, k, v, last):
    """[queries, heads x d] over [keys, heads of keys x d]; query i sees keys up to last[i]."""
    width = 64
    group = q.shape[1] // k.shape[1]
    result = np.empty(q.shape)
    hidden = np.arange(len(k)) > np.asarray(last)[:, None]
    for head in range(q.shape[1] // width):
        of_query = slice(width * head, width * (head + 1))
        of_key = slice(width * (head // group), width * (head // group + 1))
        scores = q[:, of_query] @ k[:, of_key].T / math.sqrt(width)
        scores = np.where(hidden, -np.inf, scores)
        weights = np.exp(scores - scores.max(1, keepdims=True))
        result[:, of_query] = weights / weights.sum(1, keepdims=True) @ v[:, of_key]
    return result


def attention_causal(calls, rows, _):
    q, k, v = (calls[-1][1][name][0].astype(np.float64) for name in "qkv")
    return attend(q[rows], k, v, rows)


def attention_decode(calls, rows, _):
    k, v = (calls[0][1][name][0].astype(np.float64) for name in "kv")
    q = calls[-1][1]["q"][0].astype(np.float64)
    return attend(q[rows], k, v, np.full(len(rows), len(k) - 1))


def sample(calls, rows, _):
    arrays = calls[-1][1]
    x = arrays["x"][rows[0]].astype(np.float64)
    if "k" in arrays:
        x = np.where(x >= np.sort(x)[-arrays["k"][0]], x, -np.inf)
    w = np.exp((x - x.max()) / arrays["t"][0])
    if "q" in arrays:
        sums = np.cumsum(np.sort(w)[::-1])
        w[w < np.sort(w)[::-1][np.argmax(sums >= arrays["q"][0] * sums[-1])]] = 0
    w[w < arrays["p"][0]] = 0
    sums = np.cumsum(w)
    return np.array([[np.argmax(sums > arrays["u"][0] * sums[-1])]], np.float64)
