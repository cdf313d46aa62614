// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Masks: predicates over (batch, head, query, key), combined by and, or, not. Integers
// that say where may be any: keys outside of the scores are not there.

class Heddle_MaskOp<string name, list<Trait> traits = []>
    : Heddle_PureOp<"mask." # name, traits> {
  let results = (outs Heddle_MaskType:$result);
  let extraClassDeclaration = Heddle_FusionRole<"View">.declaration;
  let extraClassDefinition = [{
    ::llvm::LogicalResult
    $cppClass::inferSizes(::llvm::SmallVectorImpl<::heddle::Sizes> &results) {
      results.emplace_back();
      return ::mlir::success();
    }
  }];
}

// Masks that are no formulas.
class Heddle_LeafMaskOp<string name, list<Trait> traits = []>
    : Heddle_MaskOp<name, !listconcat(traits,
          [DeclareOpInterfaceMethods<Heddle_MaskOpInterface, ["checkSpace"]>])>;

//===-- Along the diagonal --------------------------------------------------------===//

// Where the diagonal lies. Each op says in its C1 that there is one of offset and align.
class Heddle_DiagonalMaskOp<string name, dag more, string syntax>
    : Heddle_LeafMaskOp<name> {
  let arguments = !con(more, (ins Optional<Heddle_Counts>:$offset,
      OptionalAttr<Heddle_AlignmentAttr>:$align, OptionalAttr<Heddle_SizeAttr>:$plus));
  let assemblyFormat = syntax # [{
    (`offset` `(` $offset^ `:` type($offset) `)`)?
    (`align` `(` custom<Keyword>($align)^ `)`)? (`plus` `(` custom<Size>($plus)^ `)`)?
    attr-dict
  }];
  let extraClassDeclaration = Heddle_FusionRole<"View">.declaration # [{
    /// The size `plus`, or 0.
    ::heddle::SizeAttr getShift() {
      return getPlusAttr() ? getPlusAttr() : ::heddle::SizeAttr::number(getContext(), 0);
    }
  }];
  let hasVerifier = 1;
}

def Heddle_CausalMaskOp : Heddle_DiagonalMaskOp<"causal", (ins), ""> {
  let summary = "keys that are not later than the query";
  let description = [{
    `keep[b, h, q, k] = k <= q + offset[b] + plus`. With `offset`, each sequence says at
    which key its first query stands (the positions already in its cache). Without it,
    `align` says: `top_left` is offset 0, `bottom_right` is keys - queries, so that the
    last query sees every key. `plus` is 0 where it is not given; with -1, no query sees
    the key at its own place. It may be a size: the first query stands after `past` keys
    with `align(top_left) plus("past")`, as many as all sequences have before it.

    ```mlir
    %m = heddle.mask.causal offset(%starts : tensor<?xi32>)
    %m = heddle.mask.causal align(bottom_right) plus(-1)
    %m = heddle.mask.causal align(top_left) plus("past")
    ```

    Constraints:
    * (C1) exactly one of `offset` and `align` is given.
    * (C2) `plus` is a number from -2^24 to 2^24, or, with `align`, a size that is none.
  }];
}

def Heddle_WindowMaskOp
    : Heddle_DiagonalMaskOp<"window",
          (ins OptionalAttr<I64Attr>:$left, OptionalAttr<I64Attr>:$right),
          "(`left` `(` $left^ `)`)? (`right` `(` $right^ `)`)?"> {
  let summary = "keys near the query";
  let description = [{
    `keep[b, h, q, k] = p - left <= k and k <= p + right`, with p = q + offset[b] + plus,
    where `offset`, `align` and `plus` are those of heddle.mask.causal. Without `left` or
    `right` there is no such limit. A window of the last 256 keys, the query's own among
    them, is `left(255) right(0)`.

    ```mlir
    %m = heddle.mask.window left(255) right(0) align(bottom_right)
    ```

    Constraints:
    * (C1) exactly one of `offset` and `align` is given.
    * (C2) `plus` is a number from -2^24 to 2^24, or, with `align`, a size that is none.
    * (C3) at least one of `left` and `right` is given.
    * (C4) they are from 0 to 2^24.
  }];
}

//===-- Of numbers and tensors ----------------------------------------------------===//

def Heddle_LengthsMaskOp : Heddle_LeafMaskOp<"lengths"> {
  let summary = "the first keys, or queries, of each sequence";
  let description = [{
    `keep[b, h, q, k] = k < lengths[b]`, or, of queries, `q < lengths[b]`.

    ```mlir
    %m = heddle.mask.lengths %lengths : tensor<?xi32>
    %m = heddle.mask.lengths %lengths of(query) : tensor<?xi32>
    ```

    Constraints:
    * (C1) `of` is `key`, which it is where it is not given, or `query`.
  }];
  let arguments = (ins Heddle_Counts:$lengths,
      DefaultValuedAttr<Heddle_ScoreDimAttr, "::heddle::ScoreDim::Key">:$of);
  let assemblyFormat = [{
    $lengths (`of` `(` custom<Keyword>($of)^ `)`)? attr-dict `:` type($lengths)
  }];
  let hasVerifier = 1;
}

