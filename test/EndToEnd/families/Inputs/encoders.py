# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outputs of text encoders for one text without padding, in double precision: hidden states, the
pooler's output and the logits of a head. Written down as transformers' modeling_*.py has them."""
import numpy as np

from layers import ACT2FN, attend_all
from model import Model, heads_of

HEADS = ("Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification",
         "ForQuestionAnswering")  # fmt: skip


class Encoder(Model):
    """BERT; others replace parts."""

    prefix = "bert"
    width, heads_field, layers_field = "hidden_size", "num_attention_heads", "num_hidden_layers"
    act_field = "hidden_act"
    default_vocabulary = 30522

    def __init__(self, config, tensors):
        super().__init__(config, tensors)
        architecture = config["architectures"][0]
        self.kind = next(head for head in HEADS if architecture.endswith(head))
        self.root = "" if self.kind == "Model" else self.prefix + "."
        self.hidden, self.heads = self(self.width, 768), self(self.heads_field, 12)
        self.layers = self(self.layers_field, 12)
        self.vocabulary = self("vocab_size", self.default_vocabulary)
        self.act = ACT2FN[self(self.act_field, "gelu")]

    def dense(self, x, name, outputs):
        return self.linear(x, name, outputs, True)

    def norm(self, x, name):
        return self.layer_norm(x, name, self("layer_norm_eps", 1e-12))

    def labels(self):
        """Configs list labels, or count them."""
        return len(self("id2label") or range(self("num_labels", 2)))

    def words(self, ids):
        return self.t(self.words_name(), self.vocabulary, self.hidden, scale=1.0)[ids]

    def words_name(self):
        return self.root + "embeddings.word_embeddings.weight"

    def table(self, name, rows):
        return self.t(f"{self.root}embeddings.{name}.weight", rows, self.hidden, scale=0.5)

    def positions(self, ids):
        return self.table("position_embeddings", self("max_position_embeddings", 512))[:len(ids)]

    def types(self, types):
        """Row 0 is added even where a caller gives no types."""
        return self.table("token_type_embeddings", self("type_vocab_size", 2))[types]

    def embeddings(self, ids, types):
        x = self.words(ids) + self.positions(ids) + self.types(types)
        return self.norm(x, self.root + "embeddings.LayerNorm")

    def attend(self, x, names, bias=0):
        """`names` of the projections to queries, keys and values."""
        q, k, v = (heads_of(self.dense(x, name, self.hidden), self.heads) for name in names)
        return attend_all(q, k, v, q.shape[-1] ** -0.5, bias)

    def block(self, x, layer):
        at = f"{self.root}encoder.layer.{layer}"
        y = self.attend(x, [f"{at}.attention.self.{part}" for part in ("query", "key", "value")])
        y = self.dense(y, at + ".attention.output.dense", self.hidden)
        x = self.norm(x + y, at + ".attention.output.LayerNorm")
        y = self.act(self.dense(x, at + ".intermediate.dense", self("intermediate_size", 3072)))
        return self.norm(x + self.dense(y, at + ".output.dense", self.hidden),
                         at + ".output.LayerNorm")

    def pooled(self, x):
        return np.tanh(self.dense(x[:1], self.root + "pooler.dense", self.hidden))[0]

    def encode(self, ids, types):
        x = self.embeddings(ids, types)
        for layer in range(self.layers):
            x = self.block(x, layer)
        return x

    def vocabulary_logits(self, x, decoder, bias):
        """Of a head whose matrix is the table of words, or its own."""
        tied = self("tie_word_embeddings", True)
        name = self.words_name() if tied else decoder + ".weight"
        return (x @ self.t(name, self.vocabulary, self.hidden, scale=1.0).T
                + self.t(bias, self.vocabulary))

    def masked_lm(self, x):
        at = "cls.predictions"
        y = self.act(self.dense(x, at + ".transform.dense", self.hidden))
        y = self.norm(y, at + ".transform.LayerNorm")
        return self.vocabulary_logits(y, at + ".decoder", at + ".bias")

    def sequence_logits(self, x):
        return self.dense(self.pooled(x)[None], "classifier", self.labels())[0]

    def token_logits(self, x):
        return self.dense(x, "classifier", self.labels())

    def run(self, ids, types):
        x = self.encode(ids, types)
        outputs = {"hidden": x}
        if self.kind == "ForMaskedLM":
            outputs["logits"] = self.masked_lm(x)
        elif self.kind == "ForSequenceClassification":
            outputs["logits"] = self.sequence_logits(x)
        elif self.kind == "ForTokenClassification":
            outputs["logits"] = self.token_logits(x)
        elif self.kind == "ForQuestionAnswering":
            outputs["logits"] = self.dense(x, "qa_outputs", 2)
        elif self.has_pooler():
            outputs["pooled"] = self.pooled(x)
        return outputs

    def has_pooler(self):
        """Some checkpoints of sentence encoders leave it out."""
        return self.t.has(self.root + "pooler.dense.weight")


class DistilBert(Encoder):
    prefix = "distilbert"
    width, heads_field, layers_field, act_field = "dim", "n_heads", "n_layers", "activation"

    def __init__(self, config, tensors):
        super().__init__({"n_layers": 6, **config}, tensors)

    def norm(self, x, name):
        return self.layer_norm(x, name, 1e-12)

    def types(self, types):
        return 0

    def block(self, x, layer):
        at = f"{self.root}transformer.layer.{layer}"
        y = self.attend(x, [f"{at}.attention.{part}_lin" for part in "qkv"])
        x = self.norm(x + self.dense(y, at + ".attention.out_lin", self.hidden),
                      at + ".sa_layer_norm")
        y = self.act(self.dense(x, at + ".ffn.lin1", self("hidden_dim", 4 * 768)))
        return self.norm(x + self.dense(y, at + ".ffn.lin2", self.hidden), at + ".output_layer_norm")

    def masked_lm(self, x):
        y = self.norm(self.act(self.dense(x, "vocab_transform", self.hidden)), "vocab_layer_norm")
        return self.vocabulary_logits(y, "vocab_projector", "vocab_projector.bias")

    def sequence_logits(self, x):
        y = np.maximum(self.dense(x[:1], "pre_classifier", self.hidden), 0)
        return self.dense(y, "classifier", self.labels())[0]

    def has_pooler(self):
        return False


FAMILIES = {"bert": Encoder, "distilbert": DistilBert}


def outputs_of(config, tensors, ids, types=None):
    """`hidden` [length, channels]; `pooled` [channels] of models with a pooler; `logits` of heads."""
    ids = np.asarray(ids)
    types = np.zeros_like(ids) if types is None else np.asarray(types)
    return FAMILIES[config["model_type"]](config, tensors).run(ids, types)
