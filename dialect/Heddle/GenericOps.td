// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The structured op, for everything that a transformer has no name for.

def Heddle_GenericOp : Heddle_PureOp<"generic",
    [AttrSizedOperandSegments, IsolatedFromAbove,
     SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "a scalar function at every point of an iteration space";
  let description = [{
    The dimensions of `over` are those of each result, in order; those of `reduce` are
    summed over, or combined as the body says. With p in `over` and r in `reduce`:

    `result[p] = fold over r of body(inputs[map(p, r)]..., tables..., result so far)`

    The block has a scalar argument for each of `inputs`, read where its map says; a
    tensor for each of `tables`, for heddle.read; and, where there is something to
    reduce, the value so far of each result, which begins as its `initial`. Maps are
    affine in the dimensions; their symbols are the sizes of `symbols`. The body is
    `arith` and `math` on scalars, heddle.index, heddle.size and heddle.read. Elements
    are read and written as they are, but for unsigned integers, which are integers without
    a sign in the body: it computes in the types that it states, and each result of bf16 or
    f16 is that of f32, rounded.

    A reduction goes through the points of `reduce` in order, the last dimension
    fastest. Where a result is the sum, product, minimum, maximum, `and`, `or` or `xor`
    of the value so far and something that uses no value so far, compiled code may
    combine in any other order.

    ```mlir
    // y[i] = sum_j x[i, j]^2
    %y = heddle.generic over ["batch"] reduce [64] initial [0.0 : f32]
        ins(%x : tensor<?x64xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] {
    ^bb0(%e: f32, %sum: f32):
      %0 = arith.mulf %e, %e : f32
      %1 = arith.addf %sum, %0 : f32
      heddle.yield %1 : f32
    } : tensor<?xf32>
    // z[j, i] = x[i, j] + t[ids[i], j], with ids limited to the rows of t
    %z = heddle.generic over [64, "batch"]
        ins(%x, %ids : tensor<?x64xf32>, tensor<?xi32>)
        maps [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1)>]
        tables(%t : tensor<512x64xf32>) {
    ^bb0(%e: f32, %id: i32, %table: tensor<512x64xf32>):
      %c = heddle.index 0
      %0 = heddle.read %table[%id, %c] : tensor<512x64xf32>
      %1 = arith.addf %e, %0 : f32
      heddle.yield %1 : f32
    } : tensor<64x?xf32>
    ```

    Constraints:
    * (C1) there is a map for each input, from all dimensions and symbols to as many
      coordinates as the input has.
    * (C2) the block has the arguments above, of the element types; of ui8 the type is i8,
      and so on.
    * (C3) it yields a value of each result's element type, in the same sense.
    * (C4) results have the sizes of `over`.
    * (C5) with `reduce`, `initial` has a number of the type that is yielded for each
      result, and none without.
    * (C6) every coordinate that a map gives is seen to lie in its input.
    * (C7) dimensions are at least 0, and those of `reduce` at most 2147479552.
    * (C8) results of i4 and ui4, which are never stored, are matrices that the op chooses: it
      has the attribute `heddle.choice`.
  }];
  let arguments = (ins Variadic<Heddle_WeightTensor>:$inputs,
      Variadic<Heddle_WeightTensor>:$tables, Heddle_SizeArrayAttr:$over,
      Heddle_SizeArrayAttr:$reduce, AffineMapArrayAttr:$maps,
      Heddle_SizeArrayAttr:$symbols, ArrayAttr:$initial);
  let results = (outs Variadic<Heddle_WeightTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The sizes of all dimensions: those of `over`, then those of `reduce`.
    ::heddle::Sizes getExtents();
    bool hasReduction() { return !getReduce().empty(); }
    /// The map of input `index`.
    ::mlir::AffineMap getMap(unsigned index) {
      return ::llvm::cast<::mlir::AffineMapAttr>(getMaps()[index]).getValue();
    }
    /// Where input `index` is read (see Coordinates.h).
    ::heddle::Sizes getCoordinates(unsigned index);
    /// The block's arguments for inputs, tables and values so far.
    ::mlir::Block::BlockArgListType getInputArguments();
    ::mlir::Block::BlockArgListType getTableArguments();
    ::mlir::Block::BlockArgListType getAccumulators();

    /// A result that is one op of the value so far and of `term`, which depends on
    /// no result so far, so that terms may be combined in any order.
    struct Combiner {
      ::mlir::Operation *op;
      ::mlir::Value term;
    };
    std::optional<Combiner> getCombiner(unsigned result);
  }];
}

