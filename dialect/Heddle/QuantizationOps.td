// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Numbers of few bits, with a scale for each group of them.

def Heddle_HalfByte : Type<CPred<"::heddle::isHalfByte($_self)">, "i4 or ui4">;
def Heddle_Codes : RankedTensorOf<[I8, UI8, I16, Heddle_HalfByte]>;

def Heddle_Zeros : RankedTensorOf<[I8, UI8, I16, Heddle_HalfByte]>;

def Heddle_DequantizeOp : Heddle_TensorOp<"dequantize", [AttrSizedOperandSegments]> {
  let summary = "integers times the scale of their group";
  let description = [{
    Elements of `codes` along `axis` are in groups of equal size g, neighbours each, of which
    every one has a scale, with `zeros` a number that stands for 0, and with `minimums` one that
    is subtracted at last:

    `dequantize(q)[.., k, ..] = (q[.., k, ..] - zeros[.., j, ..]) * scales[.., j, ..] - minimums[.., j, ..]`

    with j = k floordiv g, and g the size of `codes` along `axis` divided by that of `scales`. A
    size of 1 makes it one group, which is a scale for each channel of a matrix. The difference
    of integers is exact; the product is rounded to f32, and so is the difference at last, or
    both are rounded once.

    ```mlir
    // Groups of 32 inputs.
    %w = heddle.dequantize %q, %s axis(1) : tensor<172x64xi8>, tensor<172x2xf16> -> tensor<172x64xf32>
    %v = heddle.dequantize %q, %s zeros(%z : tensor<172x2xi8>) axis(1)
       : tensor<172x64xi8>, tensor<172x2xf16> -> tensor<172x64xf32>
    %u = heddle.dequantize %q, %s minimums(%m : tensor<172x2xf32>) axis(1)
       : tensor<172x64xi8>, tensor<172x2xf16> -> tensor<172x64xf32>
    ```

    A contraction that reads such a matrix of weights decodes it where it reads it: no copy
    of f32 is made.

    Constraints:
    * (C1) `axis` is a dimension of `codes`.
    * (C2) `scales`, `zeros` and `minimums` have the sizes of `codes`, but for that of `axis`.
    * (C3) the sizes along `axis` are known numbers, and that of `scales` divides that of
      `codes`.
  }];
  let arguments = (ins Heddle_Codes:$codes, Heddle_SingleTensor:$scales,
      Optional<Heddle_Zeros>:$zeros, Optional<Heddle_SingleTensor>:$minimums, I64Attr:$axis);
  let results = (outs RankedTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $codes `,` $scales (`zeros` `(` $zeros^ `:` type($zeros) `)`)?
    (`minimums` `(` $minimums^ `:` type($minimums) `)`)? `axis` `(` $axis `)`
    attr-dict `:` type($codes) `,` type($scales) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Operands with an element for each group: scales, and zeros and minimums if there are any.
    llvm::SmallVector<mlir::Value, 3> getParts();
  }];
  let builders = [
    /// Without zeros and minimums.
    OpBuilder<(ins "mlir::Value":$codes, "mlir::Value":$scales, "int64_t":$axis)>];
}

