// Sizes that may be 1 or others, as calls say: broadcast.py compares them with NumPy.

// As importers write x + y.
func.func @add(%x: tensor<?x?xf32> {heddle.name = "x", heddle.sizes = ["batch", "a"]},
               %y: tensor<?xf32> {heddle.name = "y", heddle.sizes = ["b"]})
    -> (tensor<?x?xf32> {heddle.name = "z"}) {
  %u, %v = heddle.broadcast_tensors %x, %y : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>, tensor<?x?xf32>
  %z = arith.addf %u, %v : tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

// The sum of a residual connection has the sizes of what it is added to again.
func.func @three(%x: tensor<?x1xf32> {heddle.name = "x", heddle.sizes = ["a"]},
                 %y: tensor<?xf32> {heddle.name = "y", heddle.sizes = ["b"]},
                 %c: tensor<2x?x?xi1> {heddle.name = "c", heddle.sizes = ["d", "e"]})
    -> (tensor<2x?x?xf32> {heddle.name = "z"}) {
  %u, %v = heddle.broadcast_tensors %x, %y : tensor<?x1xf32>, tensor<?xf32> -> tensor<?x?xf32>, tensor<?x?xf32>
  %s = arith.mulf %u, %v : tensor<?x?xf32>
  %b:3 = heddle.broadcast_tensors %c, %s, %y
       : tensor<2x?x?xi1>, tensor<?x?xf32>, tensor<?xf32> -> tensor<2x?x?xi1>, tensor<2x?x?xf32>, tensor<2x?x?xf32>
  %z = arith.select %b#0, %b#1, %b#2 : tensor<2x?x?xi1>, tensor<2x?x?xf32>
  return %z : tensor<2x?x?xf32>
}

// What is reduced and what is multiplied is broadcast, too.
func.func @softmax(%x: tensor<?x?xf32> {heddle.name = "x", heddle.sizes = ["batch", "n"]},
                   %m: tensor<?x?xf32> {heddle.name = "m", heddle.sizes = ["c", "k"]})
    -> (tensor<?x?xf32> {heddle.name = "z"}) {
  %b = heddle.broadcast %m to ["batch", "n"] : tensor<?x?xf32> -> tensor<?x?xf32>
  %s = arith.addf %x, %b : tensor<?x?xf32>
  %z = heddle.softmax %s axis(1) : tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

func.func @product(%x: tensor<?x24xf32> {heddle.name = "x", heddle.sizes = ["n"]},
                   %y: tensor<?x24xf32> {heddle.name = "y", heddle.sizes = ["m"]},
                   %w: tensor<40x24xf32> {heddle.name = "w"})
    -> (tensor<?x40xf32> {heddle.name = "z"}) {
  %u, %v = heddle.broadcast_tensors %x, %y : tensor<?x24xf32>, tensor<?x24xf32> -> tensor<?x24xf32>, tensor<?x24xf32>
  %s = arith.addf %u, %v : tensor<?x24xf32>
  %p = heddle.linear %u, %w : tensor<?x24xf32>, tensor<40x24xf32>
  %q = heddle.linear %s, %w : tensor<?x24xf32>, tensor<40x24xf32>
  %z = arith.mulf %p, %q : tensor<?x40xf32>
  return %z : tensor<?x40xf32>
}

// Sizes of a loop are those of the function.
func.func @loop(%x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["a"]},
                %y: tensor<?xf32> {heddle.name = "y", heddle.sizes = ["b"]})
    -> (tensor<?xf32> {heddle.name = "z"}) {
  %u, %v = heddle.broadcast_tensors %x, %y : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>, tensor<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %u) -> (tensor<?xf32>) {
    %p, %q = heddle.broadcast_tensors %t, %y : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>, tensor<?xf32>
    %s = arith.addf %p, %q : tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  return %z : tensor<?xf32>
}

// A size that is no 1 is that of the other one: what is declared needs no stride.
func.func @declared(%x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["a"]},
                    %y: tensor<?xf32> {heddle.name = "y", heddle.sizes = ["b"]})
    -> (tensor<?xf32> {heddle.name = "z"})
    attributes {heddle.symbols = [#heddle.symbol<"a", 2 to 64>, #heddle.symbol<"b", 1 to 64>]} {
  %u, %v = heddle.broadcast_tensors %x, %y : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>, tensor<?xf32>
  %z = arith.subf %u, %v : tensor<?xf32>
  return %z : tensor<?xf32>
}

// Operands of a choice and batches of a product are broadcast by themselves.
func.func @where(%c: tensor<?xi1> {heddle.name = "c", heddle.sizes = ["d"]},
                 %x: tensor<?x?xf32> {heddle.name = "x", heddle.sizes = ["a", "b"]},
                 %y: tensor<?x1xf32> {heddle.name = "y", heddle.sizes = ["e"]})
    -> (tensor<?x?xf32> {heddle.name = "z"}) {
  %z = heddle.where %c, %x, %y : tensor<?xi1>, tensor<?x?xf32>, tensor<?x1xf32> -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

func.func @matmul(%x: tensor<?x5x24xf32> {heddle.name = "x", heddle.sizes = ["a"]},
                  %y: tensor<2x?x24x18xf32> {heddle.name = "y", heddle.sizes = ["b"]})
    -> (tensor<2x?x5x18xf32> {heddle.name = "z"}) {
  %z = heddle.matmul %x, %y : tensor<?x5x24xf32>, tensor<2x?x24x18xf32> -> tensor<2x?x5x18xf32>
  return %z : tensor<2x?x5x18xf32>
}

heddle.weight @table = dense<[[0.5, -1.0], [2.0, 4.0], [-8.0, 16.0]]> : tensor<3x2xf32>

// A batch that is broadcast: it counts nothing of a cache, so calls may choose it.
func.func @batches(%ids: tensor<?x4xi32> {heddle.name = "ids", heddle.sizes = ["n"]},
                   %x: tensor<3x4x2xf32> {heddle.name = "x"}) -> (tensor<3x4x2xf32> {heddle.name = "z"}) {
  %table = heddle.weight_ref @table : tensor<3x2xf32>
  %found = heddle.gather %table, %ids axis(0) : tensor<3x2xf32>, tensor<?x4xi32> -> tensor<?x4x2xf32>
  %u, %v = heddle.broadcast_tensors %found, %x : tensor<?x4x2xf32>, tensor<3x4x2xf32> -> tensor<3x4x2xf32>, tensor<3x4x2xf32>
  %z = arith.addf %u, %v : tensor<3x4x2xf32>
  return %z : tensor<3x4x2xf32>
}
