# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The formulas of translator_text.py's model, in double precision, and what ./translator,
which is linked with the compiled model, says to the same texts.

    translator.py CHECKPOINT [THREADS]

Each translation is done in several ways: all of it in one prefill, id by id, and in parts of
several lengths; after each call the logits are those of the whole text up to there.
"""
import math
import subprocess
import sys

import numpy

from checkpoint import read_checkpoint

LAYERS, CHANNELS, HEADS, SOURCE_IDS, TARGET_IDS = 2, 48, 4, 61, 53
# The largest difference that is rounding: 5 times what was seen, of logits up to 5.
TOLERANCE = 1e-5


# ---- The model, for one text at a time: x is [tokens, channels]. -----------------------------


def linear(w, name, x):
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def layer_norm(w, name, x):
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred**2).mean(-1, keepdims=True)
    return centred / numpy.sqrt(variance + 1e-5) * w[f"{name}.weight"] + w[f"{name}.bias"]


def softmax(x):
    exponentials = numpy.exp(x - x.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


def attention(q, k, v, keep):
    """`keep` is [queries, keys]."""
    width = CHANNELS // HEADS
    parts = []
    for head in range(HEADS):
        columns = slice(head * width, (head + 1) * width)
        scores = q[:, columns] @ k[:, columns].T / math.sqrt(width)
        parts.append(softmax(numpy.where(keep, scores, -numpy.inf)) @ v[:, columns])
    return numpy.concatenate(parts, -1)


def attend(w, name, x, memory, keep):
    q, k, v = (linear(w, f"{name}{part}", tensor)
               for part, tensor in (("query", x), ("key", memory), ("value", memory)))
    return linear(w, f"{name}output", attention(q, k, v, keep))


def gelu(x):
    return x * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2))) / 2


def relu(x):
    return numpy.maximum(x, 0)


def feed_forward(w, name, x, activation):
    return linear(w, f"{name}.down", activation(linear(w, f"{name}.up", x)))


def encode(w, ids):
    x = w["encoder.tokens.weight"][ids] + w["encoder.positions.weight"][: len(ids)]
    for layer in range(LAYERS):
        name = f"encoder.{layer}"
        h = layer_norm(w, f"{name}.attention_norm", x)
        x = x + attend(w, f"{name}.", h, h, numpy.ones((len(ids), len(ids)), bool))
        x = x + feed_forward(w, name, layer_norm(w, f"{name}.hidden_norm", x), gelu)
    return layer_norm(w, "encoder.norm", x)


def sinusoids(count):
    half = CHANNELS // 2
    angles = numpy.arange(count)[:, None] * numpy.exp(-9 * numpy.arange(half) / half)
    return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], -1)


def decode(w, ids, memory):
    """The logits after each id."""
    count = len(ids)
    x = w["decoder.tokens.weight"][ids] * math.sqrt(CHANNELS) + sinusoids(count)
    for layer in range(LAYERS):
        name = f"decoder.{layer}"
        h = layer_norm(w, f"{name}.attention_norm", x)
        x = x + attend(w, f"{name}.", h, h, numpy.tri(count, dtype=bool))
        h = layer_norm(w, f"{name}.cross_norm", x)
        x = x + attend(w, f"{name}.cross_", h, memory, numpy.ones((count, len(memory)), bool))
        x = x + feed_forward(w, name, layer_norm(w, f"{name}.hidden_norm", x), relu)
    return layer_norm(w, "decoder.norm", x) @ w["decoder.tokens.weight"].T


# ---- What is compared --------------------------------------------------------------------------


def padded(rows, width, anything):
    """Rows of ids; what stands behind their ends is valid, and may not matter."""
    return numpy.array([[*row, *[anything] * (width - len(row))] for row in rows], "<i4")


def steps_of(targets, parts):
    """Calls that add up to `targets`: `parts` has the number of ids of each, for each text."""
    starts = [0] * len(targets)
    for counts in parts:
        texts = [target[start : start + count]
                 for target, start, count in zip(targets, starts, counts)]
        assert all(texts)
        yield list(starts), texts
        starts = [start + count for start, count in zip(starts, counts)]


def translate(w, sources, targets, parts, slack, arguments):
    """The largest difference of any logit."""
    source = max(map(len, sources)) + slack
    memory, capacity = source + 2 * slack, max(map(len, targets)) + slack
    words = [[len(sources), source, capacity, memory], [len(text) for text in sources],
             padded(sources, source, SOURCE_IDS - 1).ravel()]
    expected = []
    logits = [decode(w, target, encode(w, text)) for text, target in zip(sources, targets)]
    for starts, texts in steps_of(targets, parts):
        lengths = [len(text) for text in texts]
        length = max(lengths)
        words += [[0 if length == 1 else length + slack], starts, lengths,
                  padded(texts, 1 if length == 1 else length + slack, TARGET_IDS - 1).ravel()]
        expected.append([rows[start + count - 1]
                         for rows, start, count in zip(logits, starts, lengths)])
    numpy.concatenate(words).astype("<i4").tofile("calls")
    subprocess.run(["./translator", "translator.weights", "calls", "logits", *arguments],
                   check=True)
    actual = numpy.fromfile("logits", "<f4").reshape(numpy.shape(expected))
    assert not numpy.isnan(actual).any(), "logits that are not numbers"
    return abs(actual - expected).max()


def main():
    w = read_checkpoint(sys.argv[1])
    random = numpy.random.default_rng(7)

    def texts(ids, lengths):
        return [list(random.integers(0, ids, length)) for length in lengths]

    for source_lengths, target_lengths, slack in [
        ([1], [2], 0),
        ([7], [17], 0),
        ([40], [37], 0),
        ([5, 19, 1], [9, 12, 20], 3),
        ([33, 8, 21, 34], [24, 33, 9, 8], 5),
    ]:
        sources, targets = texts(SOURCE_IDS, source_lengths), texts(TARGET_IDS, target_lengths)
        shortest = min(target_lengths)
        first = [[length - shortest + 1 for length in target_lengths]]
        half = [[(length + 1) // 2 for length in target_lengths],
                [length // 2 for length in target_lengths]]
        for name, parts in {
            "at once": [target_lengths],
            "id by id": first + [[1] * len(targets)] * (shortest - 1),
            "in halves": half,
        }.items():
            worst = translate(w, sources, targets, parts, slack, sys.argv[2:])
            verdict = "as expected" if worst < TOLERANCE else f"WRONG by {worst}"
            print(f"sources {source_lengths}, targets {target_lengths}, {name}: {verdict}")
            print(f"  largest difference {worst:.1e}", file=sys.stderr)


main()
