// RUN: heddle-opt %s --heddle-simplify-masks --split-input-file --verify-diagnostics | FileCheck %s
// RUN: /usr/bin/python3 %S/../EndToEnd/Inputs/shared_masks.py 28 2 | heddle-opt --heddle-simplify-masks --cse --canonicalize | FileCheck %s --check-prefix=TWO
// RUN: /usr/bin/python3 %S/../EndToEnd/Inputs/shared_masks.py 28 6 | heddle-opt --heddle-simplify-masks --canonicalize | FileCheck %s --check-prefix=SIX
// RUN: /usr/bin/python3 %S/../EndToEnd/Inputs/shared_masks.py 40 7 | not heddle-opt --heddle-simplify-masks 2>&1 | FileCheck %s --check-prefix=SEVEN

// 2^28 ops over two masks mean the first of them.
// TWO: %[[LENGTHS:.*]] = heddle.mask.lengths %arg1
// TWO-NOT: heddle.mask
// TWO: heddle.attention {{.*}} mask(%[[LENGTHS]])

// SIX-COUNT-5: heddle.mask.{{lengths|causal}}
// SIX: heddle.mask.not

// SEVEN: error: expected a mask of at most 4096 ops of 'and', 'or' and 'not', with those that are used several times counted for each use, or of at most 6 different masks; found 3298534883325 ops and 7 masks

// What is short stays as its author wrote it.
// CHECK-LABEL: func.func @short
// CHECK: %[[NOT:.*]] = heddle.mask.not
// CHECK: %[[NEVER:.*]] = heddle.mask.and %{{.*}}, %[[NOT]]
// CHECK: mask(%[[NEVER]])
func.func @short(%q: tensor<2x8x64xf32>) -> tensor<2x8x64xf32> {
  %causal = heddle.mask.causal align(top_left)
  %not = heddle.mask.not %causal
  %never = heddle.mask.and %causal, %not
  %o = heddle.attention %q, %q, %q mask(%never) heads(4, kv = 4) scale(0.25)
      : tensor<2x8x64xf32>, tensor<2x8x64xf32>, tensor<2x8x64xf32>
  return %o : tensor<2x8x64xf32>
}
