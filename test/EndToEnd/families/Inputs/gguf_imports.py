# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles tiny random decoders of GGUF files, and compares the logits of two texts with NumPy's.

    gguf_imports.py brief       one file of a few families
    gguf_imports.py all         of all, with every field that such a file can have
    gguf_imports.py NAME...     that, of these model types"""
import json
import pathlib
import random
import subprocess
import sys

import heddle
from decoder_folders import LENGTHS, calls_of, config_of
import decoders
from folders import TOLERANCE, off, padded
from llama_cpp_families import FAMILIES, variants_of
from tensors import Tensors
from text_parts import vocabulary_of

SEED = 1
# Between them they have most of what differs between files.
BRIEF = ["falcon", "gemma3_text", "qwen2_moe", "stablelm"]
# These are not read yet.
ABSENT = {"deepseek_v2", "deepseek_v3"}
# A file does not say so.
ALWAYS = {"qwen3_moe": {"norm_topk_prob": True}}


def load(path):
    library = f"./{path.stem}.so"
    done = subprocess.run(["heddlec", path, "--quiet", "--emit=shared", "-o", library],
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return heddle.load(library)


def check(path, name, changes):
    """Raises RuntimeError where logits differ."""
    config, tensors, draw = config_of(name, ALWAYS.get(name, {}) | changes), Tensors(SEED), random.Random(SEED)
    vocabulary = vocabulary_of(config)
    texts = [[draw.randrange(vocabulary) for _ in range(n)] for n in LENGTHS]
    expected = [decoders.logits_of(config, tensors, text) for text in texts]
    FAMILIES[name](decoders.FAMILIES[name][1](config, tensors), tensors.stored).write(path)
    model = load(path)
    for positions, found in calls_of(model, *padded(texts, draw, vocabulary)):
        for text, (logits, position) in enumerate(zip(found, positions)):
            error = off(logits, expected[text][position])
            if not error <= TOLERANCE:
                raise RuntimeError(f"text {text}: position {position}: off by {error:.2g} of the "
                                   "largest logit")


def main():
    brief = sys.argv[1] == "brief"
    names = {"brief": BRIEF, "all": FAMILIES.keys() - ABSENT}.get(sys.argv[1], sys.argv[1:])
    failures = count = 0
    for name in sorted(names):
        variants = [{}] if brief else variants_of(name)
        for number, changes in enumerate(variants):
            count += 1
            try:
                check(pathlib.Path(f"{name}{number}.gguf"), name, changes)
            except RuntimeError as message:
                failures += 1
                print(f"{name} {json.dumps(changes)}: {message}", flush=True)
    print(f"{count} files, {failures} failed")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
