heddle.weight @w = dense<[1.0, 2.0e38]> : tensor<2xf32>
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = heddle.weight_ref @w : tensor<2xf32>
  %s = arith.addf %w, %w : tensor<2xf32>
  %y = arith.addf %x, %s : tensor<2xf32>
  return %y : tensor<2xf32>
}
