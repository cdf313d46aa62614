# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders whose matrices are quantised, in each format that is read: they give what the same
model gives with the matrices that NumPy decodes.

    quantized_folders.py [brief | CASE..]

Formats are written here as their tools write them: AutoGPTQ, AutoAWQ, compressed-tensors,
DeepSeek's FP8, OpenAI's MXFP4 and MLX.
"""
import json
import pathlib
import struct
import sys

import numpy as np

from folders import Folder, off

HIDDEN, HEADS, KV, HEAD, INTER, VOCABULARY, LAYERS = 64, 4, 2, 16, 96, 72, 2
TYPES = {"float32": "F32", "float16": "F16", "uint16": "BF16", "int32": "I32", "int8": "I8",
         "uint8": "U8", "int64": "I64", "uint32": "U32"}  # fmt: skip
random = np.random.default_rng(7)


class F8(np.ndarray):
    """Bytes of F8_E4M3."""


class File:
    """Tensors of many types, as Folder writes them."""

    def __init__(self, tensors):
        self.tensors = tensors

    def write(self, folder, shards=1):
        header, data = {}, b""
        for name, value in self.tensors.items():
            kind = "F8_E4M3" if isinstance(value, F8) else TYPES[str(value.dtype)]
            header[name] = {"dtype": kind, "shape": list(value.shape),
                            "data_offsets": [len(data), len(data) + value.nbytes]}  # fmt: skip
            data += np.ascontiguousarray(value).tobytes()
        text = json.dumps(header).encode()
        path = pathlib.Path(folder) / "model.safetensors"
        path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def bf16(values):
    """Rounded to bf16: the numbers, and their bits."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return bits.view(np.float32), (bits >> 16).astype(np.uint16)


def pack(integers, bits, axis):
    """Words of 32 bits, whose lowest bits are those of the first integer along the axis."""
    integers = np.moveaxis(integers.astype(np.uint64), axis, -1)
    count = integers.shape[-1] * bits
    rows = (integers[..., None] >> np.arange(bits, dtype=np.uint64) & 1).astype(np.uint32)
    rows = rows.reshape(*integers.shape[:-1], count)
    rows = np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, -count % 32)])
    rows = rows.reshape(*rows.shape[:-1], -1, 32) << np.arange(32, dtype=np.uint32)
    words = rows.sum(-1, dtype=np.uint32).view(np.int32)
    return np.moveaxis(words, -1, axis)


# ---- Formats: from a layer's name and [outputs, inputs] to its tensors and what they mean


def groups_of(inputs, size, sorted_):
    """The group of each input: neighbours, or as inputs that were sorted had them."""
    index = np.arange(inputs) // size
    return index if sorted_ else random.permutation(index)


def less_one(words, bits):
    """Of all integers of each word at a time, so that 0 borrows from the next one."""
    ones = sum(1 << bit for bit in range(0, 32, bits))
    return (words.view(np.uint32) - np.uint32(ones)).view(np.int32)


def gptq(bits, group, version=1, symmetric=False, sorted_=True, label=None, biases=False):
    def store(name, outputs, inputs):
        size = group or inputs
        groups = inputs // size
        index = groups_of(inputs, size, sorted_)
        codes = random.integers(0, 2**bits, (inputs, outputs))
        middle = 2 ** (bits - 1)
        is_whole = 32 % bits == 0
        low, high = (middle, middle + 1) if symmetric else (0 if is_whole else 1, 2**bits)
        zeros = random.integers(low, high, (groups, outputs))
        scales = (random.uniform(0.5, 1.5, (groups, outputs)) / middle / inputs**0.5).astype("f2")
        each = lambda v: v[index].astype(float)  # noqa: E731
        matrix = (codes - each(zeros)) * each(scales)
        words = pack(zeros - (version == 1 and not is_whole), bits, 1)
        tensors = {
            f"{name}.qweight": pack(codes, bits, 0),
            f"{name}.qzeros": less_one(words, bits) if version == 1 and is_whole else words,
            f"{name}.scales": scales,
            f"{name}.g_idx": index.astype(np.int32),
        }
        if biases:
            tensors[f"{name}.bias"] = np.zeros(outputs, "f2")
        return tensors, matrix.T

    config = {"quant_method": "gptq", "bits": bits, "group_size": group or -1, "sym": symmetric,
              "desc_act": not sorted_, "damp_percent": 0.01}  # fmt: skip
    if version == 2:
        config["checkpoint_format"] = label or "gptq_v2"
    return store, config


