// The hidden values of 512 tokens of BERT-base: x / 2 * (1 + erf(x / sqrt(2))).
func.func @run(%x: tensor<512x3072xf32> {heddle.name = "x"}) -> (tensor<512x3072xf32> {heddle.name = "y"}) {
  %half = arith.constant dense<0.5> : tensor<512x3072xf32>
  %root = arith.constant dense<0.70710678118654752> : tensor<512x3072xf32>
  %one = arith.constant dense<1.0> : tensor<512x3072xf32>
  %0 = arith.mulf %x, %root : tensor<512x3072xf32>
  %1 = math.erf %0 : tensor<512x3072xf32>
  %2 = arith.addf %1, %one : tensor<512x3072xf32>
  %3 = arith.mulf %x, %half : tensor<512x3072xf32>
  %y = arith.mulf %2, %3 : tensor<512x3072xf32>
  return %y : tensor<512x3072xf32>
}
