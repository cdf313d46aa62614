// RUN: heddle-opt %s -split-input-file --heddle-resolve-sizes -verify-diagnostics

func.func @negative_patch_embedding_c1(%x: tensor<2x1x8x8xf32>, %w: tensor<24x3x4x4xf32>) {
  // expected-error @+1 {{expected a weight of as many columns as 'tensor<2x1x8x8xf32>' has channels, found 3}}
  %0 = heddle.patch_embedding %x, %w : tensor<2x1x8x8xf32>, tensor<24x3x4x4xf32>
  return
}

// -----

func.func @negative_patch_embedding_c2(%x: tensor<2x3x8x8xf32>, %w: tensor<24x3x4x2xf32>) {
  // expected-error @+1 {{expected square patches, found 'tensor<24x3x4x2xf32>'}}
  %0 = heddle.patch_embedding %x, %w : tensor<2x3x8x8xf32>, tensor<24x3x4x2xf32>
  return
}

// -----

func.func @negative_patch_embedding_c3(%x: tensor<2x3x8x8xf32>, %w: tensor<24x3x4x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{expected a bias of 24 elements, found 3}}
  %0 = heddle.patch_embedding %x, %w bias(%b : tensor<3xf32>) : tensor<2x3x8x8xf32>, tensor<24x3x4x4xf32>
  return
}

// -----

func.func @negative_patch_embedding_c4(%x: tensor<2x3x8x3xf32>, %w: tensor<24x3x4x4xf32>) {
  // expected-error @+1 {{expected dimension 3 of the image to be at least 4, found 3}}
  %0 = heddle.patch_embedding %x, %w : tensor<2x3x8x3xf32>, tensor<24x3x4x4xf32>
  return
}

// -----

func.func @negative_patch_embedding_c4_dynamic(%x: tensor<2x3x?x8xf32> {heddle.sizes = ["h"]}, %w: tensor<24x3x4x4xf32>)
    -> tensor<2x?x24xf32> {
  // expected-error @+1 {{expected dimension 2 of the image to be at least 4, found h; what sizes may be is declared in heddle.symbols of the entry point}}
  %0 = heddle.patch_embedding %x, %w : tensor<2x3x?x8xf32>, tensor<24x3x4x4xf32>
  return %0 : tensor<2x?x24xf32>
}

// -----

func.func @patch_embedding_empty(%x: tensor<2x4x8x8xf32>, %w: tensor<6x4x0x0xf32>) {
  // expected-error @+1 {{expected patches with elements, found a weight of 'tensor<6x4x0x0xf32>'}}
  %0 = heddle.patch_embedding %x, %w : tensor<2x4x8x8xf32>, tensor<6x4x0x0xf32>
  return
}
