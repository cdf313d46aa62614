# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mixtures of experts."""
import numpy

from .function import Argument, Function, weight


def silu(x):
    return x / (1 + numpy.exp(-x))


def relu(x):
    return numpy.maximum(x, 0)


def feed_forward(activate, x, gate, up, down):
    return down @ (activate(gate @ x) * (up @ x))


def mixture(activate, top, normalized, x, router, gate, up, down, shared):
    rows = x.reshape(-1, x.shape[-1])
    result = numpy.zeros(rows.shape)
    for row, y in zip(rows, result):
        logits = router @ row
        shares = numpy.exp(logits - logits.max())
        shares /= shares.sum()
        chosen = numpy.argsort(-shares, kind="stable")[:top]
        total = shares[chosen].sum() if normalized else 1.0
        for e in chosen:
            y += shares[e] / total * feed_forward(activate, row, gate[e], up[e], down[e])
        if shared:
            y += feed_forward(activate, row, *shared)
    return result.reshape(x.shape)


def experts(name, sizes, count, hidden, top, normalized=False, shared=None, kind="silu",
            calls=({"n": 1}, {"n": 5})):  # fmt: skip
    x, channels = Argument(*sizes), sizes[-1]
    weights = {
        # Logits lie far enough apart that roundings do not choose.
        "router": weight(count, channels, scale=2 * channels**-0.5),
        "gate": weight(count, hidden, channels, scale=channels**-0.5),
        "up": weight(count, hidden, channels, scale=channels**-0.5, seed=2),
        "down": weight(count, channels, hidden, scale=hidden**-0.5),
    }
    clause = ""
    if shared:
        weights["a"], weights["b"] = weight(shared, channels), weight(shared, channels, seed=2)
        weights["c"] = weight(channels, shared)
        clause = (f"shared(%a, %b, %c : tensor<{shared}x{channels}xf32>, "
                  f"tensor<{shared}x{channels}xf32>, tensor<{channels}x{shared}xf32>) ")  # fmt: skip
    types = ", ".join(
        f"tensor<{'x'.join(map(str, weights[n].shape))}xf32>"
        for n in ("router", "gate", "up", "down")
    )
    activate = {"silu": silu, "relu": relu}[kind]
    return Function(
        name, {"x": x}, {"y": x},
        f"%y = heddle.mixture_of_experts {kind} %x router(%router) experts(%gate, %up, %down) "
        f"{clause}top({top}) {'normalized ' if normalized else ''}: {x}, {types}",
        lambda x, router, gate, up, down, a=None, b=None, c=None: mixture(
            activate, top, normalized, x, router, gate, up, down, (a, b, c) if shared else None),
        calls, weights,
    )  # fmt: skip


FUNCTIONS = [
    experts("mixtral", ("n", 64), 8, 96, 2, normalized=True),
    experts("one", ("n", 16), 4, 24, 1),
    experts("all", ("n", 12), 3, 20, 3, kind="relu"),
    experts("shared", ("n", "m", 32), 6, 40, 3, normalized=True, shared=56,
            calls=({"n": 1, "m": 1}, {"n": 2, "m": 9})),
    experts("fixed", (7, 33), 5, 17, 2, shared=9, calls=({},)),
]  # fmt: skip
