# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What decoders have in common as GGUF files for llama.cpp: names of tensors and rope."""
import math
import re

import numpy as np

import gguf_file

# Models that read images, too, have the decoder's tensors under longer names.
IMAGES = ("vision_tower", "multi_modal_projector")
TEXT = re.compile(r"(?:model\.language_model|language_model(?:\.model)?)\.(?!lm_head)")
LAYER = re.compile(r"(?:model|transformer|gpt_neox)\.(?:layers|h)\.(\d+)\.(.*)")
NUMBERED = re.compile(r"(.*\.(?:experts|norms))\.(\d+)\.(.*)")


class Exported:
    """A model of one of llama.cpp's architectures. `model`: the evaluator, which knows what absent
    fields mean; `stored`: the tensors of the checkpoint.

    `names` and `ends` are llama.cpp's names of tensors, in layers and elsewhere. Of those that
    `needs_bias` names, biases are zeros where there are none. A tied embedding is written as the
    output's weights, too, where llama.cpp `needs_output`."""

    architecture = None
    layer = LAYER
    names, ends = {}, {}
    needs_bias = ()
    needs_output = False

    def __init__(self, model, stored):
        self.model, self.stored = model, stored

    def metadata(self):
        """Without the architecture's name before each key."""
        raise NotImplementedError

    def split(self, name):
        """A name in two: where the tensor belongs, and `weight` or `bias`."""
        name, _, kind = name.rpartition(".")
        return name, kind

    def convert(self, name, value):
        """llama.cpp's names and values of what is stored as `name`."""
        yield self.names.get(name) or self.ends[name], value

    def place(self, number):
        return f"blk.{number}."

    def more_tensors(self):
        return {}

    def merged(self):
        """The decoder's tensors by name; those of all experts, or of all heads, are one."""
        result, numbered = {}, {}
        for name, value in self.stored.items():
            if any(part in name for part in IMAGES):
                continue
            name = TEXT.sub("model.", name).removeprefix("language_model.")
            if match := NUMBERED.fullmatch(name):
                numbered.setdefault(f"{match[1]}.{match[3]}", {})[int(match[2])] = value
            else:
                result[name] = value
        return result | {name: np.stack([parts[i] for i in range(len(parts))])
                         for name, parts in numbered.items()}

    def tensors(self):
        result = self.more_tensors()
        for name, value in self.merged().items():
            place = ""
            if match := self.layer.fullmatch(name):
                place, name = self.place(*match.groups()[:-1]), match[match.lastindex]
            name, kind = self.split(name)
            for new, part in self.convert(name, value):
                result[f"{place}{new}.{kind}"] = part
                if new in self.needs_bias and kind == "weight":
                    result.setdefault(f"{place}{new}.bias", np.zeros(len(part)))
        if self.needs_output:
            result.setdefault("output.weight", result["token_embd.weight"])
        return result

    def write(self, path, tensors=None):
        """`tensors`: those to write in place of the model's own."""
        metadata = {"general.architecture": self.architecture,
                    "tokenizer.ggml.model": "no_vocab",
                    f"{self.architecture}.vocab_size": self.model("vocab_size")}  # fmt: skip
        metadata |= {f"{self.architecture}.{key}": v for key, v in self.metadata().items()}
        gguf_file.write(path, metadata, tensors or self.tensors())


class Rope:
    """Metadata and tensors of rotary embeddings of models that are like Llama."""

    def rope_config(self, kind="full_attention"):
        rope = self.model("rope_parameters") or self.model("rope_scaling") or {}
        return rope.get(kind, rope)

    def rope_kind(self):
        rope = self.rope_config()
        kind = rope.get("rope_type", rope.get("type"))
        return "longrope" if kind == "su" else kind

    def rotated(self):
        """How many channels of a head."""
        m = self.model
        return int(m.d * m("partial_rotary_factor", m.rotates_part))

    def base(self):
        usual = self.model("rope_theta", self.model.base)
        return float(self.rope_config().get("rope_theta", usual))

    def original_context(self):
        return self.rope_config().get("original_max_position_embeddings",
                                      self.model("original_max_position_embeddings"))

    def rope(self):
        rope, kind = self.rope_config(), self.rope_kind()
        result = {"rope.dimension_count": self.rotated(), "rope.freq_base": self.base()}
        if kind in ("linear", "yarn", "longrope"):
            result["rope.scaling.type"] = kind
        if kind in ("linear", "yarn"):
            result["rope.scaling.factor"] = float(rope["factor"])
        if kind in ("yarn", "longrope"):
            result["rope.scaling.original_context_length"] = self.original_context()
        for ours, theirs in (("beta_fast", "yarn_beta_fast"), ("beta_slow", "yarn_beta_slow")):
            if kind == "yarn" and ours in rope:
                result["rope.scaling." + theirs] = float(rope[ours])
        if kind == "yarn" and "attention_factor" in rope:
            # llama.cpp multiplies this by what follows from the factor.
            usual = 0.1 * math.log(rope["factor"]) + 1
            result["rope.scaling.attn_factor"] = rope["attention_factor"] / usual
        if kind == "longrope":
            result["rope.scaling.attn_factor"] = self.longrope_magnitude()
        return result

    def longrope_magnitude(self):
        if "attention_factor" in self.rope_config():
            return float(self.rope_config()["attention_factor"])
        factor = self.model("max_position_embeddings") / self.original_context()
        return math.sqrt(1 + math.log(factor) / math.log(self.original_context()))

    def rope_tensors(self):
        """Divisors of the rotary frequencies."""
        rope = self.rope_config()
        if self.rope_kind() == "longrope":
            return {f"rope_factors_{n}.weight": np.array(rope[n + "_factor"])
                    for n in ("long", "short")}
        if self.rope_kind() != "llama3":
            return {}
        low, high, factor = (rope[n] for n in ("low_freq_factor", "high_freq_factor", "factor"))
        dim = self.rotated()
        waves = 2 * math.pi * self.base() ** (np.arange(0, dim, 2) / dim)
        share = np.clip((self.original_context() / waves - low) / (high - low), 0, 1)
        return {"rope_freqs.weight": 1 / (share + (1 - share) / factor)}


def neighbours(rows, heads, first=0):
    """Rows of heads whose channels from `first` on are two halves that rope turns together, as
    pairs of neighbours."""
    of_heads = rows.reshape(heads, -1, *rows.shape[1:])
    kept, turned = np.split(of_heads, [first], axis=1)
    pairs = np.stack(np.split(turned, 2, axis=1), axis=2).reshape(turned.shape)
    return np.concatenate([kept, pairs], axis=1).reshape(rows.shape)


def windows_of(model):
    """The window, and that each so many layers the last has none."""
    windows = [model.window(i) for i in range(model.layers)]
    period = windows.index(None) + 1
    regular = [windows[0] if (i + 1) % period else None for i in range(len(windows))]
    assert windows == regular, windows
    return {"attention.sliding_window": windows[0], "attention.sliding_window_pattern": period}
