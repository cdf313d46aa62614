#!/usr/bin/python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains and evaluates a small T5 that rewrites written dates as ISO dates.

    "3rd of March, 2021</s>" -> "2021-03-03</s>"

    train.py                       train, then write model/ next to this script
    train.py --evaluate            load model/ and print its accuracy on held-out dates
    train.py --ask "3 March 2021"  load model/ and print its answer

Needs Debian's python3-torch and python3-numpy, nothing else. Shapes in the comments: B batch, S source tokens, T target
tokens, Q queries, K keys, H heads, D head size, C channels, V vocabulary.
"""
import json
import math
import pathlib
import sys

import torch
import torch.nn.functional as F
from torch import nn

HERE = pathlib.Path(__file__).resolve().parent
DATES = HERE.parent / "dates"
sys.path.insert(0, str(DATES))
from from_to import ask, evaluate, train
from training import read_safetensors, run, write_safetensors
from written_dates import ANSWER, BEGIN, CHARACTERS, END, SEED, UNKNOWN

STEPS, PEAK_RATE = 3000, 3e-3

# Characters and </s> have the ids of written_dates.py. The other two ids differ: T5 begins an answer with its padding.
SPECIAL = ["<pad>", "<unk>", "</s>"]
VOCABULARY = {token: index for index, token in enumerate([*SPECIAL, *CHARACTERS])}
PAD, UNK = VOCABULARY["<pad>"], VOCABULARY["<unk>"]
assert VOCABULARY["</s>"] == END

CONFIG = {
    "architectures": ["T5ForConditionalGeneration"], "model_type": "t5", "vocab_size": len(VOCABULARY), "d_model": 48,
    "d_kv": 16, "d_ff": 96, "num_layers": 2, "num_decoder_layers": 2, "num_heads": 4,
    "relative_attention_num_buckets": 32, "relative_attention_max_distance": 64, "feed_forward_proj": "gated-gelu",
    "dense_act_fn": "gelu_new", "is_gated_act": True, "layer_norm_epsilon": 1e-6, "dropout_rate": 0.0,
    "classifier_dropout": 0.0, "initializer_factor": 1.0, "tie_word_embeddings": False, "is_encoder_decoder": True,
    "use_cache": True, "decoder_start_token_id": PAD, "pad_token_id": PAD, "eos_token_id": END,
    "torch_dtype": "float32"}

GENERATION_CONFIG = {
    "decoder_start_token_id": PAD, "eos_token_id": END, "pad_token_id": PAD, "max_new_tokens": ANSWER}


# The model, as transformers/models/t5 defines it. Its parameters carry the names of Hugging Face's tensors. They begin
# as there, except lm_head, which would begin with much larger logits.

def matrix(inputs, outputs, deviation):
    """A projection without bias."""
    linear = nn.Linear(inputs, outputs, bias=False)
    nn.init.normal_(linear.weight, std=deviation)
    return linear


class Norm(nn.Module):
    """x / sqrt(mean(x^2) + eps) * weight, over the channels."""

    def __init__(self, config):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(config["d_model"])), config["layer_norm_epsilon"]

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


def buckets_of(distances, count, largest, bidirectional):
    """The bucket of each distance, key position minus query position.

    Half of the buckets hold one distance each. The other half hold ranges that grow up to the distance `largest`. Where
    attention is bidirectional, keys after the query have as many buckets as keys before it."""
    first = torch.zeros_like(distances)
    if bidirectional:
        count //= 2
        first, distances = count * (distances > 0), distances.abs()
    else:
        distances = (-distances).clamp(min=0)
    exact = count // 2
    grown = torch.log(distances.clamp(min=exact) / exact) / math.log(largest / exact) * (count - exact)
    return first + torch.where(distances < exact, distances, (exact + grown.long()).clamp(max=count - 1))


class Attention(nn.Module):
    """softmax(q k^T + bias) v, without a scale of the scores."""

    def __init__(self, config, has_distances=False):
        super().__init__()
        self.config, channels, size = config, config["d_model"], config["d_kv"]
        inner = config["num_heads"] * size
        self.q = matrix(channels, inner, (channels * size) ** -0.5)
        self.k = matrix(channels, inner, channels ** -0.5)
        self.v = matrix(channels, inner, channels ** -0.5)
        self.o = matrix(inner, channels, inner ** -0.5)
        if has_distances:
            self.relative_attention_bias = nn.Embedding(config["relative_attention_num_buckets"], config["num_heads"])
            nn.init.normal_(self.relative_attention_bias.weight, std=channels ** -0.5)

    def bias_of_distances(self, length, bidirectional):
        """The bias [H, Q, K] of `length` queries and as many keys."""
        positions = torch.arange(length)
        buckets = buckets_of(positions - positions[:, None], self.config["relative_attention_num_buckets"],
                             self.config["relative_attention_max_distance"], bidirectional)
        return self.relative_attention_bias(buckets).permute(2, 0, 1)

    def forward(self, x, bias, memory=None):
        """Attention of x [B, Q, C] to `memory` [B, K, C], or to x. `bias` is added to the scores [B, H, Q, K]."""
        memory = x if memory is None else memory
        q, k, v = (projection(y).unflatten(-1, (-1, self.config["d_kv"])).transpose(1, 2)
                   for projection, y in ((self.q, x), (self.k, memory), (self.v, memory)))  # [B, H, Q or K, D]
        weights = (q @ k.transpose(-1, -2) + bias).softmax(-1)
        return self.o((weights @ v).transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    """wo(gelu(wi_0(x)) * wi_1(x)), where gelu is the approximation by tanh."""

    def __init__(self, config):
        super().__init__()
        channels, inner = config["d_model"], config["d_ff"]
        self.wi_0 = matrix(channels, inner, channels ** -0.5)
        self.wi_1 = matrix(channels, inner, channels ** -0.5)
        self.wo = matrix(inner, channels, inner ** -0.5)

    def forward(self, x):
        return self.wo(F.gelu(self.wi_0(x), approximate="tanh") * self.wi_1(x))


class Step(nn.ModuleDict):
    """x + part(norm(x), ...). The part's tensors begin with its name."""

    def __init__(self, config, name, part):
        super().__init__({name: part, "layer_norm": Norm(config)})
        self.name = name

    def forward(self, x, *others):
        return x + self[self.name](self["layer_norm"](x), *others)


