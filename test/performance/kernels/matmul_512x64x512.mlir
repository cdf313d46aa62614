// The scores of 12 heads of 64.
func.func @run(%a: tensor<12x512x64xf32> {heddle.name = "a"}, %b: tensor<12x64x512xf32> {heddle.name = "b"})
    -> (tensor<12x512x512xf32> {heddle.name = "y"}) {
  %y = heddle.matmul %a, %b : tensor<12x512x64xf32>, tensor<12x64x512xf32> -> tensor<12x512x512xf32>
  return %y : tensor<12x512x512xf32>
}
