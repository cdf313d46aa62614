# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a compiled encoder with numbers of transformers for one text, or for some texts or
images, in one batch and each alone.

    encoder.py LIBRARY EXPECTED.json"""
import inspect
import json
import sys

import numpy as np

import heddle

TOLERANCE = 1e-5  # of the largest number

model = heddle.load(sys.argv[1])
expected = json.load(open(sys.argv[2]))
worst = 0.0


def compare(what, found, right):
    global worst
    right = np.array(right)
    error = np.abs(found - right).max() / np.abs(right).max()
    if not error <= TOLERANCE:
        sys.exit(f"{what}: off by {error:.2g} of the largest, found {found.ravel()[:4]}, "
                 f"expected {right.ravel()[:4]}")
    worst = max(worst, error)


def encode_texts(texts):
    """Padding holds ids that the model has; of types there is one, in this data."""
    lengths = np.array([len(text) for text in texts], np.int32)
    ids = np.full((len(texts), lengths.max()), 7, np.int32)
    for row, text in zip(ids, texts):
        row[:len(text)] = text
    given = {"ids": ids, "lengths": lengths}
    if "types" in inspect.signature(model.encode).parameters:
        given["types"] = np.zeros_like(ids)
    outputs = model.encode(**given)
    outputs["hidden"] = [row[:n] for row, n in zip(outputs["hidden"], lengths)]
    return outputs


def check_texts(sequences):
    for batch in (sequences, *([one] for one in sequences)):
        outputs = encode_texts([sequence["tokens"] for sequence in batch])
        for number, sequence in enumerate(batch):
            for name, right in sequence.items():
                if name != "tokens":
                    compare(name, outputs[name][number], right)


def check_images(images):
    mean, std = (np.array(expected[name])[:, None, None] for name in ("mean", "std"))
    side = int((len(images[0]["hwc"]) / 3) ** 0.5)
    pixels = [np.array(image["hwc"]).reshape(side, side, 3).transpose(2, 0, 1) for image in images]
    outputs = model.encode(pixels=np.array((np.array(pixels) / 255 - mean) / std, np.float32))
    for number, image in enumerate(images):
        compare("hidden", outputs["hidden"][number], image["last_hidden_state"])
        compare("pooled", outputs["pooled"][number], image["pooler_output"])


if "images" in expected:
    check_images(expected["images"])
elif "sequences" in expected:
    names = {"tokens": "tokens", "hidden": "hidden", "text_embeds": "embedding"}
    check_texts([{name: sequence[key] for key, name in names.items()}
                 for sequence in expected["sequences"]])
else:
    tokens = expected["tokens"]
    shorter = {"tokens": tokens[:3]}
    check_texts([{"tokens": tokens, "hidden": expected["hidden"]}, shorter])
    mean = encode_texts([tokens, tokens[:3]])["embedding"][0]
    compare("mean", mean / np.linalg.norm(mean), expected["mean_normalized"])
print(f"within {worst:.2g}")
