// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @mask_not
// FOLD-LABEL: func.func @mask_not
func.func @mask_not(%m: !heddle.mask) -> !heddle.mask {
  // CHECK: heddle.mask.not %{{.*}}
  // FOLD: heddle.mask.not
  %0 = heddle.mask.not %m
  return %0 : !heddle.mask
}

// not not m = m
// FOLD-LABEL: func.func @fold_mask_not
// FOLD-SAME: (%[[MASK:.*]]: !heddle.mask)
func.func @fold_mask_not(%m: !heddle.mask) -> !heddle.mask {
  // FOLD-NEXT: return %[[MASK]]
  %0 = heddle.mask.not %m
  %1 = heddle.mask.not %0
  return %1 : !heddle.mask
}
