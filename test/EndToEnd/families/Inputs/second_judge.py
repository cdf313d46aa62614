# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares compiled decoders with llama.cpp, which reads the same tiny random weights as GGUF: the
logits of every position of a text, and which of them is the largest.

    second_judge.py LIBRARIES           all families and fields that llama.cpp has
    second_judge.py LIBRARIES NAME...   those of these model types"""
import json
import pathlib
import random
import sys

import numpy as np

import decoder_folders
import decoders
from folders import TOLERANCE, Folder, off
from llama_cpp import LlamaCpp
from llama_cpp_families import ALWAYS, FAMILIES, variants_of
from tensors import Tensors
from text_parts import vocabulary_of

SEED, LENGTH = 1, 16

# Without GELU both compute in f32: llama.cpp's logits of 2960 models, of 40 seeds, were within
# 2.2e-6 of NumPy's. Its GELU is a table of f16 by f16: argument and result are each off by 2**-11
# at most, together by 2**-10, and after some layers by twice as much. Logits of 1280 models were
# within 1.2e-3. That tells a wrong weight or scale, but not GELU's two formulas.
GELU_TOLERANCE = 2**-9
GELU = {"falcon", "gemma", "gemma2", "gemma3", "gemma3_text", "gpt2", "gpt_neox", "phi",
        "starcoder2"}


def compiled_logits(model, ids):
    """[length, vocabulary] by decode, and those of the last position by prefill."""
    ids, one = ids[None].astype(np.int32), np.ones(1, np.int32)
    cache = model.cache(batch=1, capacity=LENGTH)
    decoded = [model.decode(ids=ids[:, i:i + 1], starts=i * one, lengths=one, cache=cache)[0]
               for i in range(LENGTH)]
    cache = model.cache(batch=1, capacity=LENGTH)
    return np.array(decoded), model.prefill(ids=ids, starts=0 * one, lengths=LENGTH * one,
                                            cache=cache)[0]


def largest_error(found, right):
    """Relative to the largest logit of a position."""
    return max(off(*pair) for pair in zip(found, right))


def disagreement(found, right, tolerance):
    """Of two lists of logits, or None."""
    for position, (ours, theirs) in enumerate(zip(found, right)):
        if not off(ours, theirs) <= tolerance:
            return f"position {position}: off by {off(ours, theirs):.2g} of the largest logit"
        second, first = np.sort(theirs)[-2:]
        if ours.argmax() != theirs.argmax() and first - second > tolerance * np.abs(theirs).max():
            return f"position {position}: {ours.argmax()} is the largest, not {theirs.argmax()}"
    return None


def check(library, path, name, changes, tolerance):
    """The largest error; raises RuntimeError where llama.cpp or the compiler does not agree."""
    config = decoder_folders.config_of(name, {**ALWAYS.get(name, {}), **changes})
    tensors = Tensors(SEED)
    draw = random.Random(SEED)
    ids = np.array([draw.randrange(vocabulary_of(config)) for _ in range(LENGTH)])
    evaluated = decoders.logits_of(config, tensors, ids)
    model = decoders.FAMILIES[name][1](config, tensors)
    FAMILIES[name](model, tensors.stored).write(path.with_suffix(".gguf"))
    judged = library.logits(path.with_suffix(".gguf"), ids)
    decoded, prefilled = compiled_logits(Folder(path, config, tensors).load(), ids)
    for entry, found, right in (("decode", decoded, judged), ("prefill", [prefilled], judged[-1:])):
        if error := disagreement(found, right, tolerance):
            raise RuntimeError(f"{entry}: {error}; at most off from NumPy's: decode by "
                               f"{largest_error(decoded, evaluated):.2g}, llama.cpp by "
                               f"{largest_error(judged, evaluated):.2g}")
    return largest_error(decoded, judged)


def main():
    library = LlamaCpp(sys.argv[1])
    failures, errors = 0, {"without GELU": [], "with GELU": []}
    for name in sys.argv[2:] or FAMILIES:
        kind, tolerance = (("with GELU", GELU_TOLERANCE) if name in GELU
                           else ("without GELU", TOLERANCE))
        for number, changes in enumerate(variants_of(name)):
            try:
                error = check(library, pathlib.Path(f"{name}{number}"), name, changes, tolerance)
                errors[kind].append(error)
            except RuntimeError as message:
                failures += 1
                print(f"{name} {json.dumps(changes)}: {message}", flush=True)
    for kind, found in errors.items():
        print(f"{kind}: within {max(found, default=0):.2g} of the largest logit")
    print(f"{sum(map(len, errors.values()))} models agree with llama.cpp, {failures} do not")
    sys.exit(failures > 0)


main()
