// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention and the cache of keys and values.

def Heddle_AttentionOp : Heddle_PureOp<"attention",
    [InferTypeOpAdaptor, AttrSizedOperandSegments, IsolatedFromAbove]> {
  let summary = "scaled dot-product attention with grouped queries";
  let description = [{
    For query head h, which reads key and value head g = h div (heads / kv):

    ```
    raw[b, h, q, k]     = Q[b, q, h] . K[b, k, g]
    scaled              = scale * raw
    changed             = score(scaled)
    masked[b, h, q, k]  = mask[b, h, q, k] ? changed[b, h, q, k] : -inf
    maximum[b, h, q]    = max(max_k masked[b, h, q, k], sinks[h])
    sum[b, h, q]        = sum_k exp(masked - maximum) + exp(sinks[h] - maximum)
    weights[b, h, q, k] = exp(masked - maximum) / sum
    unnormalized[b, q, h] = sum_k exp(masked - maximum) V[b, k, g]
    output[b, q, h]     = unnormalized / sum
    log_sum_exp[b, h, q] = maximum + log(sum)
    ```

    Operands, `output` and `unnormalized` are [batch, length, heads * channels], or all of
    them [batch, heads, length, channels]. `results` says which values the op has, and in
    which order; without it, it has `output` alone. Where it is not given, `scale` is
    1 / sqrt(channels of a head of the query).

    A query that keeps no key, and one whose kept scores are all -inf, gives an output of
    0, weights of 0, a sum of 0, and -inf for the maximum and the logarithm. Nothing at a
    key whose masked score is -inf, not even NaN, reaches any other result of the query
    than its raw, scaled and changed scores, which are those of all keys.

    `score` is a region that says how scores change: its first argument stands for all
    scaled scores, [batch, heads, queries, keys], and the others for its operands. What
    it yields is computed elementwise, where a score is made.

    `sinks` has one more score for each head, to which no value belongs. `packed`, which
    `--heddle-pack-keys` adds, are the keys in blocks of 32: [batch, kv, ceildiv(keys, 32),
    channels, 32], of which those past the last key may be anything.

    ```mlir
    %o = heddle.attention %q, %k, %v mask(%m) heads(8, kv = 4) scale(0.35)
       : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
    %o, %lse = heddle.attention %q, %k, %v heads(8, kv = 8) results(output, log_sum_exp)
       score(%bias : tensor<?x8x?x?xf32>) {
       ^bb0(%s: tensor<?x8x?x?xf32>, %b: tensor<?x8x?x?xf32>):
         %0 = math.tanh %s : tensor<?x8x?x?xf32>
         %1 = arith.addf %0, %b : tensor<?x8x?x?xf32>
         heddle.yield %1 : tensor<?x8x?x?xf32>
       } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
    ```

    Constraints:
    * (C1) `kv` divides `heads`.
    * (C2) `heads` divides the channels of `query`, `kv` those of `key` and `value`; of
      four dimensions they are the second.
    * (C3) `query` and `key` have heads of one size.
    * (C4) `scale` is at most half of the largest f32, on either side of 0.
    * (C5) all operands have as many dimensions.
    * (C6) all operands have channels.
    * (C7) `results` has at least one value, and each once.
    * (C8) `score` has one argument for the scores, a tensor of four dimensions, and one
      for each operand, of its element type and rank.
    * (C9) `score` yields one tensor, of four dimensions and f32.
    * (C10) `sinks` has an element for each head.
    * (C11) `packed` has the sizes above.
  }];
  let arguments = (ins Heddle_Heads:$query, Heddle_Heads:$key, Heddle_Heads:$value,
      Optional<Heddle_MaskType>:$mask, Optional<TensorRankOf<[F32], [1]>>:$sinks,
      Optional<TensorRankOf<[F32], [5]>>:$packed, Variadic<Heddle_Tensor>:$scoreOperands,
      I64Attr:$heads, I64Attr:$kvHeads, OptionalAttr<F64Attr>:$scale, OptionalAttr<Heddle_AttentionResultsAttr>:$wanted);
  let results = (outs Variadic<Heddle_Tensor>:$results);
  let regions = (region MaxSizedRegion<1>:$score);
  let builders = [OpBuilder<(ins "::mlir::Value":$query, "::mlir::Value":$key,
      "::mlir::Value":$value, "::mlir::Value":$mask, "int64_t":$heads,
      "int64_t":$kvHeads, "double":$scale)>];
  let extraClassDeclaration = [{
    /// Whether operands are [batch, heads, length, channels].
    bool hasHeadsOutside() { return getQuery().getType().getRank() == 4; }
    /// The number of the dimension that counts queries, and keys.
    unsigned getLengthDim() { return hasHeadsOutside() ? 2 : 1; }
    /// The sizes of the scores; those of operands are known.
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
    /// Whether `score` changes anything.
    bool changesScores() { return !getScore().empty(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Heddle_CacheAppendOp : Heddle_PureOp<"cache.append",
    [AllTypesMatch<["cache", "result"]>]> {
  let summary = "adds keys and values to the cache of one layer";
  let description = [{
    Token s < lengths[b] of sequence b goes to position starts[b] + s. Tokens past
    their sequence's length are not stored. The cache is changed in place, so that its
    old value ends here.

    ```mlir
    %c2 = heddle.cache.append %c, %k, %v layer(0) at(%starts) lengths(%lengths)
        : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
          tensor<?xi32>, tensor<?xi32>
    ```

    Constraints:
    * (C1) `layer` is one of the cache's.
    * (C2) `key` and `value` have kv heads * head dimension channels.
    * (C3) nothing after it uses `cache`, or what heddle.cache.read gave of it, but
      to read other layers.
    * (C4) of an entry point, the result is appended to again or returned.
  }];
  let arguments = (ins Heddle_CacheType:$cache, Heddle_Tokens:$key,
      Heddle_Tokens:$value, Heddle_Counts:$starts, Heddle_Counts:$lengths,
      I64Attr:$layer);
  let results = (outs Heddle_CacheType:$result);
  let assemblyFormat = [{
    $cache `,` $key `,` $value `layer` `(` $layer `)` `at` `(` $starts `)`
    `lengths` `(` $lengths `)` attr-dict
    `:` qualified(type($cache)) `,` type($key) `,` type($value) `,` type($starts) `,` type($lengths)
  }];
  let hasVerifier = 1;
}

def Heddle_CacheReadOp : Heddle_PureOp<"cache.read",
    [InferTypeOpAdaptor]> {
  let summary = "keys and values of one layer, as [batch, capacity, channels]";
  let description = [{
    Positions that were never appended hold anything, so the reader masks them. The
    results are views: see heddle.cache.append.

    ```mlir
    %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<5 x 4 x 8 x f32>
    ```

    Constraints:
    * (C1) `layer` is one of the cache's.
  }];
  let arguments = (ins Heddle_CacheType:$cache, I64Attr:$layer);
  let results = (outs Heddle_Tokens:$key, Heddle_Tokens:$value);
  let extraClassDeclaration = Heddle_FusionRole<"View">.declaration;
  let assemblyFormat = "$cache `layer` `(` $layer `)` attr-dict `:` qualified(type($cache))";
  let hasVerifier = 1;
}
