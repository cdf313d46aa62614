// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layers whose channels come before the places that they are at.

def Heddle_GroupNormOp : Heddle_TensorOp<"group_norm",
    [AllTypesMatch<["input", "result"]>]> {
  let summary = "normalisation over groups of channels";
  let description = [{
    Of C channels, each C / groups side by side are a group. With m the mean of all
    elements of a group, at all places, and v that of `(x - m)^2`:
    `group_norm(x, w, b)[n, c, ..] = (x[n, c, ..] - m) / sqrt(v + epsilon) * w[c] + b[c]`
    (Wu and He, arXiv:1803.08494; torch.nn.GroupNorm)

    ```mlir
    %y = heddle.group_norm %x, %w, %b groups(4) epsilon(1.0e-5)
       : tensor<2x12x5x7xf32>, tensor<12xf32>, tensor<12xf32>
    ```

    Constraints:
    * (C1) `input` is [batch, channels, ...], and its channels are known.
    * (C2) `weight` and `bias` have as many elements as `input` has channels.
    * (C3) `groups` divides the channels.
    * (C4) `epsilon` is from 0 to the largest f32.
    * (C5) `weight` and `bias` are of f64 only where `input` is.
  }];
  let arguments = (ins Heddle_FloatTensor:$input, Heddle_Vector:$weight, Heddle_Vector:$bias,
      I64Attr:$groups, F64Attr:$epsilon);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight `,` $bias `groups` `(` $groups `)` `epsilon` `(` $epsilon `)` attr-dict
    `:` type($input) `,` type($weight) `,` type($bias)
  }];
  let hasVerifier = 1;
}

def Heddle_Conv1DOp : Heddle_LayerOp<"conv_1d", [InferTypeOpAdaptor]> {
  let summary = "convolution along the last dimension";
  let description = [{
    Of C channels in and O out, each O / groups channels side by side read as many of the
    channels in: with g = o div (O / groups) and I = C / groups
    `conv_1d(x, W, b)[n, o, l] = b[o] + sum_(i, k) W[o, i, k] * x[n, g * I + i, m]`,
    where `m = l * stride + k * dilation - padding`, and x is 0 where m is outside of it
    (torch.nn.Conv1d, a correlation). The length is
    `(L + 2 * padding - dilation * (taps - 1) - 1) div stride + 1`.

    Products and sums are f32 whatever the storage of the weight, or f64 as the input is.

    ```mlir
    %y = heddle.conv_1d %x, %w bias(%b : tensor<32xf32>) stride(2) padding(1) dilation(1)
         groups(1) : tensor<?x16x?xf32>, tensor<32x16x3xf32>
    ```

    Constraints:
    * (C1) `groups` divides the channels of `input` and the rows of `weight`.
    * (C2) `weight` has as many columns as a group has channels, and a tap.
    * (C3) `bias` has as many elements as `weight` has rows.
    * (C4) `stride` and `dilation` are from 1, `padding` is from 0, to 65535.
    * (C5) `input` is seen to be as long as the taps reach, as it is, or as the function
      declares it in `heddle.symbols`.
  }];
  let arguments = (ins RankedTensorOf<[Heddle_FloatElement], [HasAnyRankOfPred<[3]>]>:$input,
      Heddle_Filter1D:$weight, Optional<Heddle_Vector>:$bias, I64Attr:$stride,
      I64Attr:$padding, I64Attr:$dilation, I64Attr:$groups);
  let results = (outs RankedTensorOf<[Heddle_FloatElement], [HasAnyRankOfPred<[3]>]>:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` `(` $bias^ `:` type($bias) `)`)? `stride` `(` $stride `)`
    `padding` `(` $padding `)` `dilation` `(` $dilation `)` `groups` `(` $groups `)`
    attr-dict `:` type($input) `,` type($weight)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::heddle::Windows getWindows();
  }];
}

def Heddle_Conv2DOp : Heddle_LayerOp<"conv_2d", [InferTypeOpAdaptor]> {
  let summary = "convolution along the last two dimensions";
  let description = [{
    Of C channels in and O out, each O / groups channels side by side read as many of the
    channels in: with g = o div (O / groups) and I = C / groups
    `conv_2d(x, W, b)[n, o, p, q] = b[o]
        + sum_(i, j, k) W[o, i, j, k] * x[n, g * I + i, p', q']`,
    where `p' = p * strides_0 + j * dilations_0 - low_0`,
    `q' = q * strides_1 + k * dilations_1 - low_1`, and x is 0 where p' or q' is outside of it
    (torch.nn.Conv2d, a correlation; ONNX Conv, whose pads may differ at both ends). With
    taps_0 and taps_1 the last sizes of `weight`, dimension k of an image of size s becomes
    `(s + low_k + high_k - dilations_k * (taps_k - 1) - 1) div strides_k + 1`.

    Products and sums are f32 whatever the storage of the weight, or f64 as the input is.

    ```mlir
    %y = heddle.conv_2d %x, %w bias(%b : tensor<64xf32>) strides [2, 2] low [3, 3] high [3, 3]
         dilations [1, 1] groups(1) : tensor<?x3x224x224xf32>, tensor<64x3x7x7xf32>
    ```

    Constraints:
    * (C1) `groups` divides the channels of `input` and the rows of `weight`.
    * (C2) `weight` has as many columns as a group has channels, and a tap of each dimension.
    * (C3) `bias` has as many elements as `weight` has rows.
    * (C4) `strides` and `dilations` are two numbers from 1, `low` and `high` two from 0, to
      65535.
    * (C5) each dimension of an image is seen to be as long as the taps reach, as it is, or
      as the function declares it in `heddle.symbols`.
  }];
  let arguments = (ins Heddle_Images:$input, Heddle_Filter2D:$weight,
      Optional<Heddle_Vector>:$bias, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low,
      DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs Heddle_Images:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` `(` $bias^ `:` type($bias) `)`)? `strides` $strides
    `low` $low `high` $high `dilations` $dilations `groups` `(` $groups `)`
    attr-dict `:` type($input) `,` type($weight)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::heddle::Windows getWindows();
  }];
}

def Heddle_PatchEmbeddingOp : Heddle_LayerOp<"patch_embedding", [InferTypeOpAdaptor]> {
  let summary = "square patches of an image, each as a token";
  let description = [{
    With patches of p by p, of which a row has w = W div p:
    `patch_embedding(x, F, b)[n, t, o] = b[o]
        + sum_(c, i, j) F[o, c, i, j] * x[n, c, (t div w) * p + i, (t mod w) * p + j]`
    (Dosovitskiy et al., arXiv:2010.11929; a torch.nn.Conv2d of stride p, flattened row by
    row). Rows and columns that no whole patch has are not read.

    ```mlir
    %t = heddle.patch_embedding %x, %w bias(%b : tensor<192xf32>)
       : tensor<?x3x224x224xf32>, tensor<192x3x16x16xf32>
    ```

    Constraints:
    * (C1) `weight` has as many columns as `input` has channels.
    * (C2) patches are square.
    * (C3) `bias` has as many elements as `weight` has rows.
    * (C4) `input` is seen to have a whole patch, as it is, or as the function declares it
      in `heddle.symbols`.
  }];
  let arguments = (ins Heddle_Images:$input, Heddle_Filter2D:$weight,
      Optional<Heddle_Vector>:$bias);
  let results = (outs Heddle_Tokens:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` `(` $bias^ `:` type($bias) `)`)? attr-dict
    `:` type($input) `,` type($weight)
  }];
  let hasVerifier = 1;
}

