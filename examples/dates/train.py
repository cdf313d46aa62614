#!/usr/bin/python3
"""Trains and evaluates a tiny Llama that rewrites written dates as ISO dates.

    "3rd of March, 2021\n" -> "2021-03-03</s>"

    train.py                       train, then write model/ and heldout.txt next to this script
    train.py --evaluate            load model/ and print its accuracy on held-out dates
    train.py --ask "3 March 2021"  load model/ and print its answer

Needs Debian's python3-torch and python3-numpy, nothing else. Shapes in the comments: B batch, L length, H heads,
G key/value heads, D head size.
"""
import json
import math
import pathlib
import random

import torch
import torch.nn.functional as F
from torch import nn

from training import fit, read_safetensors, run, write_safetensors
from written_dates import (ANSWER, BEGIN, END, HELD_OUT_FILE, SEED, UNKNOWN, VOCABULARY, batches, held_out_set,
                           read_held_out_file)

HERE = pathlib.Path(__file__).resolve().parent
STEPS, BATCH, PEAK_RATE = 2500, 192, 3e-3

CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 176,
    "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
    "vocab_size": len(VOCABULARY), "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
    "hidden_act": "silu", "tie_word_embeddings": True, "bos_token_id": BEGIN, "eos_token_id": END,
    "torch_dtype": "float32", "attention_bias": False, "mlp_bias": False}


def encode(text):
    """The tokens of a prompt or of a prompt and its answer, without </s>."""
    return [BEGIN] + [VOCABULARY.get(character, UNKNOWN) for character in text]


def make_batch(pairs):
    """Tokens [B, L] of prompts with answers, padded on the right, and the position [B] of each prompt's newline."""
    rows = [encode(f"{written}\n{iso}") + [END] for written, iso in pairs]
    longest = max(map(len, rows))
    assert longest <= CONFIG["max_position_embeddings"]
    tokens = torch.tensor([row + [END] * (longest - len(row)) for row in rows])
    return tokens, torch.tensor([len(row) - ANSWER - 1 for row in rows])


# The model. Its parameters carry the names of Hugging Face's tensors.

class Norm(nn.Module):
    """x / sqrt(mean(x^2) + eps) * weight, over the last dimension."""

    def __init__(self, config):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(config["hidden_size"])), config["rms_norm_eps"]

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


def rotate(x, theta):
    """Rotary embedding of x [B, H, L, D]: elements i and i + D / 2 turn by position * theta^(-2i / D)."""
    length, size = x.shape[-2:]
    angle = torch.arange(length)[:, None] * theta ** (-torch.arange(0, size, 2) / size)
    cosine, sine = angle.cos(), angle.sin()  # [L, D / 2]
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cosine - b * sine, b * cosine + a * sine), dim=-1)


def projections(**sizes):
    """Matrices without bias by name, from (input size, output size)."""
    return nn.ModuleDict({name: nn.Linear(*size, bias=False) for name, size in sizes.items()})


class Layer(nn.Module):
    """Attention and feed-forward, each normalised before and added to its input: x [B, L, hidden] -> same."""

    def __init__(self, config):
        super().__init__()
        self.config, hidden, inner = config, config["hidden_size"], config["intermediate_size"]
        q_size = config["num_attention_heads"] * config["head_dim"]
        kv_size = config["num_key_value_heads"] * config["head_dim"]
        self.self_attn = projections(
            q_proj=(hidden, q_size), k_proj=(hidden, kv_size), v_proj=(hidden, kv_size), o_proj=(q_size, hidden))
        self.mlp = projections(gate_proj=(hidden, inner), up_proj=(hidden, inner), down_proj=(inner, hidden))
        self.input_layernorm, self.post_attention_layernorm = Norm(config), Norm(config)

    def attention(self, x):
        """Causal attention; query head h reads key/value head h // (H / G)."""
        batch, length, _ = x.shape
        size, theta, weights = self.config["head_dim"], self.config["rope_theta"], self.self_attn
        q, k, v = (weights[name](x).view(batch, length, -1, size).transpose(1, 2)
                   for name in ("q_proj", "k_proj", "v_proj"))  # [B, H or G, L, D]
        group = q.shape[1] // k.shape[1]
        k, v = (tensor.repeat_interleave(group, dim=1) for tensor in (rotate(k, theta), v))
        later = torch.full((length, length), -math.inf).triu(1)
        scores = rotate(q, theta) @ k.transpose(-1, -2) / math.sqrt(size) + later  # [B, H, L, L]
        return weights["o_proj"]((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, -1))

    def feed_forward(self, x):
        """down(silu(gate(x)) * up(x))."""
        return self.mlp["down_proj"](F.silu(self.mlp["gate_proj"](x)) * self.mlp["up_proj"](x))

    def forward(self, x):
        x = x + self.attention(self.input_layernorm(x))
        return x + self.feed_forward(self.post_attention_layernorm(x))


