// 128x768x768: an attention projection of BERT-base. The embedding only makes the input.
heddle.weight @table = dense<0.01> : tensor<64x768xf32>
heddle.weight @w = dense<0.02> : tensor<768x768xf32>
func.func @run(%ids: tensor<1x?xi32> {heddle.sizes = ["length"], heddle.name = "ids"})
    -> (tensor<1x?x768xf32> {heddle.name = "y"}) {
  %table = heddle.weight_ref @table : tensor<64x768xf32>
  %w = heddle.weight_ref @w : tensor<768x768xf32>
  %x = heddle.embedding %ids, %table : tensor<1x?xi32>, tensor<64x768xf32>
  %y = heddle.linear %x, %w : tensor<1x?x768xf32>, tensor<768x768xf32>
  return %y : tensor<1x?x768xf32>
}
