// What heddle.alibi and heddle.relative_bias add to scores of 0.
func.func @f(%q: tensor<?x2x3x8xf32> {heddle.name = "q", heddle.sizes = ["batch"]},
    %k: tensor<?x2x5x8xf32> {heddle.name = "k", heddle.sizes = ["batch"]},
    %slopes: tensor<2xf32> {heddle.name = "slopes"}, %table: tensor<5x2xf32> {heddle.name = "table"},
    %offset: tensor<?xi32> {heddle.name = "offset", heddle.sizes = ["batch"]})
    -> (tensor<?x2x3x5xf32> {heddle.name = "alibi"}, tensor<?x2x3x5xf32> {heddle.name = "relative_bias"}) {
  %a = heddle.attention %q, %k, %k heads(2, kv = 2) results(changed_scores)
      score(%slopes, %offset : tensor<2xf32>, tensor<?xi32>) {
    ^bb0(%s: tensor<?x2x3x5xf32>, %x: tensor<2xf32>, %o: tensor<?xi32>):
      %0 = heddle.alibi %s, %x offset(%o : tensor<?xi32>) : tensor<?x2x3x5xf32>, tensor<2xf32>
      heddle.yield %0 : tensor<?x2x3x5xf32>
    } : tensor<?x2x3x8xf32>, tensor<?x2x5x8xf32>, tensor<?x2x5x8xf32>
  %b = heddle.attention %q, %k, %k heads(2, kv = 2) results(changed_scores)
      score(%table, %offset : tensor<5x2xf32>, tensor<?xi32>) {
    ^bb0(%s: tensor<?x2x3x5xf32>, %x: tensor<5x2xf32>, %o: tensor<?xi32>):
      %0 = heddle.relative_bias %s, %x offset(%o : tensor<?xi32>) : tensor<?x2x3x5xf32>, tensor<5x2xf32>
      heddle.yield %0 : tensor<?x2x3x5xf32>
    } : tensor<?x2x3x8xf32>, tensor<?x2x5x8xf32>, tensor<?x2x5x8xf32>
  return %a, %b : tensor<?x2x3x5xf32>, tensor<?x2x3x5xf32>
}
