// Four kernels, one after the other.
heddle.weight @w = dense<0.5> : tensor<64x64xf32>

func.func @steps(%x: tensor<?x64xf32> {heddle.name = "x", heddle.sizes = ["n"]}) -> (tensor<?x64xf32> {heddle.name = "y"}) {
  %w = heddle.weight_ref @w : tensor<64x64xf32>
  %0 = heddle.linear %x, %w : tensor<?x64xf32>, tensor<64x64xf32>
  %1 = heddle.linear %0, %w : tensor<?x64xf32>, tensor<64x64xf32>
  %2 = heddle.linear %1, %w : tensor<?x64xf32>, tensor<64x64xf32>
  %3 = heddle.linear %2, %w : tensor<?x64xf32>, tensor<64x64xf32>
  return %3 : tensor<?x64xf32>
}
