heddle.weight @wq = dense<0.01> : tensor<64x64xf32>

func.func @encode(%x: tensor<?x?x64xf32> {heddle.name = "src", heddle.sizes = ["batch", "source"]})
    -> tensor<?x?x64xf32> {
  %w = heddle.weight_ref @wq : tensor<64x64xf32>
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<64x64xf32>
  return %y : tensor<?x?x64xf32>
}

func.func @forward(%x: tensor<?x?x64xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %m: tensor<?x?x64xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 4 x 16 x f32> {heddle.name = "cache", heddle.sizes = ["batch", "capacity"]})
    -> (tensor<?x?x64xf32>, !heddle.cache<1 x 4 x 16 x f32>) attributes {heddle.decoder} {
  %c1 = heddle.cache.append %c, %x, %x layer(0) at(%starts) lengths(%lengths)
     : !heddle.cache<1 x 4 x 16 x f32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?xi32>, tensor<?xi32>
  %keys, %values = heddle.cache.read %c1 layer(0) : !heddle.cache<1 x 4 x 16 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %total = arith.addi %starts, %lengths : tensor<?xi32>
  %valid = heddle.mask.lengths %total : tensor<?xi32>
  %mask = heddle.mask.and %causal, %valid
  %s = heddle.attention %x, %keys, %values mask(%mask) heads(4, kv = 4) scale(0.25)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  %o = heddle.attention %s, %m, %m heads(4, kv = 4) scale(0.25)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %o, %c1 : tensor<?x?x64xf32>, !heddle.cache<1 x 4 x 16 x f32>
}
