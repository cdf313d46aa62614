// RUN: heddle-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected results of types 'tensor<?x8xf32>'}}
heddle.kernel @negative_kernel_results(%x: tensor<?x4xf32>) -> tensor<?x8xf32> {
  // expected-note @+1 {{yields types 'tensor<?x4xf32>'}}
  heddle.yield %x : tensor<?x4xf32>
}

// -----

// expected-error @+1 {{expected non-empty function body}}
heddle.kernel @negative_kernel_empty() {}

// -----

// expected-error @+1 {{region with 1 blocks}}
heddle.kernel @negative_kernel_declaration()

// -----

heddle.kernel @negative_kernel_terminator(%x: tensor<?x4xf32>) {
  // expected-error @+1 {{block with no terminator}}
  %0 = heddle.activation relu %x : tensor<?x4xf32>
}

// -----

func.func @negative_kernel_yield_elsewhere() {
  // expected-error @+1 {{expects parent op to be one of 'heddle.kernel, heddle.generic, heddle.weight, heddle.attention, heddle.multi_head_attention, }}
  heddle.yield
}