def Heddle_QuantizeOp : Heddle_TensorOp<"quantize"> {
  let summary = "the integers and scales that come nearest to floats";
  let description = [{
    Elements of `input` along `axis` are in groups of `group` neighbours, each of which has a
    scale:

    `scales[.., j, ..] = max over k of group j of |x[.., k, ..]| / n`

    `codes[.., k, ..] = x[.., k, ..] / scales[.., k floordiv group, ..]`

    with n the largest code, 32767 of i16, 127 of i8 and 7 of i4. Scales are rounded to their type before
    codes are made with them; finite ones that it is too narrow for become its largest number. Quotients are rounded to f32, and then to the nearest integer,
    of two to the even one, and limited to -n to n; where the scale is 0 they are 0. A group
    with an infinity or NaN has codes of 0 and such a scale, with which it decodes to NaN
    (heddle.dequantize). The lowest number of the type is not used, so that a code and its
    negative are alike.

    `least_squares` looks for scales with a smaller sum of squared errors, which takes time
    where weights are packed, and none later. Codes are limited to -n - 1 to n then. With m
    the first of the elements with the largest magnitude, the candidates are

    `c[i] = m / -(n + 1 + i / 10)` for i from -9 to 9.

    Each has codes q, made as above but for the rounding to f32, and becomes the scale that
    is best for those, `sum x q / sum q q`. The one with the largest `(sum x q)^2 / sum q q`
    is taken, of several the first. All of it is computed in f64, sums in the order of k; a
    group of zeros has the scale 0, and one with an infinity or NaN the scale NaN.

    ```mlir
    %q, %s = heddle.quantize %x axis(1) group(32) : tensor<172x64xf32> -> tensor<172x64xi8>, tensor<172x2xf16>
    %p, %t = heddle.quantize %w axis(1) group(32) least_squares
       : tensor<172x64xf32> -> tensor<172x64xi4>, tensor<172x2xbf16>
    ```

    Constraints:
    * (C1) `axis` is a dimension of `input`.
    * (C2) the size along `axis` is a known number that `group` divides.
    * (C3) codes of i4, and `least_squares`, are for what follows from weights alone: it is
      computed when they are packed.
  }];
  let arguments = (ins Heddle_SingleTensor:$input, I64Attr:$axis, I64Attr:$group,
      UnitAttr:$least_squares);
  let results = (outs RankedTensorOf<[I8, I16, I<4>]>:$codes, Heddle_SingleTensor:$scales);
  let assemblyFormat = [{
    $input `axis` `(` $axis `)` `group` `(` $group `)` (`least_squares` $least_squares^)?
    attr-dict `:` type($input) `->` type($codes) `,` type($scales)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The largest code: 32767, 127 or 7.
    int64_t getLargest();
    /// The lowest one that is used.
    int64_t getLowest() { return -getLargest() - (getLeastSquares() ? 1 : 0); }
    /// Candidates of `least_squares`: i is up to this on either side of 0.
    static constexpr int64_t kCandidates = 9;
  }];
}

def Heddle_UnpackOp : Heddle_TensorOp<"unpack"> {
  let summary = "integers of few bits that words hold side by side";
  let description = [{
    Along `axis`, the bits of the words, from the lowest one of the first word on, are a row of
    integers without a sign, of `bits` bits each, which may begin in one word and end in the
    next one:

    `unpack(w)[.., k, ..] = bits k * bits to (k + 1) * bits - 1 of w[.., :, ..] + offset`

    Checkpoints that are quantised hold their weights so.

    ```mlir
    %q = heddle.unpack %w axis(0) bits(4) : tensor<8x172xi32> -> tensor<64x172xui4>
    %p = heddle.unpack %w axis(0) bits(4) offset(-8) : tensor<8x172xi32> -> tensor<64x172xi4>
    ```

    Constraints:
    * (C1) `axis` is a dimension of `words`, and `bits` is 1 to 8.
    * (C2) the sizes are those of `words`, but for that of `axis`, which is what the words
      have, less than one word not counted.
    * (C3) the result's type has all integers from `offset` to `2^bits - 1 + offset`.
    * (C4) words follow from weights alone: it is computed when they are packed.
  }];
  let arguments = (ins RankedTensorOf<[I8, UI8, I32, UI32]>:$words, I64Attr:$axis,
      I64Attr:$bits, DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs RankedTensorOf<[I8, UI8, I16, I32, Heddle_HalfByte]>:$result);
  let assemblyFormat = [{
    $words `axis` `(` $axis `)` `bits` `(` $bits `)` (`offset` `(` $offset^ `)`)? attr-dict
    `:` type($words) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The bits of a word.
    int64_t getWordBits();
  }];
}

def Heddle_OffsetBinaryOp : Heddle_TensorOp<"offset_binary"> {
  let summary = "integers with a sign, as ones without";
  let description = [{
    `offset_binary(c) = c + 2^(bits - 1)`, of the type of as many bits that has no sign: the
    smallest integer becomes 0. CPUs add up products of bytes of which one factor has no sign
    (vpdpbusd).

    ```mlir
    %u = heddle.offset_binary %c : tensor<172x768xi8> -> tensor<172x768xui8>
    ```

    Constraints:
    * (C1) the types are i8 and ui8, or i4 and ui4, and the shapes are the same.
    * (C2) integers follow from weights alone: it is computed when they are packed.
  }];
  let arguments = (ins RankedTensorOf<[I8, Heddle_HalfByte]>:$codes);
  let results = (outs RankedTensorOf<[UI8, Heddle_HalfByte]>:$result);
  let assemblyFormat = "$codes attr-dict `:` type($codes) `->` type($result)";
  let hasVerifier = 1;
}
