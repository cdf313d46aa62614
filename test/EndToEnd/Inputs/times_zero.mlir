func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant dense<ZERO> : tensor<64xf32>
  %y = arith.mulf %x, %zero : tensor<64xf32>
  return %y : tensor<64xf32>
}
