// 512x2048x5632: the up projection of a small Llama. The embedding only makes the input.
heddle.weight @table = dense<0.01> : tensor<64x2048xf32>
heddle.weight @w = dense<0.02> : tensor<5632x2048xf32>
func.func @run(%ids: tensor<1x?xi32> {heddle.sizes = ["length"], heddle.name = "ids"})
    -> (tensor<1x?x5632xf32> {heddle.name = "y"}) {
  %table = heddle.weight_ref @table : tensor<64x2048xf32>
  %w = heddle.weight_ref @w : tensor<5632x2048xf32>
  %x = heddle.embedding %ids, %table : tensor<1x?xi32>, tensor<64x2048xf32>
  %y = heddle.linear %x, %w : tensor<1x?x2048xf32>, tensor<5632x2048xf32>
  return %y : tensor<1x?x5632xf32>
}
