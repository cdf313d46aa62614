# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outputs of encoders of images, and of the texts that go with them, in double precision: ViT,
DeiT, CLIP and SigLIP, written down as transformers' modeling_*.py has them."""
import numpy as np

from layers import ACT2FN, attend_all
from model import Model, heads_of


def pair(size):
    """Height and width."""
    return tuple(size) if isinstance(size, (list, tuple)) else (size, size)


class Tower(Model):
    """What encoders of images and texts share; `root` begins the names of tensors."""

    defaults = {}

    def __init__(self, config, tensors, root):
        super().__init__({**self.defaults, **config}, tensors)
        self.root = root
        self.hidden, self.heads = self("hidden_size"), self("num_attention_heads")
        self.act = ACT2FN[self("hidden_act")]

    def dense(self, x, name, outputs):
        return self.linear(x, name, outputs, True)

    def norm(self, x, name):
        return self.layer_norm(x, name, self("layer_norm_eps"))

    def patches(self, pixels, name, bias):
        """A convolution of patches side by side: [patches, hidden], row by row of the image."""
        channels, (height, width) = self("num_channels"), pair(self("image_size"))
        down, across = pair(self("patch_size"))
        rows, columns = height // down, width // across
        assert pixels.shape == (channels, height, width)
        parts = pixels[:, :rows * down, :columns * across].reshape(channels, rows, down, columns,
                                                                   across)
        parts = parts.transpose(1, 3, 0, 2, 4).reshape(rows * columns, -1)
        inputs = parts.shape[-1]
        weight = self.t(name + ".weight", self.hidden, channels, down, across, scale=inputs**-0.5)
        y = parts @ weight.reshape(self.hidden, inputs).T
        return y + self.t(name + ".bias", self.hidden) if bias else y

    def attend(self, x, names, bias=True, kept=True):
        """`names` of the projections to queries, keys and values."""
        q, k, v = (heads_of(self.linear(x, name, self.hidden, bias), self.heads) for name in names)
        return attend_all(q, k, v, q.shape[-1] ** -0.5, kept=kept)


#===-- ViT, DeiT ---------------------------------------------------------------===


class ViT(Tower):
    prefix, tokens = "vit", ("cls_token",)
    defaults = {
        "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
        "intermediate_size": 3072, "hidden_act": "gelu", "layer_norm_eps": 1e-12,
        "image_size": 224, "patch_size": 16, "num_channels": 3, "qkv_bias": True,
        "pooler_act": "tanh",
    }  # fmt: skip

    def __init__(self, config, tensors):
        kind = config["architectures"][0]
        super().__init__(config, tensors, "" if kind.endswith("Model") else self.prefix + ".")

    def embeddings(self, pixels):
        at = self.root + "embeddings."
        x = self.patches(pixels, at + "patch_embeddings.projection", True)
        tokens = [self.t(at + name, 1, 1, self.hidden, scale=1.0)[0] for name in self.tokens]
        x = np.concatenate([*tokens, x])
        return x + self.t(at + "position_embeddings", 1, len(x), self.hidden, scale=0.5)[0]

    def block(self, x, at):
        names = [f"{at}.attention.attention.{part}" for part in ("query", "key", "value")]
        y = self.attend(self.norm(x, at + ".layernorm_before"), names, self("qkv_bias"))
        x = x + self.dense(y, at + ".attention.output.dense", self.hidden)
        y = self.dense(self.norm(x, at + ".layernorm_after"), at + ".intermediate.dense",
                       self("intermediate_size"))
        return x + self.dense(self.act(y), at + ".output.dense", self.hidden)

    def run(self, pixels):
        x = self.embeddings(pixels)
        for layer in range(self("num_hidden_layers")):
            x = self.block(x, f"{self.root}encoder.layer.{layer}")
        x = self.norm(x, self.root + "layernorm")
        kind = self("architectures")[0]
        if kind.endswith("Model"):
            pooled = self.dense(x[:1], "pooler.dense", self("pooler_output_size", self.hidden))[0]
            return {"hidden": x, "pooled": ACT2FN[self("pooler_act")](pooled)}
        labels = len(self("id2label") or range(self("num_labels", 2)))
        if kind.endswith("WithTeacher"):
            logits = (self.dense(x[:1], "cls_classifier", labels)
                      + self.dense(x[1:2], "distillation_classifier", labels)) / 2
        else:
            logits = self.dense(x[:1], "classifier", labels)
        return {"hidden": x, "logits": logits[0]}


