#!/usr/bin/python3
# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains and evaluates a small BERT that turns requests into vectors: similar vectors for the same meaning.

    train.py                   train, then write model/ and heldout.txt next to this script
    train.py --evaluate        load model/ and print its accuracy on held-out meanings
    train.py --ask A B [C...]  load model/ and print how alike A and each other text are
    train.py --onnx FILE       load model/ and write it as an ONNX file

Needs Debian's python3-torch and python3-numpy, nothing else. Shapes in the comments: B texts, L length, H heads,
D head size, C channels.
"""
import collections
import itertools
import json
import math
import pathlib
import random
import sys

import torch
import torch.nn.functional as F
from torch import nn

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "dates"))
from home_requests import HELD_OUT_FILE, SEED, batches, held_out_set, read_held_out_file
from training import fit, read_safetensors, run, write_safetensors
from word_pieces import PAD, encode, learn_vocabulary, words_of, write_tokenizer

STEPS, BATCH, PEAK_RATE = 5000, 128, 2e-3
SCALE = 20.0  # of cosines, before their softmax
TOGETHER = 64  # texts that are read at once
MERGES, VOCABULARY_BATCHES = 800, 200

CONFIG = {
    "architectures": ["BertModel"], "attention_probs_dropout_prob": 0.0, "classifier_dropout": None,
    "hidden_act": "gelu", "hidden_dropout_prob": 0.0, "hidden_size": 64, "initializer_range": 0.1,
    "intermediate_size": 128, "layer_norm_eps": 1e-12, "max_position_embeddings": 32, "model_type": "bert",
    "num_attention_heads": 4, "num_hidden_layers": 3, "pad_token_id": PAD, "position_embedding_type": "absolute",
    "torch_dtype": "float32", "type_vocab_size": 2, "use_cache": True}


# The model. Its parameters carry the names of Hugging Face's tensors.

def with_norm(config, **linear):
    """Matrices with bias by name, from (input size, output size), and a LayerNorm."""
    modules = {name: nn.Linear(*sizes) for name, sizes in linear.items()}
    return nn.ModuleDict(modules | {"LayerNorm": nn.LayerNorm(config["hidden_size"], config["layer_norm_eps"])})


class Layer(nn.Module):
    """Attention and feed-forward, each added to its input and then normalised: x [B, L, C] -> same."""

    def __init__(self, config):
        super().__init__()
        hidden, inner, self.heads = config["hidden_size"], config["intermediate_size"], config["num_attention_heads"]
        self.attention = nn.ModuleDict({
            "self": nn.ModuleDict({name: nn.Linear(hidden, hidden) for name in ("query", "key", "value")}),
            "output": with_norm(config, dense=(hidden, hidden))})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(hidden, inner)})
        self.output = with_norm(config, dense=(inner, hidden))

    def attend(self, x, padding):
        """Every token sees all tokens of its text; padding [B, 1, 1, L] is -inf at padding, else 0."""
        batch, length, hidden = x.shape
        q, k, v = (self.attention["self"][name](x).view(batch, length, self.heads, -1).transpose(1, 2)
                   for name in ("query", "key", "value"))  # [B, H, L, D]
        scores = q @ k.transpose(-1, -2) / math.sqrt(hidden // self.heads) + padding  # [B, H, L, L]
        return (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, hidden)

    def forward(self, x, padding):
        output = self.attention["output"]
        x = output["LayerNorm"](x + output["dense"](self.attend(x, padding)))
        return self.output["LayerNorm"](x + self.output["dense"](F.gelu(self.intermediate["dense"](x))))


class Bert(nn.Module):
    """BertModel without its pooler."""

    def __init__(self, config):
        super().__init__()
        hidden = config["hidden_size"]
        self.embeddings = with_norm(config)
        for name, size in (("word", "vocab_size"), ("position", "max_position_embeddings"),
                           ("token_type", "type_vocab_size")):
            self.embeddings[name + "_embeddings"] = nn.Embedding(config[size], hidden)
        layers = nn.ModuleList(Layer(config) for _ in range(config["num_hidden_layers"]))
        self.encoder = nn.ModuleDict({"layer": layers})
        for name, parameter in self.named_parameters():
            if name.endswith(".bias"):
                nn.init.zeros_(parameter)
            elif "LayerNorm" not in name:
                nn.init.normal_(parameter, std=config["initializer_range"])

    def forward(self, ids, mask):
        """Hidden states [B, L, C] of ids [B, L]; mask [B, L] is False at padding. All tokens have type 0."""
        tables = self.embeddings
        x = tables["word_embeddings"](ids) + tables["token_type_embeddings"].weight[0]
        x = tables["LayerNorm"](x + tables["position_embeddings"].weight[:ids.shape[1]])
        padding = torch.zeros(mask.shape).masked_fill(~mask, -math.inf)[:, None, None]
        for layer in self.encoder["layer"]:
            x = layer(x, padding)
        return x


class Vectors(nn.Module):
    """What sentence encoders do after their transformer: Pooling, Normalize."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask):
        """Vectors [B, C] of length 1: the mean of each row's hidden states, normalised."""
        hidden = self.model(ids, mask.bool()) * mask[:, :, None]
        return F.normalize(hidden.sum(1) / mask.sum(1, keepdim=True), dim=-1)


