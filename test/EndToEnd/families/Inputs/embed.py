# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts through heddle-run embed and classify, and the same from Python: the tokens are those of a
vocabulary of whole words, and the numbers those of the evaluators."""
import json
import random
import subprocess

import numpy as np

import encoder_folders
import encoders
import heddle
import sentences
from encoder_variants import NORMALIZE
from folders import Folder, off
from sentences import pooling
from tensors import Tensors

WORDS = "the a cat dog sat ran on under old new mat house".split()
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
TEXTS = ["The cat sat on the old mat", "a new dog ran", "the cat", "Cat on a house under the mat"]
LABELS = {"0": "animal", "1": "thing", "2": "other"}


def ids_of(text, second=None):
    words = [VOCABULARY.index(word) for word in text.lower().split()]
    ids, types = [2, *words, 3], [0] * (len(words) + 2)
    if second:
        words = [VOCABULARY.index(word) for word in second.lower().split()]
        ids, types = ids + [*words, 3], types + [1] * (len(words) + 1)
    return ids, types


def add_tokenizer(folder):
    (folder.path / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")
    (folder.path / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": True}))


def run(*command):
    return subprocess.run(["heddle-run", *command], check=True, capture_output=True,
                          text=True).stdout


def make(name, architecture, changes):
    config = encoder_folders.config_of(architecture, changes)
    tensors = Tensors(random.randrange(1 << 30))
    encoders.outputs_of(config, tensors, [2, 3], [0, 1])  # asks for all of them
    return config, tensors


def check_embeddings():
    config, tensors = make("sentences", "BertModel", {})
    modules = sentences.modules_of((pooling("mean"), NORMALIZE), 32, 1)
    folder = Folder("sentences", config, tensors)
    sentences.write_modules(folder.path, modules, max_length=8)
    add_tokenizer(folder)
    model = folder.load()
    # Of nine tokens the last but one goes: texts are cut to eight.
    encoded = [ids_of(text) for text in TEXTS]
    encoded = [(ids[:7] + [3], types[:8]) if len(ids) > 8 else (ids, types)
               for ids, types in encoded]
    right = np.array([sentences.sentence_of(modules, encoders.outputs_of(config, tensors, *both))
                      for both in encoded])
    run("embed", "./sentences.so", "--tokenizer=sentences", "--output=rows.npy", *TEXTS)
    tokenizer = heddle.Tokenizer("sentences")
    for found in (np.load("rows.npy"), model.embed(TEXTS, tokenizer=tokenizer)):
        assert off(found, right) < 1e-5, (found, right)
    assert off(model.embed(TEXTS[1], tokenizer=tokenizer), right[1]) < 1e-5
    lines = run("embed", "./sentences.so", "--tokenizer=sentences", *TEXTS).splitlines()
    assert lines == [f"{right[0] @ row:.4f}  {text}" for row, text in zip(right[1:], TEXTS[1:])]


def check_labels(name, problem, shares_of):
    config, tensors = make(name, "BertForSequenceClassification",
                           {"id2label": LABELS, "problem_type": problem})
    folder = Folder(name, config, tensors)
    add_tokenizer(folder)
    model = folder.load()
    pairs = list(zip(TEXTS[:2], TEXTS[2:]))
    right = np.array([encoders.outputs_of(config, tensors, *ids_of(*pair))["logits"]
                      for pair in pairs])
    tokenizer = heddle.Tokenizer(name)
    assert off(model.classify(pairs, tokenizer=tokenizer), right) < 1e-5
    assert tokenizer.labels == list(LABELS.values())
    out = run("classify", f"./{name}.so", f"--tokenizer={name}", *TEXTS[:2],
              *(f"--second={second}" for _, second in pairs))
    for line, logits in zip(out.splitlines(), right, strict=True):
        shares = shares_of(logits)
        order = np.argsort(-shares)
        assert line == ", ".join(f"{LABELS[str(i)]} {shares[i]:.4f}" for i in order), (line, shares)


def check_many():
    """More texts than one call takes, of any length and order."""
    draw = random.Random(1)
    texts = [" ".join(draw.choices(WORDS, k=draw.randrange(1, 6))) for _ in range(70)]
    model, tokenizer = heddle.load("./sentences.so"), heddle.Tokenizer("sentences")
    together = model.embed(texts, tokenizer=tokenizer)
    for text, row in zip(texts, together):
        assert off(row, model.embed(text, tokenizer=tokenizer)) < 1e-5, text


def check_tokens():
    config, tensors = make("names", "BertForTokenClassification", {"id2label": LABELS})
    folder = Folder("names", config, tensors)
    add_tokenizer(folder)
    model, tokenizer = folder.load(), heddle.Tokenizer("names")
    ids, _ = ids_of(TEXTS[1])
    right = encoders.outputs_of(config, tensors, ids, [0] * len(ids))["logits"]
    found = model.classify_tokens(TEXTS[1], tokenizer=tokenizer)
    assert found[0] == ids and off(found[1], right) < 1e-5, (found, right)
    lines = run("classify", "./names.so", "--tokenizer=names", TEXTS[1]).splitlines()
    words = ["[2]", *TEXTS[1].split(), "[3]"]
    for line, word, logits in zip(lines, words, right, strict=True):
        shares = np.exp(logits) / np.exp(logits).sum()
        order = np.argsort(-shares)
        labels = ", ".join(f"{LABELS[str(i)]} {shares[i]:.4f}" for i in order)
        assert line == f"{word}  {labels}", (line, word, labels)


def check_masks():
    """A masked language model names the likeliest tokens, ten of them."""
    config, tensors = make("masks", "BertForMaskedLM", {})
    folder = Folder("masks", config, tensors)
    add_tokenizer(folder)
    folder.load()
    ids = ids_of(TEXTS[1])[0]
    logits = encoders.outputs_of(config, tensors, ids, [0] * len(ids))["logits"]
    lines = run("classify", "./masks.so", "--tokenizer=masks", TEXTS[1]).splitlines()
    for line, row in zip(lines, logits, strict=True):
        shares = np.exp(row) / np.exp(row).sum()
        names = [VOCABULARY[i] if 4 < i < len(VOCABULARY) else f"[{i}]" for i in range(len(row))]
        found = [label.split() for label in line.split("  ")[1].split(", ")]
        # Of equal shares either may be first.
        for (name, share), right in zip(found, -np.sort(-shares)[:10], strict=True):
            assert abs(float(share) - right) < 1e-4, line
            assert abs(shares[names.index(name)] - right) < 1e-4, line


check_embeddings()
check_tokens()
check_masks()
check_many()
check_labels("labels", None, lambda x: np.exp(x) / np.exp(x).sum())
check_labels("several", "multi_label_classification", lambda x: 1 / (1 + np.exp(-x)))
check_labels("numbers", "regression", lambda x: x)