class Stack(nn.Module):
    """The encoder or the decoder."""

    def __init__(self, config, layers, is_decoder):
        super().__init__()
        self.is_decoder, self.block = is_decoder, nn.ModuleList()
        for number in range(layers):
            # All layers use the first layer's table.
            steps = [Step(config, "SelfAttention", Attention(config, has_distances=number == 0))]
            if is_decoder:
                steps.append(Step(config, "EncDecAttention", Attention(config)))
            steps.append(Step(config, "DenseReluDense", FeedForward(config)))
            self.block.append(nn.ModuleDict({"layer": nn.ModuleList(steps)}))
        self.final_layer_norm = Norm(config)

    def forward(self, x, mask, memory=None, memory_mask=None):
        """x [B, Q, C] -> same. A mask is added to scores [B, H, Q, K]: 0 keeps a key, and -inf hides it."""
        first = self.block[0]["layer"][0]["SelfAttention"]
        bias = first.bias_of_distances(x.shape[1], bidirectional=not self.is_decoder) + mask
        for block in self.block:
            attention, *cross, feed_forward = block["layer"]
            x = attention(x, bias)
            for step in cross:
                x = step(x, memory_mask, memory)
            x = feed_forward(x)
        return self.final_layer_norm(x)


class T5(nn.Module):
    """T5ForConditionalGeneration."""

    def __init__(self, config):
        super().__init__()
        self.config, channels = config, config["d_model"]
        self.shared = nn.Embedding(config["vocab_size"], channels)
        self.encoder = Stack(config, config["num_layers"], is_decoder=False)
        self.decoder = Stack(config, config["num_decoder_layers"], is_decoder=True)
        if not config["tie_word_embeddings"]:
            self.lm_head = matrix(channels, config["vocab_size"], channels ** -0.5)

    def head(self, x):
        """Logits [B, T, V] of x [B, T, C]. A head that is the embedding has its input scaled."""
        if self.config["tie_word_embeddings"]:
            return F.linear(x * x.shape[-1] ** -0.5, self.shared.weight)
        return self.lm_head(x)

    def forward(self, source, lengths, target):
        """Logits [B, T, V] of the tokens that follow `target`; source [B, S], lengths [B], target [B, T].

        The arguments have the ids of written_dates.py, and sources lack their </s>: from_to.py makes them."""
        positions, lengths = torch.arange(source.shape[1] + 1), lengths[:, None]
        source = F.pad(source, (0, 1)).masked_fill(positions == lengths, END)  # [B, S + 1]
        source = source.masked_fill((source == UNKNOWN) & (positions < lengths), UNK)
        target = target.masked_fill(target == BEGIN, PAD)
        padding = torch.zeros(source.shape).masked_fill(positions > lengths, -math.inf)
        padding = padding[:, None, None]  # [B, 1, 1, S + 1]
        later = torch.full((target.shape[1], target.shape[1]), -math.inf).triu(1)  # [T, T]
        memory = self.encoder(self.shared(source), padding)
        return self.head(self.decoder(self.shared(target), later, memory, padding))


# The Hugging Face folder.

def tokenizer_json():
    """The tokenizer of examples/dates with T5's special tokens: </s> behind a text, and nothing before it."""
    tokenizer = json.loads((DATES / "model" / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"] = VOCABULARY
    for added, token in zip(tokenizer["added_tokens"], SPECIAL):
        added["content"] = token
    a, b = ({"Sequence": {"id": text, "type_id": 0}} for text in "AB")
    end = {"SpecialToken": {"id": "</s>", "type_id": 0}}
    tokenizer["post_processor"] = {
        "type": "TemplateProcessing", "single": [a, end], "pair": [a, end, b, end],
        "special_tokens": {"</s>": {"id": "</s>", "ids": [END], "tokens": ["</s>"]}}}
    return tokenizer


def save(model, folder):
    folder.mkdir(exist_ok=True)
    files = {"config": CONFIG, "generation_config": GENERATION_CONFIG, "tokenizer": tokenizer_json()}
    for name, contents in files.items():
        (folder / f"{name}.json").write_text(json.dumps(contents, indent=1) + "\n")
    write_safetensors(folder / "model.safetensors", model.state_dict())


def load(folder):
    """The model that save() wrote to this folder."""
    model = T5(json.loads((folder / "config.json").read_text()))
    model.load_state_dict(read_safetensors(folder / "model.safetensors"))
    return model


def train_and_save():
    torch.manual_seed(SEED)
    model = T5(CONFIG)
    train(model, STEPS, PEAK_RATE)
    save(model, HERE / "model")


def main():
    run(__doc__, train_and_save, lambda: evaluate(load(HERE / "model"), DATES / "heldout.txt"),
        lambda date: print(ask(load(HERE / "model"), date)),
        metavar="DATE", help="only print the answer of model/ to one written date")


if __name__ == "__main__":
    main()
