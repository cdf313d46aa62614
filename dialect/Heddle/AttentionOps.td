// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention.

def Heddle_AttentionOp : Heddle_PureOp<"attention",
    [InferTypeOpAdaptor, AttrSizedOperandSegments, IsolatedFromAbove]> {
  let summary = "scaled dot-product attention with grouped queries";
  let description = [{
    For query head h, which reads key and value head g = h div (heads / kv):

    ```
    raw[b, h, q, k]     = sum_c Q[b, q, h, c] * K[b, k, g, c]
    scaled              = scale * raw
    changed             = score(scaled)
    masked[b, h, q, k]  = mask[b, h, q, k] ? changed[b, h, q, k] : -inf
    maximum[b, h, q]    = max(max_k masked[b, h, q, k], sinks[h])
    sum[b, h, q]        = sum_k exp(masked - maximum) + exp(sinks[h] - maximum)
    weights[b, h, q, k] = exp(masked - maximum) / sum
    unnormalized[b, q, h] = sum_k exp(masked - maximum) V[b, k, g]
    output[b, q, h]     = unnormalized / sum
    log_sum_exp[b, h, q] = maximum + log(sum)
    column_sums[b, h, k] = sum_q weights[b, h, q, k]
    ```

    Operands are [batch, length, heads * channels] or [batch, heads, length, channels], each
    as it has three or four dimensions, or all of them are what `layout` says. There, `batch`
    stands once for each dimension that counts sequences, if there is one: those of several
    are numbered as they lie in memory. Without `head`, channels are those of all heads.
    `output` and `unnormalized` are as `output_layout` says, or else as the query is. The
    dimensions of sequences are the first of all other results, and none of them is b above.

    `results` says which values the op has, and in which order; without it, it has `output`
    alone. Where it is not given, `scale` is 1 / sqrt(channels of a head of the query).
    `output` has the element type of the query, and other results are f32, which is what
    everything is computed in; of f64 all is f64, in kernels of no schedule of their own,
    which keep all scores in memory.

    A query that keeps no key, and one whose kept scores are all -inf, gives an output of
    0, weights of 0, a sum of 0, and -inf for the maximum and the logarithm. Nothing at a
    key whose masked score is -inf, not even NaN, reaches any other result of the query
    than its raw, scaled and changed scores, which are those of all keys.

    `score` is a region that says how scores change: its first argument stands for all
    scaled scores, [batch, heads, queries, keys], and the others for its operands. What
    it yields is computed elementwise, where a score is made.

    `term` is a region that stands for the product of a channel: its first two arguments
    are Q[b, q, h, c] and K[b, k, g, c] for all [batch, heads, queries, keys, channels], the
    others its operands, and what it yields is summed up over the channels. So additive
    attention (Bahdanau et al., arXiv:1409.0473) is a `term` of w[c] * tanh(Q + K), and kernel
    regression (Nadaraya and Watson) one of -(Q - K)^2. With it, `scale` is 1 where it is not
    given.

    `normalize` says how weights are made: `softmax`, as above; `sum`, which takes the masked
    scores themselves for exp(masked - maximum), so that the weights of a query sum up to 1;
    and `none`, which takes them for the weights. Then there is no maximum, and a query whose
    scores sum up to 0 gives 0.

    `factors` is a region that says what weights are multiplied by before values are, and by
    no sum: its first argument stands for as many ones, the others for its operands. So
    heddle.dropout of these ones, 0 or 1 / (1 - rate), drops weights. `weights` and
    `column_sums` have it, too.

    `sinks` has one more score for each head, to which no value belongs.

    `products` says what factors are rounded to before they are multiplied: with bf16, K, V,
    exp(masked - m), of which m is the maximum of some of the keys that have been seen, and
    Q * scale, or of raw scores, and where the scale is above 1, Q. So scaled scores are no
    multiples of raw ones. Sums of products stay f32. `sum` is one of rounded exponentials, and
    `weights` are others divided by it, so that these sum up to 1 within a 256th.

    `packed`, which `--heddle-pack-attention` adds, are the keys, and the values if there is a
    second operand, in blocks of 32: [batch, kv, ceildiv(keys, 32), channels, 32] and [batch,
    kv, ceildiv(keys, 32), 32, channels]. Of bf16, the two neighbours that one instruction
    multiplies lie side by side: [.., channels / 2, 32 * 2] and [.., 32 / 2, channels * 2].
    What is past the last key may be anything that a key before it has. They are rounded as
    `products` says.

    `splits`, which `--heddle-split-keys` adds, cuts the keys: split s has the blocks of 32
    keys whose number is s modulo `splits`, and split 0 the sink. Each result then has one
    more dimension, the first, of as many elements: what the op has for the keys of a split.

    ```mlir
    %y = heddle.attention %q, %k, %v mask(%m) heads(8, kv = 4) scale(0.35)
       : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
    %z, %lse = heddle.attention %q, %k, %v heads(8, kv = 4) results(output, log_sum_exp)
       score(%bias : tensor<?x8x?x?xf32>) {
       ^bb0(%s: tensor<?x8x?x?xf32>, %b: tensor<?x8x?x?xf32>):
         %0 = math.tanh %s : tensor<?x8x?x?xf32>
         %1 = arith.addf %0, %b : tensor<?x8x?x?xf32>
         heddle.yield %1 : tensor<?x8x?x?xf32>
       } : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
    // a(q, k) = w . tanh(q + k)
    %y2 = heddle.attention %q2, %k2, %v2 heads(1, kv = 1) term(%w : tensor<32xf32>) {
      ^bb0(%a: tensor<?x1x?x?x32xf32>, %b: tensor<?x1x?x?x32xf32>, %c: tensor<32xf32>):
         %0 = arith.addf %a, %b : tensor<?x1x?x?x32xf32>
         %1 = math.tanh %0 : tensor<?x1x?x?x32xf32>
         %2 = heddle.generic over ["batch", 1, "queries", "keys", 32]
             ins(%1, %c : tensor<?x1x?x?x32xf32>, tensor<32xf32>)
             maps [affine_map<(b, h, q, k, c) -> (b, h, q, k, c)>, affine_map<(b, h, q, k, c) -> (c)>] {
         ^bb0(%d: f32, %e: f32):
           %3 = arith.mulf %d, %e : f32
           heddle.yield %3 : f32
         } : tensor<?x1x?x?x32xf32>
         heddle.yield %2 : tensor<?x1x?x?x32xf32>
      } : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x48xf32>
    // One sequence, with queries, keys and values of a token side by side.
    %q1, %k1, %v1 = heddle.split %qkv axis(1) sizes [64, 64, 64]
       : tensor<5x192xbf16> -> tensor<5x64xbf16>, tensor<5x64xbf16>, tensor<5x64xbf16>
    %o1 = heddle.attention %q1, %k1, %v1 heads(8, kv = 8) layout(length, channel)
       : tensor<5x64xbf16>, tensor<5x64xbf16>, tensor<5x64xbf16>
    ```

    Constraints:
    * (C1) `kv` divides `heads`.
    * (C2) `heads` divides the channels of `query`, `kv` those of `key` and `value`; where
      heads have a dimension, they are its size.
    * (C3) `query` and `key` have heads of one size.
    * (C4) `scale` is at most half of the largest f32, on either side of 0.
    * (C5) operands have as many dimensions as `layout` lists, or three or four.
    * (C6) all operands have channels, of a size that is known.
    * (C7) `results` has at least one value, and each once.
    * (C8) `score` has one argument for the scores, a tensor of four dimensions, and one
      for each operand, of its element type and rank.
    * (C9) `score` yields one tensor, of four dimensions and f32.
    * (C10) `sinks` has an element for each head.
    * (C11) `packed` has the sizes above. Keys and values are bf16 together, only with
      `products(bf16)`, and where heads have an even number of channels.
    * (C12) `layout` and `output_layout` have `length` and `channel` once, `head` at most
      once, and as many `batch` as one another, and as the query.
    * (C13) `term` has arguments for the query and the key, tensors of five dimensions, and
      one for each operand, of its element type and rank, and yields one tensor like the
      first two, which are f32.
    * (C14) `factors` is as `score` is, in (C8) and (C9).
    * (C15) `sinks` and `log_sum_exp`, `maximum` are those of `softmax`.
    * (C16) `splits` is at least 2 and at most 1024, all results have something for each query, and nothing
      for each key, and the op is one that kernels compute as it is: of f32, without a
      `layout`, with an `output_layout` of (batch, length, channel), (batch, head, length,
      channel) or (batch, length, head, channel).
    * (C17) `query`, `key`, `value` and `sinks` are all of f64, or none of them is; what
      regions have in place of f32 is f64, too, and there is no `packed`.
    * (C18) with `column_sums` there is a query.
    * (C19) `products` are those of a softmax in f32, without a `term` or `factors`.
  }];
  let arguments = (ins Heddle_FloatTensor:$query, Heddle_FloatTensor:$key,
      Heddle_FloatTensor:$value,
      Optional<Heddle_MaskType>:$mask, Optional<TensorRankOf<[Heddle_FloatElement], [1]>>:$sinks,
      Optional<TensorRankOf<[F32, BF16], [5]>>:$packedKey,
      Optional<TensorRankOf<[F32, BF16], [5]>>:$packedValue, Variadic<Heddle_Tensor>:$termOperands,
      Variadic<Heddle_Tensor>:$scoreOperands, Variadic<Heddle_Tensor>:$factorOperands,
      I64Attr:$heads, I64Attr:$kvHeads, OptionalAttr<F64Attr>:$scale,
      DefaultValuedAttr<Heddle_NormalizationAttr, "::heddle::Normalization::Softmax">:$normalize,
      OptionalAttr<Heddle_AttentionDimsAttr>:$layout,
      OptionalAttr<Heddle_AttentionDimsAttr>:$outputLayout,
      OptionalAttr<Heddle_AttentionResultsAttr>:$wanted, OptionalAttr<I64Attr>:$splits,
      OptionalAttr<TypeAttrOf<BF16>>:$products);
  let results = (outs Variadic<Heddle_Tensor>:$results);
  let regions = (region MaxSizedRegion<1>:$term, MaxSizedRegion<1>:$score,
      MaxSizedRegion<1>:$factors);
  let builders = [OpBuilder<(ins "::mlir::Value":$query, "::mlir::Value":$key,
      "::mlir::Value":$value, "::mlir::Value":$mask, "int64_t":$heads,
      "int64_t":$kvHeads, "double":$scale)>];
  let extraClassDeclaration = [{
    /// What the dimensions of an operand are, and of the output.
    ::heddle::HeadLayout getLayoutOf(::mlir::Value operand);
    ::heddle::HeadLayout getLayoutOfOutput();
    /// The type that it is computed in: f32, or f64.
    ::mlir::FloatType getComputedType();
    /// Whether kernels compute it as it is: in f32, of one dimension that counts
    /// sequences, and without a layout of operands.
    bool isPlain();
    /// The sizes of the scores, where all sequences count as one batch; those of operands
    /// are known.
    ::heddle::ScoreSpace getScoreSpace();
    /// Channels of a head of the query and the key, and of the value.
    int64_t getHeadDim();
    int64_t getValueDim();
    /// What each result is.
    ::llvm::SmallVector<::heddle::AttentionResult> getWantedResults();
    /// The result that is this, or null.
    ::mlir::Value findResult(::heddle::AttentionResult wanted);
    /// The factor of raw scores.
    double getScaleOrDefault();
    /// The queries of all heads that read one head of keys, of a sequence, if their
    /// number is known.
    std::optional<int64_t> getRowCount();
    /// Whether keys and values are those of a cache of such elements, whose heads are those
    /// of the op.
    bool readsCacheOf(::mlir::Type element);
    /// Whether factors are rounded to bf16.
    bool roundsFactors() { return getProducts().has_value(); }
    /// How many parts the keys are cut into.
    int64_t getSplitCount() { return getSplits().value_or(1); }
    /// Parts of the verifier.
    ::llvm::LogicalResult verifyLayouts();
    ::llvm::LogicalResult verifyHeads();
    ::llvm::LogicalResult checkPacked();
    ::llvm::LogicalResult setArgumentTypes();
    /// Whether there is such a region.
    bool hasTerm() { return !getTerm().empty(); }
    bool hasScore() { return !getScore().empty(); }
    bool hasFactors() { return !getFactors().empty(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}
