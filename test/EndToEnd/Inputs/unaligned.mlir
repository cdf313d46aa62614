// Rows of 4, 8 and 16 channels, each of which some CPU reads with one instruction.

heddle.weight @w from "w" : tensor<4x16xf32>
heddle.weight @n from "n" : tensor<16xf32>

func.func @sums_of_4(%x: tensor<?x?x4xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x4xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x4xf32> {
  %sum = arith.addf %x, %y : tensor<?x?x4xf32>
  return %sum : tensor<?x?x4xf32>
}

func.func @sums_of_8(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x8xf32> {
  %sum = arith.addf %x, %y : tensor<?x?x8xf32>
  return %sum : tensor<?x?x8xf32>
}

func.func @sums_of_16(%x: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x16xf32> {
  %sum = arith.addf %x, %y : tensor<?x?x16xf32>
  return %sum : tensor<?x?x16xf32>
}

func.func @layer(%x: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x4xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x4xf32> {
  %w = heddle.weight_ref @w : tensor<4x16xf32>
  %n = heddle.weight_ref @n : tensor<16xf32>
  %a = heddle.rms_norm %x, %n epsilon(1.0e-5) : tensor<?x?x16xf32>, tensor<16xf32>
  %b = heddle.linear %a, %w : tensor<?x?x16xf32>, tensor<4x16xf32>
  %c = arith.addf %y, %b : tensor<?x?x4xf32>
  return %c : tensor<?x?x4xf32>
}

func.func @layer_of_few(%x: tensor<?x16xf32> {heddle.sizes = ["batch"]},
    %y: tensor<?x4xf32> {heddle.sizes = ["batch"]}) -> tensor<?x4xf32> {
  %w = heddle.weight_ref @w : tensor<4x16xf32>
  %n = heddle.weight_ref @n : tensor<16xf32>
  %a = heddle.rms_norm %x, %n epsilon(1.0e-5) : tensor<?x16xf32>, tensor<16xf32>
  %b = heddle.linear %a, %w : tensor<?x16xf32>, tensor<4x16xf32>
  %c = arith.addf %y, %b : tensor<?x4xf32>
  return %c : tensor<?x4xf32>
}

func.func @attend(%q: tensor<?x?x8xf32> {heddle.sizes = ["batch", "queries"]},
    %k: tensor<?x?x8xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x4xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x4xf32> {
  %y = heddle.attention %q, %k, %v heads(1, kv = 1) scale(0.35)
    : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x4xf32>
  return %y : tensor<?x?x4xf32>
}
