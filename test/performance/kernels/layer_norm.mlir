// 512 tokens of BERT-base.
func.func @run(%x: tensor<512x768xf32> {heddle.name = "x"}, %w: tensor<768xf32> {heddle.name = "w"},
    %b: tensor<768xf32> {heddle.name = "b"}) -> (tensor<512x768xf32> {heddle.name = "y"}) {
  %y = heddle.layer_norm %x, %w, %b epsilon(1.0e-12) : tensor<512x768xf32>, tensor<768xf32>, tensor<768xf32>
  return %y : tensor<512x768xf32>
}
