// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention with the linear layers around it.

def Heddle_MultiHeadAttentionOp : Heddle_LayerOp<"multi_head_attention",
    [InferTypeOpAdaptor, AttrSizedOperandSegments, IsolatedFromAbove]> {
  let summary = "attention between projections of its inputs and one of its output";
  let description = [{
    For H = `heads` and G = `kv`, with a weight and a bias each:

    ```
    q = linear(query, Wq, bq)    [batch, queries, H d]
    k = linear(key, Wk, bk)      [batch, keys, G d]
    v = linear(value, Wv, bv)    [batch, keys, G e]
    q[b, s, h] = rms_norm(q[b, s, h], nq), k[b, s, g] = rms_norm(k[b, s, g], nk)
    output = linear(attention(q, k, v), Wo, bo)
    ```

    (Vaswani et al., arXiv:1706.03762, section 3.2.2; G < H: Ainslie et al.,
    arXiv:2305.13245). The third line is that of `norms` alone, which are over the d channels
    of a head (Qwen3, arXiv:2505.09388). heddle.attention says what a mask, `scale`, the
    region `score` and the result `weights`, [batch, heads, queries, keys], mean; without
    `results` there is `output` alone. A mask of numbers that are added is a `score` of
    arith.addf.

    With `cache`, k and v are appended to `layer` of it, as heddle.cache.append has it, and
    the keys and values of attention are all that heddle.cache.read has of the layer then, so
    that the mask keeps those that are there. The cache is the last result.

    `query`, `key` and `value` have each a weight and, if there is one, a bias. `combined`
    has them for all three in one: the rows of Wq, then those of Wk, then those of Wv.
    `--heddle-decompose` rewrites the op to heddle.linear, heddle.slice, heddle.rms_norm and
    heddle.attention; `combined` is one heddle.linear. With a cache or a `score` it is
    `--heddle-expand-attention` that does so.

    ```mlir
    %y = heddle.multi_head_attention %x, %x, %x mask(%m) heads(8, kv = 8)
         combined(%w, %b : tensor<192x64xf32>, tensor<192xf32>)
         output(%w1, %b1 : tensor<64x64xf32>, tensor<64xf32>)
       : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
    %z, %p = heddle.multi_head_attention %x, %memory, %memory heads(8, kv = 2)
         query(%wq : tensor<128x64xf32>) key(%wk : tensor<32x48xf32>)
         value(%wv : tensor<32x48xf32>) output(%wo : tensor<64x128xf32>)
         norms(%nq, %nk : tensor<16xf32>, tensor<16xf32>) epsilon(1.0e-6)
         scale(0.25) results(output, weights)
       : tensor<?x?x64xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>
    %a, %c1 = heddle.multi_head_attention %x, %x, %x mask(%m)
         cache(%c : !heddle.cache<5 x 8 x 8 x f32>) layer(0) at(%starts : tensor<?xi32>)
         lengths(%lengths : tensor<?xi32>) heads(8, kv = 8)
         combined(%w : tensor<192x64xf32>) output(%w1 : tensor<64x64xf32>)
         score(%bias : tensor<?x8x?x?xf32>) {
         ^bb0(%score: tensor<?x8x?x?xf32>, %more: tensor<?x8x?x?xf32>):
           %0 = arith.addf %score, %more : tensor<?x8x?x?xf32>
           heddle.yield %0 : tensor<?x8x?x?xf32>
         } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
    ```

    Constraints:
    * (C1) `kv` divides `heads`.
    * (C2) there are `query`, `key` and `value`, or `combined` alone.
    * (C3) with `combined`, the inputs are one value.
    * (C4) weights have as many columns as what they multiply has channels, which is at
      least one.
    * (C5) `heads` divides the rows of Wq, `kv` those of Wk and Wv, and heads + 2 kv those of
      `combined`; heads of Wq and Wk have the same size. No weight is without rows.
    * (C6) a bias has as many elements as its weight has rows.
    * (C7) `norms` have an element for each channel of a head, and `epsilon`, from 0 to the
      largest f32, is there where they are.
    * (C8) `scale` is at most half of the largest f32, on either side of 0.
    * (C9) `results` has `output`, and nothing else than `weights`, each once.
    * (C10) `score` is as that of heddle.attention, in its (C8) and (C9).
    * (C11) `cache`, `layer`, `at` and `lengths` are given together. The cache has `kv` heads
      of the sizes of k and v, `layer` is one of its layers, and nothing after the op uses its
      old value but to read other layers. Of a query of f64 there is no cache.
    * (C12) query, key and value are all of f64, or none is.
  }];
  let arguments = (ins Heddle_Tokens:$query, Heddle_Tokens:$key, Heddle_Tokens:$value,
      Optional<Heddle_MaskType>:$mask, Optional<Heddle_CacheType>:$cache,
      Optional<Heddle_Counts>:$starts, Optional<Heddle_Counts>:$lengths,
      Optional<Heddle_Matrix>:$queryWeight, Optional<Heddle_Vector>:$queryBias,
      Optional<Heddle_Matrix>:$keyWeight, Optional<Heddle_Vector>:$keyBias,
      Optional<Heddle_Matrix>:$valueWeight, Optional<Heddle_Vector>:$valueBias,
      Optional<Heddle_Matrix>:$combinedWeight, Optional<Heddle_Vector>:$combinedBias,
      Heddle_Matrix:$outputWeight, Optional<Heddle_Vector>:$outputBias,
      Optional<Heddle_Vector>:$queryNorm, Optional<Heddle_Vector>:$keyNorm,
      Variadic<Heddle_Tensor>:$scoreOperands, OptionalAttr<I64Attr>:$layer, I64Attr:$heads, I64Attr:$kvHeads, OptionalAttr<F64Attr>:$epsilon,
      OptionalAttr<F64Attr>:$scale, OptionalAttr<Heddle_AttentionResultsAttr>:$wanted);
  let results = (outs Variadic<AnyTypeOf<[Heddle_Tensor, Heddle_CacheType]>>:$results);
  let regions = (region MaxSizedRegion<1>:$score);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = Heddle_RegionOperands<"getScoreOperands()">.declaration # [{
    /// Channels of a head of queries and keys, and of values.
    int64_t getHeadDim();
    int64_t getValueDim();
    /// The kinds of the results, but for the cache.
    ::llvm::SmallVector<::heddle::AttentionResult> getWantedResults();
    /// The factor of raw scores.
    double getScaleOrDefault();
    ::heddle::ScoreSpace getScoreSpace();
    /// A part of the verifier, once sizes are known.
    ::llvm::LogicalResult checkCache();
  }];
}
