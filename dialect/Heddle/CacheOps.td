// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Keys and values that later calls read. Where position p of sequence b lies:
//
//   as it is         at p of sequence b; p is below the capacity
//   pages(%table)    at p mod capacity of sequence table[b, p / capacity]: what the type
//                    calls sequences are pages, of as many positions as it has capacity,
//                    and all sequences of a call share the pages that there are. Every
//                    entry of a table, also one that is not used yet, is the number of a
//                    page. Memory comes in blocks of 32 positions, so that pages of as
//                    many, or of a multiple, waste none and are read fastest
//   ring             at p mod c of sequence b, with c the capacity rounded up to a
//                    multiple of 32: the cache holds the last c positions

// [batch, length, channels]
def Heddle_CachedTokens : RankedTensorOf<[Heddle_SingleElement, I8],
    [HasAnyRankOfPred<[3]>, Heddle_HasStaticChannels],
    "3D tensor with static channels">;

def Heddle_CacheAppendOp : Heddle_LayerOp<"cache.append",
    [AllTypesMatch<["cache", "result"]>, AttrSizedOperandSegments]> {
  let summary = "adds keys and values to the cache of one layer";
  let description = [{
    Token s < lengths[b] of sequence b goes to position starts[b] + s, rounded to the
    cache's elements. Without `at` it goes to position s, and without `lengths` all tokens
    do: so a cache is filled whose keys no later call adds to. Tokens past their sequence's
    length are not stored. The cache is changed in place, so that its old value ends here.

    Elements of i8 are x / s, rounded to the nearest integer, half to even, with s the
    largest magnitude of its head, divided by 127, and at most so large that 127 s is an f32.
    NaN counts as 0 and becomes 0, infinity becomes 127 or -127, and s is 1 where it would be
    below the smallest normal f32. `--heddle-decompose` computes them before, and then
    `key_scales` and `value_scales` have the scales, [batch, length, kv heads].

    ```mlir
    %c2 = heddle.cache.append %c, %k, %v layer(0) at(%starts) lengths(%lengths)
        : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
          tensor<?xi32>, tensor<?xi32>
    %c3 = heddle.cache.append %c2, %k, %v layer(1) at(%starts) lengths(%lengths)
          pages(%table : tensor<?x?xi32>)
        : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>,
          tensor<?xi32>, tensor<?xi32>
    %c4 = heddle.cache.append %d, %k, %v layer(0)
        : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
    ```

    Constraints:
    * (C1) `layer` is one of the cache's.
    * (C2) `key` and `value` have kv heads times the dimension of their heads channels.
    * (C3) nothing after it uses `cache`, or what heddle.cache.read gave of it, but
      to read other layers.
    * (C4) of an entry point, the result is changed again, returned or yielded.
    * (C5) there is not both `pages` and `ring`, and with either `at` and `lengths`; `pages`
      has a row for each sequence.
    * (C6) `key` and `value` are floats, or, where there are `scales`, those of i8 caches
      i8.
    * (C7) a ring has at least as many positions as a call has tokens of a sequence, and so
      has a cache without `at` and `lengths`, as sizes are, or as the function declares them
      in `heddle.symbols`.
    * (C8) no two sequences of a call append to one page. This is the caller's to see to.
  }];
  let arguments = (ins Heddle_CacheType:$cache, Heddle_CachedTokens:$key,
      Heddle_CachedTokens:$value, Optional<Heddle_Counts>:$starts,
      Optional<Heddle_Counts>:$lengths,
      Optional<Heddle_NumbersOfTokens>:$pages, Optional<Heddle_Tokens>:$keyScales,
      Optional<Heddle_Tokens>:$valueScales, I64Attr:$layer, UnitAttr:$ring);
  let results = (outs Heddle_CacheType:$result);
  let assemblyFormat = [{
    $cache `,` $key `,` $value `layer` `(` $layer `)` (`at` `(` $starts^ `)`)?
    (`lengths` `(` $lengths^ `)`)? (`pages` `(` $pages^ `:` type($pages) `)`)? (`ring` $ring^)?
    (`key_scales` `(` $keyScales^ `:` type($keyScales) `)`)?
    (`value_scales` `(` $valueScales^ `:` type($valueScales) `)`)? attr-dict
    `:` qualified(type($cache)) `,` type($key) `,`
    custom<AppendedTypes>(ref($starts), ref($lengths), type($value), type($starts),
                          type($lengths))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$cache, "::mlir::Value":$key,
      "::mlir::Value":$value, "::mlir::Value":$starts, "::mlir::Value":$lengths,
      "int64_t":$layer)>];
  let extraClassDeclaration = [{
    /// What is stored in a part of the cache, or null.
    ::mlir::Value getSourceOf(::heddle::CachePart part);
    /// A part of the verifier, once sizes are known.
    ::llvm::LogicalResult checkCapacity();
  }];
  let hasVerifier = 1;
}

