// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensor ops whose elements are chosen by numbers. What a number outside of its dimension
// means, each op says. `wrap` is NumPy's rule for negative ones.

def Heddle_GatherOp : Heddle_TensorOp<"gather"> {
  let summary = "parts of a tensor, chosen along one dimension or several";
  let description = [{
    `gather(x, ids)[a.., b.., c..] = x[a.., ids[b..], c..]`, where a are the dimensions of x
    before `axis`, and c those after it. With `coordinates(m)` the last dimension of `ids`
    has an index for each of m dimensions, those from `axis` on:
    `gather(x, ids)[a.., b.., c..] = x[a.., ids[b.., 0], .., ids[b.., m - 1], c..]`, which
    from `axis(0)` is ONNX's GatherND.

    An index outside of its dimension is that of the nearest element. With `wrap` a
    negative index counts from the end before that: -1 is the last element.

    ```mlir
    %y = heddle.gather %x, %ids axis(0)
       : tensor<512x64xf32>, tensor<2x7xi32> -> tensor<2x7x64xf32>
    %z = heddle.gather %x, %places axis(0) coordinates(2) wrap
       : tensor<512x64xf32>, tensor<7x2xi32> -> tensor<7xf32>
    ```

    Constraints:
    * (C1) `axis` is a dimension of `input`, as are all that `coordinates` tells of.
    * (C2) `coordinates` is 1 or more, and the last dimension of `indices` has that size.
  }];
  let arguments = (ins Heddle_WeightTensor:$input, Heddle_Indices:$indices, I64Attr:$axis,
      OptionalAttr<I64Attr>:$coordinates, UnitAttr:$wrap);
  let results = (outs Heddle_WeightTensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `axis` `(` $axis `)` (`coordinates` `(` $coordinates^ `)`)?
    (`wrap` $wrap^)? attr-dict
    `:` custom<OperandTypes>(type($input), type($indices)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Heddle_GatherElementsOp : Heddle_TensorOp<"gather_elements"> {
  let summary = "elements of a tensor, chosen along one dimension";
  let description = [{
    `gather_elements(x, ids)[a.., b, c..] = x[a.., ids[a.., b, c..], c..]`, where b is the
    index of dimension `axis`.

    An index outside of its dimension is that of the nearest element. With `wrap` a
    negative index counts from the end before that: -1 is the last element.

    ```mlir
    %y = heddle.gather_elements %x, %ids axis(1)
       : tensor<5x12xf32>, tensor<5x3xi32> -> tensor<5x3xf32>
    ```

    Constraints:
    * (C1) `axis` is a dimension of `input` and `indices`, which have as many.
    * (C2) they have equal sizes, but for that of `axis`.
  }];
  let arguments = (ins Heddle_Tensor:$input, Heddle_Indices:$indices, I64Attr:$axis,
      UnitAttr:$wrap);
  let results = (outs Heddle_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `axis` `(` $axis `)` (`wrap` $wrap^)? attr-dict
    `:` custom<OperandTypes>(type($input), type($indices)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Heddle_ScatterOp : Heddle_TensorOp<"scatter"> {
  let summary = "a copy of a tensor with some of its parts replaced";
  let description = [{
    `y = x; for each b.. in order:
    y[a.., ids[b..], c..] = f(y[a.., ids[b..], c..], updates[a.., b.., c..])`, where a are the
    dimensions of x before `axis`, c those after it, and f gives the update itself
    (`assign`), or its sum, maximum or minimum with what is there. With `coordinates(m)` the
    last dimension of `ids` has an index for each of m dimensions, those from `axis` on, in
    the place of `ids[b..]`: `ids[b.., 0], .., ids[b.., m - 1]`, which from `axis(0)` is
    ONNX's ScatterND.

    Of several updates of one element `assign` keeps the last. An update with an index
    outside of its dimension does nothing. With `wrap` a negative index counts from the end
    before that: -1 is the last element. Sums of bf16 and f16 are f32, and are rounded once;
    those of integers wrap around.

    ```mlir
    %y = heddle.scatter add %x, %ids, %u axis(0)
       : tensor<512x64xf32>, tensor<7xi32>, tensor<7x64xf32> -> tensor<512x64xf32>
    %z = heddle.scatter assign %x, %places, %v axis(0) coordinates(2) wrap
       : tensor<512x64xf32>, tensor<7x2xi32>, tensor<7xf32> -> tensor<512x64xf32>
    ```

    Constraints:
    * (C1) `axis` is a dimension of `input`, as are all that `coordinates` tells of.
    * (C2) `updates` has the sizes a.., b.., c.., and the element type of `input`.
    * (C3) `add` takes no i1, and only `assign` takes floats of eight bits.
    * (C4) `coordinates` is 1 or more, and the last dimension of `indices` has that size.
  }];
  let arguments = (ins Heddle_ScatterAttr:$kind, Heddle_Tensor:$input,
      Heddle_Indices:$indices, Heddle_Tensor:$updates, I64Attr:$axis,
      OptionalAttr<I64Attr>:$coordinates, UnitAttr:$wrap);
  let results = (outs Heddle_Tensor:$result);
  let assemblyFormat = [{
    custom<Keyword>($kind) $input `,` $indices `,` $updates `axis` `(` $axis `)`
    (`coordinates` `(` $coordinates^ `)`)? (`wrap` $wrap^)? attr-dict
    `:` custom<OperandTypes>(type($input), type($indices), type($updates)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Heddle_IotaOp : Heddle_TensorOp<"iota"> {
  let summary = "the index of each element along one dimension";
  let description = [{
    `iota()[i_0, i_1, ..] = i_axis`

    ```mlir
    %y = heddle.iota axis(1) sizes [5, 12] : tensor<5x12xi32>
    ```

    Constraints:
    * (C1) `axis` is a dimension of the result.
    * (C2) its elements are numbers. Those of 8 and 16 bits are the lower bits of the
      index, as of heddle.cast; floats are rounded.
  }];
  let arguments = (ins I64Attr:$axis, Heddle_SizeArrayAttr:$sizes);
  let results = (outs RankedTensorOf<[Heddle_NumberElement]>:$result);
  let assemblyFormat =
      "`axis` `(` $axis `)` `sizes` custom<SizeList>($sizes) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Heddle_OneHotOp : Heddle_TensorOp<"one_hot"> {
  let summary = "one where an index is, and zeros";
  let description = [{
    `one_hot(ids)[a.., i] = ids[a..] == i ? 1 : 0`, for i below `depth`. Of an index outside,
    all are 0. With `wrap` a negative index counts from the end: -1 is depth - 1.

    ```mlir
    %y = heddle.one_hot %ids depth(12) : tensor<5xi32> -> tensor<5x12xf32>
    ```
  }];
  let arguments = (ins Heddle_Indices:$indices, Heddle_SizeAttr:$depth, UnitAttr:$wrap);
  let results = (outs Heddle_Tensor:$result);
  let assemblyFormat = [{
    $indices `depth` `(` custom<Size>($depth) `)` (`wrap` $wrap^)? attr-dict
    `:` type($indices) `->` type($result)
  }];
}

def Heddle_WhereOp : Heddle_TensorOp<"where"> {
  let summary = "elements of one tensor or another";
  let description = [{
    `where(c, x, y)[i..] = c[i..] ? x[i..] : y[i..]`, each broadcast as by
    heddle.broadcast_tensors.

    ```mlir
    %z = heddle.where %c, %x, %y
       : tensor<5x12xi1>, tensor<5x12xf32>, tensor<1xf32> -> tensor<5x12xf32>
    ```

    Constraints:
    * (C1) the sizes of the operands can be broadcast together, as they are, or as the
      function declares them in `heddle.symbols`.
    * (C2) x and y have equal element types.
  }];
  let arguments = (ins RankedTensorOf<[I1]>:$condition, Heddle_Tensor:$x,
      Heddle_Tensor:$y);
  let results = (outs Heddle_Tensor:$result);
  let assemblyFormat =
      "$condition `,` $x `,` $y attr-dict `:` custom<OperandTypes>(type($condition), type($x), type($y)) `->` type($result)";
  let hasVerifier = 1;
}

def Heddle_CastOp : Heddle_TensorOp<"cast"> {
  let summary = "elements of another type";
  let description = [{
    To a float: the nearest one, of two the even one; past the largest, infinity, or NaN of
    f8E4M3FN, which has no infinity. From a float to an integer: rounded towards 0; past the largest or smallest, that one; of
    NaN, 0. Between integers: the lower bits, or the number. To i1: whether it is not 0.
    From i1: 0 or 1.

    ```mlir
    %y = heddle.cast %x : tensor<5x12xf32> -> tensor<5x12xi8>
    ```
  }];
  let arguments = (ins Heddle_Tensor:$input);
  let results = (outs Heddle_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}
