# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mixtures of experts."""
import math

import numpy

from transformers.formulas import ACTIVATIONS

from .function import Argument, Function, type_of, weight
from .sizes import BATCHES, ELEMENTS, some_lengths


def feed_forward(activate, x, gate, up, down):
    return down @ (activate(gate @ x) * (up @ x))


def mixture(activate, top, normalized, x, router, gate, up, down, shared):
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
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
            calls=({"n": 1}, {"n": 5}), elements=("f32",) * 7):  # fmt: skip
    x, channels = Argument(*sizes), sizes[-1]
    weights = {
        # Logits lie far enough apart that roundings do not choose.
        "router": weight(count, channels, scale=2 * channels**-0.5, element=elements[0]),
        "gate": weight(count, hidden, channels, scale=channels**-0.5, element=elements[1]),
        "up": weight(count, hidden, channels, scale=channels**-0.5, seed=2, element=elements[2]),
        "down": weight(count, channels, hidden, scale=hidden**-0.5, element=elements[3]),
    }
    types = ", ".join(map(type_of, weights.values()))
    clause = ""
    if shared:
        weights["a"] = weight(shared, channels, element=elements[4])
        weights["b"] = weight(shared, channels, seed=2, element=elements[5])
        weights["c"] = weight(channels, shared, element=elements[6])
        clause = f"shared(%a, %b, %c : {', '.join(type_of(weights[n]) for n in 'abc')}) "
    activate = ACTIVATIONS[kind]
    return Function(
        name, {"x": x}, {"y": x},
        f"%y = heddle.mixture_of_experts {kind} %x router(%router) experts(%gate, %up, %down) "
        f"{clause}top({top}) {'normalized ' if normalized else ''}: {x}, {types}",
        lambda x, router, gate, up, down, a=None, b=None, c=None: mixture(
            activate, top, normalized, x, router, gate, up, down, (a, b, c) if shared else None),
        calls, weights,
    )  # fmt: skip


def linear(name, sizes, count, outputs, top, own=False, bias=False, index="i32",
           calls=({"n": 1}, {"n": 5}), elements=("f32", "f32")):  # fmt: skip
    """Products with the matrices of given experts; numbers of others are the nearest ones. `own`
    says that each choice has an input of its own."""
    tokens, channels = sizes[:-1], sizes[-1]
    x = Argument(*tokens, top, channels) if own else Argument(*sizes)
    chosen = Argument(*tokens, top, element=index,
                      fill=lambda rng, shape, sizes: rng.integers(-1, count + 1, shape))  # fmt: skip
    weights = {"w": weight(count, outputs, channels, scale=channels**-0.5, element=elements[0])}
    clause = ""
    if bias:
        weights["b"] = weight(count, outputs, element=elements[1])
        clause = f" bias(%b : {type_of(weights['b'])})"

    def formula(x, chosen, w, b=None):
        experts = numpy.clip(chosen, 0, count - 1)
        inputs = x if own else x[..., None, :]
        result = numpy.einsum("...k,...nk->...n", inputs + 0 * experts[..., None], w[experts])
        return result + b[experts] if bias else result

    return Function(
        name, {"x": x, "chosen": chosen}, {"y": Argument(*tokens, top, outputs)},
        f"%y = heddle.expert_linear %x, %chosen, %w{clause} "
        f": {x}, {chosen}, {type_of(weights['w'])}",
        formula, calls, weights,
    )  # fmt: skip


FUNCTIONS = [
    linear("linear", ("n", 24), 5, 18, 2, bias=True),
    linear("linear_own", ("n", "m", 16), 3, 33, 3, own=True, index="i64",
           calls=({"n": 1, "m": 1}, {"n": 2, "m": 7})),
    experts("mixtral", ("n", 64), 8, 96, 2, normalized=True),
    experts("one", ("n", 16), 4, 24, 1),
    experts("all", ("n", 12), 3, 20, 3, kind="relu"),
    experts("shared", ("n", "m", 32), 6, 40, 3, normalized=True, shared=56,
            calls=({"n": 1, "m": 1}, {"n": 2, "m": 9})),
    experts("fixed", (7, 33), 5, 17, 2, shared=9, calls=({},)),
]  # fmt: skip


def draw(name, random):
    channels = random.choice((5, 8, 12, 33, 48, 64, 80))
    count, hidden = random.choice((1, 2, 3, 5, 8)), random.choice((1, 9, 20, 48, 64, 96))
    shared = random.choice((None, 1, 9, 40, 64))
    lengths = some_lengths(random)
    form = random.choice(("rows", "tokens", "known"))
    sizes = {"rows": ("n", channels), "tokens": ("n", "m", channels),
             "known": (3, lengths[0], channels)}[form]  # fmt: skip
    calls = {"rows": [{"n": length} for length in lengths], "known": ({},),
             "tokens": [{"n": n, "m": m} for n, m in zip(BATCHES, lengths)]}[form]  # fmt: skip
    # Roundings of activations choose no other experts, as logits are sums in f32.
    return experts(name, sizes, count, hidden, random.randint(1, count), random.random() < 0.5,
                   shared, random.choice(sorted(ACTIVATIONS)), calls,
                   [random.choice(ELEMENTS) for _ in range(7)])  # fmt: skip


def draw_linear(name, random):
    channels = random.choice((5, 8, 12, 33, 48, 64, 80))
    lengths = some_lengths(random)
    is_long = random.random() < 0.5
    return linear(
        name, ("n", "m", channels) if is_long else ("n", channels), random.choice((1, 2, 3, 5, 8)),
        random.choice((1, 9, 20, 48, 64)), random.choice((1, 2, 4)), random.random() < 0.5,
        random.random() < 0.5, random.choice(("i32", "i64")),
        [{"n": n, "m": m} if is_long else {"n": m} for n, m in zip(BATCHES, lengths)],
        [random.choice(ELEMENTS) for _ in range(2)],
    )  # fmt: skip


DRAWN = {"mixture_of_experts": lambda name, random: random.choice((draw, draw_linear))(name, random)}