class Heddle_BodyOp<string mnemonic, list<Trait> traits = []>
    : Heddle_Op<mnemonic, !listconcat([Pure, HasParent<"GenericOp">], traits)>;

def Heddle_IndexOp : Heddle_BodyOp<"index"> {
  let summary = "a coordinate of the point that a heddle.generic is at";
  let description = [{
    ```mlir
    %y = heddle.generic over [4, 8] {
      %i = heddle.index 1
      heddle.yield %i : i32
    } : tensor<4x8xi32>
    ```

    Constraints:
    * (C1) `dimension` is one of `over` and `reduce`, counted together.
  }];
  let arguments = (ins I64Attr:$dimension);
  let results = (outs I32:$result);
  let assemblyFormat = "$dimension attr-dict";
  let hasVerifier = 1;
}

def Heddle_SizeOp : Heddle_Op<"size", [Pure]> {
  let summary = "the value of a size";
  let description = [{
    An i32 in the body of a heddle.generic, and an index elsewhere: what numbers of
    control flow are made of.

    ```mlir
    %end = heddle.size "past + length" : index
    %y = heddle.generic over [4] {
      %n = heddle.size "past + length" : i32
      heddle.yield %n : i32
    } : tensor<4xi32>
    ```

    Constraints:
    * (C1) the result is of the type above.
    * (C2) a number, where the result is an i32, is one of 32 bits.
  }];
  let arguments = (ins Heddle_SizeAttr:$size);
  let results = (outs AnyTypeOf<[I32, Index]>:$result);
  let assemblyFormat = "custom<Size>($size) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Heddle_FromNumberOp : Heddle_PureOp<"from_number"> {
  let summary = "a number of control flow as a tensor without dimensions";
  let description = [{
    What kernels read numbers from that they cannot compute: the step that a loop is at,
    and what loops and branches carry. An index becomes an i64.

    ```mlir
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    scf.for %i = %c0 to %c9 step %c1 {
      %step = heddle.from_number %i : index -> tensor<i64>
    }
    ```

    Constraints:
    * (C1) the result has no dimensions, and the number's type as its element type: i64
      where that is index.
  }];
  let arguments = (ins AnyTypeOf<[Heddle_Scalar, Index]>:$number);
  let results = (outs Heddle_Tensor:$result);
  let assemblyFormat = "$number attr-dict `:` type($number) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$number)>];
  let hasVerifier = 1;
  let extraClassDeclaration = Heddle_FusionRole<"Control">.declaration;
}

def Heddle_ReadOp : Heddle_BodyOp<"read", [AttrSizedOperandSegments]> {
  let summary = "an element of a table, at computed coordinates";
  let description = [{
    `read(table, i...) = table[clamp(i, 0, size - 1)...]`, or, with `fill`,
    `i in table ? table[i...] : fill`, so that no coordinate leads outside.

    ```mlir
    heddle.weight @w = dense<1.0> : tensor<512x64xf32>
    %w = heddle.weight_ref @w : tensor<512x64xf32>
    %y = heddle.generic over [4, 64] tables(%w : tensor<512x64xf32>) {
    ^bb0(%table: tensor<512x64xf32>):
      %i = heddle.index 0
      %j = heddle.index 1
      %zero = arith.constant 0.0 : f32
      %0 = heddle.read %table[%i, %j] : tensor<512x64xf32>
      %1 = heddle.read %table[%i, %j] fill(%zero) : tensor<512x64xf32>
      %2 = arith.addf %0, %1 : f32
      heddle.yield %2 : f32
    } : tensor<4x64xf32>
    ```

    Constraints:
    * (C1) there is a coordinate for each dimension of `table`.
    * (C2) `table` is an argument of the block.
    * (C3) `fill` and the result have the element type of `table`; of ui8 that is i8, and
      so on.
  }];
  let arguments = (ins Heddle_WeightTensor:$table, Variadic<I32>:$coordinates,
      Optional<AnyType>:$fill);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
