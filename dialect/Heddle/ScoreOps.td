// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the `score` region of attention is often made of, and what joins attentions over
// parts of the keys.

//===-- Changes of scores ---------------------------------------------------------===//

// [batch, heads, queries, keys]
def Heddle_Scores : TensorRankOf<[Heddle_FloatElement], [4]>;

def Heddle_SoftcapOp : Heddle_LayerOp<"softcap", [AllTypesMatch<["scores", "result"]>]> {
  let summary = "scores that stay below a cap";
  let description = [{
    `softcap(s) = cap * tanh(s / cap)` (Gemma Team, arXiv:2408.00118)

    ```mlir
    %y = heddle.softcap %s cap(50.0) : tensor<?x8x?x?xf32>
    ```

    Constraints:
    * (C1) `cap` is from 2^-126 to 2^126, so that its inverse is a normal f32, too.
  }];
  let arguments = (ins Heddle_FloatTensor:$scores, F64Attr:$cap);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = "$scores `cap` `(` $cap `)` attr-dict `:` type($scores)";
  let hasVerifier = 1;
}

def Heddle_AlibiOp : Heddle_LayerOp<"alibi", [AllTypesMatch<["scores", "result"]>]> {
  let summary = "scores that fall with the distance of a key";
  let description = [{
    `alibi(s)[b, h, q, k] = s[b, h, q, k] + slopes[h] * (k - p)`, where p is the key at which
    query q stands: q + offset[b], or as `align` says, as with heddle.mask.causal (Press et
    al., arXiv:2108.12409, where keys are not later than queries). Of heads that are a power
    of two in number, the slopes there are `2^(-8 (h + 1) / heads)`.

    ```mlir
    %y = heddle.alibi %s, %slopes align(bottom_right) : tensor<?x8x?x?xf32>, tensor<8xf32>
    ```

    Constraints:
    * (C1) exactly one of `offset` and `align` is given.
    * (C2) `slopes` has an element for each head.
  }];
  let arguments = (ins Heddle_Scores:$scores, TensorRankOf<[Heddle_FloatElement], [1]>:$slopes,
      Optional<Heddle_Counts>:$offset, OptionalAttr<Heddle_AlignmentAttr>:$align);
  let results = (outs Heddle_Scores:$result);
  let assemblyFormat = [{
    $scores `,` $slopes (`offset` `(` $offset^ `:` type($offset) `)`)?
    (`align` `(` custom<Keyword>($align)^ `)`)? attr-dict `:` type($scores) `,` type($slopes)
  }];
  let hasVerifier = 1;
}

def Heddle_RelativeBiasOp
    : Heddle_LayerOp<"relative_bias", [AllTypesMatch<["scores", "result"]>]> {
  let summary = "scores with what a table has for the distance of a key";
  let description = [{
    `relative_bias(s)[b, h, q, k] = s[b, h, q, k] + table[i(k - p), h]`, where p is the key
    at which query q stands, as heddle.alibi has it.

    Without `buckets`, the table has 2 m + 1 rows and i(n) = clamp(n, -m, m) + m (Shaw et
    al., arXiv:1803.02155). With `buckets(kind, m)`, as T5 has it (Raffel et al.,
    arXiv:1910.10683): let c be the rows of the table, halved where the kind is `both`, and
    e = c div 2; then buckets of one distance each are followed by ones that grow up to m,

    ```
    n         = k - p, or where the kind is `causal` min(k - p, 0)
    bucket(d) = d < e ? d : min(c - 1, e + floor(log(d / e) / log(m / e) * (c - e)))
    i(n)      = bucket(|n|) + (`both` and n > 0 ? c : 0)
    ```

    ```mlir
    %y = heddle.relative_bias %s, %table buckets(both, 128) align(top_left)
       : tensor<?x8x?x?xf32>, tensor<32x8xf32>
    ```

    Constraints:
    * (C1) exactly one of `offset` and `align` is given.
    * (C2) `table` has a column for each head and, without `buckets`, an odd number of rows,
      with them 4 to 256, an even number where they are `both`; `buckets` and `distance`
      are both given, or none is.
    * (C3) `m` is more than e and at most 2^16.
  }];
  let arguments = (ins Heddle_Scores:$scores, Heddle_Matrix:$table,
      OptionalAttr<Heddle_BucketsAttr>:$buckets, OptionalAttr<I64Attr>:$distance,
      Optional<Heddle_Counts>:$offset, OptionalAttr<Heddle_AlignmentAttr>:$align);
  let results = (outs Heddle_Scores:$result);
  let assemblyFormat = [{
    $scores `,` $table
    (`buckets` `(` custom<Keyword>($buckets)^ `,` $distance `)`)?
    (`offset` `(` $offset^ `:` type($offset) `)`)?
    (`align` `(` custom<Keyword>($align)^ `)`)? attr-dict `:` type($scores) `,` type($table)
  }];
  let hasVerifier = 1;
}

//===-- Attention over parts of the keys ------------------------------------------===//

def Heddle_MergeAttentionOp : Heddle_LayerOp<"merge_attention",
    [InferTypeOpAdaptor, AttrSizedOperandSegments]> {
  let summary = "attention over all keys, of attentions over parts of them";
  let description = [{
    Of parts i that attention gave with `results(unnormalized, maximum, sum)`, for the same
    queries and heads and other keys each:

    ```
    maximum      = max_i maximum_i
    sum          = sum_i sum_i * exp(maximum_i - maximum)
    unnormalized = sum_i unnormalized_i * exp(maximum_i - maximum)
    output       = unnormalized / sum, or 0 where the sum is 0
    log_sum_exp  = maximum + log(sum)
    ```

    Each `unnormalized` is [..., length, heads * channels] or [..., heads, length, channels],
    and `maximum` and `sum` are [..., heads, length], with the same dimensions of batches
    before them, if any. `layout` says what the dimensions of `unnormalized` are instead, as
    `output_layout` of heddle.attention does: `layout(batch, length, head, channel)`.
    `results` says which of the five there are; without it, `output`.

    ```mlir
    %u0, %m0, %s0 = heddle.attention %q, %k, %v heads(4, kv = 4) results(unnormalized, maximum, sum)
       : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
    %y = heddle.merge_attention (%u0, %u0) maxima(%m0, %m0) sums(%s0, %s0)
       : tensor<?x?x64xf32>, tensor<?x4x?xf32>
    ```

    Constraints:
    * (C1) there are parts, as many maxima and sums, of one type each, all of f64 or none.
    * (C2) `unnormalized` has the rank of `maximum`, and the heads divide its channels, or a
      dimension more, and the heads as its third from the last, or as `layout` says.
    * (C3) `results` has at least one of the five, and each once.
    * (C4) `layout` has `length` and `channel` once and `head` at most once, and as many
      `batch`es as `maximum` has.
  }];
  let arguments = (ins Variadic<Heddle_FloatTensor>:$unnormalized,
      Variadic<Heddle_FloatTensor>:$maxima, Variadic<Heddle_FloatTensor>:$sums,
      OptionalAttr<Heddle_AttentionDimsAttr>:$layout,
      OptionalAttr<Heddle_AttentionResultsAttr>:$wanted);
  let results = (outs Variadic<Heddle_Tensor>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::heddle::AttentionResult> getWantedResults();
    /// What the dimensions of the parts are.
    ::heddle::HeadLayout getLayoutOfParts();
  }];
}
