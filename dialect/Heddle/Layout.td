// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How tensors lie in memory.

#ifndef HEDDLE_LAYOUT_TD
#define HEDDLE_LAYOUT_TD

include "mlir/IR/AttrTypeBase.td"

def Heddle_LayoutAttr : AttrDef<Heddle_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "the order of a weight's elements in memory";
  let description = [{
    The elements along `dimension` are cut into panels of `width`. Panels are the
    outermost dimension in memory, the other dimensions follow in their order, and
    the elements of a panel lie side by side. The last panel is filled with zeros.
    A weight without a layout is dense.

    With `groups of` g, g neighbours along the last dimension that is in no panels lie
    side by side, before the next element of the panel: as products of integers read them,
    which add up g terms at a time. The last group is filled with zeros.

    Of integers of 4 bits, elements 2 i and 2 i + 1 of the last dimension that is in no
    panels share a byte, the first of them in its lower half, i4 as two's complement. Of
    those in groups of 2 it is groups 4 i to 4 i + 3 that share 16 bits, and of those in groups
    of 4 groups 2 i and 2 i + 1 that share a byte: as wide as what products of integers read.
    Those of dense vectors have a byte each.

    ```mlir
    // tensor<n x k> -> [ceildiv(n, 64)][k][64]
    #heddle.layout<panels of 64 along 0>
    // tensor<n x k x i4> -> [ceildiv(n, 64)][ceildiv(k, 2)][64] bytes
    #heddle.layout<panels of 16 along 0 groups of 2>
    // tensor<n x k x i8> -> [ceildiv(n, 16)][ceildiv(k, 2)][16][2]
    // tensor<n x k x i4> -> [ceildiv(n, 16)][ceildiv(k, 8)][16][2] of 16 bits
    #heddle.layout<panels of 48 along 0 groups of 4>
    // tensor<n x k x ui8> -> [ceildiv(n, 48)][ceildiv(k, 4)][48][4]
    // tensor<n x k x ui4> -> [ceildiv(n, 48)][ceildiv(k, 8)][48][4] bytes
    ```

    Constraints:
    * (C1) `width` and `group` are positive.
  }];
  let parameters = (ins "int64_t":$width, "int64_t":$dimension,
      DefaultValuedParameter<"int64_t", "1">:$group);
  let assemblyFormat = [{
    `<` `panels` `of` $width `along` $dimension (`groups` `of` $group^)? `>`
  }];
  let genVerifyDecl = 1;
}

#endif // HEDDLE_LAYOUT_TD
