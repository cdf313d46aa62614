# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outputs of text encoders for one text without padding, in double precision: hidden states, the
pooler's output and the logits of a head. Written down as transformers' modeling_*.py has them."""
import numpy as np

from layers import ACT2FN, attend_all, relative_buckets, rotate
from model import Model, heads_of

HEADS = ("Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification",
         "ForQuestionAnswering")  # fmt: skip


class Encoder(Model):
    """BERT; others replace parts."""

    prefix = "bert"
    width, heads_field, layers_field = "hidden_size", "num_attention_heads", "num_hidden_layers"
    act_field = "hidden_act"
    default_layers = 12

    def __init__(self, config, tensors):
        super().__init__(config, tensors)
        architecture = config["architectures"][0]
        self.kind = next(head for head in HEADS if architecture.endswith(head))
        self.root = "" if self.kind == "Model" else self.prefix + "."
        self.hidden, self.heads = self(self.width, 768), self(self.heads_field, 12)
        self.layers = self(self.layers_field, self.default_layers)
        self.act = ACT2FN[self(self.act_field, "gelu")]

    def dense(self, x, name, outputs):
        return self.linear(x, name, outputs, True)

    def norm(self, x, name):
        return self.layer_norm(x, name, self("layer_norm_eps", 1e-12))

    def labels(self):
        """Configs list labels, or count them."""
        return len(self("id2label") or range(self("num_labels", 2)))

    #===-- embeddings --------------------------------------------------------------===

    words_name = "embeddings.word_embeddings"

    def words(self, ids):
        return self.embed(ids, self.root + self.words_name, self.hidden)

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

    #===-- layers ------------------------------------------------------------------===

    def attend(self, x, names):
        """`names` of the projections to queries, keys and values."""
        q, k, v = (heads_of(self.dense(x, name, self.hidden), self.heads) for name in names)
        return attend_all(q, k, v, q.shape[-1] ** -0.5, self.bias_of_scores(len(x)))

    def bias_of_scores(self, length):
        return 0

    def attention(self, x, at):
        y = self.attend(x, [f"{at}.self.{part}" for part in ("query", "key", "value")])
        return self.dense(y, at + ".output.dense", self.hidden)

    attention_norm = ".attention.output.LayerNorm"

    def block(self, x, layer):
        at = f"{self.root}encoder.layer.{layer}"
        x = self.norm(x + self.attention(x, at + ".attention"), at + self.attention_norm)
        y = self.act(self.dense(x, at + ".intermediate.dense", self("intermediate_size", 3072)))
        return self.norm(x + self.dense(y, at + ".output.dense", self.hidden),
                         at + ".output.LayerNorm")

    def encode(self, ids, types):
        x = self.embeddings(ids, types)
        for layer in range(self.layers):
            x = self.block(x, layer)
        return x

    #===-- heads -------------------------------------------------------------------===

    def has_pooler(self):
        """Some checkpoints of sentence encoders leave it out."""
        return self.t.has(self.root + "pooler.dense.weight")

    def pooled(self, x):
        return np.tanh(self.dense(x[:1], self.root + "pooler.dense", self.hidden))[0]

    def vocabulary_logits(self, x, decoder, bias):
        """Of a head whose matrix is the table of words, or its own."""
        name = self.root + self.words_name if self("tie_word_embeddings", True) else decoder
        vocabulary = self("vocab_size")
        y = x @ self.t(name + ".weight", vocabulary, self.hidden, scale=1.0).T
        return y + self.t(bias, vocabulary) if bias else y

    def masked_lm(self, x):
        at = "cls.predictions"
        y = self.act(self.dense(x, at + ".transform.dense", self.hidden))
        y = self.norm(y, at + ".transform.LayerNorm")
        return self.vocabulary_logits(y, at + ".decoder", at + ".bias")

    def sequence_logits(self, x):
        return self.dense(self.pooled(x)[None], "classifier", self.labels())[0]

    def token_logits(self, x):
        return self.dense(x, "classifier", self.labels())

    def span_logits(self, x):
        return self.dense(x, "qa_outputs", self.labels())

    def run(self, ids, types):
        x = self.encode(ids, types)
        heads = {"ForMaskedLM": self.masked_lm, "ForSequenceClassification": self.sequence_logits,
                 "ForTokenClassification": self.token_logits,
                 "ForQuestionAnswering": self.span_logits}
        if self.kind in heads:
            return {"hidden": x, "logits": heads[self.kind](x)}
        return {"hidden": x, "pooled": self.pooled(x)} if self.has_pooler() else {"hidden": x}


class DistilBert(Encoder):
    prefix = "distilbert"
    width, heads_field, layers_field, act_field = "dim", "n_heads", "n_layers", "activation"
    default_layers = 6

    def norm(self, x, name):
        return self.layer_norm(x, name, 1e-12)

    def types(self, types):
        return 0

    def block(self, x, layer):
        at = f"{self.root}transformer.layer.{layer}"
        y = self.attend(x, [f"{at}.attention.{part}_lin" for part in "qkv"])
        x = self.norm(x + self.dense(y, at + ".attention.out_lin", self.hidden),
                      at + ".sa_layer_norm")
        y = self.act(self.dense(x, at + ".ffn.lin1", self("hidden_dim", 3072)))
        return self.norm(x + self.dense(y, at + ".ffn.lin2", self.hidden),
                         at + ".output_layer_norm")

    def has_pooler(self):
        return False

    def masked_lm(self, x):
        y = self.norm(self.act(self.dense(x, "vocab_transform", self.hidden)), "vocab_layer_norm")
        return self.vocabulary_logits(y, "vocab_projector", "vocab_projector.bias")

    def sequence_logits(self, x):
        y = np.maximum(self.dense(x[:1], "pre_classifier", self.hidden), 0)
        return self.dense(y, "classifier", self.labels())[0]


class Roberta(Encoder):
    """XLM-RoBERTa and CamemBERT, too, of the same names."""

    prefix = "roberta"

    def padding(self):
        return self("pad_token_id", 1)

    def positions(self, ids):
        """The first token's is the one after padding's, which padding in a text has."""
        real = ids != self.padding()
        rows = np.cumsum(real) * real + self.padding()
        return self.table("position_embeddings", self("max_position_embeddings", 512))[rows]

    def masked_lm(self, x):
        y = ACT2FN["gelu"](self.dense(x, "lm_head.dense", self.hidden))  # whatever hidden_act says
        y = self.norm(y, "lm_head.layer_norm")
        return self.vocabulary_logits(y, "lm_head.decoder", "lm_head.bias")

    def sequence_logits(self, x):
        y = np.tanh(self.dense(x[:1], "classifier.dense", self.hidden))
        return self.dense(y, "classifier.out_proj", self.labels())[0]


class MPNet(Roberta):
    prefix = "mpnet"
    attention_norm = ".attention.LayerNorm"

    def padding(self):
        return 1  # whatever pad_token_id says

    def types(self, types):
        return 0

    def bias_of_scores(self, length):
        """Buckets are always 32; the config only says how many rows the table has."""
        table = self.t(self.root + "encoder.relative_attention_bias.weight",
                       self("relative_attention_num_buckets", 32), self.heads, scale=1.0)
        return table[relative_buckets(length, length, 32, 128)].transpose(2, 0, 1)

    def attention(self, x, at):
        y = self.attend(x, [f"{at}.attn.{part}" for part in "qkv"])
        return self.dense(y, at + ".attn.o", self.hidden)


class ModernBert(Encoder):
    prefix = "model"
    act_field = "hidden_activation"
    default_layers = 22
    words_name = "embeddings.tok_embeddings"

    def norm(self, x, name):
        return self.layer_norm(x, name, self("norm_eps", 1e-5), self("norm_bias", False))

    def embeddings(self, ids, types):
        return self.norm(self.words(ids), self.root + "embeddings.norm")

    def layer_type(self, layer):
        every = self("global_attn_every_n_layers", 3)
        types = self("layer_types")
        if types:
            return types[layer]
        return "sliding_attention" if layer % every else "full_attention"

    def attention(self, x, at, layer_type):
        bias = self("attention_bias", False)
        q, k, v = (heads_of(y, self.heads) for y in
                   np.split(self.linear(x, at + ".Wqkv", 3 * self.hidden, bias), 3, axis=-1))
        base = self("global_rope_theta", 160000.0)
        kept = True
        if layer_type == "sliding_attention":
            base = self.config.get("local_rope_theta", 10000.0) or base
            places = np.arange(len(x))
            kept = np.abs(places - places[:, None]) <= self("local_attention", 128) // 2
        d = self.hidden // self.heads
        angles = self.angles(len(x), d, base, layer_type)
        y = attend_all(rotate(q, angles), rotate(k, angles), v, d**-0.5, kept=kept)
        return self.linear(y, at + ".Wo", self.hidden, bias)

    def block(self, x, layer):
        at = f"{self.root}layers.{layer}"
        y = self.norm(x, at + ".attn_norm") if layer else x
        x = x + self.attention(y, at + ".attn", self.layer_type(layer))
        width, bias = self("intermediate_size", 1152), self("mlp_bias", False)
        y = self.linear(self.norm(x, at + ".mlp_norm"), at + ".mlp.Wi", 2 * width, bias)
        y = self.act(y[:, :width]) * y[:, width:]
        return x + self.linear(y, at + ".mlp.Wo", self.hidden, bias)

    def encode(self, ids, types):
        return self.norm(super().encode(ids, types), self.root + "final_norm")

    def has_pooler(self):
        return False

    def head(self, x):
        y = self.linear(x, "head.dense", self.hidden, self("classifier_bias", False))
        return self.norm(ACT2FN[self("classifier_activation", "gelu")](y), "head.norm")

    def masked_lm(self, x):
        bias = "decoder.bias" if self("decoder_bias", True) else None
        return self.vocabulary_logits(self.head(x), "decoder", bias)

    def sequence_logits(self, x):
        is_mean = self("classifier_pooling", "cls") == "mean"
        return self.token_logits(x.mean(axis=0, keepdims=True) if is_mean else x[:1])[0]

    def token_logits(self, x):
        return self.dense(self.head(x), "classifier", self.labels())

    def span_logits(self, x):
        return self.token_logits(x)


FAMILIES = {
    "bert": ("Bert", Encoder), "camembert": ("Camembert", Roberta),
    "distilbert": ("DistilBert", DistilBert), "modernbert": ("ModernBert", ModernBert),
    "mpnet": ("MPNet", MPNet), "roberta": ("Roberta", Roberta),
    "xlm-roberta": ("XLMRoberta", Roberta),
}  # fmt: skip


def outputs_of(config, tensors, ids, types=None):
    """`hidden` [length, channels]; `pooled` [channels] of models with a pooler; `logits` of heads:
    [labels] of a text, or [length, labels], [length, vocabulary] and [length, 2] (of the start and
    the end of an answer) of its tokens."""
    ids = np.asarray(ids)
    types = np.zeros_like(ids) if types is None else np.asarray(types)
    return FAMILIES[config["model_type"]][1](config, tensors).run(ids, types)
