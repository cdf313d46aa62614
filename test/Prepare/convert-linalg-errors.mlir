// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @negative_empty(%a: tensor<5xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  // expected-error @+1 {{reads tensor.empty, whose elements are nothing}}
  %t = linalg.add ins(%a, %e : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  return %t : tensor<5xf32>
}

// -----

func.func @negative_sizes(%a: tensor<?xf32> {heddle.sizes = ["n"]}, %b: tensor<?xf32> {heddle.sizes = ["m"]}) -> tensor<?xf32> {
  // expected-error @+1 {{expected operand 1 to have the size n that other operands have along loop 0, found m}}
  %t = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %t : tensor<?xf32>
}

// -----

func.func @negative_slice(%a: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<4xf32> {
  // expected-error @+1 {{expected elements of dimension 0 from 0 to n - 1, found 0 to 3}}
  %t = tensor.extract_slice %a[0] [4] [1] : tensor<?xf32> to tensor<4xf32>
  return %t : tensor<4xf32>
}

// -----

func.func @negative_returned() -> tensor<5xf32> {
  // expected-error @+1 {{cannot be compiled: it is used as a value}}
  %e = tensor.empty() : tensor<5xf32>
  return %e : tensor<5xf32>
}

// -----

func.func @negative_initial(%a: tensor<5x3xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{expected result 0 to begin with a constant, as linalg.fill gives it, or to be a sum, product, minimum, maximum, and, or or xor}}
  %t = linalg.reduce ins(%a : tensor<5x3xf32>) outs(%b : tensor<5xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %0 = arith.subf %out, %in : f32
      linalg.yield %0 : f32
    }
  return %t : tensor<5xf32>
}

// -----

// The first result hangs on the second one so far.
func.func @negative_initial_of_two(%a: tensor<5x3xf32>, %b: tensor<5xf32>, %c: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  // expected-error @+1 {{expected result 1 to begin with a constant}}
  %t:2 = linalg.reduce ins(%a, %a : tensor<5x3xf32>, tensor<5x3xf32>) outs(%b, %c : tensor<5xf32>, tensor<5xf32>) dimensions = [1]
    (%x: f32, %y: f32, %sum: f32, %most: f32) {
      %0 = arith.addf %x, %most : f32
      %1 = arith.addf %sum, %0 : f32
      %2 = arith.maximumf %y, %most : f32
      linalg.yield %1, %2 : f32, f32
    }
  return %t#0, %t#1 : tensor<5xf32>, tensor<5xf32>
}

// -----

func.func @negative_initial_empty(%a: tensor<5x3xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  // expected-error @+1 {{reads tensor.empty, whose elements are nothing}}
  %t = linalg.reduce ins(%a : tensor<5x3xf32>) outs(%e : tensor<5xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    }
  return %t : tensor<5xf32>
}

// -----

func.func @negative_index() -> tensor<5xindex> {
  // expected-error @+1 {{expected result 0 to have elements of f32, f64, bf16, f16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or i1, found 'tensor<5xindex>'}}
  %t = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<5xindex>
  return %t : tensor<5xindex>
}

// -----

func.func @negative_table(%a: tensor<5xf32>) -> tensor<5xf32> {
  %t = tensor.empty() : tensor<5xf32>
  // expected-error @+1 {{reads tensor.empty, whose elements are nothing}}
  %g = tensor.generate {
  ^bb0(%i: index):
    %x = tensor.extract %t[%i] : tensor<5xf32>
    tensor.yield %x : f32
  } : tensor<5xf32>
  return %g : tensor<5xf32>
}

// -----

