// A feed-forward layer of which nothing is left between its two linear layers.
func.func @f(%x: tensor<?x16xf32> {heddle.sizes = ["n"]}, %u: tensor<0x16xf32>,
    %d: tensor<16x0xf32>) -> tensor<?x16xf32> {
  %y = heddle.feed_forward relu %x, %u, %d : tensor<?x16xf32>, tensor<0x16xf32>, tensor<16x0xf32>
  return %y : tensor<?x16xf32>
}
