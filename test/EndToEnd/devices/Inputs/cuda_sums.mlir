// A weight of 4096 bytes, and rows of as many.
heddle.weight @w = dense<0.5> : tensor<1024xf32>

func.func @sums(%x: tensor<?x1024xf32> {heddle.name = "x", heddle.sizes = ["n"]}) -> (tensor<?x1024xf32> {heddle.name = "y"}) {
  %w = heddle.weight_ref @w : tensor<1024xf32>
  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x1024xf32>, tensor<1024xf32>
  return %y : tensor<?x1024xf32>
}
