// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Masks: predicates over (batch, query, key), combined by and, or, not.

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

def Heddle_CausalMaskOp : Heddle_MaskOp<"causal"> {
  let summary = "keys that are not later than the query";
  let description = [{
    `keep[b, q, k] = k <= q + offset[b]`. With `offset`, each sequence says at which
    key its first query stands (the positions already in its cache). Without it,
    `align` says: `top_left` is offset 0, `bottom_right` is keys - queries, so that
    the last query sees every key.

    ```mlir
    %m = heddle.mask.causal offset(%starts : tensor<?xi32>)
    %m = heddle.mask.causal align(bottom_right)
    ```

    Constraints:
    * (C1) exactly one of `offset` and `align` is given.
  }];
  let arguments = (ins Optional<Heddle_Counts>:$offset,
      OptionalAttr<Heddle_AlignmentAttr>:$align);
  let assemblyFormat = [{
    (`offset` `(` $offset^ `:` type($offset) `)`)?
    (`align` `(` custom<Keyword>($align)^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Heddle_LengthsMaskOp : Heddle_MaskOp<"lengths"> {
  let summary = "the first keys of each sequence";
  let description = [{
    `keep[b, q, k] = k < lengths[b]`

    ```mlir
    %m = heddle.mask.lengths %lengths : tensor<?xi32>
    ```
  }];
  let arguments = (ins Heddle_Counts:$lengths);
  let assemblyFormat = "$lengths attr-dict `:` type($lengths)";
}

class Heddle_MaskPairOp<string name>
    : Heddle_MaskOp<name, [Commutative]> {
  let arguments = (ins Heddle_MaskType:$lhs, Heddle_MaskType:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict";
  let hasFolder = 1;
}

def Heddle_AndMaskOp : Heddle_MaskPairOp<"and"> {
  let summary = "keys that both masks keep";
  let description = [{
    `keep[b, q, k] = lhs[b, q, k] and rhs[b, q, k]`

    ```mlir
    %m = heddle.mask.and %causal, %valid
    ```
  }];
}

def Heddle_OrMaskOp : Heddle_MaskPairOp<"or"> {
  let summary = "keys that either mask keeps";
  let description = [{
    `keep[b, q, k] = lhs[b, q, k] or rhs[b, q, k]`

    ```mlir
    %m = heddle.mask.or %causal, %prefix
    ```
  }];
}

def Heddle_NotMaskOp : Heddle_MaskOp<"not"> {
  let summary = "keys that the mask drops";
  let description = [{
    `keep[b, q, k] = not operand[b, q, k]`

    ```mlir
    %m = heddle.mask.not %padding
    ```
  }];
  let arguments = (ins Heddle_MaskType:$operand);
  let assemblyFormat = "$operand attr-dict";
  let hasFolder = 1;
}
