// Kernels that find elements by numbers of their arguments. Nothing checks those on a device.
module attributes {heddle.positions = 64 : i64} {
func.func @embed(%ids: tensor<?x?xi32> {heddle.sizes = ["batch", "length"]}, %table: tensor<7x12xf32>) -> tensor<?x?x12xf32> {
  %y = heddle.embedding %ids, %table : tensor<?x?xi32>, tensor<7x12xf32>
  return %y : tensor<?x?x12xf32>
}
func.func @gather(%x: tensor<9x12xf32>, %i: tensor<5xi64>) -> tensor<9x5xf32> {
  %y = heddle.gather %x, %i axis(1) : tensor<9x12xf32>, tensor<5xi64> -> tensor<9x5xf32>
  return %y : tensor<9x5xf32>
}
func.func @gather_elements(%x: tensor<9x12xf32>, %i: tensor<9x4xi32>) -> tensor<9x4xf32> {
  %y = heddle.gather_elements %x, %i axis(1) : tensor<9x12xf32>, tensor<9x4xi32> -> tensor<9x4xf32>
  return %y : tensor<9x4xf32>
}
func.func @scatter(%x: tensor<9x12xf32>, %i: tensor<5xi32>, %u: tensor<5x12xf32>) -> tensor<9x12xf32> {
  %y = heddle.scatter add %x, %i, %u axis(0) : tensor<9x12xf32>, tensor<5xi32>, tensor<5x12xf32> -> tensor<9x12xf32>
  return %y : tensor<9x12xf32>
}
func.func @last(%x: tensor<?x?x12xf32> {heddle.sizes = ["batch", "length"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x12xf32> {
  %y = heddle.last_token %x, %lengths : tensor<?x?x12xf32>, tensor<?xi32>
  return %y : tensor<?x12xf32>
}
func.func @turn(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x32xf32> {
  %y = heddle.rotary %x at(%starts : tensor<?xi32>) heads(2) positions(64) base(10000.0) : tensor<?x?x32xf32>
  return %y : tensor<?x?x32xf32>
}
func.func @decode(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]}, %cache: !heddle.cache<1 x 2 x 16 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> (tensor<?x?x32xf32>, !heddle.cache<1 x 2 x 16 x f32>) {
  %c = heddle.cache.append %cache, %x, %x layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<1 x 2 x 16 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<1 x 2 x 16 x f32>
  %m = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %y = heddle.attention %x, %k, %v mask(%m) heads(2, kv = 2) : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y, %c : tensor<?x?x32xf32>, !heddle.cache<1 x 2 x 16 x f32>
}
func.func @attend(%q: tensor<?x1x32xf32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 2 x 16 x f32> {heddle.sizes = ["batch", "capacity"]}) -> tensor<?x1x32xf32> {
  %k, %v = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 2 x 16 x f32>
  %m = heddle.mask.lengths %lengths : tensor<?xi32>
  %y = heddle.attention %q, %k, %v mask(%m) heads(2, kv = 2) : tensor<?x1x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y : tensor<?x1x32xf32>
}
func.func @window(%q: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 2 x 16 x f32> {heddle.sizes = ["batch", "capacity"]}) -> tensor<?x?x32xf32> {
  %k, %v = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 2 x 16 x f32>
  %m = heddle.mask.window left(3) right(1) offset(%starts : tensor<?xi32>)
  %y = heddle.attention %q, %k, %v mask(%m) heads(2, kv = 2) : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y : tensor<?x?x32xf32>
}
func.func @evict(%kept: tensor<?x?xi64> {heddle.sizes = ["batch", "count"]}, %counts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 2 x 16 x f32> {heddle.sizes = ["batch", "capacity"]}) -> !heddle.cache<1 x 2 x 16 x f32> {
  %c = heddle.cache.select %cache positions(%kept) lengths(%counts) : !heddle.cache<1 x 2 x 16 x f32>, tensor<?x?xi64>, tensor<?xi32>
  return %c : !heddle.cache<1 x 2 x 16 x f32>
}
func.func @pages(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %table: tensor<?x?xi32> {heddle.sizes = ["batch", "columns"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 2 x 16 x f32> {heddle.sizes = ["pool", "32"]}) -> (tensor<?x?x32xf32>, !heddle.cache<1 x 2 x 16 x f32>) {
  %c = heddle.cache.append %cache, %x, %x layer(0) at(%starts) lengths(%lengths) pages(%table : tensor<?x?xi32>)
    : !heddle.cache<1 x 2 x 16 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %k, %v = heddle.cache.read %c layer(0) pages(%table : tensor<?x?xi32>) : !heddle.cache<1 x 2 x 16 x f32>
  %m = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %y = heddle.attention %x, %k, %v mask(%m) heads(2, kv = 2) : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y, %c : tensor<?x?x32xf32>, !heddle.cache<1 x 2 x 16 x f32>
}
}
