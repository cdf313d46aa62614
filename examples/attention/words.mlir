// Six words of three numbers each. `attend` compares every word with every word and mixes
// them by how alike they are; `attend_before` lets a word see itself and those before it.
func.func @attend(%words: tensor<6x3xf32> {heddle.name = "words"})
    -> (tensor<1x6x6xf32> {heddle.name = "scores"}, tensor<1x6x6xf32> {heddle.name = "attention"},
        tensor<6x3xf32> {heddle.name = "mixed"}) {
  %mixed, %scores, %weights = heddle.attention %words, %words, %words heads(1, kv = 1) scale(1.0)
      layout(length, channel) results(output, raw_scores, weights)
      : tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>
  return %scores, %weights, %mixed : tensor<1x6x6xf32>, tensor<1x6x6xf32>, tensor<6x3xf32>
}

func.func @attend_before(%words: tensor<6x3xf32> {heddle.name = "words"})
    -> (tensor<1x6x6xf32> {heddle.name = "scores"}, tensor<1x6x6xf32> {heddle.name = "attention"}) {
  %before = heddle.mask.causal align(top_left)
  %scores, %weights = heddle.attention %words, %words, %words mask(%before) heads(1, kv = 1) scale(1.0)
      layout(length, channel) results(masked_scores, weights)
      : tensor<6x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>
  return %scores, %weights : tensor<1x6x6xf32>, tensor<1x6x6xf32>
}
