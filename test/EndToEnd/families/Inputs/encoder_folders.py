# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encoders of random_folders.py: two texts or images at once, and stages of sentence-transformers
after an encoder."""
import inspect
import random

import numpy as np

import encoder_variants
import encoders
import sentences
import vision
from folders import TOLERANCE, is_same, load_folder, off, padded
from tensors import Tensors

LENGTHS = (12, 7)

VARIANTS = {**encoder_variants.TEXTS, **encoder_variants.IMAGES}


def config_of(name, changes):
    return {"architectures": [name], **VARIANTS[name][0], **changes}


class Inputs:
    """What the evaluators and the compiled model read."""

    def __init__(self, config, draw):
        numbers = np.random.default_rng(draw.randrange(1 << 30))
        text, image = (config.get(part, config) for part in ("text_config", "vision_config"))
        self.texts = self.images = None
        if "image_size" in image:
            shape = (2, image["num_channels"], *vision.pair(image["image_size"]))
            self.images = numbers.standard_normal(shape).astype(np.float32)
        if "vocab_size" in text:
            self.limit, self.draw = text["vocab_size"], draw
            # The padding of SigLIP is part of a text.
            lengths = LENGTHS if "siglip" not in config["model_type"] else (12, 12)
            self.texts = [[draw.randrange(4, self.limit) for _ in range(n)] for n in lengths]
            if "eos_token_id" in text:  # it matters where the first one is
                for row in self.texts:
                    row[draw.randrange(len(row))] = text["eos_token_id"]
            types = config.get("type_vocab_size", 1)
            self.types = [[draw.randrange(types) for _ in text] for text in self.texts]

    def arguments(self, entry):
        names, given = inspect.signature(entry).parameters, {}
        if "pixels" in names:
            given["pixels"] = self.images
        if "ids" in names:
            given["ids"], given["lengths"] = padded(self.texts, self.draw, self.limit)
        if "types" in names:
            given["types"], _ = padded(self.types, self.draw, 2)
        if "lengths" not in names:
            given.pop("lengths", None)
        return given


def expected_of(config, tensors, inputs, number):
    """Outputs of each entry point for one text or image."""
    text = inputs.texts and inputs.texts[number]
    image = None if inputs.images is None else inputs.images[number].astype(float)
    if config["model_type"] in encoders.FAMILIES:
        return {"encode": encoders.outputs_of(config, tensors, text, inputs.types[number])}
    outputs = vision.outputs_of(config, tensors, text, image)
    if "text" not in outputs:
        return {"encode": outputs}
    return {"encode_text": outputs["text"], "encode_image": outputs["image"]}


def changes_nothing(name, changes, seed, dtype):
    found = []
    for c in (changes, {}):
        config = config_of(name, c)
        inputs = Inputs(config, random.Random(seed))
        found.append(expected_of(config, Tensors(seed, dtype), inputs, 0))
    return is_same(*found)


def compare(name, config, tensors, shards, draw, load=load_folder, expect=expected_of):
    inputs = Inputs(config, draw)
    expected = [expect(config, tensors, inputs, number) for number in range(2)]
    model = load(name, config, tensors, shards)
    for entry_name in expected[0]:
        entry = getattr(model, entry_name)
        found = entry(**inputs.arguments(entry))
        if not isinstance(found, dict):
            found = {"hidden": found}
        for number in range(2):
            for result, right in expected[number][entry_name].items():
                given = found[result][number]
                if right.ndim == 2:  # of tokens
                    given = given[:len(right)]
                error = off(given, right)
                if not error <= TOLERANCE:
                    return f"{entry_name}: {result} of {number}: off by {error:.2g} of the largest"
    return None
