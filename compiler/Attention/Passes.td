// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_ATTENTION_PASSES_TD
#define HEDDLE_ATTENTION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FindAttention : Pass<"heddle-find-attention"> {
  let summary = "products, softmax and product become attention";
  let description = [{
    Sums of products Q K, anything elementwise, a softmax over the keys, and sums of
    products of its weights with V, of any rank and order of dimensions, and whatever
    stands between them: after --heddle-merge-generics that is in maps. What makes scores
    -inf is a mask, factors are the scale, and what else is done to scores their region.
    A query whose scores are all -inf gives 0 then, and not NaN.

    With `remarks`, each attention that was found is told of, and each softmax whose
    weights are multiplied but that is none, with what kept it from being one.
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "mlir::arith::ArithDialect"];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "tell what was found, and what was not">
  ];
}

def SimplifyMasks : Pass<"heddle-simplify-masks"> {
  let summary = "long masks of attention become short ones";
  let description = [{
    A formula of `and`, `or` and `not` over at most six masks, of more than 156 ops with
    those that are shared counted for each use, becomes one of at most 156 that has the
    same truth table. One of more masks and more than 4096 ops is an error: it would
    take minutes to compile.

    ```mlir
    %1 = heddle.mask.and %0, %causal    // %0 is a long formula of %causal and %valid
    %o = heddle.attention %q, %k, %v mask(%1) ...
    // becomes
    %1 = heddle.mask.and %causal, %valid
    %o = heddle.attention %q, %k, %v mask(%1) ...
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def SummarizeMasks : Pass<"heddle-summarize-masks"> {
  let summary = "masks of tensors know what holds for each block of keys";
  let description = [{
    Tiles of queries skip blocks of 32 keys of which they keep none, and compare nothing in
    those that they keep whole. For masks that read tensors this takes a look at all of a
    block's elements, which a heddle.generic does once, for all tiles.
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "mlir::arith::ArithDialect"];
}

def PlaceHeads : Pass<"heddle-place-heads"> {
  let summary = "attention reads and writes heads where they are";
  let description = [{
    Heads beside each other are [batch, length, heads * channels]. Views that move them to
    a dimension of their own, and those that move the heads of the output back, go, so that
    attention means the same kernel whether a model spells them out or not. So does the
    scale, which is written where it is not given.

    ```mlir
    %h = heddle.generic over ["batch", 8, "length", 64] ins(%x : tensor<?x?x512xf32>)
        maps [affine_map<(b, h, s, d) -> (b, s, h * 64 + d)>] { ... }
    %o = heddle.attention %h, ...
    // becomes
    %o = heddle.attention %x, ...
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def PackAttention : Pass<"heddle-pack-attention", "mlir::ModuleOp"> {
  let summary = "keys of attention lie in blocks of 32, side by side, and values in a row";
  let description = [{
    Scores of 32 keys are computed at once, from one channel after the other. Keys that
    come from no cache, which has them so, are copied once for all tiles of queries.

    Values are where it pays: in pairs, where factors are bf16 and the CPU of the module's
    `heddle.target` multiplies such (`MachineModel::packsPairs`), and where keys may be more than
    `MachineModel::attentionKeysInPlace`. Pairs of a cache of bf16 are read from it: `heddle.pairs`
    says so.
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "mlir::arith::ArithDialect"];
}

def SplitKeys : Pass<"heddle-split-keys", "mlir::ModuleOp"> {
  let summary = "attention of few queries has many tasks on a device";
  let description = [{
    Where the module's `heddle.target` has a device, the queries are of a number that is
    known, and the heads of keys are too few tasks, the keys are cut into splits, and what
    these give is merged. Attention whose queries are more than one tile, that gives more
    than its output, or whose weights are no softmax stays as it is.

    ```mlir
    %o = heddle.attention %q, %k, %v heads(32, kv = 8)
    // becomes
    %u, %m, %s = heddle.attention %q, %k, %v heads(32, kv = 8)
        results(unnormalized, maximum, sum) splits(16)
    %n = heddle.generic ... // the largest of %m
    %t = heddle.generic ... // the sum of e^(%m - %n) * %s
    %i = heddle.generic ... // 1 / %t
    %o = heddle.generic ... // the sum of e^(%m - %n) * %i * %u
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "mlir::arith::ArithDialect",
                           "mlir::math::MathDialect"];
}

#endif // HEDDLE_ATTENTION_PASSES_TD