class SentenceEncoder:
    """A model with its vocabulary, and the stages of sentence-transformers: Transformer, Pooling, Normalize."""

    def __init__(self, config, vocabulary):
        self.config, self.vocabulary, self.model = config, vocabulary, Bert(config)

    def read(self, rows):
        """Vectors [B, C] of rows of ids."""
        longest = max(map(len, rows))
        ids = torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])
        mask = torch.arange(longest) < torch.tensor([len(row) for row in rows])[:, None]
        return Vectors(self.model)(ids, mask)

    def __call__(self, texts):
        """Vectors [B, C] of texts. Those of similar length are read together, so that little of it is padding."""
        rows = [encode(text, self.vocabulary, self.config["max_position_embeddings"]) for text in texts]
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        chunks = [order[i:i + TOGETHER] for i in range(0, len(order), TOGETHER)]
        vectors = torch.cat([self.read([rows[i] for i in chunk]) for chunk in chunks])
        return vectors[torch.tensor(order).argsort()]


# Training.

def train():
    """An encoder after STEPS steps. The loss is the cross entropy of scaled cosines: each first sentence of a batch
    has to find its second one among all second ones, and the other way round."""
    torch.manual_seed(SEED)
    pairs = itertools.chain(*itertools.islice(batches(random.Random(SEED + 2), BATCH), VOCABULARY_BATCHES))
    vocabulary = learn_vocabulary(itertools.chain(*pairs), MERGES)
    encoder = SentenceEncoder(CONFIG | {"vocab_size": len(vocabulary)}, vocabulary)
    parameters = sum(parameter.numel() for parameter in encoder.model.parameters())
    print(f"{len(vocabulary)} pieces, {parameters} parameters", flush=True)

    def loss_of(pairs):
        first, second = encoder([text for pair in zip(*pairs) for text in pair]).chunk(2)
        scores, own = SCALE * first @ second.T, torch.arange(len(pairs))
        return (F.cross_entropy(scores, own) + F.cross_entropy(scores.T, own)) / 2

    fit(encoder.model, loss_of, batches(random.Random(SEED + 3), BATCH), STEPS, PEAK_RATE)
    return encoder


# Evaluation.

def count_words(texts):
    """Vectors of length 1 for the bag of words: how often each word is in each text."""
    counts = [collections.Counter(word for word in words_of(text) if word.isalnum()) for text in texts]
    words = sorted(set().union(*counts))
    return F.normalize(torch.tensor([[float(count[word]) for word in words] for count in counts]), dim=-1)


