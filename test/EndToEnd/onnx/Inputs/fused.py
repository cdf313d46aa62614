# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime's own operators against formulas in NumPy, in float64."""

import math

import comparison
import numpy
import onnx_model as o
from comparison import report

random = numpy.random.default_rng()
DOMAIN = "com.microsoft"
BATCH, LENGTH, KEYS, PAST, HEADS, CHANNELS = 3, 5, 7, 3, 4, 16
WIDTH = HEADS * CHANNELS


def floats(*shape):
    return random.standard_normal(shape).astype("f4")


def softmax(scores):
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def layer_norm(x, scale, shift=0, epsilon=1e-12):
    x = x - x.mean(-1, keepdims=True)
    return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * scale + shift


def root_mean_square(x, scale, epsilon=1e-12):
    return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * scale


def erf_gelu(x):
    return x / 2 * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2)))


def tanh_gelu(x):
    return x / 2 * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def causal(keys):
    return numpy.arange(PAST + keys) <= numpy.arange(LENGTH)[:, None] + PAST


def split(x, heads=HEADS):
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def join(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def attend(query, key, value, kept=None, bias=0, softcap=0, scale=None):
    """Of [batch, heads, length, channels]; queries of several heads share keys."""
    key, value = (x.repeat(query.shape[1] // x.shape[1], 1) for x in (key, value))
    scores = query @ key.transpose(0, 1, 3, 2) * (scale or 1 / math.sqrt(query.shape[-1]))
    scores = (softcap * numpy.tanh(scores / softcap) if softcap else scores) + bias
    return softmax(scores if kept is None else numpy.where(kept, scores, -numpy.inf)) @ value


def rotate(x, cosines, sines):
    low, high = numpy.split(x, 2, -1)
    return numpy.concatenate([low * cosines - high * sines, high * cosines + low * sines], -1)


def check(what, op, inputs, expected, constants=(), **attributes):
    """`inputs` by name in the operator's order, None for one that is not given; `constants` are those
    that the file has. `expected` are results, None for one that is not wanted."""
    given = {name: array for name, array in inputs.items() if name not in constants and array is not None}
    outputs = [f"y{number}" if result is not None else "" for number, result in enumerate(expected)]
    node = o.node(op, names_of(inputs), outputs, DOMAIN, **attributes)
    wanted = [result for result in expected if result is not None]
    names = filter(None, outputs)
    results = [o.value(name, "i4" if y.dtype.kind == "i" else "f4", y.shape) for name, y in zip(names, wanted)]
    stored = {name: inputs[name] for name in constants}
    report(what, run([node], given, results, stored), wanted)


def names_of(inputs):
    return [name if array is not None else "" for name, array in inputs.items()]


def run(*arguments):
    return comparison.run(*arguments, domains=[DOMAIN])


# ---- Layers

x, skip, scale, shift = floats(BATCH, LENGTH, WIDTH), floats(BATCH, LENGTH, WIDTH), floats(WIDTH), floats(WIDTH)
X, SKIP, SCALE, SHIFT = (each.astype("f8") for each in (x, skip, scale, shift))
check("bias", "BiasGelu", {"x": x, "b": shift}, [erf_gelu(X + SHIFT)], ["b"])
check("gelu of tanh", "FastGelu", {"x": x, "b": shift}, [tanh_gelu(X + SHIFT)], ["b"])
check("quick gelu", "QuickGelu", {"x": x}, [X / (1 + numpy.exp(-1.702 * X))])
check("another alpha", "QuickGelu", {"x": x}, [X / (1 + numpy.exp(-0.5 * X))], alpha=0.5)
total = X + SKIP + SHIFT
check(
    "skip",
    "SkipLayerNormalization",
    {"x": x, "s": skip, "w": scale, "c": shift, "b": shift},
    [layer_norm(total, SCALE, SHIFT, 1e-5), None, None, total],
    ["w", "c", "b"],
    epsilon=1e-5,
)
check(
    "simplified skip",
    "SkipSimplifiedLayerNormalization",
    {"x": x, "s": skip, "w": scale, "b": shift},
    [root_mean_square(total, SCALE, 1e-6), None, None, total],
    ["w", "b"],
    epsilon=1e-6,
)

ids, kinds = (random.integers(0, count, (BATCH, LENGTH)).astype("i4") for count in (20, 2))
words, places, types = floats(20, WIDTH), floats(9, WIDTH), floats(2, WIDTH)
present = numpy.arange(LENGTH) < random.integers(1, LENGTH + 1, (BATCH, 1))
total = words[ids].astype("f8") + places[:LENGTH] + types[kinds]
tables = {"words": words, "places": places, "types": types, "w": scale, "c": shift}
check(
    "embeddings",
    "EmbedLayerNormalization",
    {"ids": ids, "kinds": kinds, **tables, "mask": present.astype("i4")},
    [layer_norm(total, SCALE, SHIFT), present.sum(1), total],
    tables,
)

# ---- Attention of queries, keys and values

query, key, value = floats(BATCH, LENGTH, WIDTH), floats(BATCH, KEYS, WIDTH), floats(BATCH, KEYS, WIDTH)
Q, K, V = (split(each.astype("f8")) for each in (query, key, value))
lengths = random.integers(1, KEYS + 1, BATCH).astype("i4")
kept = random.random((BATCH, KEYS)) < 0.6
kept[:, 0] = True
bias = floats(1, HEADS, LENGTH, KEYS)
plain = {"q": query, "k": key, "v": value}


def attention(what, inputs, expected, constants=(), op="MultiHeadAttention", **attributes):
    check(what, op, inputs, expected, constants, num_heads=HEADS, **attributes)


attention("attention", plain, [join(attend(Q, K, V))])
of_length = (numpy.arange(KEYS) < lengths[:, None])[:, None, None]
attention("lengths", {**plain, "b": None, "mask": lengths}, [join(attend(Q, K, V, of_length))])
attention(
    "mask and bias",
    {**plain, "b": None, "mask": kept.astype("i4"), "bias": bias},
    [join(attend(Q, K, V, kept[:, None, None], bias, scale=0.25))],
    scale=0.25,
)
biases = floats(3 * WIDTH)
parts = zip((query, key, value), numpy.split(biases.astype("f8"), 3))
moved = [split(each.astype("f8") + part) for each, part in parts]
attention("biases", {**plain, "b": biases}, [join(attend(*moved))], ["b"])
apart = [each[:, :LENGTH].reshape(BATCH, LENGTH, HEADS, CHANNELS) for each in (query, key, value)]
attention("packed", {"q": numpy.stack(apart, 3)}, [join(attend(Q, K[:, :, :LENGTH], V[:, :, :LENGTH]))])
own = {name: each[:, :LENGTH] for name, each in plain.items()}
before = [floats(BATCH, HEADS, PAST, CHANNELS) for _ in range(2)]
whole = [numpy.concatenate([each.astype("f8"), more[:, :, :LENGTH]], 2) for each, more in zip(before, (K, V))]
attention(
    "past",
    {**own, "b": None, "mask": None, "bias": None, "pk": before[0], "pv": before[1]},
    [join(attend(Q, *whole, causal(LENGTH))), *whole],
    unidirectional=1,
)

# ---- Attention of one input

weight = floats(WIDTH, 3 * WIDTH) / 6
made = [split(each) for each in numpy.split(X @ weight + biases, 3, -1)]
own = kept[:, :LENGTH]
inputs = {"x": x, "w": weight, "b": biases}
attention(
    "one matrix",
    {**inputs, "mask": own.astype("i4")},
    [join(attend(*made, own[:, None, None]))],
    ["w", "b"],
    "Attention",
)
before = floats(2, BATCH, HEADS, PAST, CHANNELS)
whole = [numpy.concatenate([each.astype("f8"), more], 2) for each, more in zip(before, made[1:])]
attention(
    "one matrix and past",
    {**inputs, "mask": None, "past": before},
    [join(attend(made[0], *whole, causal(LENGTH))), numpy.stack(whole)],
    ["w", "b"],
    "Attention",
    unidirectional=1,
)

# ---- Groups: sequences have pasts of several lengths, and prompts are padded at their ends.

KV = 2
cosines, sines = (f(floats(2 * LENGTH + PAST, CHANNELS // 2)) for f in (numpy.cos, numpy.sin))
keys, values = floats(BATCH, LENGTH, KV * CHANNELS), floats(BATCH, LENGTH, KV * CHANNELS)


def check_groups(what, room, length):
    pasts = random.integers(0, room + 1, BATCH)
    totals = pasts + (length if room else random.integers(1, length + 1, BATCH))
    new = [each[:, :length] for each in (query, keys, values)]
    stored = [floats(BATCH, KV, room, CHANNELS) for _ in range(2)]
    at = pasts[:, None] + numpy.arange(length)
    angles = cosines[at][:, None], sines[at][:, None]
    turned = [rotate(split(each.astype("f8"), count), *angles) for each, count in zip(new, (HEADS, KV))]
    free = numpy.zeros((BATCH, KV, length, CHANNELS))
    whole = [numpy.concatenate([each.astype("f8"), free], 2) for each in stored]
    for b in range(BATCH):
        for each, more in zip(whole, (turned[1], split(new[2].astype("f8"), KV))):
            each[b, :, pasts[b] : pasts[b] + length] = more[b]
    positions = numpy.arange(room + length)
    seen = (positions < totals[:, None])[:, None] & (positions <= at[:, :, None]) & (positions > at[:, :, None] - 4)
    nobodys = ~seen.any(-1, keepdims=True) & (positions == 0)
    expected = join(attend(turned[0], *whole, (seen | nobodys)[:, None], softcap=2.0))
    given = {**dict(zip("qkv", new)), "pk": stored[0], "pv": stored[1]}
    given.update(last=(totals - 1).astype("i4"), total=numpy.array(room + length, "i4"))
    if not room:
        given.update(pk=None, pv=None)
    angles = {"cosines": cosines, "sines": sines}
    node = o.node(
        "GroupQueryAttention",
        names_of({**given, **angles}),
        ["y", "nk", "nv"],
        DOMAIN,
        num_heads=HEADS,
        kv_num_heads=KV,
        do_rotary=1,
        local_window_size=4,
        softcap=2.0,
    )
    given = {name: array for name, array in given.items() if array is not None}
    results = [o.value("y", "f4", expected.shape), *(o.value(name, "f4", whole[0].shape) for name in ("nk", "nv"))]
    # Queries behind the last key of a padded prompt are nobody's.
    valid = (at < totals[:, None]) & seen.any(-1)
    found = run([node], given, results, angles, valid)
    report(f"groups, {what}", [found[0][valid], *found[1:]], [expected[valid], *whole])


# ---- Sequences one behind the other, and biases of positions

counts = random.integers(1, 7, 4)
ends = numpy.concatenate([[0], counts.cumsum()]).astype("i4")
tokens = [floats(ends[-1], WIDTH) for _ in range(3)]
shifts = floats(3 * WIDTH)
sequences = [
    [split((each[first:last] + shift).astype("f8")[None]) for each, shift in zip(tokens, numpy.split(shifts, 3))]
    for first, last in zip(ends, ends[1:])
]
expected = numpy.concatenate([join(attend(*parts))[0] for parts in sequences])
offsets = numpy.zeros((4, 7), "i4")  # which serve those who pad
inputs = {"q": tokens[0], "k": tokens[1], "v": tokens[2], "b": shifts, "o": offsets, "e": ends}
attention("packed sequences", inputs, [expected], ["b"], "PackedMultiHeadAttention")
heads_first = numpy.stack([each.reshape(-1, HEADS, CHANNELS) for each in tokens], 2)
inputs = {"q": heads_first, "k": None, "v": None, "b": shifts, "o": offsets, "e": ends}
attention("packed sequences in one", inputs, [expected], ["b"], "PackedMultiHeadAttention")


def bucket(distance, is_bidirectional, buckets, most):
    """(Raffel et al. 2020, T5), of the query's place less the key's."""
    first = 0
    if is_bidirectional:
        buckets //= 2
        first, distance = buckets if distance < 0 else 0, abs(distance)
    distance = max(distance, 0)
    exact = buckets // 2
    if distance < exact:
        return first + distance
    large = exact + int(numpy.float32(math.log(distance / exact) / math.log(most / exact) * (buckets - exact)))
    return first + min(large, buckets - 1)


table = floats(16, HEADS)
lengths = {"n": numpy.array([40], "i8"), "m": numpy.array([50], "i8")}
for is_bidirectional in (0, 1):
    places = [[bucket(q - k, is_bidirectional, 16, 32) for k in range(50)] for q in range(40)]
    check(
        "biases of positions",
        "RelativePositionBias",
        {"t": table, **lengths},
        [table[places].transpose(2, 0, 1)[None].astype("f8")],
        lengths,
        is_bidirectional=is_bidirectional,
        max_distance=32,
    )

check_groups("prompt", 0, LENGTH)
check_groups("later tokens", 6, LENGTH)
check_groups("a later token", 6, 1)
comparison.summarise()
