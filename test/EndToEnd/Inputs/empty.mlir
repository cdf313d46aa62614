module attributes {heddle.name = "empty"} {
// A cache that is a tensor, as other systems hand it on: empty before the first token.
func.func @grow(%past: tensor<?x2x?x8xf32> {heddle.name = "past", heddle.sizes = ["batch", "past"]},
    %new: tensor<?x2x?x8xf32> {heddle.name = "new", heddle.sizes = ["batch", "length"]},
    %ids: tensor<?xi32> {heddle.name = "ids", heddle.sizes = ["count"]},
    %table: tensor<5x3xf32> {heddle.name = "table"})
    -> (tensor<?x2x?x8xf32> {heddle.name = "all"}, tensor<?x2x?x8xf32> {heddle.name = "seen"},
        tensor<?x3xf32> {heddle.name = "rows"}) {
  %all = heddle.concat %past, %new axis(2)
       : tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32> -> tensor<?x2x?x8xf32>
  %seen = heddle.attention %new, %past, %past heads(2, kv = 2) layout(batch, head, length, channel)
       : tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
  %rows = heddle.embedding %ids, %table : tensor<?xi32>, tensor<5x3xf32>
  return %all, %seen, %rows : tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x3xf32>
}
func.func @store(%k: tensor<?x?x8xf32> {heddle.name = "k", heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 1 x 8 x f32> {heddle.name = "cache", heddle.sizes = ["batch", "capacity"]})
    -> !heddle.cache<1 x 1 x 8 x f32> {
  %next = heddle.cache.append %cache, %k, %k layer(0) at(%starts) lengths(%lengths)
       : !heddle.cache<1 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  return %next : !heddle.cache<1 x 1 x 8 x f32>
}
}
