// y = x W^T of matrices that MLX has quantised: W = scale * code + bias.
heddle.weight @words4 from "q4.wq" : tensor<128x32xui32>
heddle.weight @scales4 from "q4.scales" : tensor<128x4xf32>
heddle.weight @biases4 from "q4.biases" : tensor<128x4xf32>
heddle.weight @words8 from "q8.wq" : tensor<128x64xui32>
heddle.weight @scales8 from "q8.scales" : tensor<128x4xf32>
heddle.weight @biases8 from "q8.biases" : tensor<128x4xf32>

func.func @run(%x: tensor<4x256xf32> {heddle.name = "x"})
    -> (tensor<4x128xf32> {heddle.name = "four"}, tensor<4x128xf32> {heddle.name = "eight"}) {
  %w4 = heddle.weight_ref @words4 : tensor<128x32xui32>
  %s4 = heddle.weight_ref @scales4 : tensor<128x4xf32>
  %b4 = heddle.weight_ref @biases4 : tensor<128x4xf32>
  %c4 = heddle.unpack %w4 axis(1) bits(4) : tensor<128x32xui32> -> tensor<128x256xui4>
  %m4 = arith.negf %b4 : tensor<128x4xf32>
  %d4 = heddle.dequantize %c4, %s4 minimums(%m4 : tensor<128x4xf32>) axis(1)
      : tensor<128x256xui4>, tensor<128x4xf32> -> tensor<128x256xf32>
  %four = heddle.linear %x, %d4 : tensor<4x256xf32>, tensor<128x256xf32>
  %w8 = heddle.weight_ref @words8 : tensor<128x64xui32>
  %s8 = heddle.weight_ref @scales8 : tensor<128x4xf32>
  %b8 = heddle.weight_ref @biases8 : tensor<128x4xf32>
  %c8 = heddle.unpack %w8 axis(1) bits(8) : tensor<128x64xui32> -> tensor<128x256xui8>
  %m8 = arith.negf %b8 : tensor<128x4xf32>
  %d8 = heddle.dequantize %c8, %s8 minimums(%m8 : tensor<128x4xf32>) axis(1)
      : tensor<128x256xui8>, tensor<128x4xf32> -> tensor<128x256xf32>
  %eight = heddle.linear %x, %d8 : tensor<4x256xf32>, tensor<128x256xf32>
  return %four, %eight : tensor<4x128xf32>, tensor<4x128xf32>
}
