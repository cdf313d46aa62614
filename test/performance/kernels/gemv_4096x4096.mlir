// One row times 4096x4096 weights in f32: a projection of a 7B model while decoding.
heddle.weight @table = dense<0.01> : tensor<64x4096xf32>
heddle.weight @w = dense<0.02> : tensor<4096x4096xf32>
func.func @run(%ids: tensor<?xi32> {heddle.sizes = ["batch"], heddle.name = "ids"})
    -> (tensor<?x4096xf32> {heddle.name = "y"}) {
  %table = heddle.weight_ref @table : tensor<64x4096xf32>
  %w = heddle.weight_ref @w : tensor<4096x4096xf32>
  %x = heddle.embedding %ids, %table : tensor<?xi32>, tensor<64x4096xf32>
  %y = heddle.linear %x, %w : tensor<?x4096xf32>, tensor<4096x4096xf32>
  return %y : tensor<?x4096xf32>
}
