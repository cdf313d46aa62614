// 512 rows of an embedding of 8192.
func.func @run(%x: tensor<8192x768xf32> {heddle.name = "x"}, %ids: tensor<512xi32> {heddle.name = "ids"})
    -> (tensor<512x768xf32> {heddle.name = "y"}) {
  %y = heddle.gather %x, %ids axis(0) : tensor<8192x768xf32>, tensor<512xi32> -> tensor<512x768xf32>
  return %y : tensor<512x768xf32>
}
