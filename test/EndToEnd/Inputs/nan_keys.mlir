func.func @attend(%starts: tensor<1xi32> {heddle.name = "starts"}, %q: tensor<1x?x8xf32> {heddle.name = "q", heddle.sizes = ["length"]},
    %k: tensor<1x?x8xf32> {heddle.name = "k", heddle.sizes = ["length"]},
    %v: tensor<1x?x8xf32> {heddle.name = "v", heddle.sizes = ["length"]}) -> (tensor<1x?x8xf32> {heddle.name = "y"}) {
  %causal = heddle.mask.causal offset(%starts : tensor<1xi32>)
  %y = heddle.attention %q, %k, %v mask(%causal) heads(1, kv = 1) scale(0.25) : tensor<1x?x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>
  return %y : tensor<1x?x8xf32>
}