class DeiT(ViT):
    prefix, tokens = "deit", ("cls_token", "distillation_token")


#===-- CLIP ---------------------------------------------------------------------===


class ClipLayers(Tower):
    def block(self, x, at, kept):
        names = [f"{at}.self_attn.{part}_proj" for part in "qkv"]
        y = self.attend(self.norm(x, at + ".layer_norm1"), names, kept=kept)
        x = x + self.dense(y, at + ".self_attn.out_proj", self.hidden)
        return x + self.feed_forward(self.norm(x, at + ".layer_norm2"), at + ".mlp")

    def feed_forward(self, x, at):
        return self.dense(self.act(self.dense(x, at + ".fc1", self("intermediate_size"))),
                          at + ".fc2", self.hidden)

    def encode(self, x, kept=True):
        for layer in range(self("num_hidden_layers")):
            x = self.block(x, f"{self.root}encoder.layers.{layer}", kept)
        return x

    def table(self, name, rows):
        return self.t(f"{self.root}embeddings.{name}.weight", rows, self.hidden, scale=0.5)

    def text(self, ids):
        words = self.embed(ids, self.root + "embeddings.token_embedding", self.hidden)
        return words + self.table("position_embedding", self("max_position_embeddings"))[:len(ids)]


class ClipText(ClipLayers):
    projection = "text_projection"
    defaults = {
        "vocab_size": 49408, "hidden_size": 512, "intermediate_size": 2048,
        "num_hidden_layers": 12, "num_attention_heads": 8, "max_position_embeddings": 77,
        "hidden_act": "quick_gelu", "layer_norm_eps": 1e-5, "eos_token_id": 49407,
        "projection_dim": 512,
    }  # fmt: skip

    def end(self, ids):
        """Old configs say 2 where the vocabulary's largest id ends texts."""
        end = self("eos_token_id")
        return np.argmax(ids if end == 2 else ids == end)

    def run(self, ids):
        x = self.encode(self.text(ids), np.tri(len(ids), dtype=bool))
        x = self.norm(x, self.root + "final_layer_norm")
        return {"hidden": x, "pooled": x[self.end(ids)]}


class ClipVision(ClipLayers):
    projection = "visual_projection"
    defaults = {
        "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
        "num_attention_heads": 12, "num_channels": 3, "image_size": 224, "patch_size": 32,
        "hidden_act": "quick_gelu", "layer_norm_eps": 1e-5, "projection_dim": 512,
    }  # fmt: skip

    def run(self, pixels):
        """The last norm is the pooled token's alone."""
        x = self.patches(pixels, self.root + "embeddings.patch_embedding", False)
        first = self.t(self.root + "embeddings.class_embedding", self.hidden, scale=1.0)
        x = np.concatenate([first[None], x])
        x = x + self.table("position_embedding", len(x))
        x = self.encode(self.norm(x, self.root + "pre_layrnorm"))
        return {"hidden": x, "pooled": self.norm(x[:1], self.root + "post_layernorm")[0]}


#===-- SigLIP -------------------------------------------------------------------===


class SiglipText(ClipLayers):
    defaults = {
        "vocab_size": 32000, "hidden_size": 768, "intermediate_size": 3072,
        "num_hidden_layers": 12, "num_attention_heads": 12, "max_position_embeddings": 64,
        "hidden_act": "gelu_pytorch_tanh", "layer_norm_eps": 1e-6,
    }  # fmt: skip

    def run(self, ids):
        """Texts are padded to one length, without a mask, and end with their last token."""
        x = self.norm(self.encode(self.text(ids)), self.root + "final_layer_norm")
        pooled = self.dense(x[-1:], self.root + "head", self("projection_size", self.hidden))
        return {"hidden": x, "pooled": pooled[0]}