@torch.no_grad()
def count_right(vectors_of, pairs):
    """How many second sentences are nearer to their first one than to all other first ones."""
    first, second = vectors_of([text for pair in zip(*pairs) for text in pair]).chunk(2)
    nearest = (second @ first.T).argmax(1)
    return (nearest == torch.arange(len(pairs))).sum().item()


def evaluate(encoder):
    """Prints how many sentences find the other wording of their meaning: by the model, and by counts of words."""
    for name, pairs in (("held-out set", held_out_set()), ("heldout.txt", read_held_out_file(HERE / "heldout.txt"))):
        right, by_words = count_right(encoder, pairs), count_right(count_words, pairs)
        print(f"{name}: {right} of {len(pairs)} right ({100 * right / len(pairs):.1f}%), "
              f"by counts of words {by_words} ({100 * by_words / len(pairs):.1f}%)")


@torch.no_grad()
def ask(encoder, texts):
    """Prints the cosine of the first text and each other one."""
    first, *others = encoder(texts)
    for text, vector in zip(texts[1:], others):
        print(f"{first @ vector:.4f}  {text}")


# The folder, as sentence-transformers writes it.

def sentence_files(config):
    """Name and contents of each file that says what follows the transformer."""
    modes = ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken")
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    return {
        "config.json": config,
        "modules.json": [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
                         for i, (path, kind) in enumerate(modules)],
        "1_Pooling/config.json": {"word_embedding_dimension": config["hidden_size"],
                                  **{f"pooling_mode_{mode}": mode == "mean_tokens" for mode in modes},
                                  "include_prompt": True},
        "sentence_bert_config.json": {"max_seq_length": config["max_position_embeddings"], "do_lower_case": False},
        "config_sentence_transformers.json": {
            "__version__": {"sentence_transformers": "3.0.1", "transformers": "4.41.2", "pytorch": "1.13.0"},
            "prompts": {}, "default_prompt_name": None, "similarity_fn_name": "cosine"}}


def save(encoder):
    """Writes the folder model/ and heldout.txt, the first lines of the held-out set."""
    folder = HERE / "model"
    (folder / "1_Pooling").mkdir(parents=True, exist_ok=True)
    for name, contents in sentence_files(encoder.config).items():
        (folder / name).write_text(json.dumps(contents, indent=1) + "\n")
    write_tokenizer(folder, encoder.vocabulary, encoder.config["max_position_embeddings"])
    write_safetensors(folder / "model.safetensors", encoder.model.state_dict())
    lines = [f"{first}\t{second}\n" for first, second in held_out_set()[:HELD_OUT_FILE]]
    (HERE / "heldout.txt").write_text("".join(lines))


def load(folder):
    """The encoder that save() wrote to this folder."""
    vocabulary = {piece: i for i, piece in enumerate((folder / "vocab.txt").read_text().split())}
    encoder = SentenceEncoder(json.loads((folder / "config.json").read_text()), vocabulary)
    encoder.model.load_state_dict(read_safetensors(folder / "model.safetensors"))
    return encoder


def export(encoder, path):
    """Writes the ONNX file of a batch of any size, under the names that Optimum gives."""
    tokens = torch.ones(2, 5, dtype=torch.long)
    names = ["input_ids", "attention_mask"]
    axes = {name: {0: "batch", 1: "length"} for name in names}
    torch.onnx.export(Vectors(encoder.model).eval(), (tokens, tokens), path, opset_version=14, input_names=names,
                      output_names=["sentence_embedding"], dynamic_axes=axes)


def main():
    run(__doc__, lambda: save(train()), lambda: evaluate(load(HERE / "model")),
        lambda texts: ask(load(HERE / "model"), texts), lambda path: export(load(HERE / "model"), path),
        metavar="TEXT", nargs="+", help="only print how alike the first text and others are")


if __name__ == "__main__":
    main()
