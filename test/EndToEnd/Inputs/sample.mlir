// Vocabularies of one block and less, with a tail, of several rows each, of bf16, and of several groups of blocks.
func.func @one(%x: tensor<1xf32> {heddle.name = "x"}, %t: tensor<f32> {heddle.name = "t"}, %p: tensor<f32> {heddle.name = "p"}, %u: tensor<f32> {heddle.name = "u"}) -> (tensor<i32> {heddle.name = "y"}) {
  %y = heddle.sample %x temperature(%t) min_p(%p) uniform(%u) : tensor<1xf32>, tensor<f32> -> tensor<i32>
  return %y : tensor<i32>
}
func.func @few(%x: tensor<?x9xf32> {heddle.name = "x", heddle.sizes = ["batch"]}, %t: tensor<?xf32> {heddle.name = "t", heddle.sizes = ["batch"]}, %p: tensor<?xf32> {heddle.name = "p", heddle.sizes = ["batch"]}, %u: tensor<?xf32> {heddle.name = "u", heddle.sizes = ["batch"]}) -> (tensor<?xi32> {heddle.name = "y"}) {
  %y = heddle.sample %x temperature(%t) min_p(%p) uniform(%u) : tensor<?x9xf32>, tensor<?xf32> -> tensor<?xi32>
  return %y : tensor<?xi32>
}
func.func @many(%x: tensor<?x2500xf32> {heddle.name = "x", heddle.sizes = ["batch"]}, %t: tensor<?xf32> {heddle.name = "t", heddle.sizes = ["batch"]}, %p: tensor<?xf32> {heddle.name = "p", heddle.sizes = ["batch"]}, %u: tensor<?xf32> {heddle.name = "u", heddle.sizes = ["batch"]}) -> (tensor<?xi32> {heddle.name = "y"}) {
  %y = heddle.sample %x temperature(%t) min_p(%p) uniform(%u) : tensor<?x2500xf32>, tensor<?xf32> -> tensor<?xi32>
  return %y : tensor<?xi32>
}
func.func @rows(%x: tensor<2x?x512xbf16> {heddle.name = "x", heddle.sizes = ["batch"]}, %t: tensor<2x?xf32> {heddle.name = "t", heddle.sizes = ["batch"]}, %p: tensor<2x?xf32> {heddle.name = "p", heddle.sizes = ["batch"]}, %u: tensor<2x?xf32> {heddle.name = "u", heddle.sizes = ["batch"]}) -> (tensor<2x?xi64> {heddle.name = "y"}) {
  %y = heddle.sample %x temperature(%t) min_p(%p) uniform(%u) : tensor<2x?x512xbf16>, tensor<2x?xf32> -> tensor<2x?xi64>
  return %y : tensor<2x?xi64>
}
func.func @unknown(%x: tensor<?x?xf32> {heddle.name = "x", heddle.sizes = ["batch", "vocabulary"]}, %t: tensor<?xf32> {heddle.name = "t", heddle.sizes = ["batch"]}, %p: tensor<?xf32> {heddle.name = "p", heddle.sizes = ["batch"]}, %u: tensor<?xf32> {heddle.name = "u", heddle.sizes = ["batch"]}) -> (tensor<?xi32> {heddle.name = "y"})
    attributes {heddle.symbols = [#heddle.symbol<"batch", 1 to 8>, #heddle.symbol<"vocabulary", 1 to 20000>]} {
  %y = heddle.sample %x temperature(%t) min_p(%p) uniform(%u) : tensor<?x?xf32>, tensor<?xf32> -> tensor<?xi32>
  return %y : tensor<?xi32>
}
