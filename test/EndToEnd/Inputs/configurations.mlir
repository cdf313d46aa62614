// Kernels of each kind of row_tiles and product_tiles, with sizes that no tile divides.
func.func @sums(%x: tensor<37x70xf32>) -> tensor<70xf32> {
  %y = heddle.reduce sum %x axes [0] : tensor<37x70xf32> -> tensor<70xf32>
  return %y : tensor<70xf32>
}
func.func @soft(%x: tensor<?x83xf32> {heddle.sizes = ["n"]}) -> tensor<?x83xf32> {
  %y = heddle.softmax %x axis(1) : tensor<?x83xf32>
  return %y : tensor<?x83xf32>
}
func.func @softrows(%x: tensor<?x?xf32> {heddle.sizes = ["n", "m"]}) -> tensor<?x?xf32> {
  %y = heddle.softmax %x axis(0) : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
func.func @turn(%x: tensor<67x50xf32>) -> tensor<50x67xf32> {
  %y = heddle.transpose %x permutation [1, 0] : tensor<67x50xf32> -> tensor<50x67xf32>
  return %y : tensor<50x67xf32>
}
func.func @wide(%x: tensor<?x33xbf16> {heddle.sizes = ["n"]}) -> tensor<?x33xbf16> {
  %y = math.exp %x : tensor<?x33xbf16>
  return %y : tensor<?x33xbf16>
}
func.func @product(%x: tensor<29x40xf32>, %y: tensor<40x55xf32>) -> tensor<29x55xf32> {
  %z = heddle.matmul %x, %y : tensor<29x40xf32>, tensor<40x55xf32> -> tensor<29x55xf32>
  return %z : tensor<29x55xf32>
}
func.func @any(%x: tensor<?x?xf32> {heddle.sizes = ["a", "b"]}, %y: tensor<?x?xf32> {heddle.sizes = ["b", "c"]}) -> tensor<?x?xf32> {
  %z = heddle.matmul %x, %y : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}
