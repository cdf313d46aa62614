// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How rotary embeddings are stretched to longer contexts.

#ifndef HEDDLE_ROPE_SCALING_TD
#define HEDDLE_ROPE_SCALING_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Heddle_RopeScalingKind : I32EnumAttr<"RopeScalingKind",
    "how rotary frequencies are stretched to longer contexts",
    [I32EnumAttrCase<"Linear", 0, "linear">, I32EnumAttrCase<"Llama3", 1, "llama3">,
     I32EnumAttrCase<"Dynamic", 2, "dynamic">, I32EnumAttrCase<"Yarn", 3, "yarn">,
     I32EnumAttrCase<"LongRope", 4, "longrope">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}

def Heddle_RopeScalingAttr : AttrDef<Heddle_Dialect, "RopeScaling"> {
  let mnemonic = "rope_scaling";
  let summary = "stretching of rotary frequencies";
  let description = [{
    Formulas are those of `modeling_rope_utils.py` in Hugging Face's transformers, whose
    names stand in parentheses. With d rotating channels and `f(i) = base^(-2i / d)`, the
    frequency of pair i is

    * `linear`: `f(i) / factor` (`_compute_linear_scaling_rope_parameters`; Chen et al.,
      arXiv:2306.15595).
    * `dynamic`: f(i) for the base `base * (factor * n / original - factor + 1)^(d / (d - 2))`
      with `n = max(length, original)` (`_compute_dynamic_ntk_parameters`). There n is the
      length of the sequence so far; here `length` is the longest one, stated once.
    * `llama3`: `f(i) / factor` where the wavelength `2 pi / f(i)` exceeds `original / low`,
      f(i) where it is below `original / high`, and between them
      `(1 - s) * f(i) / factor + s * f(i)`, with
      `s = (original / wavelength - low) / (high - low)` (`_compute_llama3_parameters`).
    * `yarn`: `r(i) * f(i) / factor + (1 - r(i)) * f(i)`, with r(i) = (i - a) / (b - a)
      limited to [0, 1], where a is the place of `fast` rotations in `original` positions,
      b that of `slow` ones, and `place(n) = d ln(original / (2 pi n)) / (2 ln base)`.
      a is rounded down and b up, unless `truncate = false`, and they are limited to 0 and
      d - 1; where both are equal, b is 0.001 more (`_compute_yarn_parameters`; Peng et
      al., arXiv:2309.00071). `fast` is 32 and `slow` is 1, where they are not given.
    * `longrope`: `f(i) / long_factor[i]` where `length > original`, and
      `f(i) / short_factor[i]` elsewhere (`_compute_longrope_parameters`; Ding et al.,
      arXiv:2402.13753). There it is the sequence so far that is compared; here `length` is
      the longest one, stated once. Without it each position is compared, counted from 1,
      which is what decoding token by token gives there.

    Cosines and sines are multiplied by `attention`, which yarn and longrope have. Without
    it that is, of a factor above 1, `0.1 ln(factor) + 1` for yarn and
    `sqrt(1 + ln(factor) / ln(original))` for longrope, and 1 of any other.

    ```mlir
    #heddle.rope_scaling<linear, factor = 4.0>
    #heddle.rope_scaling<dynamic, factor = 2.0, original = 2048, length = 8192>
    #heddle.rope_scaling<llama3, factor = 8.0, low = 1.0, high = 4.0, original = 8192>
    #heddle.rope_scaling<yarn, factor = 4.0, original = 32768>
    #heddle.rope_scaling<longrope, factor = 32.0, original = 4096, length = 131072,
                         short_factor = [1.0, 1.25], long_factor = [1.0, 8.5]>
    #heddle.rope_scaling<longrope, factor = 32.0, original = 4096,
                         short_factor = [1.0, 1.25], long_factor = [1.0, 8.5]>
    ```

    Constraints:
    * (C1) each kind has the fields of its formula and no others; `fast`, `slow`,
      `attention` and `truncate`, and `length` of longrope, may be left out.
    * (C2) `factor`, `low`, `fast`, `slow`, `attention`, and the numbers of
      `short_factor` and `long_factor` are finite and positive.
    * (C3) `low` is below `high`, and `slow` below `fast`; all are finite.
    * (C4) `original` and `length` are positive, and `original` of longrope is above 1.
    * (C5) `short_factor` and `long_factor` have equally many numbers.
  }];
  let parameters = (ins "::heddle::RopeScalingKind":$kind,
      OptionalParameter<"::mlir::FloatAttr">:$factor,
      OptionalParameter<"::mlir::FloatAttr">:$low,
      OptionalParameter<"::mlir::FloatAttr">:$high,
      OptionalParameter<"::mlir::IntegerAttr">:$original,
      OptionalParameter<"::mlir::IntegerAttr">:$length,
      OptionalParameter<"::mlir::FloatAttr">:$fast,
      OptionalParameter<"::mlir::FloatAttr">:$slow,
      OptionalParameter<"::mlir::FloatAttr">:$attention,
      OptionalParameter<"::mlir::BoolAttr">:$truncate,
      OptionalParameter<"::mlir::DenseF64ArrayAttr">:$short_factor,
      OptionalParameter<"::mlir::DenseF64ArrayAttr">:$long_factor);
  let assemblyFormat = [{
    `<` $kind `,` struct(custom<Untyped>($factor), custom<Untyped>($low),
        custom<Untyped>($high), custom<Untyped>($original), custom<Untyped>($length),
        custom<Untyped>($fast), custom<Untyped>($slow), custom<Untyped>($attention),
        custom<Truth>($truncate), custom<Numbers>($short_factor),
        custom<Numbers>($long_factor)) `>`
  }];
  let builders = [AttrBuilder<(ins "::heddle::RopeScalingKind":$kind,
      "::mlir::FloatAttr":$factor, CArg<"::mlir::FloatAttr", "{}">:$low,
      CArg<"::mlir::FloatAttr", "{}">:$high, CArg<"::mlir::IntegerAttr", "{}">:$original), [{
    return $_get($_ctxt, kind, factor, low, high, original, ::mlir::IntegerAttr(),
                 ::mlir::FloatAttr(), ::mlir::FloatAttr(), ::mlir::FloatAttr(),
                 ::mlir::BoolAttr(), ::mlir::DenseF64ArrayAttr(),
                 ::mlir::DenseF64ArrayAttr());
  }]>];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Rotations of yarn where none are given, as the paper suggests.
    static constexpr double kFast = 32, kSlow = 1;
    /// Whether frequencies are those of each position.
    bool isByPosition() const {
      return getKind() == ::heddle::RopeScalingKind::LongRope && !getLength();
    }
    /// The same for a length that is stated.
    RopeScalingAttr withLength(int64_t length) const;
    /// Demands of `op` that its rotating channels and base fit.
    ::llvm::LogicalResult verifyFor(::mlir::Operation *op, int64_t dimension,
                                    double base) const;
  }];
}

#endif // HEDDLE_ROPE_SCALING_TD
