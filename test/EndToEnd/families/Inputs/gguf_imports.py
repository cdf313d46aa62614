# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles tiny random models of GGUF files, and compares what they make of two texts with NumPy's.

    gguf_imports.py brief       one file of a few families
    gguf_imports.py all         of all, with every field that such a file can have
    gguf_imports.py NAME...     that, of these model types or architectures"""
import functools
import json
import pathlib
import random
import subprocess
import sys

import heddle
import decoder_folders
import decoders
import encoder_decoder_folders
import encoder_folders
import gguf_encoders as encoders
import gguf_experts
import llama_cpp_families
from tensors import Tensors

SEED = 1
# Between them they have most of what differs between files.
BRIEF = ["BertModel", "RobertaForSequenceClassification", "deepseek_v2", "falcon", "gemma3_text",
         "qwen2_moe", "stablelm", "t5"]
# Another form of a family's files.
FORMS = {"expanded deepseek_v2": ("deepseek_v2", gguf_experts.ExpandedDeepSeekV2)}
# Fields that llama.cpp has in another way, or variants of others lack.
MORE = {"deepseek_v2": [{"topk_method": "group_limited_greedy", "n_group": 4, "topk_group": 2}],
        "RobertaForSequenceClassification": [{"num_labels": 1}]}  # fmt: skip
# Files do not say so.
ALWAYS = {"qwen3_moe": {"norm_topk_prob": True}, **encoders.ALWAYS}


def load(path):
    library = f"./{path.stem}.so"
    done = subprocess.run(["heddlec", path, "--quiet", "--emit=shared", "-o", library],
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return heddle.load(library)


def load_gguf(exported, evaluator, name, config, tensors, shards):
    """What evaluators have asked for, as a file."""
    path = pathlib.Path(name + ".gguf")
    exported(evaluator(config, tensors), tensors.stored).write(path)
    return load(path)


def expected_of_encoder(pooling, config, tensors, inputs, number):
    outputs = encoder_folders.expected_of(config, tensors, inputs, number)["encode"]
    outputs.pop("pooled", None)
    hidden = outputs["hidden"]
    embeddings = {encoders.MEAN: hidden.mean(axis=0), encoders.CLS: hidden[0],
                  encoders.LAST: hidden[-1]}
    if pooling in embeddings:
        outputs["embedding"] = embeddings[pooling]
    return {"encode": outputs}


def kind_of(name):
    """What writes files of that name and computes them, changes of the plain config, what makes a
    config of them, and what compares."""
    if name in encoders.FORMS:
        family, exported = encoders.FORMS[name]
        _, evaluator, _, config_of, _ = kind_of(family)
        compare = functools.partial(
            encoder_folders.compare,
            expect=functools.partial(expected_of_encoder, exported.pooling))
        return exported, evaluator, [{}], lambda _, changes: config_of(family, changes), compare
    if name in encoders.ENCODERS:
        exported, evaluator, lacks = encoders.ENCODERS[name]
        kind = encoder_folders
        compare = functools.partial(
            kind.compare, expect=functools.partial(expected_of_encoder, exported.pooling))
    elif name in encoders.ENCODER_DECODERS:
        exported, evaluator, lacks = encoders.ENCODER_DECODERS[name]
        kind, compare = encoder_decoder_folders, encoder_decoder_folders.compare
    else:
        family, exported = FORMS.get(name, (name, llama_cpp_families.FAMILIES.get(name)))
        variants = [*llama_cpp_families.variants_of(family), *MORE.get(family, [])]
        config_of = functools.partial(lambda of, _, changes: decoder_folders.config_of(of, changes),
                                      family)
        return (exported, decoders.FAMILIES[family][1], variants, config_of,
                decoder_folders.compare)
    variants = [{}, *(v for v in kind.VARIANTS[name][1]
                      if not lacks & v.keys() and v not in encoders.T5_LACKS)]
    return exported, evaluator, variants + MORE.get(name, []), kind.config_of, compare


def main():
    brief = sys.argv[1] == "brief"
    every = [*llama_cpp_families.FAMILIES, *FORMS, *encoders.FORMS, *encoders.ENCODERS, *encoders.ENCODER_DECODERS]
    failures = count = 0
    for name in sorted({"brief": BRIEF, "all": every}.get(sys.argv[1], sys.argv[1:])):
        exported, evaluator, variants, config_of, compare = kind_of(name)
        for number, changes in enumerate([{}] if brief else variants):
            count += 1
            config, tensors = config_of(name, ALWAYS.get(name, {}) | changes), Tensors(SEED)
            load_this = functools.partial(load_gguf, exported, evaluator)
            try:
                wrong = compare(f"{name}{number}".replace(" ", "_"), config, tensors, 1, random.Random(SEED),
                                load=load_this)
            except RuntimeError as message:
                wrong = str(message)
            if wrong:
                failures += 1
                print(f"{name} {json.dumps(changes)}: {wrong}", flush=True)
    print(f"{count} files, {failures} failed")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