class SiglipVision(ClipLayers):
    defaults = {
        "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
        "num_attention_heads": 12, "num_channels": 3, "image_size": 224, "patch_size": 16,
        "hidden_act": "gelu_pytorch_tanh", "layer_norm_eps": 1e-6, "vision_use_head": True,
    }  # fmt: skip

    def pooled(self, x):
        """A learned query attends to all patches."""
        at, n = self.root + "head.", self.hidden
        probe = self.t(at + "probe", 1, 1, n, scale=1.0)[0]
        weights = np.split(self.t(at + "attention.in_proj_weight", 3 * n, n), 3)
        biases = np.split(self.t(at + "attention.in_proj_bias", 3 * n), 3)
        q, k, v = (heads_of(y @ weight.T + bias, self.heads)
                   for y, weight, bias in zip((probe, x, x), weights, biases))
        y = self.dense(attend_all(q, k, v, q.shape[-1] ** -0.5), at + "attention.out_proj", n)
        return (y + self.feed_forward(self.norm(y, at + "layernorm"), at + "mlp"))[0]

    def run(self, pixels):
        x = self.patches(pixels, self.root + "embeddings.patch_embedding", True)
        x = self.encode(x + self.table("position_embedding", len(x)))
        x = self.norm(x, self.root + "post_layernorm")
        return {"hidden": x, "pooled": self.pooled(x)} if self("vision_use_head") else {"hidden": x}


#===-- both towers --------------------------------------------------------------===


def project(config, tensors, tower, outputs):
    """`embedding` is not yet divided by its norm."""
    x = outputs["pooled"]
    weight = tensors(tower.projection + ".weight", config.get("projection_dim", 512), len(x))
    return {**outputs, "embedding": weight @ x}


def similarity(config, tensors, text, image):
    x, y = (a["embedding"] / np.linalg.norm(a["embedding"]) for a in (text, image))
    if config["model_type"] == "clip":
        return np.exp(tensors("logit_scale", near=1.0)) * (x @ y)
    scale, bias = tensors("logit_scale", 1, near=1.0)[0], tensors("logit_bias", 1)[0]
    return np.exp(scale) * (x @ y) + bias


TOWERS = {"clip": (ClipText, ClipVision), "siglip": (SiglipText, SiglipVision)}
ONE_TOWER = {
    "clip_text_model": (ClipText, "text_model."),
    "clip_vision_model": (ClipVision, "vision_model."),
    "siglip_text_model": (SiglipText, "text_model."),
    "siglip_vision_model": (SiglipVision, "vision_model."),
}  # fmt: skip
IMAGES = {"vit": ViT, "deit": DeiT}


def outputs_of(config, tensors, ids=None, pixels=None):
    """Of an image [channels, height, width], or of a text, or of both where a model has two towers,
    which gives the outputs of each as `text` and `image`, and `logits`, their similarity. `hidden`
    [length, channels]; `pooled` [channels]; `embedding` [projection]; `logits` [labels]."""
    kind = config["model_type"]
    given = pixels if ids is None else np.asarray(ids)
    if kind in IMAGES:
        return IMAGES[kind](config, tensors).run(pixels)
    if kind in ONE_TOWER:
        tower, root = ONE_TOWER[kind]
        outputs = tower(config, tensors, root).run(given)
        if config["architectures"][0].endswith("WithProjection"):
            outputs = project(config, tensors, tower, outputs)
        return outputs
    both = {}
    for tower, part, given in zip(TOWERS[kind], ("text", "vision"), (np.asarray(ids), pixels)):
        outputs = tower(config.get(part + "_config") or {}, tensors, part + "_model.").run(given)
        if kind == "clip":
            outputs = project(config, tensors, tower, outputs)
        else:
            outputs = {**outputs, "embedding": outputs["pooled"]}
        both["image" if part == "vision" else part] = outputs
    return {**both, "logits": similarity(config, tensors, both["text"], both["image"])}
