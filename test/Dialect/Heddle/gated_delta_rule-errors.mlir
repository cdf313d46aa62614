// RUN: heddle-opt %s -split-input-file --heddle-resolve-sizes -verify-diagnostics

func.func @negative_gated_delta_rule_c1_query(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>, %b: tensor<2x4x9xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected the sizes of the query to be "9", found "8"}}
  %0 = heddle.gated_delta_rule %q, %k, %v strengths(%b)
     : tensor<2x4x8x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32>, tensor<2x4x9xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_gated_delta_rule_c1_query_channels(%q: tensor<2x4x9x24xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>, %b: tensor<2x4x9xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected the sizes of the query to be "16", found "24"}}
  %0 = heddle.gated_delta_rule %q, %k, %v strengths(%b)
     : tensor<2x4x9x24xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32>, tensor<2x4x9xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_gated_delta_rule_c1_value(%q: tensor<2x4x9x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x3x9x24xf32>, %b: tensor<2x4x9xf32>) -> tensor<2x3x9x24xf32> {
  // expected-error @+1 {{expected as many heads of values as of keys, or a multiple, found 'tensor<2x3x9x24xf32>' and 'tensor<2x4x9x16xf32>'}}
  %0 = heddle.gated_delta_rule %q, %k, %v strengths(%b)
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x3x9x24xf32>, tensor<2x4x9xf32> -> tensor<2x3x9x24xf32>
  return %0 : tensor<2x3x9x24xf32>
}

// -----

func.func @negative_gated_delta_rule_c2_gates(%q: tensor<2x4x9x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>, %b: tensor<2x4x9xf32>, %g: tensor<2x4x1xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected the sizes of a token's numbers to be "9", found "1"}}
  %0 = heddle.gated_delta_rule %q, %k, %v strengths(%b) gates(%g : tensor<2x4x1xf32>)
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32>, tensor<2x4x9xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_gated_delta_rule_c2_strengths(%q: tensor<2x4x9x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>, %b: tensor<2x1x9xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected the sizes of a token's numbers to be "4", found "1"}}
  %0 = heddle.gated_delta_rule %q, %k, %v strengths(%b)
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32>, tensor<2x1x9xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_gated_delta_rule_c3(%q: tensor<2x4x9x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>, %b: tensor<2x4x9xf32>, %s: tensor<2x4x24x16xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected the sizes of the state to be "16", found "24"}}
  %0 = heddle.gated_delta_rule %q, %k, %v strengths(%b) state(%s : tensor<2x4x24x16xf32>)
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32>, tensor<2x4x9xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_gated_delta_rule_c4(%q: tensor<2x4x9x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>, %b: tensor<2x4x9xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected a chunk that is a power of two from 1 to 256, found 48}}
  %0 = heddle.gated_delta_rule %q, %k, %v strengths(%b) chunk(48)
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32>, tensor<2x4x9xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_gated_delta_rule_c4_none(%q: tensor<2x4x9x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>, %b: tensor<2x4x9xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected a chunk that is a power of two from 1 to 256, found 0}}
  %0 = heddle.gated_delta_rule %q, %k, %v strengths(%b) chunk(0)
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32>, tensor<2x4x9xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_gated_delta_rule_c4_large(%q: tensor<2x4x9x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x24xf32>, %b: tensor<2x4x9xf32>) -> tensor<2x4x9x24xf32> {
  // expected-error @+1 {{expected a chunk that is a power of two from 1 to 256, found 512}}
  %0 = heddle.gated_delta_rule %q, %k, %v strengths(%b) chunk(512)
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x24xf32>, tensor<2x4x9xf32> -> tensor<2x4x9x24xf32>
  return %0 : tensor<2x4x9x24xf32>
}

// -----

func.func @negative_gated_delta_rule_c2_channels(%q: tensor<2x4x9x16xf32>, %v: tensor<2x8x9x24xf32>, %b: tensor<2x8x9xf32>, %g: tensor<2x8x9x24xf32>) -> tensor<2x8x9x24xf32> {
  // expected-error @+1 {{expected the sizes of a token's numbers to be "16", found "24"}}
  %0 = heddle.gated_delta_rule %q, %q, %v strengths(%b) gates(%g : tensor<2x8x9x24xf32>)
     : tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>, tensor<2x8x9x24xf32>, tensor<2x8x9xf32> -> tensor<2x8x9x24xf32>
  return %0 : tensor<2x8x9x24xf32>
}

// -----

func.func @negative_gated_delta_rule_c1_heads(%q: tensor<2x?x9x16xf32> {heddle.sizes = ["heads"]}, %v: tensor<2x8x9x24xf32>, %b: tensor<2x8x9xf32>) -> tensor<2x8x9x24xf32> {
  // expected-error @+1 {{expected as many heads of values as of keys, or a multiple, found 'tensor<2x8x9x24xf32>' and}}
  %0 = heddle.gated_delta_rule %q, %q, %v strengths(%b)
     : tensor<2x?x9x16xf32>, tensor<2x?x9x16xf32>, tensor<2x8x9x24xf32>, tensor<2x8x9xf32> -> tensor<2x8x9x24xf32>
  return %0 : tensor<2x8x9x24xf32>
}

// -----

func.func @negative_gated_delta_rule_c5(%q: tensor<2x4x5x8xf64>, %v: tensor<2x4x5x12xf64>, %b: tensor<2x4x5xf32>) {
  // expected-error @+1 {{expected operands of f64, or none of them, found}}
  %o = heddle.gated_delta_rule %q, %q, %v strengths(%b) : tensor<2x4x5x8xf64>, tensor<2x4x5x8xf64>, tensor<2x4x5x12xf64>, tensor<2x4x5xf32> -> tensor<2x4x5x12xf64>
  return
}
