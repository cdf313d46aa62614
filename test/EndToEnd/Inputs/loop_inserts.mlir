// Loops that write tensors part by part (heddle.insert): loop_inserts.py has what they compute.

// y[b, t] = x[b, t] + y[b, t - 1]: the step reads what an earlier one has written.
func.func @sums(%x: tensor<?x?x3xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x3xf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x3xf32>
  %length = tensor.dim %x, %c1 : tensor<?x?x3xf32>
  %y = scf.for %t = %c1 to %length step %c1 iter_args(%all = %x) -> (tensor<?x?x3xf32>) {
    %before = arith.subi %t, %c1 : index
    %own = tensor.extract_slice %x[0, %t, 0] [%batch, 1, 3] [1, 1, 1] : tensor<?x?x3xf32> to tensor<?x1x3xf32>
    %last = tensor.extract_slice %all[0, %before, 0] [%batch, 1, 3] [1, 1, 1] : tensor<?x?x3xf32> to tensor<?x1x3xf32>
    %sum = arith.addf %own, %last : tensor<?x1x3xf32>
    %next = tensor.insert_slice %sum into %all[0, %t, 0] [%batch, 1, 3] [1, 1, 1] : tensor<?x1x3xf32> into tensor<?x?x3xf32>
    scf.yield %next : tensor<?x?x3xf32>
  }
  return %y : tensor<?x?x3xf32>
}

// Parts of two columns, each where `at` says: also before the first column and past the last.
func.func @scattered(%x: tensor<5x7xi64> {heddle.name = "x"}, %at: tensor<?xi64> {heddle.name = "at", heddle.sizes = ["n"]})
    -> (tensor<5x7xi64> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %at, %c0 : tensor<?xi64>
  %y = scf.for %t = %c0 to %n step %c1 iter_args(%all = %x) -> (tensor<5x7xi64>) {
    %place = tensor.extract %at[%t] : tensor<?xi64>
    %start = arith.index_cast %place : i64 to index
    %step = heddle.from_number %t : index -> tensor<i64>
    %part = heddle.broadcast %step to [5, 2] : tensor<i64> -> tensor<5x2xi64>
    %next = heddle.insert %part into %all at %start axis(1) : tensor<5x2xi64> into tensor<5x7xi64>
    scf.yield %next : tensor<5x7xi64>
  }
  return %y : tensor<5x7xi64>
}

// Two tensors that change places, so that what is written is not where it was; and a third, which
// stays.
func.func @swapped(%x: tensor<4x3xi8> {heddle.name = "x"}, %z: tensor<4x3xi8> {heddle.name = "z"})
    -> (tensor<4x3xi8> {heddle.name = "y"}, tensor<4x3xi8> {heddle.name = "w"}, tensor<4x3xi8> {heddle.name = "k"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %y, %w, %k = scf.for %t = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %z, %c = %x) -> (tensor<4x3xi8>, tensor<4x3xi8>, tensor<4x3xi8>) {
    %row = tensor.extract_slice %b[%t, 0] [1, 3] [1, 1] : tensor<4x3xi8> to tensor<1x3xi8>
    %sum = arith.addi %row, %row : tensor<1x3xi8>
    %next = heddle.insert %sum into %a at %t axis(0) : tensor<1x3xi8> into tensor<4x3xi8>
    %other = heddle.insert %row into %c at %c1 axis(0) : tensor<1x3xi8> into tensor<4x3xi8>
    scf.yield %b, %next, %other : tensor<4x3xi8>, tensor<4x3xi8>, tensor<4x3xi8>
  }
  return %y, %w, %k : tensor<4x3xi8>, tensor<4x3xi8>, tensor<4x3xi8>
}

// What there was before the last step is handed on beside what the step has written.
func.func @lagging(%x: tensor<4x3xi8> {heddle.name = "x"}) -> (tensor<4x3xi8> {heddle.name = "y"}, tensor<4x3xi8> {heddle.name = "w"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.for %t = %c0 to %c4 step %c1 iter_args(%a = %x, %b = %x) -> (tensor<4x3xi8>, tensor<4x3xi8>) {
    %row = tensor.extract_slice %a[%t, 0] [1, 3] [1, 1] : tensor<4x3xi8> to tensor<1x3xi8>
    %sum = arith.addi %row, %row : tensor<1x3xi8>
    %next = heddle.insert %sum into %a at %t axis(0) : tensor<1x3xi8> into tensor<4x3xi8>
    scf.yield %next, %a : tensor<4x3xi8>, tensor<4x3xi8>
  }
  return %r#0, %r#1 : tensor<4x3xi8>, tensor<4x3xi8>
}

// A loop in a loop, both of which write the same tensor: the outer one what the inner one has
// left, though it reads what was there before.
func.func @nested(%x: tensor<?x4xf16> {heddle.name = "x", heddle.sizes = ["n"]}, %steps: tensor<i64> {heddle.name = "steps"})
    -> (tensor<?x4xf16> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2.0> : tensor<1x4xf16>
  %three = arith.constant dense<3.0> : tensor<1x4xf16>
  %k = tensor.extract %steps[] : tensor<i64>
  %end = arith.index_cast %k : i64 to index
  %n = tensor.dim %x, %c0 : tensor<?x4xf16>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?x4xf16>) {
    %inner = scf.for %j = %c0 to %end step %c1 iter_args(%b = %a) -> (tensor<?x4xf16>) {
      %row = tensor.extract_slice %b[%j, 0] [1, 4] [1, 1] : tensor<?x4xf16> to tensor<1x4xf16>
      %product = arith.mulf %row, %two : tensor<1x4xf16>
      %next = heddle.insert %product into %b at %j axis(0) : tensor<1x4xf16> into tensor<?x4xf16>
      scf.yield %next : tensor<?x4xf16>
    }
    %row = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : tensor<?x4xf16> to tensor<1x4xf16>
    %sum = arith.addf %row, %three : tensor<1x4xf16>
    %next = heddle.insert %sum into %inner at %i axis(0) : tensor<1x4xf16> into tensor<?x4xf16>
    scf.yield %next : tensor<?x4xf16>
  }
  return %y : tensor<?x4xf16>
}

// Without a loop, and where a loop asks whether to go on.
func.func @elsewhere(%x: tensor<4x?xi1> {heddle.name = "x", heddle.sizes = ["m"]}, %part: tensor<2x?xi1> {heddle.name = "part", heddle.sizes = ["m"]})
    -> (tensor<4x?xi1> {heddle.name = "y"}, tensor<4x?xi1> {heddle.name = "z"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y = heddle.insert %part into %x at %c1 axis(0) : tensor<2x?xi1> into tensor<4x?xi1>
  %n, %z = scf.while (%i = %c0, %a = %x) : (index, tensor<4x?xi1>) -> (index, tensor<4x?xi1>) {
    %next = heddle.insert %part into %a at %i axis(0) : tensor<2x?xi1> into tensor<4x?xi1>
    %isLess = arith.cmpi slt, %i, %c2 : index
    scf.condition(%isLess) %i, %next : index, tensor<4x?xi1>
  } do {
  ^bb0(%i: index, %a: tensor<4x?xi1>):
    %more = arith.addi %i, %c2 : index
    scf.yield %more, %a : index, tensor<4x?xi1>
  }
  return %y, %z : tensor<4x?xi1>, tensor<4x?xi1>
}
