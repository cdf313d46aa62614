// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layers that treat each token by itself.

def Heddle_EmbeddingOp : Heddle_PureOp<"embedding",
    [InferTypeOpAdaptor]> {
  let summary = "rows of a table, chosen by token ids";
  let description = [{
    `embedding(ids, table)[b, s, c] = table[ids[b, s], c]`, of f32, or of f64 as the table
    is.

    Ids outside the table are clamped to it; entry points refuse them before.

    ```mlir
    %x = heddle.embedding %ids, %table : tensor<?x?xi32>, tensor<512x64xf32>
    ```
  }];
  let arguments = (ins Heddle_Indices:$ids, Heddle_Matrix:$table);
  let results = (outs Heddle_Activations:$result);
  let assemblyFormat = "$ids `,` $table attr-dict `:` type($ids) `,` type($table)";
}

def Heddle_RMSNormOp : Heddle_LayerOp<"rms_norm",
    [AllTypesMatch<["input", "result"]>]> {
  let summary = "root mean square normalisation over the channels";
  let description = [{
    `rms_norm(x, w)[.., c] = x[.., c] / sqrt(mean(x[.., :]^2) + epsilon) * w[c]`
    (Zhang and Sennrich, arXiv:1910.07467)

    ```mlir
    %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>
    ```

    Constraints:
    * (C1) `weight` has as many elements as `input` has channels.
    * (C2) `epsilon` is from 0 to the largest f32.
  }];
  let arguments = (ins Heddle_Activations:$input, Heddle_Vector:$weight,
      F64Attr:$epsilon);
  let results = (outs Heddle_Activations:$result);
  let assemblyFormat = [{
    $input `,` $weight `epsilon` `(` $epsilon `)` attr-dict
    `:` type($input) `,` type($weight)
  }];
  let hasVerifier = 1;
}

def Heddle_LayerNormOp : Heddle_TensorOp<"layer_norm",
    [AllTypesMatch<["input", "result"]>]> {
  let summary = "layer normalisation over the last dimension";
  let description = [{
    `layer_norm(x, w, b)[.., c] = (x[.., c] - m) / sqrt(v + epsilon) * w[c] + b[c]`, with m
    the mean of `x[.., :]` and v that of `(x[.., :] - m)^2` (Ba et al., arXiv:1607.06450).
    Without `bias` nothing is added.

    ```mlir
    %y = heddle.layer_norm %x, %w, %b epsilon(1.0e-5)
       : tensor<2x5x64xf32>, tensor<64xf32>, tensor<64xf32>
    %y = heddle.layer_norm %x, %w epsilon(1.0e-5) : tensor<2x5x64xf32>, tensor<64xf32>
    ```

    Constraints:
    * (C1) `weight` and `bias` have as many elements as the last dimension of `input`.
    * (C2) `epsilon` is from 0 to the largest f32.
    * (C3) `weight` and `bias` are of f64 only where `input` is.
  }];
  let arguments = (ins Heddle_FloatTensor:$input, TensorRankOf<[Heddle_FloatElement], [1]>:$weight,
      Optional<TensorRankOf<[Heddle_FloatElement], [1]>>:$bias, F64Attr:$epsilon);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? `epsilon` `(` $epsilon `)` attr-dict
    `:` type($input) `,` type($weight) (`,` type($bias)^)?
  }];
  let hasVerifier = 1;
}

