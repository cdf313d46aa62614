// Scores that fall so fast that the weights of far keys, and what they multiply, are subnormal.
func.func @attend(%x: tensor<1x?x64xf32> {heddle.sizes = ["length"], heddle.name = "x"},
    %slopes: tensor<2xf32> {heddle.name = "slopes"}) -> (tensor<1x?x64xf32> {heddle.name = "y"}) {
  %y = heddle.attention %x, %x, %x heads(2, kv = 2) score(%slopes : tensor<2xf32>) {
    ^bb0(%s: tensor<1x2x?x?xf32>, %slope: tensor<2xf32>):
      %0 = heddle.alibi %s, %slope align(top_left) : tensor<1x2x?x?xf32>, tensor<2xf32>
      heddle.yield %0 : tensor<1x2x?x?xf32>
    } : tensor<1x?x64xf32>, tensor<1x?x64xf32>, tensor<1x?x64xf32>
  return %y : tensor<1x?x64xf32>
}
