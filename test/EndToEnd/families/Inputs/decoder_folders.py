# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders of random_folders.py: two texts at once and token by token."""
import numpy as np

import decoders
from folders import TOLERANCE, is_same, load_folder, off, padded
from tensors import Tensors
from text_parts import vocabulary_of
from variants import VARIANTS

LENGTHS = (9, 5)

assert VARIANTS.keys() == decoders.FAMILIES.keys()


def config_of(name, changes):
    plain = VARIANTS[name][0]
    return {"architectures": [decoders.FAMILIES[name][0]], "model_type": name, **plain, **changes}


def changes_nothing(name, changes, seed, dtype):
    text = np.random.default_rng(seed).integers(0, vocabulary_of(VARIANTS[name][0]), LENGTHS[0])
    return is_same(*(decoders.logits_of(config_of(name, c), Tensors(seed, dtype), text)
                     for c in (changes, {})))


def calls_of(model, ids, lengths):
    """The logits of the last token of each text, after all of them at once, and token by token of
    what follows the first two."""
    cache = model.cache(batch=len(ids), capacity=int(lengths.max()))
    zeros = np.zeros_like(lengths)
    yield lengths - 1, model.prefill(ids=ids, starts=zeros, lengths=lengths, cache=cache)
    cache = model.cache(batch=len(ids), capacity=int(lengths.max()))
    model.prefill(ids=ids[:, :2], starts=zeros, lengths=zeros + 2, cache=cache)
    for position in range(2, lengths.min()):
        yield zeros + position, model.decode(ids=ids[:, position:position + 1],
                                             starts=zeros + position, lengths=zeros + 1,
                                             cache=cache)


def compare(name, config, tensors, shards, draw, load=load_folder):
    vocabulary = vocabulary_of(config)
    texts = [[draw.randrange(vocabulary) for _ in range(n)] for n in LENGTHS]
    expected = [decoders.logits_of(config, tensors, text) for text in texts]
    model = load(name, config, tensors, shards)
    for positions, found in calls_of(model, *padded(texts, draw, vocabulary)):
        for text, (logits, position) in enumerate(zip(found, positions)):
            error = off(logits, expected[text][position])
            if not error <= TOLERANCE:
                return f"text {text}: position {position}: off by {error:.2g} of the largest logit"
    return None