def Heddle_Pool2DOp : Heddle_LayerOp<"pool_2d", [InferTypeOpAdaptor]> {
  let summary = "the largest element or the mean of each window of an image";
  let description = [{
    Element [n, c, p, q] of the result is the maximum or the mean of the elements
    `x[n, c, p * strides_0 + j * dilations_0 - low_0, q * strides_1 + k * dilations_1 - low_1]`
    that x has, of j < window_0 and k < window_1 (torch.nn.MaxPool2d; torch.nn.AvgPool2d and
    ONNX AveragePool that do not count their padding). A NaN among them makes the result
    one. Of no elements the maximum is -inf and the mean 0. Sizes are those of
    heddle.conv_2d. Zeros that a mean counts are those of a heddle.pad before it; windows
    that begin inside and end past the image, which others call ceiling mode, are ones of a
    longer `high`.

    Means are sums in f32, or in f64 as the input is, divided by the number of elements.

    ```mlir
    %y = heddle.pool_2d max %x window [3, 3] strides [2, 2] low [1, 1] high [1, 1]
         dilations [1, 1] : tensor<?x64x112x112xf32>
    ```

    Constraints:
    * (C1) `kind` is `max` or `mean`.
    * (C2) `window`, `strides` and `dilations` are two numbers from 1, `low` and `high` two
      from 0, to 65535.
    * (C3) each dimension of an image is seen to be as long as the window reaches, as it is,
      or as the function declares it in `heddle.symbols`.
  }];
  let arguments = (ins Heddle_ReductionAttr:$kind, Heddle_Images:$input,
      DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low,
      DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$dilations);
  let results = (outs Heddle_Images:$result);
  let assemblyFormat = [{
    custom<Keyword>($kind) $input `window` $window `strides` $strides `low` $low `high` $high
    `dilations` $dilations attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::heddle::Windows getWindows();
  }];
}
