// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensor ops that move elements and change none.

def Heddle_TransposeOp : Heddle_TensorOp<"transpose"> {
  let summary = "dimensions in another order";
  let description = [{
    `transpose(x)[p_0, p_1, ..] = x[i_0, i_1, ..]` with `p_k = i_permutation[k]`: dimension
    k of the result is dimension `permutation[k]` of `input`.

    ```mlir
    %y = heddle.transpose %x permutation [0, 2, 1] : tensor<2x5x12xf32> -> tensor<2x12x5xf32>
    ```

    Constraints:
    * (C1) `permutation` has each dimension of `input` once.
  }];
  let arguments = (ins Heddle_WeightTensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Heddle_WeightTensor:$result);
  let assemblyFormat =
      "$input `permutation` $permutation attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Heddle_ReshapeOp : Heddle_TensorOp<"reshape"> {
  let summary = "the same elements, in the same order, with other sizes";
  let description = [{
    Elements are counted with the last dimension fastest. One of `sizes` may be -1: it is
    what the others leave of the number of elements.

    ```mlir
    %y = heddle.reshape %x to [2, -1, 6] : tensor<2x5x12xf32> -> tensor<2x10x6xf32>
    ```

    Constraints:
    * (C1) at most one size is -1, and none is smaller.
    * (C2) `sizes` have as many elements as `input`, for all values of their symbols.
  }];
  let arguments = (ins Heddle_WeightTensor:$input, Heddle_SizeArrayAttr:$sizes);
  let results = (outs Heddle_WeightTensor:$result);
  let assemblyFormat =
      "$input `to` custom<SizeList>($sizes) attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Heddle_ExpandOp : Heddle_TensorOp<"expand"> {
  let summary = "new dimensions of size 1";
  let description = [{
    `axes` are those of the result that are new; the others are the dimensions of `input`,
    in order.

    ```mlir
    %y = heddle.expand %x axes [0, 2] : tensor<5x12xf32> -> tensor<1x5x1x12xf32>
    ```

    Constraints:
    * (C1) `axes` are dimensions of the result, in ascending order.
  }];
  let arguments = (ins Heddle_Tensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs Heddle_Tensor:$result);
  let assemblyFormat = "$input `axes` $axes attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Heddle_SqueezeOp : Heddle_TensorOp<"squeeze"> {
  let summary = "without dimensions of size 1";
  let description = [{
    The result has the dimensions of `input` that are not among `axes`, in order.

    ```mlir
    %y = heddle.squeeze %x axes [0, 2] : tensor<1x5x1x12xf32> -> tensor<5x12xf32>
    ```

    Constraints:
    * (C1) `axes` are dimensions of `input`, in ascending order.
    * (C2) they have the size 1.
  }];
  let arguments = (ins Heddle_Tensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs Heddle_Tensor:$result);
  let assemblyFormat = "$input `axes` $axes attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Heddle_SliceOp : Heddle_TensorOp<"slice"> {
  let summary = "every so many elements of each dimension";
  let description = [{
    `slice(x)[i_0, i_1, ..] = x[offset_0 + i_0 * step_0, offset_1 + i_1 * step_1, ..]`

    Steps may be negative, but not 0.

    ```mlir
    %y = heddle.slice %x offsets [1, 11] sizes [4, 6] steps [1, -2]
       : tensor<5x12xf32> -> tensor<4x6xf32>
    ```

    Constraints:
    * (C1) there is an offset, a size and a step for each dimension, and no step is 0.
    * (C2) all elements are seen to lie in `input`, as sizes are, or as the function
      declares them in `heddle.symbols`.
  }];
  let arguments = (ins Heddle_WeightTensor:$input, Heddle_SizeArrayAttr:$offsets,
      Heddle_SizeArrayAttr:$sizes, DenseI64ArrayAttr:$steps);
  let results = (outs Heddle_WeightTensor:$result);
  let assemblyFormat = [{
    $input `offsets` custom<SizeList>($offsets) `sizes` custom<SizeList>($sizes)
    `steps` $steps attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Heddle_ConcatOp : Heddle_TensorOp<"concat"> {
  let summary = "tensors one after the other";
  let description = [{
    With n the size of dimension `axis` of the first of `inputs`:
    `concat(x, y, ..)[.., i, ..] = i < n ? x[.., i, ..] : concat(y, ..)[.., i - n, ..]`

    ```mlir
    %z = heddle.concat %x, %y axis(1) : tensor<5x12xf32>, tensor<5x3xf32> -> tensor<5x15xf32>
    ```

    Constraints:
    * (C1) `axis` is a dimension of the inputs, which all have as many.
    * (C2) the inputs have equal sizes, but for that of `axis`, and equal element types.
  }];
  let arguments = (ins Variadic<Heddle_WeightTensor>:$inputs, I64Attr:$axis);
  let results = (outs Heddle_WeightTensor:$result);
  let assemblyFormat =
      "$inputs `axis` `(` $axis `)` attr-dict `:` custom<OperandTypes>(type($inputs)) `->` type($result)";
  let hasVerifier = 1;
}

def Heddle_InsertOp : Heddle_PureOp<"insert",
    [AllTypesMatch<["tensor", "result"]>]> {
  let summary = "a tensor with another one in it, from a number of control flow on";
  let description = [{
    With k = i - `start` of dimension `axis`, where `part` has m elements:
    `result[.., i, ..] = 0 <= k < m ? part[.., k, ..] : tensor[.., i, ..]`, so that what
    lies past either end is dropped.

    It is for loops that write a tensor part by part. It stands between kernels, and no
    kernel fuses with it: a loop that carries `tensor` round and hands `result` on in
    its place moves `part` alone, whatever the size of `tensor`, if only kernels that
    come before read `tensor`. Everywhere else all of `tensor` is copied.

    ```mlir
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %all = scf.for %i = %c0 to %c9 step %c1 iter_args(%y = %x) -> tensor<2x9x4xf32> {
      %row = tensor.extract_slice %z[0, %i, 0] [2, 1, 4] [1, 1, 1]
           : tensor<2x9x4xf32> to tensor<2x1x4xf32>
      %next = heddle.insert %row into %y at %i axis(1)
           : tensor<2x1x4xf32> into tensor<2x9x4xf32>
      scf.yield %next : tensor<2x9x4xf32>
    }
    ```

    Constraints:
    * (C1) `axis` is a dimension of `tensor`, and `part` has as many.
    * (C2) they have equal sizes, but for that of `axis`, and equal element types.
  }];
  let arguments =
      (ins Heddle_Tensor:$part, Heddle_Tensor:$tensor, Index:$start, I64Attr:$axis);
  let results = (outs Heddle_Tensor:$result);
  let assemblyFormat = [{
    $part `into` $tensor `at` $start `axis` `(` $axis `)` attr-dict
    `:` type($part) `into` type($tensor)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = Heddle_FusionRole<"Control">.declaration;
}

def Heddle_SplitOp : Heddle_TensorOp<"split"> {
  let summary = "parts of a tensor, one after the other";
  let description = [{
    Result k has `sizes[k]` elements of dimension `axis`, from where result k - 1 ends.

    ```mlir
    %y:2 = heddle.split %x axis(1) sizes [4, 8]
         : tensor<5x12xf32> -> tensor<5x4xf32>, tensor<5x8xf32>
    ```

    Constraints:
    * (C1) `axis` is a dimension of `input`.
    * (C2) there is a size for each result.
    * (C3) the sizes add up to that of `axis`.
    * (C4) no size is below 0; calls check those that have symbols.
  }];
  let arguments = (ins Heddle_Tensor:$input, I64Attr:$axis,
      Heddle_SizeArrayAttr:$sizes);
  let results = (outs Variadic<Heddle_Tensor>:$results);
  let assemblyFormat = [{
    $input `axis` `(` $axis `)` `sizes` custom<SizeList>($sizes) attr-dict
    `:` type($input) `->` type($results)
  }];
  let hasVerifier = 1;
}

def Heddle_PadOp : Heddle_TensorOp<"pad"> {
  let summary = "a constant around a tensor";
  let description = [{
    `pad(x)[i_0, ..] = x[i_0 - low_0, ..]` where that is in `input`, and `value` elsewhere.
    The size of dimension k is `low_k + size_k + high_k`.

    ```mlir
    %y = heddle.pad %x low [0, 2] high [1, 0] value(0.0 : f32)
       : tensor<5x12xf32> -> tensor<6x14xf32>
    ```

    Constraints:
    * (C1) there are a low and a high for each dimension.
    * (C2) `value` has the element type of `input`.
  }];
  let arguments = (ins Heddle_Tensor:$input, Heddle_SizeArrayAttr:$low,
      Heddle_SizeArrayAttr:$high, TypedAttrInterface:$value);
  let results = (outs Heddle_Tensor:$result);
  let assemblyFormat = [{
    $input `low` custom<SizeList>($low) `high` custom<SizeList>($high)
    `value` `(` $value `)` attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Heddle_BroadcastOp : Heddle_TensorOp<"broadcast"> {
  let summary = "a tensor repeated along dimensions";
  let description = [{
    Dimensions of `input` are the last of the result (NumPy's rule): those of size 1 are
    repeated, as are those that the result has more. With s_k the size of dimension k of
    `input`, counted as the result's:
    `broadcast(x)[i_0, i_1, ..] = x[.., min(i_k, s_k - 1), ..]`

    Which of both a size is that has symbols is known when the model is called: a call with
    another size is an error.

    ```mlir
    %y = heddle.broadcast %x to [5, 3, 12] : tensor<3x1xf32> -> tensor<5x3x12xf32>
    ```

    Constraints:
    * (C1) `sizes` are at least as many as the dimensions of `input`.
    * (C2) each dimension of `input` may have the size 1, or that of the result, as sizes
      are, or as the function declares them in `heddle.symbols`.
  }];
  let arguments = (ins Heddle_Tensor:$input, Heddle_SizeArrayAttr:$sizes);
  let results = (outs Heddle_Tensor:$result);
  let assemblyFormat =
      "$input `to` custom<SizeList>($sizes) attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Heddle_BroadcastTensorsOp : Heddle_TensorOp<"broadcast_tensors"> {
  let summary = "tensors repeated to one shape";
  let description = [{
    Result k is `inputs[k]`, broadcast (heddle.broadcast) to the shape that all have in
    common: as PyTorch's `broadcast_tensors` and NumPy's `broadcast_arrays`. It stands before
    `arith` and `math`, whose operands have equal sizes. Dimensions are counted from the last;
    that of sizes a and b has the size `max(a, b) * min(a, b, 1)`, which is n of 1 and n, and
    of n and n.

    ```mlir
    // %x : [batch, a], %y : [b]
    %u, %v = heddle.broadcast_tensors %x, %y
           : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>, tensor<?x?xf32>
    %z = arith.addf %u, %v : tensor<?x?xf32>
    ```

    Constraints:
    * (C1) there is a result for each of `inputs`, with its element type and the rank of that
      which has most dimensions.
    * (C2) the sizes of a dimension may be equal, but for those that are 1, as
      heddle.broadcast has it (C2).
  }];
  let arguments = (ins Variadic<Heddle_Tensor>:$inputs);
  let results = (outs Variadic<Heddle_Tensor>:$results);
  let assemblyFormat =
      "$inputs attr-dict `:` custom<OperandTypes>(type($inputs)) `->` type($results)";
  let hasVerifier = 1;
}
