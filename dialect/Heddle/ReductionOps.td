// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensor ops that combine the elements of a dimension. Those of bf16 and f16 are combined
// in f32, and what comes of them is rounded once; sums and products of integers are of
// their type, and wrap around. A true i1 is larger than a false one.

def Heddle_ReduceOp : Heddle_TensorOp<"reduce"> {
  let summary = "all elements of some dimensions as one";
  let description = [{
    `sum`, `product`, `max`, `min` of x; `mean(x) = sum(x) / count`;
    `l2(x) = sqrt(sum(x^2))`; `log_sum_exp(x) = log(sum(exp(x)))`, which neither overflows
    nor underflows where the result does not; `any` and `all` of i1. A NaN among the
    elements makes the result one. The result has the other dimensions, and with
    `keep_sizes` the reduced ones as 1.

    ```mlir
    %y = heddle.reduce mean %x axes [1] : tensor<5x12xf32> -> tensor<5xf32>
    %z = heddle.reduce max %x axes [0, 1] keep_sizes : tensor<5x12xf32> -> tensor<1x1xf32>
    ```

    Constraints:
    * (C1) `axes` are dimensions of `input`, in ascending order.
    * (C2) `any` and `all` take i1; `mean`, `l2` and `log_sum_exp` take floats; the others
      floats and wider integers.
  }];
  let arguments = (ins Heddle_ReductionAttr:$kind,
      Heddle_ComputedTensor:$input, DenseI64ArrayAttr:$axes,
      UnitAttr:$keepSizes);
  let results = (outs Heddle_ComputedTensor:$result);
  let assemblyFormat = [{
    custom<Keyword>($kind) $input `axes` $axes (`keep_sizes` $keepSizes^)? attr-dict
    `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Heddle_ArgReduceOp : Heddle_TensorOp<"arg_reduce"> {
  let summary = "where the largest or smallest element of a dimension is";
  let description = [{
    `arg_reduce(x)[a.., c..] = argmax over i of x[a.., i, c..]`: of equal ones the first, and
    of NaN the first, if there is one. With `keep_sizes` the result has `axis` as 1.

    ```mlir
    %y = heddle.arg_reduce max %x axis(1) : tensor<5x12xf32> -> tensor<5xi32>
    ```

    Constraints:
    * (C1) `axis` is a dimension of `input`.
  }];
  let arguments = (ins Heddle_ExtremumAttr:$kind,
      Heddle_ComputedTensor:$input, I64Attr:$axis,
      UnitAttr:$keepSizes);
  let results = (outs Heddle_Indices:$result);
  let assemblyFormat = [{
    custom<Keyword>($kind) $input `axis` `(` $axis `)` (`keep_sizes` $keepSizes^)? attr-dict
    `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Heddle_CumulativeSumOp
    : Heddle_TensorOp<"cumulative_sum", [AllTypesMatch<["input", "result"]>]> {
  let summary = "the sum of all elements so far";
  let description = [{
    `cumulative_sum(x)[a.., i, c..] = sum over j <= i of x[a.., j, c..]`, over j < i with
    `exclusive`; with `reverse`, from the last element on: over j >= i, or j > i.

    ```mlir
    %y = heddle.cumulative_sum %x axis(1) : tensor<5x12xf32>
    ```

    Constraints:
    * (C1) `axis` is a dimension of `input`.
    * (C2) `input` has no elements of i1.
  }];
  let arguments = (ins Heddle_ComputedTensor:$input,
      I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Heddle_ComputedTensor:$result);
  let assemblyFormat = [{
    $input `axis` `(` $axis `)` (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict
    `:` type($input)
  }];
  let hasVerifier = 1;
}

class Heddle_SoftmaxLikeOp<string mnemonic>
    : Heddle_TensorOp<mnemonic, [AllTypesMatch<["input", "result"]>]> {
  let arguments = (ins Heddle_FloatTensor:$input, I64Attr:$axis);
  let results = (outs Heddle_FloatTensor:$result);
  let assemblyFormat =
      "$input `axis` `(` $axis `)` attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Heddle_SoftmaxOp : Heddle_SoftmaxLikeOp<"softmax"> {
  let summary = "exponentials that sum up to 1";
  let description = [{
    `softmax(x)[a.., i, c..] = exp(x[.., i, ..] - m) / sum over j of exp(x[.., j, ..] - m)`,
    with m the largest `x[.., j, ..]`.

    ```mlir
    %y = heddle.softmax %x axis(1) : tensor<5x12xf32>
    ```

    Constraints:
    * (C1) `axis` is a dimension of `input`.
  }];
}

def Heddle_LogSoftmaxOp : Heddle_SoftmaxLikeOp<"log_softmax"> {
  let summary = "logarithms of softmax";
  let description = [{
    `log_softmax(x)[a.., i, c..] = (x[.., i, ..] - m) - log(sum over j of exp(x[.., j, ..] - m))`,
    with m the largest `x[.., j, ..]`.

    ```mlir
    %y = heddle.log_softmax %x axis(1) : tensor<5x12xf32>
    ```

    Constraints:
    * (C1) `axis` is a dimension of `input`.
  }];
}

def Heddle_TopKOp : Heddle_TensorOp<"top_k"> {
  let summary = "the largest or smallest elements of a dimension, and where they are";
  let description = [{
    `values[a.., 0, c..] >= values[a.., 1, c..] >= ..`, with
    `values[a.., j, c..] = x[a.., indices[a.., j, c..], c..]`, where j is the index of
    dimension `axis`. With `smallest` they ascend from the smallest. Of equal elements the
    first comes first; NaN comes before all numbers.

    A `k` that is a number takes k passes over the dimension, and another one compares all
    pairs of its elements.

    ```mlir
    %values, %indices = heddle.top_k %x axis(1) k(3)
                      : tensor<5x12xf32> -> tensor<5x3xf32>, tensor<5x3xi32>
    %least, %places = heddle.top_k %x axis(0) k("min(k, 5)") smallest
                    : tensor<5x12xf32> -> tensor<?x12xf32>, tensor<?x12xi32>
    ```

    Constraints:
    * (C1) `axis` is a dimension of `input`.
    * (C2) `k` is from 0 to the size of `axis`, as sizes are, or as the function declares
      them in `heddle.symbols`.
  }];
  let arguments = (ins Heddle_ComputedTensor:$input, I64Attr:$axis, Heddle_SizeAttr:$k,
      UnitAttr:$smallest);
  let results = (outs Heddle_ComputedTensor:$values, Heddle_Indices:$indices);
  let assemblyFormat = [{
    $input `axis` `(` $axis `)` `k` `(` custom<Size>($k) `)` (`smallest` $smallest^)? attr-dict
    `:` type($input) `->` type($values) `,` type($indices)
  }];
  let hasVerifier = 1;
}
