// The model of fuzz target "schedule": a kernel of each kind.
module attributes {heddle.positions = 9 : i64} {
heddle.weight @w = dense<0.1> : tensor<64x64xf32>
func.func @f(%x: tensor<?x?x64xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %m: tensor<?x?x64xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]})
    -> (tensor<?x64xf32>, tensor<?x?x64xf32>) {
  %w = heddle.weight_ref @w : tensor<64x64xf32>
  %causal = heddle.mask.causal align(top_left)
  %a = heddle.attention %x, %x, %x mask(%causal) heads(2, kv = 2) scale(0.5)
      : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  %l = heddle.last_token %a, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  %y = heddle.linear %l, %w : tensor<?x64xf32>, tensor<64x64xf32>
  %z = heddle.linear %m, %w : tensor<?x?x64xf32>, tensor<64x64xf32>
  return %y, %z : tensor<?x64xf32>, tensor<?x?x64xf32>
}
}
