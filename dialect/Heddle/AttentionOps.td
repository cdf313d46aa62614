// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention and the cache of keys and values.

def Heddle_AttentionOp : Heddle_PureOp<"attention",
    [InferTypeOpAdaptor]> {
  let summary = "scaled dot-product attention with grouped queries";
  let description = [{
    For query head h, which reads key and value head g = h div (heads / kv):

    `attention(Q, K, V)[b, q, h] = softmax_k(scale * Q[b, q, h] . K[b, k, g] | mask) V[b, k, g]`

    over the keys k that the mask keeps. A query that keeps no key gives 0, and
    nothing at a dropped key, not even NaN, reaches the result. Operands and result are
    [batch, length, heads * channels], or all of them [batch, heads, length, channels].

    ```mlir
    %o = heddle.attention %q, %k, %v mask(%m) heads(8, kv = 4) scale(0.35)
       : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
    ```

    Constraints:
    * (C1) `kv` divides `heads`.
    * (C2) `heads` divides the channels of `query`, `kv` those of `key` and `value`; of
      four dimensions they are the second.
    * (C3) `query` and `key` have heads of one size.
    * (C4) `scale` is at most half of the largest f32, on either side of 0.
    * (C5) all operands have as many dimensions.
    * (C6) all operands have channels.
  }];
  let arguments = (ins Heddle_Heads:$query, Heddle_Heads:$key, Heddle_Heads:$value,
      Optional<Heddle_MaskType>:$mask, I64Attr:$heads, I64Attr:$kvHeads,
      F64Attr:$scale);
  let results = (outs Heddle_Heads:$result);
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
  }];
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` `(` $mask^ `)`)?
    `heads` `(` $heads `,` `kv` `=` $kvHeads `)` `scale` `(` $scale `)` attr-dict
    `:` type($query) `,` type($key) `,` type($value)
  }];
  let hasVerifier = 1;
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