def Heddle_DocumentsMaskOp : Heddle_LeafMaskOp<"documents"> {
  let summary = "keys of the query's document, where a sequence holds several";
  let description = [{
    `keep[b, h, q, k] = queries[b, q] = keys[b, k]`. Documents have any numbers; tiles of
    queries skip blocks of keys whose numbers lie outside of theirs, so that documents
    that are packed one after the other cost what each costs alone. `summary`, which
    `--heddle-summarize-masks` adds, is the smallest and the largest number of each block
    of keys.

    ```mlir
    %m = heddle.mask.documents %ids, %ids : tensor<?x?xi32>, tensor<?x?xi32>
    ```

    Constraints:
    * (C1) `queries` and `keys` have the same element type.
    * (C2) `summary` is none, or two tensors.
  }];
  let arguments = (ins Heddle_NumbersOfTokens:$queries, Heddle_NumbersOfTokens:$keys,
      Variadic<Heddle_NumbersOfTokens>:$summary);
  let assemblyFormat = [{
    $queries `,` $keys (`summary` `(` $summary^ `:` type($summary) `)`)? attr-dict
    `:` type($queries) `,` type($keys)
  }];
  let hasVerifier = 1;
}

def Heddle_DenseMaskOp : Heddle_LeafMaskOp<"dense"> {
  let summary = "what a tensor of booleans keeps";
  let description = [{
    `keep[b, h, q, k] = mask[i..]`, where `over` says which of b, h, q and k each
    dimension of the tensor is; a dimension of size 1 is the same for all. With
    `blocks(m, n)` an element stands for m queries and n keys: they are q div m and k div
    n. `summary`, which `--heddle-summarize-masks` adds, says of each block of 32 keys
    whether any, and whether all are kept.

    ```mlir
    // Padding: [batch, keys].
    %m = heddle.mask.dense %valid over(batch, key) : tensor<?x?xi1>
    // Block-sparse: [heads, ceildiv(queries, 64), ceildiv(keys, 64)].
    %m = heddle.mask.dense %layout over(head, query, key) blocks(64, 64) : tensor<8x?x?xi1>
    ```

    Constraints:
    * (C1) `over` has a dimension for each of `mask`, each once.
    * (C2) `blocks` are from 1 to 2^24.
    * (C3) `summary` is none, or two tensors.
  }];
  let arguments = (ins RankedTensorOf<[I1]>:$mask, Heddle_ScoreDimsAttr:$over,
      DefaultValuedAttr<I64Attr, "1">:$queryBlock, DefaultValuedAttr<I64Attr, "1">:$keyBlock,
      Variadic<RankedTensorOf<[I1]>>:$summary);
  let assemblyFormat = [{
    $mask `over` `(` custom<ScoreDims>($over) `)`
    (`blocks` `(` $queryBlock^ `,` $keyBlock `)`)?
    (`summary` `(` $summary^ `:` type($summary) `)`)? attr-dict `:` type($mask)
  }];
  let extraClassDeclaration = Heddle_FusionRole<"View">.declaration # [{
    /// The dimension of the scores that dimension `index` of the mask is.
    ::heddle::ScoreDim getDim(unsigned index) {
      return ::llvm::cast<::heddle::ScoreDimAttr>(getOver()[index]).getValue();
    }
    /// The dimension of the mask that is `dim`, if there is one.
    std::optional<unsigned> findDim(::heddle::ScoreDim dim);
    /// How many queries or keys an element stands for; 1 of other dimensions.
    int64_t getBlock(::heddle::ScoreDim dim);
  }];
  let hasVerifier = 1;
}

//===-- Formulas ------------------------------------------------------------------===//

class Heddle_FormulaMaskOp<string name, list<Trait> traits = []>
    : Heddle_MaskOp<name, !listconcat(traits, [Heddle_MaskOpInterface])> {
  let hasFolder = 1;
}

class Heddle_MaskPairOp<string name>
    : Heddle_FormulaMaskOp<name, [Commutative]> {
  let arguments = (ins Heddle_MaskType:$lhs, Heddle_MaskType:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict";
}

def Heddle_AndMaskOp : Heddle_MaskPairOp<"and"> {
  let summary = "keys that both masks keep";
  let description = [{
    `keep[b, h, q, k] = lhs[b, h, q, k] and rhs[b, h, q, k]`

    ```mlir
    %m = heddle.mask.and %causal, %valid
    ```
  }];
}

def Heddle_OrMaskOp : Heddle_MaskPairOp<"or"> {
  let summary = "keys that either mask keeps";
  let description = [{
    `keep[b, h, q, k] = lhs[b, h, q, k] or rhs[b, h, q, k]`. A prefix that all queries see
    is the `or` of heddle.mask.causal and of heddle.mask.lengths with the prefix's length.

    ```mlir
    %m = heddle.mask.or %causal, %prefix
    ```
  }];
}

def Heddle_NotMaskOp : Heddle_FormulaMaskOp<"not"> {
  let summary = "keys that the mask drops";
  let description = [{
    `keep[b, h, q, k] = not operand[b, h, q, k]`

    ```mlir
    %m = heddle.mask.not %padding
    ```
  }];
  let arguments = (ins Heddle_MaskType:$operand);
  let assemblyFormat = "$operand attr-dict";
}
