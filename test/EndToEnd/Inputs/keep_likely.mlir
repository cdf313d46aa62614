// Vocabularies of one part and less, of several rows, and of f16.
func.func @one(%x: tensor<1xf32> {heddle.name = "x"}, %t: tensor<f32> {heddle.name = "t"}, %k: tensor<i32> {heddle.name = "k"}, %p: tensor<f32> {heddle.name = "p"}) -> (tensor<1xf32> {heddle.name = "y"}) {
  %y = heddle.keep_likely %x temperature(%t) top_k(%k) top_p(%p) : tensor<1xf32>, tensor<f32>, tensor<i32>
  return %y : tensor<1xf32>
}
func.func @few(%x: tensor<?x9xf32> {heddle.name = "x", heddle.sizes = ["batch"]}, %t: tensor<?xf32> {heddle.name = "t", heddle.sizes = ["batch"]}, %k: tensor<?xi32> {heddle.name = "k", heddle.sizes = ["batch"]}, %p: tensor<?xf32> {heddle.name = "p", heddle.sizes = ["batch"]}) -> (tensor<?x9xf32> {heddle.name = "y"}) {
  %y = heddle.keep_likely %x temperature(%t) top_k(%k) top_p(%p) : tensor<?x9xf32>, tensor<?xf32>, tensor<?xi32>
  return %y : tensor<?x9xf32>
}
func.func @rows(%x: tensor<2x?x512xf16> {heddle.name = "x", heddle.sizes = ["batch"]}, %t: tensor<2x?xf32> {heddle.name = "t", heddle.sizes = ["batch"]}, %k: tensor<2x?xi32> {heddle.name = "k", heddle.sizes = ["batch"]}, %p: tensor<2x?xf32> {heddle.name = "p", heddle.sizes = ["batch"]}) -> (tensor<2x?x512xf16> {heddle.name = "y"}) {
  %y = heddle.keep_likely %x temperature(%t) top_k(%k) top_p(%p) : tensor<2x?x512xf16>, tensor<2x?xf32>, tensor<2x?xi32>
  return %y : tensor<2x?x512xf16>
}
