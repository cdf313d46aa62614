# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders of sentence-transformers of random_folders.py: stages after an encoder, or after a decoder
without its head."""
import decoders
import encoders
import sentences
from encoder_folders import Inputs
from encoder_variants import BERT, SENTENCES
from folders import TOLERANCE, Folder, off
from variants import VARIANTS as DECODERS

PLAIN = {"stages": SENTENCES[0], "is_new": False}
MODELS = {
    "BertModel": BERT,
    "Qwen3ForCausalLM": {"model_type": "qwen3", **DECODERS["qwen3"][0]},
    "Gemma3TextModel": {"model_type": "gemma3_text", **DECODERS["gemma3_text"][0],
                        "sliding_window": 6, "use_bidirectional_attention": True},
}  # fmt: skip
CHANGES = [{"stages": stages} for stages in SENTENCES[1:]]
VARIANTS = {
    "sentence BertModel": (PLAIN, [*CHANGES, {"is_new": True}, {"max_length": 12}]),
    "sentence Qwen3ForCausalLM": (PLAIN, [{"stages": SENTENCES[4]}]),
    "sentence Gemma3TextModel": (PLAIN, [{"stages": SENTENCES[4]}]),
}  # fmt: skip


def config_of(name, changes):
    """The encoder's, and what is beside it."""
    architecture = name.split()[1]
    return {"architectures": [architecture], **MODELS[architecture], "beside":
            {**PLAIN, **changes}}


def hidden_of(config, tensors, text, types):
    if config["model_type"] in encoders.FAMILIES:
        return encoders.outputs_of(config, tensors, text, types)["hidden"]
    return decoders.hidden_of(config, tensors, text)


def without_prefix(tensors):
    """As models without a head are saved."""
    tensors.stored = {name.removeprefix("model."): value for name, value in tensors.stored.items()}


def changes_nothing(name, changes, seed, dtype):
    """check_evaluators.py compares all lists of stages."""
    return False


def compare(name, config, tensors, shards, draw):
    beside = config.pop("beside")
    modules = sentences.modules_of(beside["stages"], config["hidden_size"], tensors.seed,
                                   tensors.dtype, beside["is_new"])
    inputs = Inputs(config, draw)
    hidden = [hidden_of(config, tensors, *both) for both in zip(inputs.texts, inputs.types)]
    expected = [sentences.sentence_of(modules, {"hidden": x}) for x in hidden]
    if config["architectures"][0] in ("Qwen3ForCausalLM", "Gemma3TextModel"):
        without_prefix(tensors)
    folder = Folder(name, config, tensors, shards)
    sentences.write_modules(folder.path, modules, beside.get("max_length", 40), beside["is_new"])
    model = folder.load()
    found = model.encode(**inputs.arguments(model.encode))
    for number, right in enumerate(expected):
        for what, given, right in (("embedding", found["embedding"][number], right),
                                   ("hidden", found["hidden"][number][:len(hidden[number])],
                                    hidden[number])):
            error = off(given, right)
            if not error <= TOLERANCE:
                return f"{what} of {number}: off by {error:.2g} of the largest"
    return None
