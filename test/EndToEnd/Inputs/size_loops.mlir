// Sizes of tensors as numbers of control flow.

// y[i] = rows x[i], in as many steps as there are rows
func.func @rows(%x: tensor<?x4xf32> {heddle.name = "x", heddle.sizes = ["n"]})
    -> (tensor<?x4xf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zeros = arith.subf %x, %x : tensor<?x4xf32>
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zeros) -> (tensor<?x4xf32>) {
    %next = arith.addf %sum, %x : tensor<?x4xf32>
    scf.yield %next : tensor<?x4xf32>
  }
  return %y : tensor<?x4xf32>
}

// What arith makes of sizes: from n / 2 to 2 m - 1 in steps of the second size, 3, and so many
// steps inside as a value there has rows; a branch for n < m
func.func @numbers(%x: tensor<?x3xf32> {heddle.name = "x", heddle.sizes = ["n"]},
                   %z: tensor<?xf32> {heddle.name = "z", heddle.sizes = ["m"]})
    -> (tensor<?x3xf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %m = tensor.dim %z, %c0 : tensor<?xf32>
  %first = arith.divui %n, %c2 : index
  %both = heddle.concat %z, %z axis(0) : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  %twice = tensor.dim %both, %c0 : tensor<?xf32>
  %end = arith.subi %twice, %c1 : index
  %step = tensor.dim %x, %c1 : tensor<?x3xf32>
  %isLess = arith.cmpi ult, %n, %m : index
  %y = scf.for %i = %first to %end step %step iter_args(%a = %x) -> (tensor<?x3xf32>) {
    %b = scf.if %isLess -> tensor<?x3xf32> {
      %negative = arith.negf %a : tensor<?x3xf32>
      scf.yield %negative : tensor<?x3xf32>
    } else {
      scf.yield %a : tensor<?x3xf32>
    }
    %count = tensor.dim %b, %c0 : tensor<?x3xf32>
    %inner = scf.for %j = %c0 to %count step %c1 iter_args(%sum = %b) -> (tensor<?x3xf32>) {
      %next = arith.addf %sum, %x : tensor<?x3xf32>
      scf.yield %next : tensor<?x3xf32>
    }
    scf.yield %inner : tensor<?x3xf32>
  }
  return %y : tensor<?x3xf32>
}

// x / (m + 1), as linalg takes scalars
func.func @scaled(%x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["n"]},
                  %z: tensor<?xf32> {heddle.name = "z", heddle.sizes = ["m"]})
    -> (tensor<?xf32> {heddle.name = "y"}, tensor<?xi64> {heddle.name = "filled"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %z, %c0 : tensor<?xf32>
  %more = arith.addi %m, %c1 : index
  %number = arith.index_cast %more : index to i64
  %divisor = arith.sitofp %number : i64 to f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %divisor : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %wide = tensor.empty(%n) : tensor<?xi64>
  %filled = linalg.fill ins(%number : i64) outs(%wide : tensor<?xi64>) -> tensor<?xi64>
  return %y, %filled : tensor<?xf32>, tensor<?xi64>
}
