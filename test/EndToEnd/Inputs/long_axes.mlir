func.func @inner(%x: tensor<?x4096xf32> {heddle.name = "x", heddle.sizes = ["rows"]}) -> (tensor<?xi32> {heddle.name = "y"}) {
  %y = heddle.arg_reduce max %x axis(1) : tensor<?x4096xf32> -> tensor<?xi32>
  return %y : tensor<?xi32>
}
func.func @outer(%x: tensor<2048x5xf16> {heddle.name = "x"}) -> (tensor<1x5xi64> {heddle.name = "y"}) {
  %y = heddle.arg_reduce min %x axis(0) keep_sizes : tensor<2048x5xf16> -> tensor<1x5xi64>
  return %y : tensor<1x5xi64>
}
func.func @integers(%x: tensor<3x2304xi8> {heddle.name = "x"}) -> (tensor<3xi32> {heddle.name = "y"}) {
  %y = heddle.arg_reduce max %x axis(1) : tensor<3x2304xi8> -> tensor<3xi32>
  return %y : tensor<3xi32>
}
// No multiple of the strands.
func.func @odd(%x: tensor<2x2049xf32> {heddle.name = "x"}) -> (tensor<2xi32> {heddle.name = "y"}) {
  %y = heddle.arg_reduce max %x axis(1) : tensor<2x2049xf32> -> tensor<2xi32>
  return %y : tensor<2xi32>
}
