// Layers whose weights are arguments, so that they may be read from memory.

// What Whisper begins with: 80 channels of 3000 frames.
func.func @conv_1d(%x: tensor<1x80x3000xf32>, %w: tensor<384x80x3xf32>, %b: tensor<384xf32>)
    -> tensor<1x384x3000xf32> {
  %y = heddle.conv_1d %x, %w bias(%b : tensor<384xf32>) stride(1) padding(1) dilation(1) groups(1)
      : tensor<1x80x3000xf32>, tensor<384x80x3xf32>
  return %y : tensor<1x384x3000xf32>
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
