// Attention as a dictionary that is asked for a key which is not quite one of its own: the
// answer is the values of the keys, each by how well its key fits.
func.func @look_up(%query: tensor<1x1xf32> {heddle.name = "query"}, %keys: tensor<3x1xf32> {heddle.name = "keys"},
    %valid: tensor<3xi1> {heddle.name = "valid"}, %values: tensor<3x1xf32> {heddle.name = "values"})
    -> (tensor<1x1x3xf32> {heddle.name = "attention"}, tensor<1x1xf32> {heddle.name = "answer"}) {
  %mask = heddle.mask.dense %valid over(key) : tensor<3xi1>
  %answer, %weights = heddle.attention %query, %keys, %values mask(%mask) heads(1, kv = 1) scale(1.0)
      layout(length, channel) results(output, weights)
      : tensor<1x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>
  return %weights, %answer : tensor<1x1x3xf32>, tensor<1x1xf32>
}
