// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

def Heddle_KeepLikelyOp : Heddle_TensorOp<"keep_likely",
    [AllTypesMatch<["logits", "result"]>, AllTypesMatch<["temperature", "top_p"]>]> {
  let summary = "the logits of what is likely; others become -infinity";
  let description = [{
    Of the logits x these are kept, all others become -infinity:

    1. the `top_k` largest, and what is equal to the least of these; all where top_k is not
       above 0;
    2. of these, with the weights of heddle.sample for the temperature: the largest, as few as
       have weights that add up to `top_p` of the weights of these or more, but at least one
       (arXiv:1904.09751), and what is equal to the least of these; all where top_p is not
       below 1.

    Nothing changes where the largest logit is no finite number. A top_p that is NaN keeps all.
    On devices top_k counts in f32, which has all numbers up to 2^24.

    ```mlir
    %y = heddle.keep_likely %x temperature(%t) top_k(%k) top_p(%p)
       : tensor<?x9xf32>, tensor<?xf32>, tensor<?xi32>
    ```

    Constraints:
    * (C1) the logits have one dimension or more, of which the last is not empty.
    * (C2) temperature and top_p are f32, top_k is i32, and all have the other dimensions.
  }];
  let arguments = (ins Heddle_SingleTensor:$logits, RankedTensorOf<[F32]>:$temperature,
      RankedTensorOf<[I32]>:$top_k, RankedTensorOf<[F32]>:$top_p);
  let results = (outs Heddle_SingleTensor:$result);
  let assemblyFormat = [{
    $logits `temperature` `(` $temperature `)` `top_k` `(` $top_k `)`
    `top_p` `(` $top_p `)` attr-dict
    `:` type($logits) `,` type($temperature) `,` type($top_k)
  }];
  let hasVerifier = 1;
}

def Heddle_SampleOp : Heddle_TensorOp<"sample",
    [AllTypesMatch<["temperature", "min_p", "uniform"]>]> {
  let summary = "an element of the last dimension, drawn by its logit";
  let description = [{
    With the logits x, the temperature t, and m the largest x[j], each j has a weight

        w[j] = 1                     where x[j] = m
               exp((x[j] - m) / t)   elsewhere, if t > 0 and x[j] is above -infinity
               0                     elsewhere, if not

    in f32, but 0 where it is below `min_p` (arXiv:2407.01082). The result is the lowest i with

        w[0] + .. + w[i] > u * (w[0] + .. + w[n - 1])

    for u, the `uniform` number: if each from 0 to 1 is as likely, so is each i in
    proportion to its weight. Without a temperature above 0 and with u = 0 it is the largest
    logit, of equal ones the first. u is taken as 0 where it is below or NaN, and as 1 - 2^-24
    where it is above; `min_p` as 1 where it is above, and keeps all where it is NaN.

    The result is -1 where m is no finite number: a logit is NaN or infinity, or all are
    -infinity.

    ```mlir
    %ids = heddle.sample %x temperature(%t) min_p(%p) uniform(%u)
         : tensor<?x9xf32>, tensor<?xf32> -> tensor<?xi32>
    ```

    Constraints:
    * (C1) the logits have one dimension or more, of which the last is not empty.
    * (C2) temperature, min_p and uniform are f32 and have the other dimensions.
  }];
  let arguments = (ins Heddle_SingleTensor:$logits, RankedTensorOf<[F32]>:$temperature,
      RankedTensorOf<[F32]>:$min_p, RankedTensorOf<[F32]>:$uniform);
  let results = (outs Heddle_Indices:$result);
  let assemblyFormat = [{
    $logits `temperature` `(` $temperature `)` `min_p` `(` $min_p `)`
    `uniform` `(` $uniform `)` attr-dict
    `:` type($logits) `,` type($temperature) `->` type($result)
  }];
  let hasVerifier = 1;
}
