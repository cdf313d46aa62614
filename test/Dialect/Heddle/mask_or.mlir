// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: func.func @mask_or
// FOLD-LABEL: func.func @mask_or
func.func @mask_or(%a: !heddle.mask, %b: !heddle.mask) -> !heddle.mask {
  // CHECK: heddle.mask.or %{{.*}}, %{{.*}}
  // FOLD: heddle.mask.or
  %0 = heddle.mask.or %a, %b
  return %0 : !heddle.mask
}

// m or m = m
// FOLD-LABEL: func.func @fold_mask_or
// FOLD-SAME: (%[[MASK:.*]]: !heddle.mask)
func.func @fold_mask_or(%m: !heddle.mask) -> !heddle.mask {
  // FOLD-NEXT: return %[[MASK]]
  %0 = heddle.mask.or %m, %m
  return %0 : !heddle.mask
}
