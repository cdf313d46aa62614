// RUN: heddle-opt %s -split-input-file -verify-diagnostics --heddle-resolve-sizes

func.func @broadcast_tensors_c1() {
  // expected-error @+1 {{expected at least one input}}
  "heddle.broadcast_tensors"() : () -> ()
  return
}

// -----

func.func @broadcast_tensors_c1_results(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{expected 2 results, found 1}}
  %y = heddle.broadcast_tensors %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @broadcast_tensors_c1_rank(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{expected result 1 to be of rank 2 and of 'f32', found 'tensor<3xf32>'}}
  %u, %v = heddle.broadcast_tensors %x, %y : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>, tensor<3xf32>
  return %v : tensor<3xf32>
}

// -----

func.func @broadcast_tensors_c1_elements(%x: tensor<3xf32>, %y: tensor<3xi1>) -> tensor<3xf32> {
  // expected-error @+1 {{expected result 1 to be of rank 1 and of 'i1', found 'tensor<3xf32>'}}
  %u, %v = heddle.broadcast_tensors %x, %y : tensor<3xf32>, tensor<3xi1> -> tensor<3xf32>, tensor<3xf32>
  return %v : tensor<3xf32>
}

// -----

func.func @broadcast_tensors_c2(%x: tensor<4x2xf32>, %y: tensor<3xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{expected the size of a dimension to be 1 or "2", found "3"}}
  %u, %v = heddle.broadcast_tensors %x, %y : tensor<4x2xf32>, tensor<3xf32> -> tensor<4x3xf32>, tensor<4x3xf32>
  return %v : tensor<4x3xf32>
}

// -----

func.func @broadcast_tensors_c2_sizes(%x: tensor<?xf32> {heddle.sizes = ["a"]},
    %y: tensor<?xf32> {heddle.sizes = ["b"]}) -> tensor<?xf32>
    attributes {heddle.symbols = [#heddle.symbol<"a", 2 to 4>, #heddle.symbol<"b", 5 to 9>]} {
  // expected-error @+1 {{expected the size of a dimension to be 1 or "min(b, min(1, a)) * max(a, b)", found "a"}}
  %u, %v = heddle.broadcast_tensors %x, %y : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>, tensor<?xf32>
  return %v : tensor<?xf32>
}
