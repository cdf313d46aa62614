// Each token sees itself alone, so that attention gives its value as the cache has it.
func.func @step(%q: tensor<?x?x4xf32> {heddle.name = "q", heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x4xf32> {heddle.name = "k", heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x4xf32> {heddle.name = "v", heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 1 x 4 x i8> {heddle.name = "cache", heddle.sizes = ["batch", "capacity"]})
    -> (tensor<?x?x4xf32> {heddle.name = "y"}, !heddle.cache<1 x 1 x 4 x i8>) {
  %0 = heddle.cache.append %cache, %k, %v layer(0) at(%starts) lengths(%lengths)
     : !heddle.cache<1 x 1 x 4 x i8>, tensor<?x?x4xf32>, tensor<?x?x4xf32>, tensor<?xi32>, tensor<?xi32>
  %keys, %values = heddle.cache.read %0 layer(0) : !heddle.cache<1 x 1 x 4 x i8>
  %own = heddle.mask.window left(0) right(0) offset(%starts : tensor<?xi32>)
  %y = heddle.attention %q, %keys, %values mask(%own) heads(1, kv = 1)
     : tensor<?x?x4xf32>, tensor<?x?x4xf32>, tensor<?x?x4xf32>
  return %y, %0 : tensor<?x?x4xf32>, !heddle.cache<1 x 1 x 4 x i8>
}
