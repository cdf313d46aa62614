// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_PREPARE_PASSES_TD
#define HEDDLE_PREPARE_PASSES_TD

include "mlir/Pass/PassBase.td"

def AddSampling : Pass<"heddle-add-sampling", "mlir::ModuleOp"> {
  let summary = "decoders for devices get entry points that choose the next ids";
  let description = [{
    Of a module with a decoder, or with functions prefill and decode, with a result that is
    declared to be logits (`heddle.role`), f32 of a known vocabulary. Sessions of the runtime
    call them, so that logits stay on the device. Functions of these names that are there
    stay.

    ```mlir
    func.func @sample(
        %logits: tensor<?x9xf32> {heddle.name = "logits", heddle.sizes = ["batch"]},
        %temperature: tensor<?xf32> {heddle.name = "temperature", heddle.sizes = ["batch"]},
        %min_p: tensor<?xf32> {heddle.name = "min_p", heddle.sizes = ["batch"]},
        %uniform: tensor<?xf32> {heddle.name = "uniform", heddle.sizes = ["batch"]})
        -> (tensor<?xi32> {heddle.name = "ids"}) {
      %ids = heddle.sample %logits temperature(%temperature) min_p(%min_p)
          uniform(%uniform) : tensor<?x9xf32>, tensor<?xf32> -> tensor<?xi32>
      return %ids : tensor<?xi32>
    }
    // and @sample_likely, with "top_k" and "top_p" behind the temperature and
    // heddle.keep_likely before
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def WidenActivations : Pass<"heddle-widen-activations", "mlir::ModuleOp"> {
  let summary = "layers of bf16 and f16 compute in f32";
  let description = [{
    What implements ActivationsOpInterface gets its activations by casts to f32, and what
    comes of it is rounded once. Weights stay as they are stored, and so do the operands
    of regions.

    ```mlir
    %y = heddle.linear %x, %w : tensor<?x64xbf16>, tensor<32x64xbf16>
    // becomes
    %0 = heddle.cast %x : tensor<?x64xbf16> -> tensor<?x64xf32>
    %1 = heddle.linear %0, %w : tensor<?x64xf32>, tensor<32x64xbf16>
    %y = heddle.cast %1 : tensor<?x32xf32> -> tensor<?x32xbf16>
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def BoxScalars : Pass<"heddle-box-scalars", "mlir::ModuleOp"> {
  let summary = "scalars that entry points take and return become tensors";
  let description = [{
    They have no dimensions, so that in C a scalar is a pointer to one element. An index is
    an i64.

    ```mlir
    func.func @f(%x: f32) -> f32 { ... return %y : f32 }
    // becomes
    func.func @f(%0: tensor<f32>) -> tensor<f32> {
      %x = tensor.extract %0[] : tensor<f32>
      ...
      %1 = heddle.from_number %y : f32 -> tensor<f32>
      return %1 : tensor<f32>
    }
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "mlir::arith::ArithDialect",
                           "mlir::tensor::TensorDialect"];
}

def ExpandLayers : Pass<"heddle-expand-layers", "mlir::ModuleOp"> {
  let summary = "whole layers become smaller ops, with the weights that they name";
  let description = [{
    heddle.encoder_layer, heddle.decoder_layer, heddle.encoder, heddle.decoder and
    heddle.encoder_decoder become heddle.multi_head_attention, heddle.feed_forward, norms
    and sums. Sizes need not be known. Where a query is not its memory,
    `in_proj_weight` is read in three parts.

    ```mlir
    %y = heddle.encoder_layer %x from("l") heads(4) norm(post) activation(relu)
         epsilon(1.0e-5) : tensor<?x?x64xf32>
    // becomes
    %w = heddle.weight_ref @l.self_attn.in_proj_weight : tensor<192x64xf32>
    ...
    %a = heddle.multi_head_attention %x, %x, %x heads(4, kv = 4) combined(%w, %b : ...) ...
    %s = arith.addf %x, %a : tensor<?x?x64xf32>
    %n = heddle.layer_norm %s, %w1, %b1 epsilon(1.0e-5) : ...
    %f = heddle.feed_forward relu %n, %w2, %w3 ...
    ...
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "mlir::arith::ArithDialect"];
}

def ResolveSizes : Pass<"heddle-resolve-sizes", "mlir::ModuleOp"> {
  let summary = "gives every tensor and cache the sizes of its dimensions";
  let description = [{
    The argument attribute `heddle.sizes` of functions and kernels has an expression
    (see #heddle.size) for each `?` of the type, or two for a cache: batch and
    capacity. They go into the types of arguments, and from there through
    SizesOpInterface into those of all other values. Dimensions whose size turns out
    to be a number become static. Ops of `linalg` and `tensor` are replaced on the way
    (ConvertOpInterface).

    ```mlir
    func.func @f(%x: tensor<?x64xf32> {heddle.sizes = ["past + length"]})
    // becomes
    func.func @f(%x: tensor<?x64xf32, #heddle.sizes<"length + past">>)
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def ExpandAttention : Pass<"heddle-expand-attention"> {
  let summary = "multi-head attention with a cache or a change of scores becomes smaller ops";
  let description = [{
    heddle.multi_head_attention with `cache` or `score` becomes what `--heddle-decompose` makes
    of others. Later passes and the reference then know one way to append to a cache and to
    change scores. Types have their sizes.

    ```mlir
    %y, %c1 = heddle.multi_head_attention %x, %x, %x mask(%m) cache(%c : ...) layer(0)
        at(%starts : ...) lengths(%lengths : ...) heads(8, kv = 8) query(%wq : ...) ...
    // becomes
    %q = heddle.linear %x, %wq : ...
    ...
    %c1 = heddle.cache.append %c, %k, %v layer(0) at(%starts) lengths(%lengths) : ...
    %k1, %v1 = heddle.cache.read %c1 layer(0) : ...
    %a = heddle.attention %q, %k1, %v1 mask(%m) heads(8, kv = 8) : ...
    %y = heddle.linear %a, %wo : ...
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def HoistConstants : Pass<"heddle-hoist-constants", "mlir::ModuleOp"> {
  let summary = "constants of different elements become weights";
  let description = [{
    Those whose elements are all one number stay: they go into the bodies that read
    them.

    ```mlir
    %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    // becomes
    heddle.weight @constant = dense<[1.0, 2.0]> : tensor<2xf32>
    %c = heddle.weight_ref @constant : tensor<2xf32>
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def ConvertWeights : Pass<"heddle-convert-weights", "mlir::ModuleOp"> {
  let summary = "matrices of layers become integers with scales, or other floats";
  let description = [{
    Each matrix of weights that a linear layer, heddle.matmul, a feed-forward layer, experts or
    heddle.multi_head_attention reads is quantised along what they sum up, and decoded where
    it is read, or cast to other floats. Layers that name their weights are expanded before. Both are ops of the function: --heddle-derive-weights makes weights of
    the integers and scales, and what is compared with a compiled model decodes the same
    ones. Embeddings, routers, norms and biases stay as they are, as do matrices of weights
    that `keep` matches. What makes logits has 8 bits at least (`heddle.least_bits` of
    heddle.linear).

    `group` neighbours of a row, which is what an output channel is made with, have a scale
    of bf16; with 0, the whole row has one of f32. Integers of 4 bits have scales of least
    squares. Rows that have no whole groups get integers of 8 bits and one scale. Tables of
    embeddings become other floats, too, and operands of heddle.matmul do not.

    ```mlir
    %w = heddle.weight_ref @w : tensor<172x64xbf16>
    %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<172x64xbf16>
    // becomes
    %w = heddle.weight_ref @w : tensor<172x64xbf16>
    %q, %s = heddle.quantize %w axis(1) group(64) : tensor<172x64xbf16> -> tensor<172x64xi8>, tensor<172x1xf32>
    %d = heddle.dequantize %q, %s axis(1) : tensor<172x64xi8>, tensor<172x1xf32> -> tensor<172x64xf32>
    %y = heddle.linear %x, %d : tensor<?x64xf32>, tensor<172x64xf32>
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
  let options = [
    Option<"type", "type", "std::string", "\"int8\"", "int8, int4, bf16, f16 or f32">,
    Option<"group", "group", "int64_t", "0",
           "how many elements have a scale, 0 for those of a row">,
    ListOption<"keep", "keep", "std::string",
               "regular expressions of the names of weights that stay as they are">
  ];
}

def QuantizeActivations : Pass<"heddle-quantize-activations", "mlir::ModuleOp"> {
  let summary = "inputs of layers whose matrices are integers become integers, too";
  let description = [{
    What a linear layer reads is quantised to 16 or 8 bits along what it sums up, and decoded where
    it is read, if its matrix is integers of 8 bits or fewer with scales, which follow from
    weights alone. Both are ops of the function, so that what is compared with a compiled model
    computes with the same integers. Their products are added up as integers
    (#heddle.contraction): of up to 256 inputs of 16 bits, which have one scale, i32 holds the
    sum. Inputs of 8 bits have one scale for each group of the matrix, or for a whole row.
    What zeros stand for, and minimums, multiply the sums of groups of inputs, in products of
    their own, which have one term for each group. Feed-forward and attention layers become the linear
    ones that they mean.

    A group of inputs whose largest magnitude is m is off by m / 65534 at most, some hundred
    times less than what matrices of 8 bits are off by, or by m / 254. With `largest-error`, 8
    bits are for groups that lose no more by it (Prepare/InputErrors.h: 0.0053 in groups of 32,
    0.0064 of 128, 0.0086 of 4096), the others become 16 bits (0.000027 of 256), and what loses
    more by these, too, stays.

    ```mlir
    %y = heddle.linear %x, %w : tensor<?x768xf32>, tensor<172x768xf32>
    // becomes
    %q, %s = heddle.quantize %x axis(1) group(256) : tensor<?x768xf32> -> tensor<?x768xi16>, tensor<?x3xf32>
    %d = heddle.dequantize %q, %s axis(1) : tensor<?x768xi16>, tensor<?x3xf32> -> tensor<?x768xf32>
    %y = heddle.linear %d, %w : tensor<?x768xf32>, tensor<172x768xf32>
    ```
  }];
  let options = [
    Option<"bits", "bits", "unsigned", "16", "of inputs: 16 or 8">,
    Option<"largestError", "largest-error", "double", "1.0",
           "that inputs may have, relative to their root mean square">,
    Option<"required", "required", "bool", "true", "fail where there is no such layer">
  ];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def ReorderInputs : Pass<"heddle-reorder-inputs", "mlir::ModuleOp"> {
  let summary = "the order of a matrix's inputs becomes that of what is multiplied with it";
  let description = [{
    Of linear layers whose matrix is another one with its inputs in an order that a constant
    tells, which has each input once: GPTQ files with `desc_act` sort inputs by how much they
    count, and then group them. Integers in groups are decoded as they are stored, where an
    order after that would make floats of them. Feed-forward and attention layers become the
    linear ones that they mean.

    ```mlir
    %o = arith.constant dense<[2, 0, 1, 3]> : tensor<4xi32>
    %m = heddle.gather %w, %o axis(1) : tensor<8x4xf32>, tensor<4xi32> -> tensor<8x4xf32>
    %y = heddle.linear %x, %m : tensor<?x4xf32>, tensor<8x4xf32>
    // becomes
    %p = arith.constant dense<[1, 2, 0, 3]> : tensor<4xi32>
    %z = heddle.gather %x, %p axis(1) : tensor<?x4xf32>, tensor<4xi32> -> tensor<?x4xf32>
    %y = heddle.linear %z, %w : tensor<?x4xf32>, tensor<8x4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::heddle::HeddleDialect"];
}

def RoundActivations : Pass<"heddle-round-activations", "mlir::ModuleOp"> {
  let summary = "inputs of layers whose matrices are bf16 are rounded to bf16";
  let description = [{
    What a linear layer reads, or heddle.matmul multiplies with a matrix, is rounded to bf16 if
    that matrix is bf16, or f32 cast from bf16, and follows from weights alone: products of both are then added up in
    pairs (#heddle.contraction). Both casts are ops of the function, so that what is compared
    with a compiled model computes with the same numbers. An odd number of terms has no pairs, and
    few outputs have no register tiles: what these read stays as it is. Feed-forward and attention
    layers become the linear ones that they mean.

    An input is off by a 256th of itself at most. The instruction takes numbers and sums below
    2^-126 for 0.

    ```mlir
    %y = heddle.linear %x, %w : tensor<?x768xf32>, tensor<172x768xbf16>
    // becomes
    %r = heddle.cast %x : tensor<?x768xf32> -> tensor<?x768xbf16>
    %d = heddle.cast %r : tensor<?x768xbf16> -> tensor<?x768xf32>
    %y = heddle.linear %d, %w : tensor<?x768xf32>, tensor<172x768xbf16>
    ```
  }];
  let options = [
    Option<"required", "required", "bool", "true", "fail where there is no such layer">,
    Option<"round", "round", "bool", "true", "change those that there are">
  ];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def RoundAttention : Pass<"heddle-round-attention", "mlir::ModuleOp"> {
  let summary = "attention multiplies bf16 beside layers that multiply bytes or bf16";
  let description = [{
    Where inputs of layers have become bytes or bf16, attention whose keys and values come from
    no cache gets `products(bf16)`, and attention over a cache of bf16, where the CPU multiplies
    pairs of these faster than f32: its factors are off by a 256th of themselves at most, as those
    layers' are or less.

    ```mlir
    %a = heddle.attention %q, %k, %v heads(12, kv = 12) : ...
    // becomes
    %a = heddle.attention %q, %k, %v heads(12, kv = 12) products(bf16) : ...
    ```
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"native\"", "the CPU">
  ];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def IntegerProducts : Pass<"heddle-integer-products", "mlir::ModuleOp"> {
  let summary = "products of integers that become floats are linear layers";
  let description = [{
    ONNX's MatMulInteger multiplies differences of integers of 8 bits and zeros, in i32, and a cast
    makes floats of the sums. Where the second matrix is a weight, the codes alone are multiplied,
    as those of quantised layers are; what the zeros make of it is subtracted. Sums of codes are
    exact, and rounded once.

    ```mlir
    // %a, %z of ui8, %w of i8
    %p = heddle.matmul (cast %a - cast %z), cast %w : tensor<?x768xi32>, tensor<768x172xi32> -> tensor<?x172xi32>
    %y = heddle.cast %p : tensor<?x172xi32> -> tensor<?x172xf32>
    // becomes
    %x = heddle.dequantize (%a - 128), 1
    %s = heddle.linear %x, dequantize(transpose(%w), 1)
    %y = %s - (%z - 128) * sums of columns of %w
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::arith::ArithDialect"];
}

def JoinSlices : Pass<"heddle-join-slices"> {
  let summary = "slices of one tensor, in another order, are one read";
  let description = [{
    Rotary positions are often spelled so: the second half of a head's channels with a minus,
    then the first half. Such a concat reads the tensor that its parts are slices of.

    ```mlir
    %h = heddle.slice %x offsets [0, 8] sizes [5, 8] steps [1, 1] : tensor<5x16xf32> -> tensor<5x8xf32>
    %l = heddle.slice %x offsets [0, 0] sizes [5, 8] steps [1, 1] : tensor<5x16xf32> -> tensor<5x8xf32>
    %n = arith.negf %h : tensor<5x8xf32>
    %y = heddle.concat %n, %l axis(1) : tensor<5x8xf32>, tensor<5x8xf32> -> tensor<5x16xf32>
    // becomes
    %y = heddle.generic over [5, 16] ins(%x : tensor<5x16xf32>) maps [(c, d) -> (c, (d + 8) mod 16)] {
    ^bb0(%e: f32):
      // d < 8 ? -%e : %e
    } : tensor<5x16xf32>
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "::mlir::arith::ArithDialect"];
}

def RemoveSigns : Pass<"heddle-remove-signs", "mlir::ModuleOp"> {
  let summary = "matrices of integers lose their signs, where the CPU multiplies bytes";
  let description = [{
    vpdpbusd adds up products of a byte with a sign and one without. Where the target has it,
    matrices of i8 and i4 that inputs of i8 are multiplied with become ui8 and ui4, larger by
    2^(bits - 1), and what is too much is subtracted: that times the sum of each group of
    inputs, times the scale. So do the matrices of experts.

    ```mlir
    %w = heddle.dequantize %c, %t axis(1) : tensor<172x768xi8>, tensor<172x1xf32> -> tensor<172x768xf32>
    %y = heddle.linear %d, %w : tensor<?x768xf32>, tensor<172x768xf32>
    // becomes
    %u = heddle.offset_binary %c : tensor<172x768xi8> -> tensor<172x768xui8>
    %v = heddle.dequantize %u, %t axis(1) : tensor<172x768xui8>, tensor<172x1xf32> -> tensor<172x768xf32>
    %z = heddle.linear %d, %v : tensor<?x768xf32>, tensor<172x768xf32>
    %s = heddle.generic .. : tensor<?x1xf32>  // 128 times the sums of %d
    %o = heddle.linear %s, %t : tensor<?x1xf32>, tensor<172x1xf32>
    %y = arith.subf %z, %o : tensor<?x172xf32>
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def DeriveWeights : Pass<"heddle-derive-weights", "mlir::ModuleOp"> {
  let summary = "what functions compute of weights alone is computed when they are packed";
  let description = [{
    Transposed and regrouped weights, stacked ones, `1 + w` become weights with a body, each
    once, whatever functions compute it. A slice of a weight is a reference to that part of
    it. What would be larger than the weights that it is made of, or only of a wider type or
    other dimensions, is left to kernels.

    ```mlir
    %w = heddle.weight_ref @w : tensor<64x256xf32>
    %t = heddle.transpose %w permutation [1, 0] : tensor<64x256xf32> -> tensor<256x64xf32>
    %y = heddle.linear %x, %t : tensor<?x64xf32>, tensor<256x64xf32>
    ```
    becomes
    ```mlir
    heddle.weight @w.transpose : tensor<256x64xf32> {
      %w = heddle.weight_ref @w : tensor<64x256xf32>
      %t = heddle.transpose %w permutation [1, 0] : tensor<64x256xf32> -> tensor<256x64xf32>
      heddle.yield %t : tensor<256x64xf32>
    }
    %t = heddle.weight_ref @w.transpose : tensor<256x64xf32>
    %y = heddle.linear %x, %t : tensor<?x64xf32>, tensor<256x64xf32>
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def DeclareRoles : Pass<"heddle-declare-roles", "mlir::ModuleOp"> {
  let summary = "says what sizes, arguments and results of functions mean";
  let description = [{
    Writes the attributes of #heddle.symbol, #heddle.values and #heddle.role of arguments,
    and `heddle.padding`, where a function does not have them: what its ops need of its
    integers, and what its sizes can be at most. Roles of results stay as they are declared.
    `heddle.values` that are there must be as strict as what ops need. Later stages go by
    these attributes alone.

    Ids are below the rows of their table, lengths at most those of the tokens that
    they are about, starts and the lengths after them at most the capacity of their own
    cache, and positions and tokens at most the positions that have an angle.

    ```mlir
    func.func @f(%ids: tensor<?xi32, #heddle.sizes<"n">>) { embedding of 100 rows }
    // becomes
    func.func @f(%ids: tensor<?xi32, #heddle.sizes<"n">> {heddle.role = #heddle.role<ids>,
        heddle.values = #heddle.values<0 to "99">})
        attributes {heddle.symbols = [#heddle.symbol<"n", 1 to 65536>]}
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def SplitPhases : Pass<"heddle-split-phases", "mlir::ModuleOp"> {
  let summary = "one decoder becomes the entry points prefill and decode";
  let description = [{
    A function with the attribute `heddle.decoder` is cloned: `@prefill` takes any
    number of tokens, and in `@decode` the symbol that counts them is 1. The attribute
    names that symbol (`heddle.decoder = "length"`); without a name it is the one that
    counts the tokens of heddle.cache.append. In what the function declares of its sizes
    and values it is 1, too.
  }];
}

def DeclareConditions : Pass<"heddle-declare-conditions", "mlir::ModuleOp"> {
  let summary = "says what broadcasting and parts need of sizes";
  let description = [{
    Writes `heddle.broadcasts`: an entry for each dimension of an operand that may be 1 or
    that of the result; and `heddle.counts`: the sizes of parts, and of what is
    reshaped, that may be negative. Ops that
    are decomposed no longer tell them.

    ```mlir
    func.func @f(%x: tensor<?xf32, #heddle.sizes<"b">>) { heddle.broadcast %x to ["n"] }
    // becomes
    func.func @f(%x: tensor<?xf32, #heddle.sizes<"b">>)
        attributes {heddle.broadcasts = [#heddle.broadcast<"b" to "n">]}
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect"];
}

def Decompose : Pass<"heddle-decompose"> {
  let summary = "ops become those that they mean together";
  let description = [{
    What implements DecomposeOpInterface: tensor ops become heddle.generic, layers other
    layers. Types have their sizes (see --heddle-resolve-sizes).

    ```mlir
    %y = heddle.transpose %x permutation [1, 0] : tensor<5x12xf32> -> tensor<12x5xf32>
    // becomes
    %y = heddle.generic over [12, 5] ins(%x : tensor<5x12xf32>)
        maps [affine_map<(i, j) -> (j, i)>] {
    ^bb0(%a: f32):
      heddle.yield %a : f32
    } : tensor<12x5xf32>
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "mlir::arith::ArithDialect",
                           "mlir::math::MathDialect", "mlir::scf::SCFDialect"];
  let options = [
    Option<"keepLayers", "keep-layers", "bool", "false",
           "leave what the reference has a formula for as it is">
  ];
}

def GeneralizeElementwise : Pass<"heddle-generalize-elementwise"> {
  let summary = "ops of arith and math on tensors become heddle.generic";
  let description = [{
    Constants whose elements are all one number become that number in the body.

    ```mlir
    %y = math.exp %x : tensor<4xf32>
    // becomes
    %y = heddle.generic over [4] ins(%x : tensor<4xf32>) maps [affine_map<(i) -> (i)>] {
    ^bb0(%a: f32):
      %0 = math.exp %a : f32
      heddle.yield %0 : f32
    } : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "mlir::arith::ArithDialect"];
}

def MergeGenerics : Pass<"heddle-merge-generics"> {
  let summary = "a heddle.generic takes in those that produce its inputs";
  let description = [{
    Views (bodies that yield what they read) and casts go into all ops that read them,
    other elementwise producers into the only one, if that reads each element once. Weights
    that are decoded of narrower ones (heddle.dequantize) are decoded by all that read them,
    elements of tables where they are read. Maps are composed and simplified.
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "mlir::arith::ArithDialect"];
}

def SubtractTables : Pass<"heddle-subtract-tables"> {
  let summary = "tables that are read at the same places are subtracted before";
  let description = [{
    What the tokens of an expert are multiplied with stands in tiles, and each token reads its
    own row of them. Where one product is subtracted from another (heddle-remove-signs), the
    kernel of the first can do so, if it is done in the tiles.

    ```mlir
    %0 = heddle.read %a[%i, %j, %k] : tensor<?x12x64xf32>
    %1 = heddle.read %b[%i, %j, %k] : tensor<?x12x64xf32>
    %2 = arith.subf %0, %1 : f32
    // becomes
    %2 = heddle.read %c[%i, %j, %k] : tensor<?x12x64xf32>  // %a - %b
    ```
  }];
  let dependentDialects = ["::heddle::HeddleDialect", "mlir::arith::ArithDialect"];
}

#endif // HEDDLE_PREPARE_PASSES_TD