class Llama(nn.Module):
    """LlamaForCausalLM with tied embeddings."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.model = nn.Module()
        self.model.embed_tokens = nn.Embedding(config["vocab_size"], config["hidden_size"])
        self.model.layers = nn.ModuleList(Layer(config) for _ in range(config["num_hidden_layers"]))
        self.model.norm = Norm(config)
        nn.init.normal_(self.model.embed_tokens.weight, std=0.05)

    def forward(self, tokens, positions=None):
        """Logits [B, P, vocabulary] at `positions` [B, P], or at all of them; tokens [B, L]."""
        x = self.model.embed_tokens(tokens)
        for layer in self.model.layers:
            x = layer(x)
        if positions is not None:
            x = x.gather(1, positions[:, :, None].expand(-1, -1, x.shape[-1]))
        return F.linear(self.model.norm(x), self.model.embed_tokens.weight)


def answer_logits(model, pairs):
    """Logits [B, ANSWER, vocabulary] that predict the answers, given their earlier tokens; targets [B, ANSWER]."""
    tokens, newline = make_batch(pairs)
    positions = newline[:, None] + torch.arange(ANSWER)
    return model(tokens, positions), tokens.gather(1, positions + 1)


# Training.

def train():
    """A model after STEPS steps; the loss counts the answer only."""
    torch.manual_seed(SEED)
    model = Llama(CONFIG)

    def loss_of(pairs):
        logits, targets = answer_logits(model, pairs)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    fit(model, loss_of, batches(random.Random(SEED + 2), BATCH), STEPS, PEAK_RATE)
    return model


# Evaluation.

@torch.no_grad()
def ask(model, written):
    """The model's answer to one written date, by greedy decoding, token after token."""
    tokens, characters = encode(written + "\n"), list(VOCABULARY)
    prompt = len(tokens)
    while len(tokens) < model.config["max_position_embeddings"]:
        best = model(torch.tensor([tokens]))[0, -1].argmax().item()
        if best == END:
            break
        tokens.append(best)
    return "".join(characters[token] for token in tokens[prompt:])


@torch.no_grad()
def evaluate(model):
    """Prints how many answers of greedy decoding are right, on the held-out set and on the lines of heldout.txt.

    Greedy decoding gives exactly the right answer if and only if each of its tokens is the best one after the right
    tokens before it. So one pass over prompts with answers decides for the large set; the small one is decoded."""
    pairs, right = held_out_set(), 0
    for i in range(0, len(pairs), BATCH):
        logits, targets = answer_logits(model, pairs[i:i + BATCH])
        right += (logits.argmax(-1) == targets).all(-1).sum().item()
    print(f"held-out set: {right} of {len(pairs)} right ({100 * right / len(pairs):.2f}%)")
    lines = read_held_out_file(HERE / "heldout.txt")
    answers = [ask(model, written) for written, _ in lines]
    wrong = [(written, iso, answer) for (written, iso), answer in zip(lines, answers) if answer != iso]
    print(f"heldout.txt: {len(lines) - len(wrong)} of {len(lines)} right")
    for written, iso, answer in wrong:
        print(f"  {written!r}: expected {iso}, got {answer}")


# The Hugging Face folder.

def tokenizer_json():
    """The contents of tokenizer.json: byte-pair encoding without a merge, so a token is a character; <s> first."""
    special = [{"id": i, "content": token, "single_word": False, "lstrip": False, "rstrip": False,
                "normalized": False, "special": True} for token, i in list(VOCABULARY.items())[:3]]
    begin = {"SpecialToken": {"id": "<s>", "type_id": 0}}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special, "normalizer": None,
        "pre_tokenizer": None,
        "post_processor": {
            "type": "TemplateProcessing", "single": [begin, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [begin, {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [BEGIN], "tokens": ["<s>"]}}},
        "decoder": {"type": "Fuse"},
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "vocab": VOCABULARY,
                  "merges": []}}


def save(model):
    """Writes the folder model/ and heldout.txt, the first lines of the held-out set."""
    folder = HERE / "model"
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG, indent=1) + "\n")
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json(), indent=1) + "\n")
    write_safetensors(folder / "model.safetensors", model.state_dict())
    lines = [f"{written}\t{iso}\n" for written, iso in held_out_set()[:HELD_OUT_FILE]]
    (HERE / "heldout.txt").write_text("".join(lines))


def load(folder):
    """The model that save() wrote to this folder."""
    model = Llama(json.loads((folder / "config.json").read_text()))
    model.load_state_dict(read_safetensors(folder / "model.safetensors"))
    return model


def main():
    run(__doc__, lambda: save(train()), lambda: evaluate(load(HERE / "model")),
        lambda date: print(ask(load(HERE / "model"), date)),
        metavar="DATE", help="only print the answer of model/ to one written date")


if __name__ == "__main__":
    main()
