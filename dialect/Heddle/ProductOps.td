// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of tensors.

def Heddle_MatmulOp : Heddle_TensorOp<"matmul"> {
  let summary = "matrix products";
  let description = [{
    `matmul(A, B)[b.., i, j] = sum over k of A[b.., i, k] * B[b.., k, j]`; with
    `transpose_a` the last two dimensions of A stand the other way round, with
    `transpose_b` those of B. The dimensions before are broadcast as by
    heddle.broadcast_tensors.
    Sums of f64 are f64 and those of other floats f32, those of 64 bits are of 64 bits and
    those of other integers i32; what they come to is rounded to the element type once, or
    is its lower bits. Of i1 the result is
    whether any product is true.

    ```mlir
    %c = heddle.matmul %a, %b : tensor<2x5x12xf32>, tensor<12x7xf32> -> tensor<2x5x7xf32>
    %s = heddle.matmul %q, %k transpose_b
       : tensor<2x5x8xf32>, tensor<2x9x8xf32> -> tensor<2x5x9xf32>
    ```

    Constraints:
    * (C1) both have at least two dimensions.
    * (C2) A has as many columns as B has rows.
    * (C3) the sizes of other dimensions can be broadcast together, as they are, or as the
      function declares them in `heddle.symbols`.
    * (C4) they have equal element types.
  }];
  let arguments = (ins Heddle_ComputedTensor:$a, Heddle_ComputedTensor:$b, UnitAttr:$transposeA,
      UnitAttr:$transposeB);
  let results = (outs Heddle_ComputedTensor:$result);
  let assemblyFormat = [{
    $a `,` $b (`transpose_a` $transposeA^)? (`transpose_b` $transposeB^)? attr-dict
    `:` custom<OperandTypes>(type($a), type($b)) `->` type($result)
  }];
  let hasVerifier = 1;
}
