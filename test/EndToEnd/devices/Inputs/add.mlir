func.func @run(%a: tensor<40x224xf32> {heddle.name = "a"}, %b: tensor<40x224xf32> {heddle.name = "b"})
    -> (tensor<40x224xf32> {heddle.name = "y"}) {
  %y = arith.addf %a, %b : tensor<40x224xf32>
  return %y : tensor<40x224xf32>
}
