# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole layers, stacks of them, and encoders with decoders."""
from collections import namedtuple

import numpy

from .formulas import Layers, add, causal, linear, softmax, valid
from .model import Model, type_of

Options = namedtuple("Options", "heads kv order kind activation epsilon is_gated has_head_norms")


def declare_attention(model, name, options, width, memory, head, has_biases, is_separate=False):
    rows = [options.heads * head, options.kv * head, options.kv * head]
    if memory == width and not is_separate:
        model.weight(name + ".in_proj_weight", sum(rows), width)
    else:
        for part, count, columns in zip("qkv", rows, (width, memory, memory)):
            model.weight(f"{name}.{part}_proj_weight", count, columns)
    model.weight(name + ".out_proj.weight", width, options.heads * head)
    if options.has_head_norms:
        model.weight(name + ".q_norm.weight", head)
        model.weight(name + ".k_norm.weight", head)
    if has_biases:
        model.weight(name + ".in_proj_bias", sum(rows))
        model.weight(name + ".out_proj.bias", width)


def declare_layer(model, prefix, options, width, memory, head, hidden, has_biases, is_separate):
    name = prefix + "self_attn"
    declare_attention(model, name, options, width, width, head, has_biases, is_separate)
    if memory:
        name = prefix + "multihead_attn"
        declare_attention(model, name, options, width, memory, head, has_biases, is_separate)
    for part in ("linear1", "linear_gate")[: 2 if options.is_gated else 1]:
        model.weight(f"{prefix}{part}.weight", hidden, width)
        if has_biases:
            model.weight(f"{prefix}{part}.bias", hidden)
    model.weight(prefix + "linear2.weight", width, hidden)
    if has_biases:
        model.weight(prefix + "linear2.bias", width)
    for index in range(1, 4 if memory else 3):
        for name in ("norm", "post_norm") if options.order == "sandwich" else ("norm",):
            declare_norm(model, f"{prefix}{name}{index}", options, width, has_biases)


def declare_norm(model, name, options, width, has_biases):
    model.weight(name + ".weight", width)
    if has_biases and options.kind == "layer":
        model.weight(name + ".bias", width)


def text_of(options):
    kv = "" if options.kv == options.heads else f", kv = {options.kv}"
    kind = "" if options.kind == "layer" else f", {options.kind}"
    return (
        f"heads({options.heads}{kv}) norm({options.order}{kind}) "
        f"activation({options.activation}) epsilon({options.epsilon:.1e})"
    )


def transformer(name, what, options, layers=1, width=48, memory=0, head=12, hidden=100,
                has_biases=True, final_norm=False, outputs=0, is_causal=True, has_lengths=True,
                is_separate=False, has_softmax=True, has_change=False,
                is_cached=False):  # fmt: skip
    """`what` is a layer, a stack or both stacks, whose prefix is empty. Of attention to itself,
    weights of queries, keys and values are one, or `is_separate`."""
    model = Model(name)
    both = what == "encoder_decoder"
    decodes = "decoder" in what
    prefix = "" if both else "part."
    memory = memory or width if decodes else 0
    model.argument("x", "length", width)
    if decodes:
        model.argument("m", "source", memory)

    def declare(start, memory):
        for i in range(layers):
            inner = f"{start}layers.{i}." if "layer" not in what else start
            declare_layer(model, inner, options, width, memory, head, hidden, has_biases,
                          is_separate)  # fmt: skip
        if final_norm:
            declare_norm(model, start + "norm", options, width, has_biases)

    if both:
        declare("encoder.", 0)
        declare("decoder.", memory)
    else:
        declare(prefix, memory)
    masks, cache = {}, ""
    is_causal = (is_causal and decodes) or is_cached
    has_lengths = has_lengths and (decodes or not is_cached)
    if is_cached:
        layer = None if "layer" not in what else 1
        cache = model.append(2 if layer else layers, options.kv, head, head, layer)
        masks["mask"] = "%m_cache"
    elif is_causal:
        model.lines.append("  %causal = heddle.mask.causal align(top_left)")
        masks["mask"] = "%causal"
    if has_lengths:
        model.lengths("lengths", "source" if decodes else "length")
        masks["memory_mask" if decodes else "mask"] = "%m_lengths"
    count = "" if "layer" in what else f" layers({layers})"
    result = type_of("?", "?", width)
    if both:
        count = f" layers({layers}, {layers})"
        names = (("source_mask", "memory_mask"), ("target_mask", "mask"), ("memory_mask",) * 2)
        masks = {name: masks[part] for name, part in names if part in masks}
    clauses = "".join(f" {key}({value})" for key, value in masks.items()) + cache
    operands, types = "%x", result
    if decodes:
        operands, types = "%x, %m", f"{result}, {type_of('?', '?', memory)}"
    if both:
        operands = "%m, %x"
        if outputs:
            model.weight("generator.weight", outputs, width)
            model.weight("generator.bias", outputs)
            clauses += ' projection("generator")' + has_softmax * " softmax"
            result = type_of("?", "?", outputs)
        types += f" -> {result}"
    # Of attention to tokens themselves, and to a memory.
    changes = ""
    if has_change:
        own, keys = "target_score" if both else "score", "capacity" if cache else "length"
        if both:
            changes += model.bias("source_score", options.heads, "source", "source")
        changes += model.bias(own, options.heads, "length", keys)
        if decodes:
            changes += model.bias("memory_score", options.heads, "length", "source")
    model.lines.append(
        f'  %y{", %changed" if cache else ""} = heddle.{what} {operands} '
        f'from("{prefix.rstrip(".")}"){count}{clauses} {text_of(options)}{changes} : {types}'
    )
    model.result("%y", result)
    model.changed_cache = "%changed"

    def kept_keys(arrays, keys):
        if not has_lengths:
            return numpy.ones((1, 1, 1, keys), bool)
        return valid(arrays["lengths"], keys)

    def compute(arrays, w):
        formulas = Layers(w, options)
        x, length = arrays["x"], arrays["x"].shape[1]
        own = arrays.get("target_score" if both else "score")
        if not decodes:
            keep = kept_keys(arrays, length)
            if is_cached:
                keep = keep & causal(length, length)
            keep = add(keep, own)
            if what == "encoder":
                return [formulas.stack(x, keep, prefix, layers)]
            return [formulas.layer(x, keep, prefix)]
        m = arrays["m"]
        keep = causal(length, length) if is_causal else numpy.ones((1, 1, length, length), bool)
        keep = add(keep, own)
        kept = add(kept_keys(arrays, m.shape[1]), arrays.get("memory_score"))
        if what == "decoder_layer":
            return [formulas.layer(x, keep, prefix, m, kept)]
        if what == "decoder":
            return [formulas.stack(x, keep, prefix, layers, m, kept)]
        of_source = add(kept_keys(arrays, m.shape[1]), arrays.get("source_score"))
        m = formulas.stack(m, of_source, "encoder.", layers)
        y = formulas.stack(x, keep, "decoder.", layers, m, kept)
        if not outputs:
            return [y]
        y = linear(y, w["generator.weight"], w["generator.bias"])
        return [softmax(y) if has_softmax else y]

    return model, compute


def options_of(order, kind="layer", heads=4, kv=4, activation="relu", epsilon=1e-5,
               is_gated=False, has_head_norms=False):  # fmt: skip
    return Options(heads, kv, order, kind, activation, epsilon, is_gated, has_head_norms)