def Heddle_LinearOp : Heddle_LayerOp<"linear",
    [InferTypeOpAdaptor]> {
  let summary = "matrix product with a weight, and a bias";
  let description = [{
    `linear(x, W, b)[.., n] = sum_k x[.., k] * W[n, k] + b[n]`

    Products and sums are f32 whatever the storage of the weight, or f64 as the input is.

    ```mlir
    %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<172x64xbf16>
    %y = heddle.linear %x, %w bias(%b : tensor<172xf32>)
       : tensor<?x?x64xf32>, tensor<172x64xf32>
    ```

    With an attribute `heddle.least_bits`, here as at any layer, the compiler makes no numbers
    of fewer bits of the matrix (`--heddle-convert-weights`): of a router, which chooses what is
    computed, as of what makes logits.

    Constraints:
    * (C1) `input` has as many channels as `weight` has columns.
    * (C2) `bias` has as many elements as `weight` has rows.
    * (C3) `heddle.least_bits` is from 1 to 64, if it is there.
  }];
  let arguments = (ins Heddle_Activations:$input, Heddle_Matrix:$weight,
      Optional<Heddle_Vector>:$bias);
  let results = (outs Heddle_Activations:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` `(` $bias^ `:` type($bias) `)`)? attr-dict
    `:` type($input) `,` type($weight)
  }];
  let hasVerifier = 1;
}

def Heddle_ActivationOp : Heddle_PureOp<"activation",
    [AllTypesMatch<["input", "result"]>]> {
  let summary = "an elementwise activation";
  let description = [{
    Of f16 and bf16 it is computed in f32 and rounded once.

    * `silu`: `x / (1 + exp(-x))`
    * `relu`: `max(x, 0)`
    * `gelu`: `x / 2 * (1 + erf(x / sqrt(2)))` (Hendrycks and Gimpel, arXiv:1606.08415)
    * `gelu_tanh`: `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))`, the
      approximation of `gelu` that section 2 of the same paper has
    * `quick_gelu`: `x / (1 + exp(-1.702 x))`, the other approximation of the same paper
    * `sigmoid`: `1 / (1 + exp(-x))`
    * `tanh`: `tanh(x)`

    ```mlir
    %y = heddle.activation silu %x : tensor<?x?x172xf32>
    ```
  }];
  let arguments = (ins Heddle_ActivationAttr:$kind, Heddle_FloatTensor:$input);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = "custom<Keyword>($kind) $input attr-dict `:` type($input)";
}

def Heddle_FeedForwardOp : Heddle_LayerOp<"feed_forward",
    [AllTypesMatch<["input", "result"]>, AttrSizedOperandSegments]> {
  let summary = "feed-forward layer";
  let description = [{
    `feed_forward(x) = linear(activation(linear(x, up)), down)`
    (Vaswani et al., arXiv:1706.03762, section 3.3). `--heddle-decompose` rewrites it to
    just that.

    ```mlir
    %y = heddle.feed_forward relu %x, %up, %down biases(%b1, %b2 : tensor<256xf32>, tensor<64xf32>)
       : tensor<?x?x64xf32>, tensor<256x64xf32>, tensor<64x256xf32>
    ```

    Constraints:
    * (C1) `up` has the shape [hidden, channels].
    * (C2) `down` has the shape [channels, hidden].
    * (C3) biases are given for both or for none, with one element for each output
      channel.
  }];
  let arguments = (ins Heddle_ActivationAttr:$kind, Heddle_Activations:$input,
      Heddle_Matrix:$up, Heddle_Matrix:$down, Optional<Heddle_Vector>:$upBias,
      Optional<Heddle_Vector>:$downBias);
  let results = (outs Heddle_Activations:$result);
  let assemblyFormat = [{
    custom<Keyword>($kind) $input `,` $up `,` $down
    (`biases` `(` $upBias^ `,` $downBias `:` type($upBias) `,` type($downBias) `)`)?
    attr-dict `:` type($input) `,` type($up) `,` type($down)
  }];
  let hasVerifier = 1;
}

def Heddle_GatedFeedForwardOp : Heddle_LayerOp<"gated_feed_forward",
    [AllTypesMatch<["input", "result"]>, AttrSizedOperandSegments]> {
  let summary = "feed-forward layer whose hidden values are gated";
  let description = [{
    `gated_feed_forward(x) = linear(activation(linear(x, gate)) * linear(x, up), down)`
    (Shazeer, arXiv:2002.05202). `--heddle-decompose` rewrites it to just that.

    ```mlir
    %y = heddle.gated_feed_forward silu %x, %gate, %up, %down
       : tensor<?x?x64xf32>, tensor<172x64xf32>, tensor<172x64xf32>, tensor<64x172xf32>
    ```

    Constraints:
    * (C1) `gate` and `up` have the shape [hidden, channels].
    * (C2) `down` has the shape [channels, hidden].
    * (C3) biases are given for all three or for none, with one element for each
      output channel.
  }];
  let arguments = (ins Heddle_ActivationAttr:$kind, Heddle_Activations:$input,
      Heddle_Matrix:$gate, Heddle_Matrix:$up, Heddle_Matrix:$down,
      Optional<Heddle_Vector>:$gateBias, Optional<Heddle_Vector>:$upBias,
      Optional<Heddle_Vector>:$downBias);
  let results = (outs Heddle_Activations:$result);
  let assemblyFormat = [{
    custom<Keyword>($kind) $input `,` $gate `,` $up `,` $down
    (`biases` `(` $gateBias^ `,` $upBias `,` $downBias
        `:` type($gateBias) `,` type($upBias) `,` type($downBias) `)`)?
    attr-dict `:` type($input) `,` type($gate) `,` type($up) `,` type($down)
  }];
  let hasVerifier = 1;
}

def Heddle_LastTokenOp : Heddle_LayerOp<"last_token",
    [InferTypeOpAdaptor]> {
  let summary = "the last valid token of each sequence";
  let description = [{
    `last_token(x, lengths)[b, c] = x[b, lengths[b] - 1, c]`

    Every sequence has a token: 1 <= lengths[b] <= length. Entry points refuse other
    lengths.

    ```mlir
    %y = heddle.last_token %x, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
    ```
  }];
  let arguments = (ins Heddle_Tokens:$input, Heddle_Counts:$lengths);
  let results = (outs TensorRankOf<[Heddle_FloatElement], [2]>:$result);
  let assemblyFormat = "$input `,` $lengths attr-dict `:` type($input) `,` type($lengths)";
}

def Heddle_PoolTokensOp : Heddle_LayerOp<"pool_tokens", [InferTypeOpAdaptor]> {
  let summary = "one vector for the valid tokens of each sequence";
  let description = [{
    With tokens s < lengths[b], of which every sequence has one: 1 <= lengths[b] <= length.
    Entry points refuse other lengths.

    * `sum`: `y[b, c] = sum_s x[b, s, c]`
    * `mean`: `y[b, c] = sum_s x[b, s, c] / lengths[b]`, as sentence encoders pool (Reimers
      and Gurevych, arXiv:1908.10084, section 3)
    * `max`: `y[b, c] = max_s x[b, s, c]`

    Sums of f16 and bf16 are of f32, rounded once.

    ```mlir
    %y = heddle.pool_tokens mean %x, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
    ```

    Constraints:
    * (C1) `kind` is `sum`, `mean` or `max`.
  }];
  let arguments = (ins Heddle_ReductionAttr:$kind, Heddle_Tokens:$input,
      Heddle_Counts:$lengths);
  let results = (outs TensorRankOf<[Heddle_FloatElement], [2]>:$result);
  let assemblyFormat = [{
    custom<Keyword>($kind) $input `,` $lengths attr-dict
    `:` type($input) `,` type($lengths)
  }];
  let hasVerifier = 1;
}
