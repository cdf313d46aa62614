# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention and the gated delta rule. The formulas take a text token by token, and know
nothing of chunks."""
import numpy

from .function import Argument, Function
from .sizes import LENGTHS


def recurrence(q, k, v, strengths=None, gates=None, state=None):
    """The outputs of all tokens, and the last state: S is [batch, heads, d, d_v]."""
    q, k = (numpy.repeat(x, v.shape[1] // max(x.shape[1], 1), axis=1) for x in (q, k))
    if gates is not None and gates.ndim == 3:
        gates = gates[..., None]  # one for all channels
    S = numpy.zeros((*k.shape[:2], k.shape[3], v.shape[3])) if state is None else state
    output = numpy.zeros((*q.shape[:3], v.shape[3]))
    for t in range(q.shape[2]):
        key, value = k[:, :, t, :, None], v[:, :, t, None, :]
        if gates is not None:
            S = numpy.exp(gates[:, :, t, :, None]) * S
        if strengths is None:
            S = S + key * value
        else:
            b = strengths[:, :, t, None, None]
            known = (key * S).sum(2, keepdims=True)
            S = S - b * key * known + b * key * value
        output[:, :, t] = (q[:, :, t, :, None] * S).sum(2)
    return output, S


def unit(rng, shape, sizes):
    keys = rng.normal(size=shape)
    return keys / numpy.linalg.norm(keys, axis=-1, keepdims=True)


def alike(rng, shape, sizes):
    """One key for all tokens of a head."""
    return numpy.broadcast_to(unit(rng, (*shape[:2], 1, shape[3]), sizes), shape)


def strong(rng, shape, sizes):
    return rng.uniform(0, 2, shape)


def ones(rng, shape, sizes):
    return numpy.ones(shape)


def decays(rng, shape, sizes):
    """Some forget nothing, some nearly all."""
    return -rng.exponential(0.1, shape) - 20 * (rng.uniform(size=shape) < 0.02)


def resets(rng, shape, sizes):
    """Some forget all, beside others that forget a little."""
    every = rng.choice([-numpy.inf, -1e30, -1e4, -300, -90], shape)
    return numpy.where(rng.uniform(size=shape) < 0.2, every, decays(rng, shape, sizes))


def recur(name, op, d, dv, chunk, lengths, gated=False, given=False, asked=False, batch="b",
          heads=2, keys=unit, strengths=strong, gates=decays, channels=False, group=1):  # fmt: skip
    """`gated` by a gate for each head, or for each of its `channels`; `group` heads of values share
    one of keys. `given` and `asked` say whether there is a state before, and whether the last one is a
    result. `lengths` are numbers of tokens, or one that is known when compiling."""
    fixed = isinstance(lengths, int)
    length = lengths if fixed else "n"
    q = Argument(batch, heads, length, d)
    k = Argument(batch, heads, length, d, fill=keys)
    heads = heads if group == 1 else heads * group
    v = Argument(batch, heads, length, dv)
    arguments, clauses, types = {"q": q, "k": k, "v": v}, "", f"{q}, {k}, {v}"
    if op == "gated_delta_rule":
        arguments["strengths"] = Argument(batch, heads, length, fill=strengths)
        clauses += " strengths(%strengths)"
        types += f", {arguments['strengths']}"
    if gated:
        arguments["gates"] = Argument(
            batch, heads, length, *([d] if channels else []), fill=gates)
        clauses += f" gates(%gates : {arguments['gates']})"
    if given:
        arguments["state"] = Argument(batch, heads, d, dv)
        clauses += f" state(%state : {arguments['state']})"
    results = {"o": v}
    if asked:
        results["last"] = Argument(batch, heads, d, dv)
    names = ", ".join(f"%{name}" for name in results)
    clause = "" if chunk == 64 else f" chunk({chunk})"
    body = (f"{names} = heddle.{op} %q, %k, %v{clauses}{clause} : {types} "
            f"-> {', '.join(map(str, results.values()))}")  # fmt: skip
    calls = [
        {"b": 3 if number % 2 else 1, "h": 3, "n": n}
        for number, n in enumerate([lengths] if fixed else lengths)
    ]
    return Function(name, arguments, results, body,
                    lambda **values: recurrence(**values)[: len(results)], calls,
                    tolerance=tolerance(d, chunk, calls[-1]["n"]))  # fmt: skip


def tolerance(d, chunk, longest):
    """Keys have the length 1, so that each token adds about 1 to an output at most, of the
    state and of the products with it alike. What it adds is a product of sums of d terms, of up
    to `chunk` terms, and of as many as there are chunks, each rounded by at most 2^-24; such
    errors have either sign, and add up like the root of their number. The system of the delta
    rule is two such products more, and the test has a factor of 4 for that and the exponentials.
    """
    return 4 * 2**-24 * (d + chunk + longest / chunk) ** 0.5 * (1 + longest)


def split_in_two(name, op, d, dv, chunk, calls):
    """The text in two parts, of which the second goes on with the state of the first."""
    text = "first + second"
    arguments = {
        "q": Argument("b", 2, text, d), "k": Argument("b", 2, text, d, fill=unit),
        "v": Argument("b", 2, text, dv), "gates": Argument("b", 2, text, fill=decays),
    }  # fmt: skip
    if op == "gated_delta_rule":
        arguments["strengths"] = Argument("b", 2, text, fill=strong)
    results = {"o": arguments["v"], "last": Argument("b", 2, d, dv)}
    lines = []
    for part, offset in (("first", 0), ("second", '"first"')):
        for argument, has in arguments.items():
            size = [f'"{part}"' if s == text else f'"{s}"' if s == "b" else s for s in has.sizes]
            offsets = [0, 0, offset, 0][: len(size)]
            lines.append(
                f"%{argument}_{part} = heddle.slice %{argument} "
                f"offsets [{', '.join(map(str, offsets))}] sizes [{', '.join(map(str, size))}] "
                f"steps [{', '.join('1' * len(size))}] : {has} -> {has}"
            )
        q, k, v = (arguments[a] for a in "qkv")
        clause, types = "", f"{q}, {k}, {v}"
        if op == "gated_delta_rule":
            clause = f" strengths(%strengths_{part})"
            types += f", {arguments['strengths']}"
        clause += f" gates(%gates_{part} : {arguments['gates']})"
        last = "%last" if part == "second" else "%between"
        if part == "second":
            clause += f" state(%between : {results['last']})"
        lines.append(
            f"%o_{part}, {last} = heddle.{op} %q_{part}, %k_{part}, %v_{part}{clause} "
            f"chunk({chunk}) : {types} -> {v}, {results['last']}"
        )
    lines.append(f"%o = heddle.concat %o_first, %o_second axis(2) : {v}, {v} -> {v}")
    longest = max(call["first"] + call["second"] for call in calls)
    return Function(name, arguments, results, "\n".join(lines),
                    lambda **values: recurrence(**values), calls,
                    tolerance=tolerance(d, chunk, longest))  # fmt: skip


def around(chunk):
    return [0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk + 5]


HALVES = [{"b": 1, "first": 16, "second": 1}, {"b": 3, "first": 21, "second": 40}]
FUNCTIONS = [
    recur("plain", "linear_attention", 8, 12, 16, around(16)),
    recur("gated", "linear_attention", 64, 24, 64, around(64), gated=True),
    recur("states", "linear_attention", 16, 16, 8, around(8), gated=True, given=True, asked=True),
    recur("resets", "linear_attention", 16, 24, 16, around(16), gated=True, asked=True, gates=resets),
    recur("asked", "linear_attention", 16, 5, 1, [1, 2, 9], asked=True, heads="h"),
    recur("token", "linear_attention", 16, 24, 64, 1, gated=True, given=True, asked=True),
    recur("known", "linear_attention", 8, 8, 4, 13, given=True, batch=2),
    recur("nothing", "linear_attention", 16, 24, 8, 0, gated=True, channels=True, given=True, asked=True,
          group=2),
    recur("channels", "linear_attention", 20, 12, 16, around(16), gated=True, channels=True, given=True,
          asked=True),
    recur("channel_resets", "linear_attention", 16, 24, 16, around(16), gated=True, asked=True,
          gates=resets, channels=True, group=2),
    recur("grouped", "linear_attention", 16, 24, 8, around(8), group=3),
    recur("delta_channels", "gated_delta_rule", 20, 12, 16, around(16), gated=True, channels=True,
          given=True, asked=True, group=2),
    recur("delta_channel_resets", "gated_delta_rule", 16, 24, 16, around(16), gated=True, asked=True,
          gates=resets, channels=True),
    recur("delta_channel_token", "gated_delta_rule", 16, 24, 64, 1, gated=True, channels=True,
          given=True, asked=True),
    recur("delta_block", "gated_delta_rule", 5, 1, 16, 16, gated=True, asked=True, batch=1),
    recur("delta_plain", "gated_delta_rule", 8, 12, 16, around(16)),
    recur("delta_gated", "gated_delta_rule", 64, 48, 64, around(64), gated=True),
    recur("delta_states", "gated_delta_rule", 16, 24, 8, around(8), gated=True, given=True, asked=True),
    recur("delta_resets", "gated_delta_rule", 16, 24, 16, around(16), gated=True, asked=True,
          gates=resets),
    recur("delta_asked", "gated_delta_rule", 16, 5, 2, [1, 2, 9], asked=True),
    recur("delta_token", "gated_delta_rule", 16, 24, 64, 1, gated=True, given=True, asked=True),
    recur("delta_known", "gated_delta_rule", 8, 8, 16, 5, given=True, batch=2),
    recur("delta_nothing", "gated_delta_rule", 16, 24, 8, 0, gated=True, channels=True, given=True,
          asked=True, group=2),
    # Where the powers of A would be as large as 10^17.
    recur("delta_alike", "gated_delta_rule", 8, 8, 64, [64, 100], keys=alike, strengths=ones),
    split_in_two("halves", "linear_attention", 16, 24, 16, HALVES),
    split_in_two("delta_halves", "gated_delta_rule", 16, 24, 16, HALVES),
]  # fmt: skip


def draw(op):
    def make(name, random):
        chunk = random.choice((1, 2, 4, 8, 16, 32, 64, 64, 128))
        d, dv = (random.choice((1, 5, 8, 48, 64, 80, 96, 128)) for _ in range(2))
        lengths = sorted(random.sample([*LENGTHS, *around(chunk)], 2))
        if random.random() < 0.3:
            lengths = lengths[0] if random.random() < 0.8 else 0
        batch, heads = random.choice(("b", 1, 3)), random.choice(("h", 1, 2, 5))
        options = {"gated": random.random() < 0.5, "given": random.random() < 0.5,
                   "asked": random.random() < 0.5,
                   "gates": random.choice((decays, resets))}  # fmt: skip
        options["channels"] = options["gated"] and random.random() < 0.5
        group = random.choice((1, 1, 2, 3)) if isinstance(heads, int) else 1
        return recur(name, op, d, dv, chunk, lengths, **options, batch=batch, heads=heads,
                     group=group)  # fmt: skip

    return make


DRAWN = {op: draw(op) for op in ("linear_attention", "gated_delta_rule")}
