func.func @f(%x: tensor<?x37xf32> {heddle.name = "x", heddle.sizes = ["n"]}) -> (tensor<?x37xf32> {heddle.name = "y"}) {
  %y = arith.addf %x, %x : tensor<?x37xf32>
  return %y : tensor<?x37xf32>
}

func.func @g(%x: tensor<4x40xf32>) -> tensor<4x40xf32> {
  %s = heddle.softmax %x axis(1) : tensor<4x40xf32>
  return %s : tensor<4x40xf32>
}
