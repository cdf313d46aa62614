func.func @run(%x: tensor<6144x512xf32> {heddle.name = "x"}) -> (tensor<512xf32> {heddle.name = "y"}) {
  %y = heddle.reduce sum %x axes [0] : tensor<6144x512xf32> -> tensor<512xf32>
  return %y : tensor<512xf32>
}