func.func @negative_inserted(%a: tensor<?xf32> {heddle.sizes = ["n"]}, %b: tensor<?xf32> {heddle.sizes = ["m"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  // expected-error @+1 {{expected a source of the type 'tensor<?xf32, #heddle.sizes<"n">>', found 'tensor<?xf32, #heddle.sizes<"m">>'}}
  %t = tensor.insert_slice %b into %a[0] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %t : tensor<?xf32>
}

// -----

func.func @negative_strides_at_numbers(%a: tensor<8xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %k = tensor.extract %n[] : tensor<i32>
  %i = arith.index_cast %k : i32 to index
  // expected-error @+1 {{expected strides from 1 to 2147483647 of what begins at a number, found -1}}
  %t = tensor.extract_slice %a[%i] [4] [-1] : tensor<8xf32> to tensor<4xf32>
  return %t : tensor<4xf32>
}

// -----

func.func @negative_elements() -> tensor<0xf32> {
  // expected-error @+1 {{expected 1 to 64 elements, found 0: more of them are a constant or a tensor.generate}}
  %t = tensor.from_elements : tensor<0xf32>
  return %t : tensor<0xf32>
}

// -----

func.func @negative_strides(%a: tensor<8xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %s = arith.remsi %c1, %c1 : index
  // expected-error @+1 {{expected strides that are constants}}
  %t = tensor.extract_slice %a[0] [4] [%s] : tensor<8xf32> to tensor<4xf32>
  return %t : tensor<4xf32>
}

// -----

func.func @scalar_of_24_bits(%a: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i24
  %r, %n = scf.for %i = %c0 to %c5 step %c1 iter_args(%x = %a, %k = %zero) -> (tensor<5xf32>, i24) {
    %s = arith.sitofp %k : i24 to f32
    // expected-error @+1 {{expected scalars from outside to be index, or f32, f64, bf16, f16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or i1, found 'i24'}}
    %t = linalg.fill ins(%s : f32) outs(%x : tensor<5xf32>) -> tensor<5xf32>
    scf.yield %t, %k : tensor<5xf32>, i24
  }
  return %r : tensor<5xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @negative_sizes(%x: tensor<?xf32> {heddle.sizes = ["n"]},
    %y: tensor<?xf32> {heddle.sizes = ["n + 3"]}) -> tensor<?xf32> {
  // expected-error @+1 {{expected operand 1 to have the size n that other operands have along loop 0, found n + 3}}
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A dimension that is computed.
func.func @negative_dim(%x: tensor<?xf32> {heddle.sizes = ["n"]}, %i: tensor<1xi32>) -> tensor<5xi64> {
  %c0 = arith.constant 0 : index
  %e = tensor.extract %i[%c0] : tensor<1xi32>
  %d = arith.index_cast %e : i32 to index
  // expected-error @+1 {{cannot stand in a body, nor make a number for one}}
  %n = tensor.dim %x, %d : tensor<?xf32>
  %m = arith.index_cast %n : index to i64
  %y = tensor.splat %m : tensor<5xi64>
  return %y : tensor<5xi64>
}

// -----

func.func @negative_table_of_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = tensor.generate {
  ^bb0(%i: index):
    // expected-error @+1 {{cannot stand in a body, nor make a number for one}}
    %t = arith.addf %x, %x : tensor<4xf32>
    %e = tensor.extract %t[%i] : tensor<4xf32>
    tensor.yield %e : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @negative_rank(%x: tensor<4xf32>) -> tensor<4xi64> {
  %y = tensor.generate {
  ^bb0(%i: index):
    // expected-error @+1 {{cannot stand in a body, nor make a number for one}}
    %r = tensor.rank %x : tensor<4xf32>
    %e = arith.index_cast %r : index to i64
    tensor.yield %e : i64
  } : tensor<4xi64>
  return %y : tensor<4xi64>
}

// -----

func.func @negative_vector(%x: tensor<4xi32>) -> tensor<4xi32> {
  %y = tensor.generate {
  ^bb0(%i: index):
    // expected-error @+1 {{cannot stand in a body, nor make a number for one}}
    %c = arith.constant dense<1> : vector<4xi32>
    %l, %h = arith.mulsi_extended %c, %c : vector<4xi32>
    %e = arith.index_cast %i : index to i32
    tensor.yield %e : i32
  } : tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

// What a result begins with would be combined in the middle.
func.func @negative_dependent(%a: tensor<5x3xf32>, %b: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %seven = arith.constant 7.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%seven : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  // expected-error @+1 {{expected result 1 to begin with a constant}}
  %t:2 = linalg.reduce ins(%a, %a : tensor<5x3xf32>, tensor<5x3xf32>) outs(%f, %b : tensor<5xf32>, tensor<5xf32>) dimensions = [1]
    (%x: f32, %y: f32, %sum: f32, %other: f32) {
      %0 = arith.subf %sum, %x : f32
      %1 = arith.addf %0, %other : f32
      linalg.yield %0, %1 : f32, f32
    }
  return %t#0, %t#1 : tensor<5xf32>, tensor<5xf32>
}

// -----

func.func @negative_stride(%x: tensor<5xf32>, %s: tensor<1xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{expected strides that are constants from 1 to 2147483647}}
  %y = tensor.insert_slice %s into %x[0] [1] [0] : tensor<1xf32> into tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// A size is divided by what is never 0, and no byte holds one.
func.func @negative_divisor(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %d = arith.subi %n, %c4 : index
  %q = arith.floordivsi %n, %d : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{expected sizes and offsets made of constants and sizes of tensors}}
  %y = tensor.splat %z[%q] : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @negative_byte(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %c200 = arith.constant 200 : i8
  %w = arith.extui %c200 : i8 to i32
  %i = arith.index_cast %w : i32 to index
  %m = arith.addi %n, %i : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{expected sizes and offsets made of constants and sizes of tensors}}
  %y = tensor.splat %z[%m] : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @negative_extended() -> tensor<4xi32> {
  %y = heddle.generic over [4] {
    %c = arith.constant dense<1> : vector<4xi32>
    // expected-error @+1 {{expected tensors, or numbers of at most 64 bits, found 'vector<4xi32>'}}
    %l, %h = arith.mulsi_extended %c, %c : vector<4xi32>
    %i = heddle.index 0
    heddle.yield %i : i32
  } : tensor<4xi32>
  return %y : tensor<4xi32>
}
