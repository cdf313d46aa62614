# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encoder-decoders of one text or recording, in double precision: T5, BART, mBART, Marian, Whisper,
written down as transformers' modeling_*.py has them."""
import math

import numpy as np

from layers import ACT2FN, attend_all, relative_buckets
from model import Model, heads_of


def causal(length):
    return np.tri(length, dtype=bool)


#===-- T5 -----------------------------------------------------------------------===


class T5(Model):
    def __init__(self, config, tensors):
        super().__init__(config, tensors)
        self.hidden, self.heads, self.d = self("d_model"), self("num_heads"), self("d_kv")
        kind = self("feed_forward_proj", "relu")
        self.is_gated = kind.startswith("gated-")
        self.act = ACT2FN["gelu_new" if kind == "gated-gelu" else kind.removeprefix("gated-")]

    def norm(self, x, name):
        return self.rms(x, name, self("layer_norm_epsilon", 1e-6))

    def attention(self, x, keys, at, bias=0, kept=True):
        """Scores are not divided by a root of channels."""
        q, k, v = (heads_of(self.linear(y, f"{at}.{part}", self.heads * self.d), self.heads)
                   for y, part in ((x, "q"), (keys, "k"), (keys, "v")))
        return self.linear(attend_all(q, k, v, 1.0, bias, kept), at + ".o", self.hidden)

    def bias_of_scores(self, stack, length):
        """The first layer holds the table of all layers."""
        buckets = self("relative_attention_num_buckets", 32)
        table = self.t(f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
                       buckets, self.heads, scale=1.0)
        places = relative_buckets(length, length, buckets,
                                  self("relative_attention_max_distance", 128), stack == "decoder")
        return table[places].transpose(2, 0, 1)

    def feed_forward(self, x, at):
        n = self("d_ff")
        if self.is_gated:
            y = self.act(self.linear(x, at + ".wi_0", n)) * self.linear(x, at + ".wi_1", n)
        else:
            y = self.act(self.linear(x, at + ".wi", n))
        return self.linear(y, at + ".wo", self.hidden)

    def run(self, stack, layers, ids, encoded=None):
        x = self.embed(ids, "shared", self.hidden)
        bias = self.bias_of_scores(stack, len(x))
        kept = True if encoded is None else causal(len(x))
        for layer in range(layers):
            at = f"{stack}.block.{layer}.layer."
            y = self.norm(x, at + "0.layer_norm")
            x = x + self.attention(y, y, at + "0.SelfAttention", bias, kept)
            if encoded is not None:
                y = self.norm(x, at + "1.layer_norm")
                x = x + self.attention(y, encoded, at + "1.EncDecAttention")
            last = "1" if encoded is None else "2"
            y = self.norm(x, f"{at}{last}.layer_norm")
            x = x + self.feed_forward(y, f"{at}{last}.DenseReluDense")
        return self.norm(x, stack + ".final_layer_norm")

    def encode(self, ids):
        return self.run("encoder", self("num_layers", 6), np.asarray(ids))

    def decode(self, encoded, ids):
        """transformers 5 calls every head tied: if scale_decoder_outputs is false, a file may hold
        a head of its own."""
        layers = self("num_decoder_layers", self("num_layers", 6))
        x = self.run("decoder", layers, np.asarray(ids), encoded)
        tied = self("tie_word_embeddings", True)
        is_scaled = self("scale_decoder_outputs", tied)
        if is_scaled:
            x = x * self.hidden**-0.5
        own_head = not tied or not is_scaled and self.t.has("lm_head.weight")
        name = "lm_head.weight" if own_head else "shared.weight"
        return x @ self.t(name, self("vocab_size"), self.hidden, scale=1.0).T


#===-- BART and what is like it --------------------------------------------------===


