// Numbers of control flow in kernels: steps of loops, and what loops and branches carry.

// A recurrence: each step reads its own row and writes it.
func.func @scan(%x: tensor<?x6xi32> {heddle.name = "x", heddle.sizes = ["n"]}, %h: tensor<1x6xi32> {heddle.name = "h"})
    -> (tensor<?x6xi32> {heddle.name = "y"}, tensor<6xi32> {heddle.name = "last"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant dense<3> : tensor<1x6xi32>
  %n = tensor.dim %x, %c0 : tensor<?x6xi32>
  %y, %last = scf.for %t = %c0 to %n step %c1 iter_args(%o = %x, %s = %h) -> (tensor<?x6xi32>, tensor<1x6xi32>) {
    %row = tensor.extract_slice %x[%t, 0] [1, 6] [1, 1] : tensor<?x6xi32> to tensor<1x6xi32>
    %a = arith.muli %s, %three : tensor<1x6xi32>
    %next = arith.addi %a, %row : tensor<1x6xi32>
    %written = tensor.insert_slice %next into %o[%t, 0] [1, 6] [1, 1] : tensor<1x6xi32> into tensor<?x6xi32>
    scf.yield %written, %next : tensor<?x6xi32>, tensor<1x6xi32>
  }
  %flat = tensor.collapse_shape %last [[0, 1]] : tensor<1x6xi32> into tensor<6xi32>
  return %y, %flat : tensor<?x6xi32>, tensor<6xi32>
}

// Every other element of a window that the caller places, which stays inside; and the same
// written somewhere else.
func.func @window(%x: tensor<?x?xf32> {heddle.name = "x", heddle.sizes = ["n + 4", "m + 2"]},
    %at: tensor<2xi64> {heddle.name = "at"}, %to: tensor<i32> {heddle.name = "to"})
    -> (tensor<3x?xf32> {heddle.name = "y"}, tensor<?x?xf32> {heddle.name = "z"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %m = arith.subi %columns, %c2 : index
  %i = tensor.extract %at[%c0] : tensor<2xi64>
  %row = arith.index_cast %i : i64 to index
  %j = tensor.extract %at[%c1] : tensor<2xi64>
  %column = arith.index_cast %j : i64 to index
  %y = tensor.extract_slice %x[%row, %column] [3, %m] [2, 1] : tensor<?x?xf32> to tensor<3x?xf32>
  %k = tensor.extract %to[] : tensor<i32>
  %first = arith.index_cast %k : i32 to index
  %z = tensor.insert_slice %y into %x[%first, 1] [3, %m] [1, 1] : tensor<3x?xf32> into tensor<?x?xf32>
  return %y, %z : tensor<3x?xf32>, tensor<?x?xf32>
}

// Follows at most as many links as there are, until one is 0, and marks where it has been.
// A link that leads outside is taken for the last element.
func.func @follow(%next: tensor<?xi32> {heddle.name = "next", heddle.sizes = ["n"]})
    -> (tensor<?xi1> {heddle.name = "seen"}, tensor<2xi64> {heddle.name = "end"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %false = arith.constant false
  %true = arith.constant true
  %n = tensor.dim %next, %c0 : tensor<?xi32>
  %none = tensor.splat %false[%n] : tensor<?xi1>
  %i, %steps, %seen = scf.while (%i = %c0, %k = %c0, %s = %none) : (index, index, tensor<?xi1>) -> (index, index, tensor<?xi1>) {
    %marked = tensor.insert %true into %s[%i] : tensor<?xi1>
    %link = tensor.extract %next[%i] : tensor<?xi32>
    %isLink = arith.cmpi ne, %link, %zero : i32
    %to = arith.index_cast %link : i32 to index
    %step = arith.addi %k, %c1 : index
    %isLess = arith.cmpi slt, %step, %n : index
    %goesOn = arith.andi %isLink, %isLess : i1
    %from = arith.select %goesOn, %to, %i : index
    scf.condition(%goesOn) %from, %step, %marked : index, index, tensor<?xi1>
  } do {
  ^bb0(%i: index, %k: index, %s: tensor<?xi1>):
    scf.yield %i, %k, %s : index, index, tensor<?xi1>
  }
  %a = arith.index_cast %i : index to i64
  %b = arith.index_cast %steps : index to i64
  %end = tensor.from_elements %a, %b : tensor<2xi64>
  return %seen, %end : tensor<?xi1>, tensor<2xi64>
}

// Numbers of each type that tensors have, carried round and through branches, in bodies.
func.func @types(%x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["n"]}, %k: tensor<i8> {heddle.name = "k"})
    -> (tensor<2x3xf32> {heddle.name = "sums"}, tensor<?xi32> {heddle.name = "y"}, tensor<i64> {heddle.name = "count"},
        tensor<i8> {heddle.name = "byte"}, tensor<2xbf16> {heddle.name = "narrow"}, tensor<i1> {heddle.name = "odd"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f0 = arith.constant 0.0 : f32
  %b1 = arith.constant 1.0 : bf16
  %h1 = arith.constant 1.0 : f16
  %byte0 = arith.constant 1 : i8
  %false = arith.constant false
  %true = arith.constant true
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xi32>
  %zero = arith.constant 0 : i32
  %y0 = linalg.fill ins(%zero : i32) outs(%empty : tensor<?xi32>) -> tensor<?xi32>
  %step = tensor.extract %k[] : tensor<i8>
  %sum, %byte, %bf, %half, %odd, %y = scf.for %i = %c0 to %n step %c1
      iter_args(%s = %f0, %p = %byte0, %b = %b1, %h = %h1, %o = %false, %a = %y0) -> (f32, i8, bf16, f16, i1, tensor<?xi32>) {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %s2 = arith.addf %s, %v : f32
    %p2 = arith.muli %p, %step : i8
    %bb = arith.addf %b, %b : bf16
    %hh = arith.addf %h, %h : f16
    %o2 = arith.xori %o, %true : i1
    %a2 = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>], iterator_types = ["parallel"]} outs(%a : tensor<?xi32>) {
    ^bb0(%old: i32):
      %d = linalg.index 0 : index
      %product = arith.muli %d, %i : index
      %number = arith.index_cast %product : index to i32
      %next = arith.addi %old, %number : i32
      %kept = arith.select %o, %next, %old : i32
      linalg.yield %kept : i32
    } -> tensor<?xi32>
    scf.yield %s2, %p2, %bb, %hh, %o2, %a2 : f32, i8, bf16, f16, i1, tensor<?xi32>
  }
  %chosen = scf.if %odd -> f32 {
    %half32 = arith.extf %half : f16 to f32
    scf.yield %half32 : f32
  } else {
    scf.yield %sum : f32
  }
  %sums = tensor.from_elements %sum, %chosen, %f0, %chosen, %sum, %f0 : tensor<2x3xf32>
  %count = heddle.from_number %n : index -> tensor<i64>
  %single = heddle.from_number %byte : i8 -> tensor<i8>
  %isOdd = heddle.from_number %odd : i1 -> tensor<i1>
  %short = tensor.splat %bf : tensor<2xbf16>
  return %sums, %y, %count, %single, %short, %isOdd : tensor<2x3xf32>, tensor<?xi32>, tensor<i64>, tensor<i8>, tensor<2xbf16>, tensor<i1>
}

// A tensor of a number is carried round, and read by the next step.
func.func @carried(%x: tensor<5xi64> {heddle.name = "x"}) -> (tensor<5xi64> {heddle.name = "y"}, tensor<i64> {heddle.name = "last"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %first = heddle.from_number %c7 : index -> tensor<i64>
  %y, %last = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x, %b = %first) -> (tensor<5xi64>, tensor<i64>) {
    %wide = heddle.broadcast %b to [5] : tensor<i64> -> tensor<5xi64>
    %sum = arith.addi %a, %wide : tensor<5xi64>
    %square = arith.muli %i, %i : index
    %next = heddle.from_number %square : index -> tensor<i64>
    scf.yield %sum, %next : tensor<5xi64>, tensor<i64>
  }
  return %y, %last : tensor<5xi64>, tensor<i64>
}

// Loops whose steps are not positive take none.
func.func @standing(%x: tensor<3xi32> {heddle.name = "x"}) -> (tensor<3xi32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %less = arith.constant -1 : index
  %a = scf.for %i = %c0 to %c3 step %c0 iter_args(%p = %x) -> (tensor<3xi32>) {
    %t = arith.addi %p, %p : tensor<3xi32>
    scf.yield %t : tensor<3xi32>
  }
  %b = scf.for %i = %c0 to %c3 step %less iter_args(%p = %a) -> (tensor<3xi32>) {
    %t = arith.muli %p, %p : tensor<3xi32>
    scf.yield %t : tensor<3xi32>
  }
  return %b : tensor<3xi32>
}
