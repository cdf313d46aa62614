// Reductions that begin with values.

func.func @matmul(%a: tensor<?x70xf32> {heddle.name = "a", heddle.sizes = ["n"]},
                  %b: tensor<70x33xf32> {heddle.name = "b"},
                  %c: tensor<?x33xf32> {heddle.name = "c", heddle.sizes = ["n"]})
    -> (tensor<?x33xf32> {heddle.name = "y"}) {
  %y = linalg.matmul ins(%a, %b : tensor<?x70xf32>, tensor<70x33xf32>)
                     outs(%c : tensor<?x33xf32>) -> tensor<?x33xf32>
  return %y : tensor<?x33xf32>
}

// Columns of a, transposed into c
func.func @columns(%a: tensor<?x5x19xf32> {heddle.name = "a", heddle.sizes = ["n"]},
                   %c: tensor<19x?xf32> {heddle.name = "c", heddle.sizes = ["n"]})
    -> (tensor<19x?xf32> {heddle.name = "y"}) {
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k, i)>],
      iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a : tensor<?x5x19xf32>) outs(%c : tensor<19x?xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %0 = arith.mulf %x, %x : f32
    %1 = arith.addf %0, %sum : f32
    linalg.yield %1 : f32
  } -> tensor<19x?xf32>
  return %y : tensor<19x?xf32>
}

func.func @dot(%a: tensor<?xf32> {heddle.name = "a", heddle.sizes = ["n"]},
               %b: tensor<?xf32> {heddle.name = "b", heddle.sizes = ["n"]},
               %c: tensor<f32> {heddle.name = "c"}) -> (tensor<f32> {heddle.name = "y"}) {
  %y = linalg.dot ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// In each step of a loop
func.func @steps(%a: tensor<8x8xf32> {heddle.name = "a"},
                 %c: tensor<?x8xf32> {heddle.name = "c", heddle.sizes = ["n"]})
    -> (tensor<?x8xf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %c) -> (tensor<?x8xf32>) {
    %next = linalg.matmul ins(%x, %a : tensor<?x8xf32>, tensor<8x8xf32>)
                          outs(%x : tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %next : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}

// The greatest and the least, of which only one begins with a value
func.func @extremes(%a: tensor<?x37xf32> {heddle.name = "a", heddle.sizes = ["n"]},
                    %c: tensor<?xf32> {heddle.name = "c", heddle.sizes = ["n"]})
    -> (tensor<?xf32> {heddle.name = "y"}, tensor<?xf32> {heddle.name = "least"}) {
  %c0 = arith.constant 0 : index
  %half = arith.constant 0.5 : f32
  %n = tensor.dim %a, %c0 : tensor<?x37xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%half : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %y:2 = linalg.reduce ins(%a, %a : tensor<?x37xf32>, tensor<?x37xf32>)
                       outs(%c, %f : tensor<?xf32>, tensor<?xf32>) dimensions = [1]
    (%x: f32, %same: f32, %most: f32, %least: f32) {
      %0 = arith.maximumf %x, %most : f32
      %1 = arith.minimumf %same, %least : f32
      linalg.yield %0, %1 : f32, f32
    }
  return %y#0, %y#1 : tensor<?xf32>, tensor<?xf32>
}

func.func @sum(%a: tensor<?x37xi32> {heddle.name = "a", heddle.sizes = ["n"]},
                  %c: tensor<?xi32> {heddle.name = "c", heddle.sizes = ["n"]})
    -> (tensor<?xi32> {heddle.name = "y"}) {
  %y = linalg.reduce { arith.addi } ins(%a : tensor<?x37xi32>) outs(%c : tensor<?xi32>) dimensions = [1]
  return %y : tensor<?xi32>
}
func.func @product(%a: tensor<?x37xi32> {heddle.name = "a", heddle.sizes = ["n"]},
                  %c: tensor<?xi32> {heddle.name = "c", heddle.sizes = ["n"]})
    -> (tensor<?xi32> {heddle.name = "y"}) {
  %y = linalg.reduce { arith.muli } ins(%a : tensor<?x37xi32>) outs(%c : tensor<?xi32>) dimensions = [1]
  return %y : tensor<?xi32>
}
func.func @most(%a: tensor<?x37xi32> {heddle.name = "a", heddle.sizes = ["n"]},
                  %c: tensor<?xi32> {heddle.name = "c", heddle.sizes = ["n"]})
    -> (tensor<?xi32> {heddle.name = "y"}) {
  %y = linalg.reduce { arith.maxsi } ins(%a : tensor<?x37xi32>) outs(%c : tensor<?xi32>) dimensions = [1]
  return %y : tensor<?xi32>
}
func.func @least(%a: tensor<?x37xi32> {heddle.name = "a", heddle.sizes = ["n"]},
                  %c: tensor<?xi32> {heddle.name = "c", heddle.sizes = ["n"]})
    -> (tensor<?xi32> {heddle.name = "y"}) {
  %y = linalg.reduce { arith.minsi } ins(%a : tensor<?x37xi32>) outs(%c : tensor<?xi32>) dimensions = [1]
  return %y : tensor<?xi32>
}
func.func @all(%a: tensor<?x37xi32> {heddle.name = "a", heddle.sizes = ["n"]},
                  %c: tensor<?xi32> {heddle.name = "c", heddle.sizes = ["n"]})
    -> (tensor<?xi32> {heddle.name = "y"}) {
  %y = linalg.reduce { arith.andi } ins(%a : tensor<?x37xi32>) outs(%c : tensor<?xi32>) dimensions = [1]
  return %y : tensor<?xi32>
}
func.func @any(%a: tensor<?x37xi32> {heddle.name = "a", heddle.sizes = ["n"]},
                  %c: tensor<?xi32> {heddle.name = "c", heddle.sizes = ["n"]})
    -> (tensor<?xi32> {heddle.name = "y"}) {
  %y = linalg.reduce { arith.ori } ins(%a : tensor<?x37xi32>) outs(%c : tensor<?xi32>) dimensions = [1]
  return %y : tensor<?xi32>
}
func.func @odd(%a: tensor<?x37xi32> {heddle.name = "a", heddle.sizes = ["n"]},
                  %c: tensor<?xi32> {heddle.name = "c", heddle.sizes = ["n"]})
    -> (tensor<?xi32> {heddle.name = "y"}) {
  %y = linalg.reduce { arith.xori } ins(%a : tensor<?x37xi32>) outs(%c : tensor<?xi32>) dimensions = [1]
  return %y : tensor<?xi32>
}
func.func @most_unsigned(%a: tensor<?x37xi32> {heddle.name = "a", heddle.sizes = ["n"]},
                  %c: tensor<?xi32> {heddle.name = "c", heddle.sizes = ["n"]})
    -> (tensor<?xi32> {heddle.name = "y"}) {
  %y = linalg.reduce { arith.maxui } ins(%a : tensor<?x37xi32>) outs(%c : tensor<?xi32>) dimensions = [1]
  return %y : tensor<?xi32>
}
func.func @least_unsigned(%a: tensor<?x37xi32> {heddle.name = "a", heddle.sizes = ["n"]},
                  %c: tensor<?xi32> {heddle.name = "c", heddle.sizes = ["n"]})
    -> (tensor<?xi32> {heddle.name = "y"}) {
  %y = linalg.reduce { arith.minui } ins(%a : tensor<?x37xi32>) outs(%c : tensor<?xi32>) dimensions = [1]
  return %y : tensor<?xi32>
}
