// Of several parts, with a tail, and of any number.
func.func @many(%x: tensor<?x2500xf32> {heddle.name = "x", heddle.sizes = ["batch"]}, %t: tensor<?xf32> {heddle.name = "t", heddle.sizes = ["batch"]}, %k: tensor<?xi32> {heddle.name = "k", heddle.sizes = ["batch"]}, %p: tensor<?xf32> {heddle.name = "p", heddle.sizes = ["batch"]}) -> (tensor<?x2500xf32> {heddle.name = "y"}) {
  %y = heddle.keep_likely %x temperature(%t) top_k(%k) top_p(%p) : tensor<?x2500xf32>, tensor<?xf32>, tensor<?xi32>
  return %y : tensor<?x2500xf32>
}
func.func @unknown(%x: tensor<?x?xf32> {heddle.name = "x", heddle.sizes = ["batch", "vocabulary"]}, %t: tensor<?xf32> {heddle.name = "t", heddle.sizes = ["batch"]}, %k: tensor<?xi32> {heddle.name = "k", heddle.sizes = ["batch"]}, %p: tensor<?xf32> {heddle.name = "p", heddle.sizes = ["batch"]}) -> (tensor<?x?xf32> {heddle.name = "y"})
    attributes {heddle.symbols = [#heddle.symbol<"batch", 1 to 8>, #heddle.symbol<"vocabulary", 1 to 5000>]} {
  %y = heddle.keep_likely %x temperature(%t) top_k(%k) top_p(%p) : tensor<?x?xf32>, tensor<?xf32>, tensor<?xi32>
  return %y : tensor<?x?xf32>
}
