// CUDA has no exponentials of f64.
// UNSUPPORTED: cuda
// RUN: heddlec %s --verify -o %t.o | FileCheck %s

// Strips of the last dimension keep all channels of what they transpose: of as many elements as
// the stack has room for.
// CHECK: verified doubles as a whole
func.func @doubles(%q: tensor<?x?x192xf64> {heddle.sizes = ["batch", "queries"]},
    %k: tensor<?x?x96xf64> {heddle.sizes = ["batch", "keys"]}) -> tensor<192x?x?xf64> {
  %o = heddle.attention %q, %k, %k heads(2, kv = 1) output_layout(channel, length, batch)
      : tensor<?x?x192xf64>, tensor<?x?x96xf64>, tensor<?x?x96xf64>
  return %o : tensor<192x?x?xf64>
}
