// A contraction over many and over few rows, what its epilogue reads of the caller, and attention.
// 33 channels fill one panel and a part of the next.

heddle.weight @w from "w" : tensor<33x33xf32>
heddle.weight @n from "n" : tensor<33xf32>

func.func @many(%x: tensor<1x?x33xf32> {heddle.name = "x", heddle.sizes = ["length"]},
    %y: tensor<1x?x33xf32> {heddle.name = "y", heddle.sizes = ["length"]})
    -> (tensor<1x?x33xf32> {heddle.name = "result"}) {
  %w = heddle.weight_ref @w : tensor<33x33xf32>
  %n = heddle.weight_ref @n : tensor<33xf32>
  %a = heddle.rms_norm %x, %n epsilon(1.0e-5) : tensor<1x?x33xf32>, tensor<33xf32>
  %b = heddle.linear %a, %w : tensor<1x?x33xf32>, tensor<33x33xf32>
  %c = arith.addf %y, %b : tensor<1x?x33xf32>
  return %c : tensor<1x?x33xf32>
}

func.func @few(%x: tensor<?x33xf32> {heddle.name = "x", heddle.sizes = ["batch"]},
    %y: tensor<?x33xf32> {heddle.name = "y", heddle.sizes = ["batch"]})
    -> (tensor<?x33xf32> {heddle.name = "result"}) {
  %w = heddle.weight_ref @w : tensor<33x33xf32>
  %b = heddle.linear %x, %w : tensor<?x33xf32>, tensor<33x33xf32>
  %c = arith.addf %y, %b : tensor<?x33xf32>
  return %c : tensor<?x33xf32>
}

// Whole blocks of keys, whose packed copy is all that the workspace holds.
func.func @pairs(%x: tensor<1x?x33xf32> {heddle.name = "x", heddle.sizes = ["length"]},
    %y: tensor<1x?x33xf32> {heddle.name = "y", heddle.sizes = ["length"]})
    -> (tensor<1x1x?x?xf32> {heddle.name = "result"}) {
  %a = heddle.attention %x, %y, %y heads(1, kv = 1) results(weights)
      : tensor<1x?x33xf32>, tensor<1x?x33xf32>, tensor<1x?x33xf32>
  return %a : tensor<1x1x?x?xf32>
}
