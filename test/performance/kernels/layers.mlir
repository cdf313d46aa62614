// Layers whose weights are arguments, so that they may be read from memory.

// What Whisper begins with: 80 channels of 3000 frames.
func.func @conv_1d(%x: tensor<1x80x3000xf32>, %w: tensor<384x80x3xf32>, %b: tensor<384xf32>)
    -> tensor<1x384x3000xf32> {
  %y = heddle.conv_1d %x, %w bias(%b : tensor<384xf32>) stride(1) padding(1) dilation(1) groups(1)
      : tensor<1x80x3000xf32>, tensor<384x80x3xf32>
  return %y : tensor<1x384x3000xf32>
}

// What a residual network begins with, and what it has most of.
func.func @conv_2d_7x7(%x: tensor<1x3x224x224xf32>, %w: tensor<64x3x7x7xf32>, %b: tensor<64xf32>)
    -> tensor<1x64x112x112xf32> {
  %y = heddle.conv_2d %x, %w bias(%b : tensor<64xf32>) strides [2, 2] low [3, 3] high [3, 3]
      dilations [1, 1] groups(1) : tensor<1x3x224x224xf32>, tensor<64x3x7x7xf32>
  return %y : tensor<1x64x112x112xf32>
}

func.func @pool_2d(%x: tensor<1x64x112x112xf32>) -> tensor<1x64x56x56xf32> {
  %y = heddle.pool_2d max %x window [3, 3] strides [2, 2] low [1, 1] high [1, 1] dilations [1, 1]
      : tensor<1x64x112x112xf32>
  return %y : tensor<1x64x56x56xf32>
}

func.func @conv_2d_3x3(%x: tensor<1x64x56x56xf32>, %w: tensor<64x64x3x3xf32>, %b: tensor<64xf32>)
    -> tensor<1x64x56x56xf32> {
  %y = heddle.conv_2d %x, %w bias(%b : tensor<64xf32>) strides [1, 1] low [1, 1] high [1, 1]
      dilations [1, 1] groups(1) : tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>
  return %y : tensor<1x64x56x56xf32>
}

func.func @conv_2d_small(%x: tensor<1x512x7x7xf32>, %w: tensor<512x512x3x3xf32>, %b: tensor<512xf32>)
    -> tensor<1x512x7x7xf32> {
  %y = heddle.conv_2d %x, %w bias(%b : tensor<512xf32>) strides [1, 1] low [1, 1] high [1, 1]
      dilations [1, 1] groups(1) : tensor<1x512x7x7xf32>, tensor<512x512x3x3xf32>
  return %y : tensor<1x512x7x7xf32>
}

// What MobileNet has most of.
func.func @conv_2d_depthwise(%x: tensor<1x96x56x56xf32>, %w: tensor<96x1x3x3xf32>, %b: tensor<96xf32>)
    -> tensor<1x96x56x56xf32> {
  %y = heddle.conv_2d %x, %w bias(%b : tensor<96xf32>) strides [1, 1] low [1, 1] high [1, 1]
      dilations [1, 1] groups(96) : tensor<1x96x56x56xf32>, tensor<96x1x3x3xf32>
  return %y : tensor<1x96x56x56xf32>
}

// Two of eight experts for each of some tokens.
func.func @experts(%x: tensor<?x512xf32> {heddle.sizes = ["tokens"]}, %r: tensor<8x512xf32>,
    %g: tensor<8x1024x512xf32>, %u: tensor<8x1024x512xf32>, %d: tensor<8x512x1024xf32>) -> tensor<?x512xf32> {
  %y = heddle.mixture_of_experts silu %x router(%r) experts(%g, %u, %d) top(2) normalized
      : tensor<?x512xf32>, tensor<8x512xf32>, tensor<8x1024x512xf32>, tensor<8x1024x512xf32>, tensor<8x512x1024xf32>
  return %y : tensor<?x512xf32>
}

func.func @gru_cell(%x: tensor<1x1024xf32>, %h: tensor<1x1024xf32>, %w: tensor<3072x1024xf32>,
    %v: tensor<3072x1024xf32>) -> tensor<1x1024xf32> {
  %y = heddle.gru_cell %x, %h, %w, %v
      : tensor<1x1024xf32>, tensor<1x1024xf32>, tensor<3072x1024xf32>, tensor<3072x1024xf32>
  return %y : tensor<1x1024xf32>
}
