# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encoder-decoders of random_folders.py: two sources, and two answers of other lengths, at once and
token by token."""
import numpy as np

import seq2seq
from folders import TOLERANCE, is_same, load_folder, off, padded
from seq2seq_variants import VARIANTS
from sources import Source
from tensors import Tensors

SOURCES, ANSWERS = (12, 7), (6, 9)

assert VARIANTS.keys() == seq2seq.FAMILIES.keys()


def config_of(name, changes):
    plain = VARIANTS[name][0]
    return {"architectures": [seq2seq.FAMILIES[name][0]], "model_type": name, **plain, **changes}


def source_of(config, numbers, length):
    """Ids, or features."""
    if config["model_type"] == "whisper":
        return numbers.standard_normal((config["num_mel_bins"], 2 * config["max_source_positions"]))
    return numbers.integers(0, config["vocab_size"], length)


def logits_of(config, tensors, source, answer):
    model = seq2seq.Seq2Seq(config, tensors)
    encoded = model.encode(source)
    return encoded, model.decode(encoded, answer)


def changes_nothing(name, changes, seed, dtype):
    found = []
    for c in (changes, {}):
        config, numbers = config_of(name, c), np.random.default_rng(seed)
        answer = numbers.integers(0, config["vocab_size"], SOURCES[0])
        source = source_of(config, numbers, SOURCES[0])
        found.append(logits_of(config, Tensors(seed, dtype), source, answer)[1])
    return is_same(*found)


def calls_of(model, source, ids, lengths):
    """The logits of the last token of each answer, after all of them at once, and token by token of
    what follows the first two."""
    def cache():
        return model.cache("prefill", "cache", batch=len(ids), capacity=int(lengths.max()))

    zeros = np.zeros_like(lengths)
    yield lengths - 1, source.prefill(ids, zeros, lengths, cache())
    kept = cache()
    source.prefill(ids[:, :2], zeros, zeros + 2, kept)
    for position in range(2, lengths.min()):
        yield zeros + position, source.decode(ids[:, position:position + 1], zeros + position,
                                              zeros + 1, kept)


def compare(name, config, tensors, shards, draw, load=load_folder):
    numbers = np.random.default_rng(draw.randrange(1 << 30))
    sources = [source_of(config, numbers, n) for n in SOURCES]
    if config["model_type"] == "whisper":
        sources = [source.astype(np.float32).astype(float) for source in sources]
    answers = [numbers.integers(0, config["vocab_size"], n) for n in ANSWERS]
    expected = [logits_of(config, tensors, *both) for both in zip(sources, answers)]
    model = load(name, config, tensors, shards)
    source = Source(model, sources, draw.randrange(config["vocab_size"]))
    for number, (encoded, _) in enumerate(expected):
        error = off(source.hidden[number], encoded)
        if not error <= TOLERANCE:
            return f"encoder: source {number}: off by {error:.2g} of the largest"
    for positions, found in calls_of(model, source, *padded(answers, draw, config["vocab_size"])):
        for number, (logits, position) in enumerate(zip(found, positions)):
            error = off(logits, expected[number][1][position])
            if not error <= TOLERANCE:
                return (f"answer {number}: position {position}: off by {error:.2g} of the largest "
                        "logit")
    return None
