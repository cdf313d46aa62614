// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of products.

#ifndef HEDDLE_CONTRACTION_TD
#define HEDDLE_CONTRACTION_TD

include "mlir/IR/AttrTypeBase.td"

def Heddle_ContractionAttr : AttrDef<Heddle_Dialect, "Contraction"> {
  let mnemonic = "contraction";
  let summary = "which inputs of a sum of products have rows, and which columns";
  let description = [{
    The attribute `heddle.contraction` of a heddle.generic, which adds up products of two
    factors. The factor that has the last dimension of the result is a matrix of columns, the
    other one a matrix of rows, for each index of the dimensions that both have. `columns` and
    `rows` are the numbers of the inputs that each is made of. The first number of each
    is the input of the elements, and others are what these are decoded with, such as scales.
    `--heddle-find-contractions` writes it; layouts, kernels, configurations, lowering and
    schedules go by it.

    With `i32 sums of` t, both factors are integers times scales, which are the same for t terms
    in a row: products of the integers of these may be added up as integers, before the scales
    multiply their sum.

    With `bf16 pairs`, both factors are elements of bf16: products of two neighbours along what
    is summed up may be added to the sum at a time.

    ```mlir
    %y = heddle.generic over ["n", 64] reduce [48] initial [0.0 : f32]
        ins(%x, %w : tensor<?x48xf32>, tensor<64x48xbf16>)
        maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>]
        attributes {heddle.contraction = #heddle.contraction<rows(0) columns(1)>} {
    ^bb0(%a: f32, %b: bf16, %sum: f32):
      %0 = arith.extf %b : bf16 to f32
      %1 = arith.mulf %a, %0 : f32
      %2 = arith.addf %sum, %1 : f32
      heddle.yield %2 : f32
    } : tensor<?x64xf32>
    ```

    Constraints:
    * (C1) the op has one result, a reduction and no table.
    * (C2) its body adds a product to the value so far. Each factor is made of inputs of its
      own, by casts, products and differences alone.
    * (C3) `rows` are the inputs of one factor, and `columns` those of the other.
    * (C4) the sum is made in f32.
    * (C5) both have every dimension of more than one element that is summed up.
    * (C6) of the result's dimensions with more than one element, the columns have the last
      one, and the rows have it not.
    * (C7) `terms` is 0, or divides the number of terms that have the scales of both factors
      in common, and i32 holds the sum of so many products.
    * (C8) with `bf16 pairs`, each factor is one input of bf16 that becomes f32, `terms` is 0, and
      one dimension of an even number of elements is summed up.
  }];
  let parameters = (ins ArrayRefParameter<"unsigned">:$rows,
      ArrayRefParameter<"unsigned">:$columns,
      DefaultValuedParameter<"int64_t", "0">:$terms,
      DefaultValuedParameter<"bool", "false">:$pairs);
  let assemblyFormat = [{
    `<` `rows` `(` $rows `)` `columns` `(` $columns `)` (`i32` `sums` `of` $terms^)?
    (`bf16` custom<Pairs>($pairs)^)? `>`
  }];
}

#endif // HEDDLE_CONTRACTION_TD
