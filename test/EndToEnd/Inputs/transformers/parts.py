# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feed-forward layers, and attention with the linear layers around it."""
import numpy

from .formulas import ACTIVATIONS, add, attention, causal, linear, valid
from .model import Model, type_of


def feed_forward(name, kind, has_bias):
    """And the same activation alone."""
    model = Model(name)
    model.argument("x", "length", 20)
    model.weight("up", 72, 20)
    model.weight("down", 20, 72)
    model.weight("up_bias", 72)
    model.weight("down_bias", 20)
    refs = {weight: model.reference(weight) for weight in model.weights}
    bias = f" biases(%up_bias, %down_bias : {type_of(72)}, {type_of(20)})" if has_bias else ""
    x = type_of("?", "?", 20)
    model.lines += [
        f"  %y = heddle.feed_forward {kind} %x, %up, %down{bias} "
        f": {x}, {refs['up'][1]}, {refs['down'][1]}",
        f"  %z = heddle.activation {kind} %x : {x}",
    ]
    model.result("%y", x)
    model.result("%z", x)

    def compute(arrays, w):
        x, function = arrays["x"], ACTIVATIONS[kind]
        biases = (w["up_bias"], w["down_bias"]) if has_bias else (None, None)
        hidden = function(linear(x, w["up"], biases[0]))
        return [linear(hidden, w["down"], biases[1]), function(x)]

    return model, compute


def multi_head_attention(name, heads, kv, mask, is_combined=False, is_self=False, widths=None,
                         has_norms=False, has_biases=True, has_weights=False, scale=None,
                         has_change=False, layer=None):  # fmt: skip
    """`widths` are those of query, key, value and output, and of a head of q and of v. Attention of
    `layer` of a cache `is_self`."""
    cq, ck, cv, co, d, e = widths or (48, 48, 48, 48, 12, 12)
    model = Model(name)
    keys = "length" if is_self else "source"
    model.argument("x", "length", cq)
    inputs = {"query": ("x", cq), "key": ("x", ck), "value": ("x", cv)}
    if not is_self:
        model.argument("k", "source", ck)
        inputs["key"] = inputs["value"] = ("k", ck)
        if cv != ck:
            model.argument("v", "source", cv)
            inputs["value"] = ("v", cv)
    rows = {"query": heads * d, "key": kv * d, "value": kv * e}
    if is_combined:
        rows = {"combined": (heads + 2 * kv) * d}
    clauses = ""
    for part, count in {**rows, "output": co}.items():
        columns = heads * e if part == "output" else inputs.get(part, inputs["query"])[1]
        model.weight(part, count, columns)
        parts = [part]
        if has_biases:
            model.weight(part + "_b", count)
            parts.append(part + "_b")
        names, types = zip(*map(model.reference, parts))
        clauses += f" {part}({', '.join(names)} : {', '.join(types)})"
    if has_norms:
        for part in ("nq.weight", "nk.weight"):
            model.weight(part, d)
            model.reference(part)
        clauses += f" norms(%nq.weight, %nk.weight : {type_of(d)}, {type_of(d)}) epsilon(1.0e-6)"
    if scale is not None:
        clauses += f" scale({scale})"
    if has_weights:
        clauses += " results(weights, output)"
    masks, cache = [], ""
    if layer is not None:
        cache, mask = model.append(layer + 1, kv, d, e, layer), ("causal",)
        masks.append("%m_cache")
    elif "causal" in mask:
        model.lines.append("  %m_causal = heddle.mask.causal align(top_left)")
        masks.append("%m_causal")
    if "lengths" in mask:
        model.lengths("lengths", keys)
        masks.append("%m_lengths")
    if len(masks) == 2:
        model.lines.append("  %m_both = heddle.mask.and %m_causal, %m_lengths")
        masks.append("%m_both")
    clause = f" mask({masks[-1]})" if masks else ""
    clause += cache
    if has_change:
        clauses += model.bias("score", heads, "length", "capacity" if cache else keys)
    operands = [inputs[part] for part in ("query", "key", "value")]
    count = 1 + has_weights + bool(cache)
    model.lines.append(
        f"  %r{':' if count > 1 else ''}{count if count > 1 else ''} = heddle.multi_head_attention "
        f"{', '.join('%' + n for n, _ in operands)}{clause} heads({heads}, kv = {kv}){clauses} : "
        + ", ".join(type_of("?", "?", c) for _, c in operands)
    )
    if has_weights:
        model.result("%r#0", type_of("?", heads, "?", "?"))
    model.result(f"%r#{int(has_weights)}" if count > 1 else "%r", type_of("?", "?", co))
    model.changed_cache = f"%r#{count - 1}"

    def compute(arrays, w):
        x, k, v = (arrays[inputs[part][0]] for part in ("query", "key", "value"))
        bias = lambda part: w.get(part + "_b")  # noqa: E731
        if is_combined:
            both = linear(x, w["combined"], bias("combined"))
            q, k, v = numpy.split(both, [heads * d, (heads + kv) * d], axis=-1)
        else:
            q = linear(x, w["query"], bias("query"))
            k, v = linear(k, w["key"], bias("key")), linear(v, w["value"], bias("value"))
        keep = numpy.ones((1, 1, q.shape[1], k.shape[1]), bool)
        if "causal" in mask:
            keep = keep & causal(q.shape[1], k.shape[1])
        if "lengths" in mask:
            keep = keep & valid(arrays["lengths"], k.shape[1])
        keep = add(keep, arrays.get("score"))
        norms = (w["nq.weight"], w["nk.weight"]) if has_norms else None
        output, weights = attention(q, k, v, heads, kv, keep, scale, norms)
        output = linear(output, w["output"], bias("output"))
        return [weights, output] if has_weights else [output]

    return model, compute
