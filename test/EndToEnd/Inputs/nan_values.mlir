func.func @attend(%q: tensor<1x?x32xf32> {heddle.name = "q", heddle.sizes = ["length"]},
    %k: tensor<1x?x32xf32> {heddle.name = "k", heddle.sizes = ["length"]},
    %v: tensor<1x?x32xf32> {heddle.name = "v", heddle.sizes = ["length"]}) -> (tensor<1x?x32xf32> {heddle.name = "y"}) {
  %causal = heddle.mask.causal align(top_left)
  %y = heddle.attention %q, %k, %v mask(%causal) heads(2, kv = 2) products(bf16)
      : tensor<1x?x32xf32>, tensor<1x?x32xf32>, tensor<1x?x32xf32>
  return %y : tensor<1x?x32xf32>
}
