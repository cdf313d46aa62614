# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers with activations of bf16 and f16 are the layers of f32 between casts.

    narrow_activations.py ELEMENT...

Compiles each layer twice in one module, once with activations of the narrow type and once of
f32 between casts that are written out, and compares the bytes of what both give.
"""
import subprocess
import sys

import numpy

from judge.elements import stored, to_file

# Of each layer its activations, with their sizes; its other operands; its text, where {t} is
# the type of activations; and its results.
TOKENS = [2, 5, 16]
NUMBERS = {"starts": [3, 0], "lengths": [5, 2], "choices": [[3], [1]]}
LAYERS = {
    "rms_norm": ({"x": TOKENS}, {"w": [16]}, "heddle.rms_norm %x, %w epsilon(1.0e-5)"
                 " : tensor<2x5x16x{t}>, tensor<16xf32>", [TOKENS]),
    "linear": ({"x": TOKENS}, {"w": [24, 16], "b": [24]}, "heddle.linear %x, %w"
               " bias(%b : tensor<24xf32>) : tensor<2x5x16x{t}>, tensor<24x16xf32>", [[2, 5, 24]]),
    "feed_forward": ({"x": TOKENS}, {"u": [40, 16], "d": [16, 40]},
                     "heddle.feed_forward gelu %x, %u, %d"
                     " : tensor<2x5x16x{t}>, tensor<40x16xf32>, tensor<16x40xf32>", [TOKENS]),
    "gated_feed_forward": ({"x": TOKENS}, {"g": [40, 16], "d": [16, 40]},
                           "heddle.gated_feed_forward silu %x, %g, %g, %d : tensor<2x5x16x{t}>,"
                           " tensor<40x16xf32>, tensor<40x16xf32>, tensor<16x40xf32>", [TOKENS]),
    "last_token": ({"x": TOKENS}, {}, "heddle.last_token %x, %lengths"
                   " : tensor<2x5x16x{t}>, tensor<2xi32>", [[2, 16]]),
    "rotary": ({"x": TOKENS}, {}, "heddle.rotary %x at(%starts : tensor<2xi32>) heads(2) positions(64)"
               " base(10000.0) : tensor<2x5x16x{t}>", [TOKENS]),
    "rotary_far": ({"x": [2, 5, 128]}, {}, "heddle.rotary %x at(%starts : tensor<2xi32>) heads(2)"
                   " positions(4096) base(10000.0) : tensor<2x5x128x{t}>", [[2, 5, 128]]),
    "pool_tokens": ({"x": TOKENS}, {}, "heddle.pool_tokens mean %x, %lengths"
                    " : tensor<2x5x16x{t}>, tensor<2xi32>", [[2, 16]]),
    "expert_linear": ({"x": [2, 16]}, {"w": [4, 24, 16], "b": [4, 24]},
                      "heddle.expert_linear %x, %choices, %w bias(%b : tensor<4x24xf32>)"
                      " : tensor<2x16x{t}>, tensor<2x1xi32>, tensor<4x24x16xf32>", [[2, 1, 24]]),
    "add_positions": ({"x": TOKENS}, {"p": [64, 16]}, "heddle.add_positions %x, %p"
                      " at(%starts : tensor<2xi32>) : tensor<2x5x16x{t}>, tensor<64x16xf32>",
                      [TOKENS]),
    "conv_1d": ({"x": [2, 4, 9]}, {"w": [6, 2, 3]}, "heddle.conv_1d %x, %w stride(2) padding(1)"
                " dilation(1) groups(2) : tensor<2x4x9x{t}>, tensor<6x2x3xf32>", [[2, 6, 5]]),
    "conv_2d": ({"x": [2, 4, 9, 7]}, {"w": [6, 2, 3, 2]}, "heddle.conv_2d %x, %w strides [2, 3]"
                " low [1, 0] high [1, 1] dilations [1, 2] groups(2) : tensor<2x4x9x7x{t}>,"
                " tensor<6x2x3x2xf32>", [[2, 6, 5, 2]]),
    "pool_2d": ({"x": [2, 4, 9, 7]}, {}, "heddle.pool_2d mean %x window [3, 2] strides [2, 3]"
                " low [1, 0] high [1, 1] dilations [1, 2] : tensor<2x4x9x7x{t}>", [[2, 4, 5, 2]]),
    "patch_embedding": ({"x": [2, 3, 9, 8]}, {"w": [8, 3, 4, 4]}, "heddle.patch_embedding %x, %w"
                        " : tensor<2x3x9x8x{t}>, tensor<8x3x4x4xf32>", [[2, 4, 8]]),
    "mixture_of_experts": ({"x": [7, 16]}, {"r": [4, 16], "g": [4, 24, 16], "d": [4, 16, 24]},
                           "heddle.mixture_of_experts silu %x router(%r) experts(%g, %g, %d)"
                           " top(2) normalized : tensor<7x16x{t}>, tensor<4x16xf32>,"
                           " tensor<4x24x16xf32>, tensor<4x24x16xf32>, tensor<4x16x24xf32>",
                           [[7, 16]]),
    "gru_cell": ({"x": [3, 20], "h": [3, 24]}, {"w": [72, 20], "u": [72, 24]},
                 "heddle.gru_cell %x, %h, %w, %u : tensor<3x20x{t}>, tensor<3x24x{t}>,"
                 " tensor<72x20xf32>, tensor<72x24xf32>", [[3, 24]]),
    "lstm_cell": ({"x": [3, 20], "h": [3, 24], "c": [3, 24]}, {"w": [96, 20], "u": [96, 24]},
                  "heddle.lstm_cell %x, %h, %c, %w, %u : tensor<3x20x{t}>, tensor<3x24x{t}>,"
                  " tensor<96x20xf32>, tensor<96x24xf32>", [[3, 24], [3, 24]]),
    "linear_attention": ({"q": [2, 4, 5, 8], "v": [2, 4, 5, 12], "s": [2, 4, 8, 12]}, {},
                         "heddle.linear_attention %q, %q, %v state(%s : tensor<2x4x8x12x{t}>)"
                         " chunk(64) : tensor<2x4x5x8x{t}>, tensor<2x4x5x8x{t}>,"
                         " tensor<2x4x5x12x{t}> -> tensor<2x4x5x12x{t}>, tensor<2x4x8x12x{t}>",
                         [[2, 4, 5, 12], [2, 4, 8, 12]]),
    "gated_delta_rule": ({"q": [2, 4, 5, 8], "v": [2, 4, 5, 12], "g": [2, 4, 5]}, {},
                         "heddle.gated_delta_rule %q, %q, %v strengths(%g)"
                         " : tensor<2x4x5x8x{t}>, tensor<2x4x5x8x{t}>, tensor<2x4x5x12x{t}>,"
                         " tensor<2x4x5x{t}> -> tensor<2x4x5x12x{t}>", [[2, 4, 5, 12]]),
    "softcap": ({"x": [2, 4, 5, 6]}, {}, "heddle.softcap %x cap(2.0) : tensor<2x4x5x6x{t}>",
                [[2, 4, 5, 6]]),
    "alibi": ({"x": [2, 4, 5, 6], "s": [4]}, {}, "heddle.alibi %x, %s align(bottom_right)"
              " : tensor<2x4x5x6x{t}>, tensor<4x{t}>", [[2, 4, 5, 6]]),
    "relative_bias": ({"x": [2, 4, 5, 6]}, {"w": [33, 4]}, "heddle.relative_bias %x, %w"
                      " align(top_left) : tensor<2x4x5x6x{t}>, tensor<33x4xf32>",
                      [[2, 4, 5, 6]]),
    "merge_attention": ({"u": TOKENS, "v": TOKENS, "m": [2, 4, 5], "n": [2, 4, 5]}, {},
                        "heddle.merge_attention (%u, %v) maxima(%m, %n) sums(%n, %m)"
                        " results(unnormalized, sum) : tensor<2x5x16x{t}>,"
                        " tensor<2x4x5x{t}>", [TOKENS, [2, 4, 5]]),
    "attention": ({"x": TOKENS, "s": [2]}, {}, "heddle.attention %x, %x, %x mask(%causal)"
                  " sinks(%s : tensor<2x{t}>) heads(2, kv = 2) : tensor<2x5x16x{t}>,"
                  " tensor<2x5x16x{t}>, tensor<2x5x16x{t}>", [TOKENS]),
    "multi_head_attention": ({"x": TOKENS}, {"w": [48, 16], "o": [16, 16]},
                             "heddle.multi_head_attention %x, %x, %x mask(%causal)"
                             " heads(2, kv = 2) combined(%w : tensor<48x16xf32>)"
                             " output(%o : tensor<16x16xf32>) : tensor<2x5x16x{t}>,"
                             " tensor<2x5x16x{t}>, tensor<2x5x16x{t}>", [TOKENS]),
    "encoder": ({"x": TOKENS}, {}, 'heddle.encoder %x from("e") layers(2) mask(%causal) heads(2)'
                " norm(pre) activation(relu) epsilon(1.0e-5) : tensor<2x5x16x{t}>", [TOKENS]),
}  # fmt: skip
ENCODER = {
    "self_attn.in_proj_weight": [48, 16], "self_attn.out_proj.weight": [16, 16],
    "linear1.weight": [24, 16], "linear2.weight": [16, 24], "norm1.weight": [16],
    "norm2.weight": [16],
}  # fmt: skip


def tensor(sizes, element):
    return f"tensor<{'x'.join(map(str, [*sizes, element]))}>"


def literal(generator, sizes):
    array = generator.standard_normal(sizes).astype("<f4") * sizes[-1] ** -0.5
    return f'dense<"0x{array.astype("<f4").tobytes().hex().upper()}"> : {tensor(sizes, "f32")}'


def write_function(name, layer, element, is_spelt):
    """The layer of activations of a type, or of f32 between casts."""
    activations, weights, text, results = layer
    arguments = ", ".join(f'%{a}{"_in" * is_spelt}: {tensor(s, element)} {{heddle.name = "{a}"}}'
                          for a, s in activations.items())
    arguments += "".join(f', %{key}: {tensor(numpy.shape(values), "i32")} {{heddle.name = "{key}"}}'
                         for key, values in NUMBERS.items() if f"%{key}" in text)
    types = [tensor(sizes, element) for sizes in results]
    lines = [f"func.func @{name}({arguments}) -> ({', '.join(types)}) {{"]
    lines.append("  %causal = heddle.mask.causal align(top_left)")
    lines += [f"  %{w} = heddle.weight_ref @{name.rsplit('_', 1)[0]}_{w} : {tensor(s, 'f32')}"
              for w, s in weights.items()]
    if is_spelt:
        lines += [f"  %{a} = heddle.cast %{a}_in : {tensor(s, element)} -> {tensor(s, 'f32')}"
                  for a, s in activations.items()]
    inside = "f32" if is_spelt else element
    values = [f"%y{index}" for index in range(len(results))]
    lines.append(f"  {', '.join(values)} = {text.replace('{t}', inside)}")
    if is_spelt:
        lines += [f"  {value}_out = heddle.cast {value} : {tensor(s, 'f32')} -> {type_}"
                  for value, s, type_ in zip(values, results, types)]
        values = [f"{value}_out" for value in values]
    lines.append(f"  return {', '.join(values)} : {', '.join(types)}\n}}")
    return "\n".join(lines)


def run(name, inputs, count, element):
    text = LAYERS[name.rsplit("_", 1)[0]][2]
    command = ["heddle-run", "run", "m.so", f"--entry={name}"]
    for key, values in NUMBERS.items():
        if f"%{key}" in text:
            numpy.save(f"{key}.npy", numpy.array(values, "<i4"))
            command.append(f"--input={key}={key}.npy")
    for key, array in inputs.items():
        numpy.save(f"{key}.npy", to_file(array, element))
        command.append(f"--input={key}={key}.npy")
    command += [f"--output=result{index}=r{index}.npy" for index in range(count)]
    subprocess.run(command, check=True)
    return [numpy.load(f"r{index}.npy") for index in range(count)]


def check(element):
    generator = numpy.random.default_rng()
    lines = [f"heddle.weight @{name}_{w} = {literal(generator, sizes)}"
             for name, layer in LAYERS.items() for w, sizes in layer[1].items()]
    lines += [f'heddle.weight @"e.layers.{number}.{w}" = {literal(generator, sizes)}'
              for number in range(2) for w, sizes in ENCODER.items()]
    for name, layer in LAYERS.items():
        lines.append(write_function(name + "_narrow", layer, element, False))
        lines.append(write_function(name + "_spelt", layer, element, True))
    with open("m.mlir", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    subprocess.run(["heddlec", "--quiet", "m.mlir", "--verify", "--emit=shared", "-o", "m.so"],
                   check=True, stdout=subprocess.DEVNULL)
    for name, (activations, _, _, results) in LAYERS.items():
        inputs = {key: stored(generator.standard_normal(sizes), element)
                  for key, sizes in activations.items()}
        narrow = run(name + "_narrow", inputs, len(results), element)
        spelt = run(name + "_spelt", inputs, len(results), element)
        for index, (found, expected) in enumerate(zip(narrow, spelt)):
            assert found.tobytes() == expected.tobytes(), f"{name} of {element}: result {index}"
    print(f"{len(LAYERS)} layers of {element}")


def main():
    for element in sys.argv[1:]:
        check(element)


if __name__ == "__main__":
    main()
