heddle.weight @w = dense<[1.0, 2.0]> : tensor<2xf32>
heddle.weight @maximum : tensor<2xf32> {
  %w = heddle.weight_ref @w : tensor<2xf32>
  %m = arith.maximumf %w, %w : tensor<2xf32>
  heddle.yield %m : tensor<2xf32>
}
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %m = heddle.weight_ref @maximum : tensor<2xf32>
  %y = arith.addf %x, %m : tensor<2xf32>
  return %y : tensor<2xf32>
}