class Bart(Model):
    is_pre_norm = False  # with a norm after the last layer
    normalizes_embeddings = True
    key_bias = True
    layers = {"encoder": 12, "decoder": 12}

    def __init__(self, config, tensors):
        super().__init__(config, tensors)
        self.hidden = self("d_model")
        self.act = ACT2FN[self("activation_function", "gelu")]

    def norm(self, x, name):
        return self.layer_norm(x, name, 1e-5)

    def words(self, stack):
        """Name and rows of the table, which both stacks share."""
        return "model.shared.weight", self("vocab_size")

    def positions(self, stack, length):
        """The first two rows are no token's."""
        rows = self("max_position_embeddings", 1024) + 2
        table = self.t(f"model.{stack}.embed_positions.weight", rows, self.hidden, scale=0.5)
        return table[2:2 + length]

    def embeddings(self, stack, ids):
        name, rows = self.words(stack)
        scale = math.sqrt(self.hidden) if self("scale_embedding", False) else 1.0
        words = self.t(name, rows, self.hidden, scale=1.0)[ids]
        x = words * scale + self.positions(stack, len(ids))
        if self.normalizes_embeddings:
            x = self.norm(x, f"model.{stack}.layernorm_embedding")
        return x

    def attention(self, x, keys, at, stack, kept=True):
        heads = self(stack + "_attention_heads", 16)
        q, k, v = (heads_of(self.linear(y, f"{at}.{part}_proj", self.hidden, bias), heads)
                   for y, part, bias in ((x, "q", True), (keys, "k", self.key_bias),
                                         (keys, "v", True)))
        y = attend_all(q, k, v, (self.hidden // heads) ** -0.5, kept=kept)
        return self.linear(y, at + ".out_proj", self.hidden, True)

    def run(self, stack, x, encoded=None):
        kept = True if encoded is None else causal(len(x))
        for layer in range(self(stack + "_layers", self.layers[stack])):
            at = f"model.{stack}.layers.{layer}."

            def attend(y):
                return self.attention(y, y, at + "self_attn", stack, kept)

            def cross(y):
                return self.attention(y, encoded, at + "encoder_attn", stack)

            def feed_forward(y):
                y = self.act(self.linear(y, at + "fc1", self(stack + "_ffn_dim", 4096), True))
                return self.linear(y, at + "fc2", self.hidden, True)

            parts = [(attend, "self_attn"), (feed_forward, "final")]
            if encoded is not None:
                parts.insert(1, (cross, "encoder_attn"))
            for part, name in parts:
                name = f"{at}{name}_layer_norm"
                if self.is_pre_norm:
                    x = x + part(self.norm(x, name))
                else:
                    x = self.norm(x + part(x), name)
        return self.norm(x, f"model.{stack}.layer_norm") if self.is_pre_norm else x

    def encode(self, ids):
        return self.run("encoder", self.embeddings("encoder", np.asarray(ids)))

    def head(self):
        """Name of the matrix, and of the bias."""
        return "lm_head.weight", "final_logits_bias"

    def decode(self, encoded, ids):
        x = self.run("decoder", self.embeddings("decoder", np.asarray(ids)), encoded)
        table, rows = self.words("decoder")
        name, bias = self.head()
        if self("tie_word_embeddings", True):
            name = table
        y = x @ self.t(name, rows, self.hidden, scale=1.0).T
        return y + self.t(bias, 1, rows)[0] if bias else y


class MBart(Bart):
    is_pre_norm = True


class Marian(Bart):
    normalizes_embeddings = False

    def words(self, stack):
        if self("share_encoder_decoder_embeddings", True):
            return super().words(stack)
        return f"model.{stack}.embed_tokens.weight", self("vocab_size")

    def positions(self, stack, length):
        """Sines of all frequencies, then cosines; whether or not a file holds them."""
        frequencies = 10000.0 ** -(np.arange(0, self.hidden, 2) / self.hidden)
        angles = np.arange(length)[:, None] * frequencies
        return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)


class Whisper(Bart):
    """scale_embedding is in its config, but scales nothing."""

    is_pre_norm, normalizes_embeddings, key_bias = True, False, False
    layers = {"encoder": 4, "decoder": 4}

    def __init__(self, config, tensors):
        super().__init__({**config, "scale_embedding": False}, tensors)

    def words(self, stack):
        return "model.decoder.embed_tokens.weight", self("vocab_size")

    def positions(self, stack, length):
        field, default = (("max_target_positions", 448) if stack == "decoder" else
                          ("max_source_positions", 1500))
        return self.t(f"model.{stack}.embed_positions.weight", self(field, default), self.hidden,
                      scale=0.5)[:length]

    def convolve(self, x, name, stride):
        """Kernels of three frames; x is [frames, channels]."""
        inputs = x.shape[-1]
        weight = self.t(name + ".weight", self.hidden, inputs, 3, scale=(3 * inputs) ** -0.5)
        padded = np.pad(x, ((1, 1), (0, 0)))
        y = sum(padded[i:i + len(x)] @ weight[:, :, i].T for i in range(3))[::stride]
        return ACT2FN["gelu"](y + self.t(name + ".bias", self.hidden))

    def encode(self, features):
        """[bins, frames], of twice as many frames as there are positions."""
        x = np.asarray(features, np.float64).T
        assert x.shape == (2 * self("max_source_positions", 1500), self("num_mel_bins", 80))
        x = self.convolve(self.convolve(x, "model.encoder.conv1", 1), "model.encoder.conv2", 2)
        return self.run("encoder", x + self.positions("encoder", len(x)))

    def head(self):
        return "proj_out.weight", None


FAMILIES = {
    "bart": ("BartForConditionalGeneration", Bart), "marian": ("MarianMTModel", Marian),
    "mbart": ("MBartForConditionalGeneration", MBart),
    "t5": ("T5ForConditionalGeneration", T5),
    "whisper": ("WhisperForConditionalGeneration", Whisper),
}  # fmt: skip


def Seq2Seq(config, tensors):
    """encode(ids or features) -> [length, channels]; decode(that, ids) -> [length, vocabulary]."""
    return FAMILIES[config["model_type"]][1](config, tensors)


#===-- features of recordings ----------------------------------------------------===

RATE, WINDOW, HOP, SECONDS = 16000, 400, 160, 30


def mel_to_hertz(mel):
    """Slaney's scale: linear up to 1000 Hz, which is 15 mel, and logarithmic above."""
    return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * math.log(6.4) / 27))


def mel_filters(bins):
    """Triangles of equal area [bins, frequencies]."""
    highest = 15 + math.log(RATE / 2 / 1000) * 27 / math.log(6.4)
    corners = mel_to_hertz(np.linspace(0, highest, bins + 2))
    frequencies = np.linspace(0, RATE / 2, WINDOW // 2 + 1)
    left, middle, right = corners[:-2, None], corners[1:-1, None], corners[2:, None]
    rising = (frequencies - left) / (middle - left)
    falling = (right - frequencies) / (right - middle)
    return np.maximum(0, np.minimum(rising, falling)) * 2 / (right - left)


def log_mel(samples, bins=80):
    """Features [bins, 3000] of 16 kHz, cut or padded with silence to 30 seconds."""
    samples = np.asarray(samples, np.float64)[:RATE * SECONDS]
    samples = np.pad(samples, (0, RATE * SECONDS - len(samples)))
    samples = np.pad(samples, WINDOW // 2, mode="reflect")
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    frames = RATE * SECONDS // HOP  # one more would fit
    parts = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP][:frames]
    power = np.abs(np.fft.rfft(parts * window)) ** 2
    logs = np.log10(np.maximum(mel_filters(bins) @ power.T, 1e-10))
    return (np.maximum(logs, logs.max() - 8) + 4) / 4