def Heddle_CacheReadOp : Heddle_PureOp<"cache.read",
    [InferTypeOpAdaptor]> {
  let summary = "keys and values of one layer, as [batch, positions, channels] of f32";
  let description = [{
    There are as many positions as the cache has capacity, or as the pages of a sequence
    have together, or of a ring as many as it says. Positions that were never appended, or
    that a ring holds no more, hold anything, so the reader masks them. The results are
    views: see heddle.cache.append.

    ```mlir
    %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<5 x 4 x 8 x f32>
    %k1, %v1 = heddle.cache.read %c layer(0) pages(%table : tensor<?x?xi32>)
             : !heddle.cache<5 x 4 x 8 x f32>
    %k2, %v2 = heddle.cache.read %c layer(0) ring("all") : !heddle.cache<5 x 4 x 8 x f32>
    ```

    Constraints:
    * (C1) `layer` is one of the cache's.
    * (C2) there is not both `pages` and `ring`.
    * (C3) what was read of a ring are keys and values of heddle.attention, whose mask keeps,
      of each sequence, no key but those that the ring holds: a heddle.mask.window, alone or
      among those of a heddle.mask.and, whose offset is the starts of the append, and whose
      keys before the query, with the tokens of a call, are not more than the capacity.
      There are no more queries than the append has tokens.
  }];
  let arguments = (ins Heddle_CacheType:$cache, Optional<Heddle_NumbersOfTokens>:$pages,
      I64Attr:$layer, OptionalAttr<Heddle_SizeAttr>:$ring);
  let results = (outs Heddle_Tokens:$key, Heddle_Tokens:$value);
  let builders = [OpBuilder<(ins "::mlir::Value":$cache, "int64_t":$layer)>];
  let extraClassDeclaration = Heddle_FusionRole<"View">.declaration;
  let assemblyFormat = [{
    $cache `layer` `(` $layer `)` (`pages` `(` $pages^ `:` type($pages) `)`)?
    (`ring` `(` custom<Size>($ring)^ `)`)? attr-dict `:` qualified(type($cache))
  }];
  let hasVerifier = 1;
}

def Heddle_CacheSelectOp : Heddle_PureOp<"cache.select",
    [AllTypesMatch<["cache", "result"]>]> {
  let summary = "keeps some positions of a cache, in some order";
  let description = [{
    In all layers, position i < lengths[b] of sequence b becomes what position
    positions[b, i] of sequence sequences[b] was; without `sequences` those stay. Other
    positions hold anything. With this a program evicts what is not needed, or lets beams
    go on from others; where whole sequences change places, heddle_reorder_cache of the
    runtime does it in place. Of pages, which the cache's sequences are then, it moves
    positions within a page and pages as a whole: a program changes its table instead.
    Indices are clamped to what there is. Elements of i8 are rounded anew, by a unit in the
    last place of their scale.

    ```mlir
    %c2 = heddle.cache.select %c positions(%p) lengths(%n) sequences(%s : tensor<?xi32>)
        : !heddle.cache<5 x 4 x 8 x f32>, tensor<?x?xi32>, tensor<?xi32>
    ```

    Constraints:
    * (C1) `positions` has a row for each sequence, `lengths` and `sequences` an element.
    * (C2) nothing after it uses `cache`, or what heddle.cache.read gave of it.
    * (C3) nothing appends to it, or reads it, as a ring: there positions have their places.
  }];
  let arguments = (ins Heddle_CacheType:$cache, Heddle_NumbersOfTokens:$positions,
      Heddle_Counts:$lengths, Optional<Heddle_Counts>:$sequences);
  let results = (outs Heddle_CacheType:$result);
  let assemblyFormat = [{
    $cache `positions` `(` $positions `)` `lengths` `(` $lengths `)`
    (`sequences` `(` $sequences^ `:` type($sequences) `)`)? attr-dict
    `:` qualified(type($cache)) `,` type($positions) `,` type($lengths)
  }];
  let hasVerifier = 1;
}
