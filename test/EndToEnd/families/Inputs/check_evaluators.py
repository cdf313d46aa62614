# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the evaluators with numbers of transformers, which realdata/hf-tiny holds, and asks
whether each change that variants make changes what an evaluator gives.

    self_check.py [HF-TINY]"""
import json
import pathlib
import sys

import numpy as np

import decoders
import encoder_variants
import encoders
import sentences
import seq2seq
import seq2seq_variants
import variants
import vision
from tensors import Checkpoint, Tensors


def tail_off(found, tail):
    """As the README of realdata/hf-tiny has it: the largest difference."""
    return np.abs(found[-len(tail):] - tail).max()


def off(found, right):
    """The largest error, relative to the largest number."""
    right = np.asarray(right)
    return np.abs(found - right).max() / np.abs(right).max()


def text_encoder(config, tensors, golden):
    hidden = encoders.outputs_of(config, tensors, golden["tokens"])["hidden"]
    mean = hidden.mean(axis=0)
    mean /= np.linalg.norm(mean)
    tail = golden["hf_tail_of_mean_normalized"]
    yield "hidden", off(hidden, golden["hidden"])
    yield "mean", off(mean, golden["mean_normalized"])
    yield "hf tail of mean", tail_off(mean, tail)


def image_encoder(config, tensors, golden):
    mean, std = (np.array(golden[name])[:, None, None] for name in ("mean", "std"))
    for image in golden["images"]:
        size = config["image_size"]
        pixels = np.array(image["hwc"]).reshape(size, size, 3).transpose(2, 0, 1)
        outputs = vision.outputs_of(config, tensors, pixels=(pixels / 255 - mean) / std)
        yield "hidden", off(outputs["hidden"], image["last_hidden_state"])
        yield "pooled", off(outputs["pooled"], image["pooler_output"])
    tail = golden["hf_pooler_tail_of_second"]
    yield "hf tail of pooled", tail_off(outputs["pooled"], tail)


def clip_text(config, tensors, golden):
    for sequence in golden["sequences"]:
        outputs = vision.outputs_of(config, tensors, sequence["tokens"])
        yield "hidden", off(outputs["hidden"], sequence["hidden"])
        yield "embedding", off(outputs["embedding"], sequence["text_embeds"])
    tail = golden["hf_text_embeds_tail_of_second"]
    yield "hf tail of embedding", tail_off(outputs["embedding"], tail)


def encoder_decoder(config, tensors, golden):
    model = seq2seq.Seq2Seq(config, tensors)
    for record in golden["records"]:
        encoded = model.encode(record.get("input_ids") or record["input_features"])
        logits = model.decode(encoded, record["decoder_ids"])
        yield "encoder", off(encoded, record["encoder_hidden"])
        yield "logits", off(logits, record["logits"])
    tail = golden["hf_tail"]
    yield "hf tail", tail_off(logits[-1], tail)


GOLDENS = {
    "bert": text_encoder, "distilbert": text_encoder, "vit": image_encoder, "clip_text": clip_text,
    "t5": encoder_decoder, "marian": encoder_decoder, "whisper": encoder_decoder,
}  # fmt: skip


def compare_goldens(folder):
    for name, check in GOLDENS.items():
        config, golden = (json.loads((folder / name / file).read_text())
                          for file in ("config.json", "expected.json"))
        errors = check(config, Checkpoint(folder / name), golden)
        print(name + ":", ", ".join(f"{what} off by {error:.2g}" for what, error in errors))


#===-- changes ------------------------------------------------------------------===

IDS = np.array([5, 46, 30, 4, 47, 46, 17, 9, 22, 31, 12, 8, 40, 26])
SHORT = IDS % 40  # of the smallest vocabulary


def decoder(config):
    return {"logits": decoders.logits_of(config, Tensors(1), IDS)}


def text(config):
    types = [0] * 6 + [1] * 8 if config.get("type_vocab_size") == 2 else None
    return encoders.outputs_of(config, Tensors(1), IDS, types)


def image(config):
    vision_config = config.get("vision_config", config)
    given = {}
    if "image_size" in vision_config:
        shape = (vision_config["num_channels"], *vision.pair(vision_config["image_size"]))
        given["pixels"] = np.random.default_rng(2).standard_normal(shape)
    if "vocab_size" in config.get("text_config", config):
        given["ids"] = IDS
    return vision.outputs_of(config, Tensors(1), **given)


def translation(config):
    model = seq2seq.Seq2Seq(config, Tensors(1))
    source = SHORT
    if config["model_type"] == "whisper":
        shape = (config["num_mel_bins"], 2 * config["max_source_positions"])
        source = np.random.default_rng(2).standard_normal(shape)
    encoded = model.encode(source)
    return {"hidden": encoded, "logits": model.decode(encoded, SHORT)}


def is_same(found, plain):
    if isinstance(found, dict):
        return found.keys() == plain.keys() and all(is_same(found[k], plain[k]) for k in plain)
    return (np.shape(found) == np.shape(plain)
            and np.abs(found - plain).max() < 1e-3 * np.abs(plain).max())


def check_changes(tables):
    """`tables` are of configs, whether by type of model or by architecture, and of evaluators."""
    count = 0
    for table, field, evaluate in tables:
        for name, (plain, changes) in table.items():
            plain = {field: name if field == "model_type" else [name], **plain}
            right = evaluate(plain)
            for change in changes:
                count += 1
                if is_same(evaluate({**plain, **change}), right):
                    print(f"{name}: {change} changes nothing")
    return count


def check_sentences():
    """Each list of stages gives another embedding."""
    outputs = text({"architectures": ["BertModel"], **encoder_variants.BERT})
    found = []
    for stages in encoder_variants.SENTENCES:
        two = [sentences.sentence_of(sentences.modules_of(stages, 32, 1, is_new=is_new), outputs)
               for is_new in (False, True)]
        if not is_same(*two) or any(is_same(two[0], other) for other in found):
            print(f"{stages}: no embedding of its own")
        found.append(two[0])


def main():
    count = check_changes([
        (variants.VARIANTS, "model_type", decoder),
        (encoder_variants.TEXTS, "architectures", text),
        (encoder_variants.IMAGES, "architectures", image),
        (seq2seq_variants.VARIANTS, "model_type", translation),
    ])
    check_sentences()
    print(f"{count} changes")
    if len(sys.argv) > 1:
        compare_goldens(pathlib.Path(sys.argv[1]))


main()
