// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @mask_and
// FOLD-LABEL: func.func @mask_and
func.func @mask_and(%a: !heddle.mask, %b: !heddle.mask) -> !heddle.mask {
  // CHECK: heddle.mask.and %{{.*}}, %{{.*}}
  // FOLD: heddle.mask.and
  %0 = heddle.mask.and %a, %b
  return %0 : !heddle.mask
}

// m and m = m
// FOLD-LABEL: func.func @fold_mask_and
// FOLD-SAME: (%[[MASK:.*]]: !heddle.mask)
func.func @fold_mask_and(%m: !heddle.mask) -> !heddle.mask {
  // FOLD-NEXT: return %[[MASK]]
  %0 = heddle.mask.and %m, %m
  return %0 : !heddle.mask
}
