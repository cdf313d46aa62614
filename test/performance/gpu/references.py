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


def attend(q, k, v, seen, bias=None):
    """[queries, heads x d] over [keys, heads of keys x d]; `seen` [queries, keys] says which keys
    a query sees, `bias` [heads, queries, keys] is added to scores. A query that sees none gives 0.
    """
    width = 64
    group = q.shape[1] // k.shape[1]
    result = np.empty(q.shape)
    for head in range(q.shape[1] // width):
        of_query = slice(width * head, width * (head + 1))
        of_key = slice(width * (head // group), width * (head // group + 1))
        scores = q[:, of_query] @ k[:, of_key].T / math.sqrt(width)
        if bias is not None:
            scores = scores + bias[head]
        weights = np.exp(scores - scores.max(1, keepdims=True)) * seen
        sums = weights.sum(1, keepdims=True)
        weights = np.divide(weights, sums, np.zeros_like(weights), where=sums > 0)
        result[:, of_query] = weights @ v[:, of_key]
    return result


def attention(kind, window, calls, rows, _):
    arrays = calls[-1][1]
    q, k, v = (arrays[name][0].astype(np.float64) for name in "qkv")
    behind = rows[:, None] - np.arange(len(k))
    seen = np.ones(behind.shape, bool)
    if kind in ("causal", "window"):
        seen = (behind >= 0) & (behind < (window if kind == "window" else len(k)))
    elif kind == "documents":
        documents = arrays["documents"][0]
        seen = documents[rows][:, None] == documents
    elif kind == "masked":
        seen = arrays["kept"][rows]
    return attend(q[rows], k, v, seen, arrays["bias"][0][:, rows] if kind == "biased" else None)


def attention_decode(calls, rows, _):
    k, v = (calls[0][1][name][0].astype(np.float64) for name in "kv")
    q = calls[-1][1]["q"].astype(np.float64)
    attended = attend(q.reshape(1, -1), k, v, np.ones((1, len(k))))
    return attended.reshape(q.shape[1], -1)[rows]


def embedding(calls, rows, _):
    arrays = calls[-1][1]
    return arrays["table"][arrays["ids"][0][rows]].astype(np.float64)


def scatter(calls, rows, _):
    arrays = calls[-1][1]
    sums = arrays["x"].astype(np.float64)
    np.add.at(sums, arrays["i"], arrays["u"])
    return sums[rows]


def append(calls, rows, _):
    return np.concatenate([arrays["k"][0].astype(np.float64) + arrays["v"][0]
                           for _, arrays in calls])[rows]


def reduce(name, calls, rows, _):
    x = calls[-1][1]["x"][rows].astype(np.float64)
    return (x.sum(1) if name == "sum" else x.argmax(1))[:, None]


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