def awq(group):
    order = [0, 2, 4, 6, 1, 3, 5, 7]

    def store(name, outputs, inputs):
        groups = inputs // group
        codes = random.integers(0, 16, (inputs, outputs))
        zeros = random.integers(0, 16, (groups, outputs))
        scales = (random.uniform(0.5, 1.5, (groups, outputs)) / 8 / inputs**0.5).astype("f2")
        words = lambda v: pack(v.reshape(len(v), -1, 8)[..., order].reshape(v.shape), 4, 1)  # noqa: E731
        each = lambda v: np.repeat(v, group, 0).astype(float)  # noqa: E731
        return {
            f"{name}.qweight": words(codes),
            f"{name}.qzeros": words(zeros),
            f"{name}.scales": scales,
        }, ((codes - each(zeros)) * each(scales)).T

    return store, {"quant_method": "awq", "bits": 4, "group_size": group, "zero_point": True,
                   "version": "gemm", "modules_to_not_convert": None}  # fmt: skip


def compressed(format_, bits, strategy, group=None, symmetric=True, sorted_=True):
    def store(name, outputs, inputs):
        size = group or inputs
        groups = inputs // size
        index = groups_of(inputs, size, sorted_)
        middle = 2 ** (bits - 1)
        codes = random.integers(-middle, middle, (outputs, inputs))
        zeros = 0 if symmetric else random.integers(-middle, middle, (outputs, groups))
        scales = random.uniform(0.5, 1.5, (1,) if strategy == "tensor" else (outputs, groups))
        scales, stored = bf16(scales / middle / inputs**0.5)
        each = lambda v: v[:, index] if np.ndim(v) == 2 else v  # noqa: E731
        tensors = {f"{name}.weight_scale": stored}
        if format_ == "pack-quantized":
            tensors[f"{name}.weight_packed"] = pack(codes + middle, bits, 1)
            tensors[f"{name}.weight_shape"] = np.array([outputs, inputs])
            if not symmetric:
                tensors[f"{name}.weight_zero_point"] = pack(zeros + middle, bits, 0)
        else:
            tensors[f"{name}.weight"] = codes.astype(np.int8)
            if not symmetric:
                tensors[f"{name}.weight_zero_point"] = zeros.astype(np.int8)
        if not sorted_:
            tensors[f"{name}.weight_g_idx"] = index.astype(np.int32)
        return tensors, (codes - each(zeros)) * each(scales).astype(float)

    weights = {"num_bits": bits, "type": "int", "strategy": strategy, "symmetric": symmetric,
               "group_size": group, "dynamic": False, "actorder": None if sorted_ else "group",
               "observer": "minmax", "observer_kwargs": {}, "block_structure": None}  # fmt: skip
    return store, {"quant_method": "compressed-tensors", "format": format_, "ignore": ["lm_head"],
                   "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights,
                                                 "input_activations": None}},
                   "kv_cache_scheme": None, "quantization_status": "compressed"}  # fmt: skip


def e4m3(outputs, inputs):
    """Random bytes that are no NaN, and their numbers (OCP 8-bit Floating Point)."""
    codes = random.integers(0, 256, (outputs, inputs)).astype(np.uint8)
    codes[codes & 0x7F == 0x7F] = 0
    exponent, mantissa = (codes >> 3 & 15).astype(int), (codes & 7) / 8
    numbers = np.where(exponent == 0, mantissa * 2.0**-6, (1 + mantissa) * 2.0 ** (exponent - 7))
    return codes.view(F8), np.where(codes & 0x80, -numbers, numbers)


