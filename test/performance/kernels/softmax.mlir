// The weights of 12 heads of 512 queries and keys.
func.func @run(%x: tensor<6144x512xf32> {heddle.name = "x"}) -> (tensor<6144x512xf32> {heddle.name = "y"}) {
  %y = heddle.softmax %x axis(1) : tensor<6144x512xf32>
  return %y : tensor<6144x512xf32>
}
