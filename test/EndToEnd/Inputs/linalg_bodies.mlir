// Reads of tensors at computed indices.

// An embedding as front ends write it.
func.func @embed(%ids: tensor<?x?xi64> {heddle.name = "ids", heddle.sizes = ["b", "l"]}, %t: tensor<50x8xf32> {heddle.name = "t"}) -> (tensor<?x?x8xf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %ids, %c0 : tensor<?x?xi64>
  %l = tensor.dim %ids, %c1 : tensor<?x?xi64>
  %e = tensor.empty(%b, %l) : tensor<?x?x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i,j,k) -> (i,j)>, affine_map<(i,j,k)->(i,j,k)>], iterator_types = ["parallel","parallel","parallel"]} ins(%ids : tensor<?x?xi64>) outs(%e : tensor<?x?x8xf32>) {
  ^bb0(%id: i64, %o: f32):
    %row = arith.index_cast %id : i64 to index
    %k = linalg.index 2 : index
    %v = tensor.extract %t[%row, %k] : tensor<50x8xf32>
    linalg.yield %v : f32
  } -> tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}
// Rows backwards, every other column.
func.func @reverse(%x: tensor<?x6xf32> {heddle.name = "x", heddle.sizes = ["n"]}) -> (tensor<?x3xf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %last = arith.subi %n, %c1 : index
  %r = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %a = arith.subi %last, %i : index
    %b = arith.muli %j, %c2 : index
    %b1 = arith.addi %b, %c1 : index
    %v = tensor.extract %x[%a, %b1] : tensor<?x6xf32>
    tensor.yield %v : f32
  } : tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
// Numbers past 32 bits on the way to an index.
func.func @hash(%ids: tensor<?xi32> {heddle.name = "ids", heddle.sizes = ["n"]}, %t: tensor<40xf32> {heddle.name = "t"}) -> (tensor<?xf32> {heddle.name = "y"}, tensor<?xi64> {heddle.name = "z"}) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c40 = arith.constant 40 : index
  %big = arith.constant 5000000000 : index
  %n = tensor.dim %ids, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %e2 = tensor.empty(%n) : tensor<?xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]} ins(%ids : tensor<?xi32>) outs(%e, %e2 : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%id: i32, %o: f32, %o2: i64):
    %i = linalg.index 0 : index
    %w = arith.index_cast %id : i32 to index
    %a = arith.muli %w, %c7 : index
    %s = arith.addi %a, %i : index
    %m = arith.remui %s, %c40 : index
    %v = tensor.extract %t[%m] : tensor<40xf32>
    %x = arith.muli %w, %big : index
    %x2 = arith.index_cast %x : index to i64
    linalg.yield %v, %x2 : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi64>
}
// The last row, and every other element of the first.
func.func @insert(%x: tensor<?x6xf32> {heddle.name = "x", heddle.sizes = ["n"]}, %s: tensor<3xf32> {heddle.name = "s"}, %row: tensor<6xf32> {heddle.name = "row"}) -> (tensor<?x6xf32> {heddle.name = "y"}, tensor<?x6xf32> {heddle.name = "z"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %last = arith.subi %n, %c1 : index
  %a = tensor.insert_slice %row into %x[%last, 0] [1, 6] [1, 1] : tensor<6xf32> into tensor<?x6xf32>
  %b = tensor.insert_slice %s into %x[0, 1] [1, 3] [1, 2] : tensor<3xf32> into tensor<?x6xf32>
  return %a, %b : tensor<?x6xf32>, tensor<?x6xf32>
}
// A number from outside.
func.func @outside(%x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["n"]}, %t: tensor<4xf32> {heddle.name = "t"}) -> (tensor<?xf32> {heddle.name = "y"}, tensor<2x3xf32> {heddle.name = "z"}) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %s = tensor.extract %t[%c2] : tensor<4xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %y = arith.mulf %v, %s : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %f = tensor.splat %s : tensor<2x3xf32>
  return %r, %f : tensor<?xf32>, tensor<2x3xf32>
}