def floats():
    def store(name, outputs, inputs):
        codes, numbers = e4m3(outputs, inputs)
        scales, stored = bf16(random.uniform(0.5, 1.5, (outputs, 1)) / 200 / inputs**0.5)
        matrix, _ = bf16(numbers.astype("f4") * scales)
        return {f"{name}.weight": codes, f"{name}.weight_scale": stored}, matrix

    weights = {"num_bits": 8, "type": "float", "strategy": "channel", "symmetric": True}
    return store, {"quant_method": "compressed-tensors", "format": "float-quantized",
                   "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights}}}  # fmt: skip


def fp8(rows, columns):
    def store(name, outputs, inputs):
        codes, numbers = e4m3(outputs, inputs)
        shape = -(-outputs // rows), -(-inputs // columns)
        scales = (random.uniform(0.5, 1.5, shape) / 200 / inputs**0.5).astype("f4")
        each = np.repeat(np.repeat(scales, rows, 0), columns, 1)[:outputs, :inputs]
        matrix, _ = bf16(numbers.astype("f4") * each)
        return {f"{name}.weight": codes, f"{name}.weight_scale_inv": scales}, matrix

    return store, {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic",
                   "weight_block_size": [rows, columns]}  # fmt: skip


def mlx(bits, group, **layers):
    """Embeddings and the head are quantised, too; layers of a name may have other bits."""

    def store(name, outputs, inputs):
        own = layers.get(name.split(".")[-1], {"bits": bits, "group_size": group})
        width, size = own["bits"], own["group_size"]
        codes = random.integers(0, 2**width, (outputs, inputs))
        scales, biases = (
            bf16(random.uniform(low, 1.5, (outputs, inputs // size)) / 2**width / inputs**0.5 * factor)
            for low, factor in ((0.5, 2), (-1.5, 2**width)))
        each = lambda v: np.repeat(v[0], size, 1).astype(float)  # noqa: E731
        return {
            f"{name}.weight": pack(codes, width, 1).view(np.uint32),
            f"{name}.scales": scales[1],
            f"{name}.biases": biases[1],
        }, codes * each(scales) + each(biases)

    store.is_for_tables = True
    names = {f"model.layers.{layer}.mlp.{name}": value for name, value in layers.items()
             for layer in range(LAYERS)}  # fmt: skip
    return store, {"group_size": group, "bits": bits, "mode": "affine", **names}


FORMATS = {
    "gptq": gptq(4, 32),
    "gptq_symmetric": gptq(4, 16, symmetric=True),
    "gptq_label": gptq(4, 16, version=2, symmetric=True, label="gptq", biases=True),
    "gptq_v2": gptq(4, 32, version=2),
    "gptq_2": gptq(2, 16),
    "gptq_3": gptq(3, 32),
    "gptq_8": gptq(8, None),
    "gptq_order": gptq(4, 32, sorted_=False),
    "gptq_order_symmetric": gptq(4, 16, symmetric=True, sorted_=False),
    "awq": awq(32),
    "packed": compressed("pack-quantized", 4, "group", 32),
    "packed_zeros": compressed("pack-quantized", 4, "group", 16, symmetric=False),
    "packed_8": compressed("pack-quantized", 8, "channel"),
    "packed_order": compressed("pack-quantized", 4, "group", 32, symmetric=False, sorted_=False),
    "integers": compressed("int-quantized", 8, "channel"),
    "integers_zeros": compressed("int-quantized", 8, "channel", symmetric=False),
    "integers_tensor": compressed("int-quantized", 8, "tensor"),
    "integers_order": compressed("int-quantized", 8, "group", 32, sorted_=False),
    "mlx": mlx(4, 32, down_proj={"bits": 8, "group_size": 32}),
    "mlx_2": mlx(2, 32, up_proj={"bits": 4, "group_size": 16}),
    "mlx_8": mlx(8, 32),
    "floats": floats(),
    "fp8": fp8(48, 32),
}


# ---- Models


class Model:
    """The tensors of a quantised folder, and of the plain one."""

    def __init__(self, store):
        self.store, self.quantized, self.plain = store, {}, {}

    def both(self, name, value):
        self.quantized[name] = self.plain[name] = value.astype(np.float32)

    def matrix(self, name, outputs, inputs):
        tensors, matrix = self.store(name, outputs, inputs)
        self.quantized.update(tensors)
        self.plain[f"{name}.weight"] = matrix.astype(np.float32)

    def table(self, name, scale):
        if getattr(self.store, "is_for_tables", False):
            self.matrix(name, VOCABULARY, HIDDEN)
        else:
            self.both(f"{name}.weight", random.standard_normal((VOCABULARY, HIDDEN)) * scale)

    def frame(self):
        self.table("model.embed_tokens", 1)
        self.both("model.norm.weight", random.uniform(0.5, 1.5, HIDDEN))
        self.table("lm_head", 1 / HIDDEN**0.5)
        for layer in range(LAYERS):
            for norm in ("input_layernorm", "post_attention_layernorm"):
                self.both(f"model.layers.{layer}.{norm}.weight", random.uniform(0.5, 1.5, HIDDEN))
            yield f"model.layers.{layer}"


BASE = {"hidden_size": HIDDEN, "num_attention_heads": HEADS, "num_key_value_heads": KV,
        "num_hidden_layers": LAYERS, "vocab_size": VOCABULARY, "intermediate_size": INTER,
        "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "tie_word_embeddings": False,
        "hidden_act": "silu", "bos_token_id": 1, "eos_token_id": 2}  # fmt: skip


def attention(model, at):
    model.matrix(f"{at}.self_attn.q_proj", HEADS * HEAD, HIDDEN)
    model.matrix(f"{at}.self_attn.k_proj", KV * HEAD, HIDDEN)
    model.matrix(f"{at}.self_attn.v_proj", KV * HEAD, HIDDEN)
    model.matrix(f"{at}.self_attn.o_proj", HIDDEN, HEADS * HEAD)


def llama(model):
    for at in model.frame():
        attention(model, at)
        model.matrix(f"{at}.mlp.gate_proj", INTER, HIDDEN)
        model.matrix(f"{at}.mlp.up_proj", INTER, HIDDEN)
        model.matrix(f"{at}.mlp.down_proj", HIDDEN, INTER)
    return BASE | {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}


def phi3(model):
    """Matrices that are cut into those of queries, keys and values, and of gate and up."""
    for at in model.frame():
        model.matrix(f"{at}.self_attn.qkv_proj", (HEADS + 2 * KV) * HEAD, HIDDEN)
        model.matrix(f"{at}.self_attn.o_proj", HIDDEN, HEADS * HEAD)
        model.matrix(f"{at}.mlp.gate_up_proj", 2 * INTER, HIDDEN)
        model.matrix(f"{at}.mlp.down_proj", HIDDEN, INTER)
    return BASE | {"model_type": "phi3", "architectures": ["Phi3ForCausalLM"],
                   "original_max_position_embeddings": 64, "pad_token_id": 0}  # fmt: skip


def mixtral(model):
    """Experts, each with matrices of its own."""
    for at in model.frame():
        attention(model, at)
        model.both(f"{at}.block_sparse_moe.gate.weight", random.standard_normal((3, HIDDEN)))
        for expert in range(3):
            name = f"{at}.block_sparse_moe.experts.{expert}"
            model.matrix(f"{name}.w1", INTER, HIDDEN)
            model.matrix(f"{name}.w3", INTER, HIDDEN)
            model.matrix(f"{name}.w2", HIDDEN, INTER)
    return BASE | {"model_type": "mixtral", "architectures": ["MixtralForCausalLM"],
                   "num_local_experts": 3, "num_experts_per_tok": 2}  # fmt: skip


def gpt_oss(model):
    """Experts whose matrices are one tensor each, in MXFP4; the others are bf16."""

    def experts(name, count, outputs, inputs):
        codes = random.integers(0, 16, (count, outputs, inputs)).astype(np.uint8)
        exponents = random.integers(120, 125, (count, outputs, inputs // 32)).astype(np.uint8)
        numbers = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
        values = np.where(codes & 8, -1.0, 1.0) * numbers[codes & 7]
        values *= np.repeat(2.0 ** (exponents.astype(float) - 127), 32, -1)
        model.quantized[f"{name}_blocks"] = (codes[..., ::2] | codes[..., 1::2] << 4).reshape(
            count, outputs, inputs // 32, 16)
        model.quantized[f"{name}_scales"] = exponents
        model.plain[name] = values.transpose(0, 2, 1).astype(np.float32)

    for at in model.frame():
        for part, outputs in (("q", HEADS * HEAD), ("k", KV * HEAD), ("v", KV * HEAD)):
            name = f"{at}.self_attn.{part}_proj"
            model.both(f"{name}.weight", random.standard_normal((outputs, HIDDEN)) / HIDDEN**0.5)
            model.both(f"{name}.bias", random.standard_normal(outputs))
        name = f"{at}.self_attn.o_proj"
        model.both(f"{name}.weight", random.standard_normal((HIDDEN, HEADS * HEAD)) / HIDDEN**0.5)
        model.both(f"{name}.bias", random.standard_normal(HIDDEN))
        model.both(f"{at}.self_attn.sinks", random.standard_normal(HEADS))
        model.both(f"{at}.mlp.router.weight", random.standard_normal((3, HIDDEN)))
        model.both(f"{at}.mlp.router.bias", random.standard_normal(3))
        experts(f"{at}.mlp.experts.gate_up_proj", 3, 2 * INTER, HIDDEN)
        experts(f"{at}.mlp.experts.down_proj", 3, HIDDEN, INTER)
        model.both(f"{at}.mlp.experts.gate_up_proj_bias", random.standard_normal((3, 2 * INTER)))
        model.both(f"{at}.mlp.experts.down_proj_bias", random.standard_normal((3, HIDDEN)))
    return BASE | {"model_type": "gpt_oss", "architectures": ["GptOssForCausalLM"],
                   "num_local_experts": 3, "num_experts_per_tok": 2, "head_dim": HEAD,
                   "sliding_window": 8, "layer_types": ["sliding_attention", "full_attention"],
                   "attention_bias": True, "rope_theta": 150000.0,
                   "rope_scaling": {"rope_type": "yarn", "factor": 2.0, "beta_fast": 32.0,
                                    "beta_slow": 1.0, "truncate": False,
                                    "original_max_position_embeddings": 32},
                   "swiglu_limit": 7.0}  # fmt: skip


def check(name, family, store, quantization):
    model = Model(store)
    config = family(model)
    fields = {"quantization_config": quantization}
    if "quant_method" not in quantization:
        fields["quantization"] = quantization
    folders = (Folder(f"{name}_plain", config, File(model.plain)),
               Folder(name, config | fields, File(model.quantized)))  # fmt: skip
    ids = random.integers(0, VOCABULARY, (1, 11)).astype(np.int32)
    logits = []
    for folder in folders:
        loaded, one = folder.load(), np.ones(1, np.int32)
        cache = loaded.cache(batch=1, capacity=16)
        logits.append([loaded.prefill(ids=ids[:, :8], starts=0 * one, lengths=8 * one,
                                      cache=cache)])  # fmt: skip
        for position in range(8, 11):
            logits[-1].append(loaded.decode(ids=ids[:, position:position + 1],
                                            starts=position * one, lengths=one, cache=cache))
    error = off(np.array(logits[1]), np.array(logits[0]))
    sizes = [folder.path.with_suffix(".weights").stat().st_size for folder in folders]
    print(f"{name}: off by {error:.1e} of the largest logit, {sizes[1]} bytes of {sizes[0]}")
    return error < 1e-5


def main(names):
    cases = {name: (llama, *FORMATS[name]) for name in FORMATS}
    cases |= {f"phi3_{name}": (phi3, *FORMATS[name]) for name in ("gptq", "gptq_order", "awq", "packed_zeros")}
    cases |= {f"mixtral_{name}": (mixtral, *FORMATS[name]) for name in ("gptq", "gptq_order", "packed")}
    cases["gpt_oss"] = (gpt_oss, None, {"quant_method": "mxfp4", "modules_to_not_convert": []})
    if names == ["brief"]:
        names = ["gptq_order", "gptq_label", "gptq_3", "awq", "packed_zeros", "integers", "mlx", "fp8", "phi3_awq",
                 "mixtral_packed", "gpt_oss"]  # fmt: skip
    chosen = names or list(cases)
    failed = [name for name in chosen if not check(name, *cases[name])]
    print(f"{len(chosen)} folders, {len(failed)} failed", *failed)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main(sys.argv[1:])
