// RUN: heddle-opt %s -split-input-file --heddle-resolve-sizes -verify-diagnostics

func.func @negative_linear_attention_c1_query(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected the sizes of the query to be "9", found "8"}}
  %0 = heddle.linear_attention %q, %k, %v
     : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_linear_attention_c1_query_channels(%q: tensor<2x4x9x24xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected the sizes of the query to be "16", found "24"}}
  %0 = heddle.linear_attention %q, %k, %v
     : tensor<2x4x9x24xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_linear_attention_c1_value(%q: tensor<2x4x9x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x3x9x24xf32>) -> tensor<2x3x9x24xf32> {
  // expected-error @+1 {{expected as many heads of values as of keys, or a multiple, found 'tensor<2x3x9x24xf32>' and 'tensor<2x4x9x16xf32>'}}
  %0 = heddle.linear_attention %q, %k, %v
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x3x9x24xf32> -> tensor<2x3x9x24xf32>
  return %0 : tensor<2x3x9x24xf32>
}

// -----

func.func @negative_linear_attention_c2_gates(%q: tensor<2x4x9x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>, %g: tensor<2x4x1xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected the sizes of a token's numbers to be "9", found "1"}}
  %0 = heddle.linear_attention %q, %k, %v gates(%g : tensor<2x4x1xf32>)
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_linear_attention_c3(%q: tensor<2x4x9x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>, %s: tensor<2x4x24x16xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected the sizes of the state to be "16", found "24"}}
  %0 = heddle.linear_attention %q, %k, %v state(%s : tensor<2x4x24x16xf32>)
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_linear_attention_c4(%q: tensor<2x4x9x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected a chunk that is a power of two from 1 to 256, found 48}}
  %0 = heddle.linear_attention %q, %k, %v chunk(48)
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_linear_attention_c4_none(%q: tensor<2x4x9x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected a chunk that is a power of two from 1 to 256, found 0}}
  %0 = heddle.linear_attention %q, %k, %v chunk(0)
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_linear_attention_c4_large(%q: tensor<2x4x9x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected a chunk that is a power of two from 1 to 256, found 512}}
  %0 = heddle.linear_attention %q, %k, %v chunk(512)
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_linear_attention_c2_channels(%q: tensor<2x4x9x16xf32>, %v: tensor<2x8x9x24xf32>, %b: tensor<2x8x9xf32>, %g: tensor<2x8x9x24xf32>) -> tensor<2x8x9x24xf32> {
  // expected-error @+1 {{expected the sizes of a token's numbers to be "16", found "24"}}
  %0 = heddle.linear_attention %q, %q, %v gates(%g : tensor<2x8x9x24xf32>)
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x8x9x24xf32> -> tensor<2x8x9x24xf32>
  return %0 : tensor<2x8x9x24xf32>
}

// -----

func.func @negative_linear_attention_c1_heads(%q: tensor<2x?x9x16xf32> {heddle.sizes = ["heads"]}, %v: tensor<2x8x9x24xf32>, %b: tensor<2x8x9xf32>) -> tensor<2x8x9x24xf32> {
  // expected-error @+1 {{expected as many heads of values as of keys, or a multiple, found 'tensor<2x8x9x24xf32>' and}}
  %0 = heddle.linear_attention %q, %q, %v
     : tensor<2x?x9x16xf32>, tensor<2x?x9x16xf32>, tensor<2x8x9x24xf32> -> tensor<2x8x9x24xf32>
  return %0 : tensor<2x8x9x24xf32>
}

// -----

func.func @negative_linear_attention_c5(%q: tensor<2x4x5x8xf64>, %k: tensor<2x4x5x8xf32>, %v: tensor<2x4x5x12xf64>) {
  // expected-error @+1 {{expected operands of f64, or none of them, found 'tensor<2x4x5x8xf64>', 'tensor<2x4x5x8xf32>', 'tensor<2x4x5x12xf64>'}}
  %o = heddle.linear_attention %q, %k, %v : tensor<2x4x5x8xf64>, tensor<2x4x5x8xf32>, tensor<2x4x5x12xf64> -> tensor<2x4x5x12xf64>
  return
}
