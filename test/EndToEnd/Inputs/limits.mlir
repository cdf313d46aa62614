module attributes {heddle.positions = 2097152 : i64} {
func.func @append(
    %k: tensor<?x?x2048xf32> {heddle.name = "k", heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 16 x 128 x f32> {heddle.name = "cache", heddle.sizes = ["batch", "capacity"]})
    -> !heddle.cache<1 x 16 x 128 x f32> {
  %filled = heddle.cache.append %cache, %k, %k layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<1 x 16 x 128 x f32>, tensor<?x?x2048xf32>, tensor<?x?x2048xf32>, tensor<?xi32>, tensor<?xi32>
  return %filled : !heddle.cache<1 x 16 x 128 x f32>
}

func.func @rows(%x: tensor<?x?x?x64xf32> {heddle.name = "x", heddle.sizes = ["a", "b", "c"]})
    -> (tensor<?x?x?x64xf32> {heddle.name = "y"}) {
  %y = heddle.activation relu %x : tensor<?x?x?x64xf32>
  return %y : tensor<?x?x?x64xf32>
}

func.func @heads(%x: tensor<?x?x1024xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x1024xf32> {heddle.name = "y"}) {
  %y = heddle.attention %x, %x, %x heads(1024, kv = 1024) scale(1.0)
    : tensor<?x?x1024xf32>, tensor<?x?x1024xf32>, tensor<?x?x1024xf32>
  return %y : tensor<?x?x1024xf32>
}
}
