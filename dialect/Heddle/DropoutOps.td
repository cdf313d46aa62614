// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

def Heddle_DropoutOp : Heddle_TensorOp<"dropout",
    [AllTypesMatch<["input", "result"]>]> {
  let summary = "elements that are dropped at random, or none";
  let description = [{
    Without `seed`, as at inference, `dropout(x) = x`. With it,
    `dropout(x, seed)[i] = keep(i) ? x[i] / (1 - rate) : 0` (Srivastava et al. 2014).

    An element is kept where u(e) >= round(rate * 2^32). e is its number, counted with the
    last dimension fastest, and u(e) the first of the four 32-bit words of Philox4x32-10
    (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) of the key
    (seed[0], seed[1]) and the counter (e mod 2^32, e div 2^32, 0, 0). So the mask depends
    on the seed and the sizes alone, and each call with another seed has another one.

    ```mlir
    %y = heddle.dropout %x rate(0.1) : tensor<?x64xf32>
    %y = heddle.dropout %x rate(0.1) seed(%s : tensor<2xi32>) : tensor<?x64xf32>
    ```

    Constraints:
    * (C1) `rate` is at least 0 and below 1.
  }];
  let arguments = (ins Heddle_FloatTensor:$input, F64Attr:$rate,
      Optional<RankedTensorOf<[I32],
          [CPred<"::llvm::cast<::mlir::ShapedType>($_self).getShape() == "
                 "::llvm::ArrayRef<int64_t>{2}">], "tensor of two words">>:$seed);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat = [{
    $input `rate` `(` $rate `)` (`seed` `(` $seed^ `:` type($seed) `)`)? attr-dict
    `:` type($input)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Words from this one on keep an element; 2^32 where `rate` rounds to 1.
    uint64_t getThreshold();
  }];
}
