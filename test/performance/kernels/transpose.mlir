// Heads go to the front.
func.func @run(%x: tensor<512x12x64xf32> {heddle.name = "x"}) -> (tensor<12x512x64xf32> {heddle.name = "y"}) {
  %y = heddle.transpose %x permutation [1, 0, 2] : tensor<512x12x64xf32> -> tensor<12x512x64xf32>
  return %y : tensor<12x512x64xf32>
}
