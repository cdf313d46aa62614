// Sums of integers that layouts do not allow are made in f32.
// RUN: heddle-opt %s --heddle-to-kernels=target-cpu=icelake-server | FileCheck %s
// RUN: heddle-opt %s --heddle-set-target=cpu=icelake-server --heddle-resolve-sizes --heddle-derive-weights \
// RUN:   --heddle-decompose --heddle-merge-generics --heddle-find-contractions --heddle-assign-layouts \
// RUN:   --heddle-settle-contractions=remarks 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: heddle-opt %s --heddle-to-kernels=device=opencl | FileCheck %s --check-prefix=DEVICE --implicit-check-not='i32 sums of'

// Blocks of 18 terms have no whole places of half bytes.
// CHECK-LABEL: heddle.kernel @odd
// CHECK: #heddle.contraction<rows(0, 1) columns(2, 3)>
// CHECK-LABEL: heddle.kernel @even
// CHECK: #heddle.contraction<rows(0, 1) columns(2, 3) i32 sums of 32>

// REMARK: remark: a sum of products of integers that is made in f32, as its columns do not lie in panels with whole groups of them
// REMARK-NOT: remark: a sum of products

// DEVICE: heddle.kernel @odd
// DEVICE: heddle.kernel @even

heddle.weight @odd_source from "odd" : tensor<33x36xf32>
func.func @odd(%x: tensor<7x36xf32>) -> tensor<7x33xf32> {
  %q, %s = heddle.quantize %x axis(1) group(36) : tensor<7x36xf32> -> tensor<7x36xi16>, tensor<7x1xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<7x36xi16>, tensor<7x1xf32> -> tensor<7x36xf32>
  %b = heddle.weight_ref @odd_source : tensor<33x36xf32>
  %c, %t = heddle.quantize %b axis(1) group(18) : tensor<33x36xf32> -> tensor<33x36xi4>, tensor<33x2xbf16>
  %w = heddle.dequantize %c, %t axis(1) : tensor<33x36xi4>, tensor<33x2xbf16> -> tensor<33x36xf32>
  %y = heddle.linear %d, %w : tensor<7x36xf32>, tensor<33x36xf32>
  return %y : tensor<7x33xf32>
}

heddle.weight @even_source from "even" : tensor<33x64xf32>
func.func @even(%x: tensor<7x64xf32>) -> tensor<7x33xf32> {
  %q, %s = heddle.quantize %x axis(1) group(32) : tensor<7x64xf32> -> tensor<7x64xi16>, tensor<7x2xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<7x64xi16>, tensor<7x2xf32> -> tensor<7x64xf32>
  %b = heddle.weight_ref @even_source : tensor<33x64xf32>
  %c, %t = heddle.quantize %b axis(1) group(32) : tensor<33x64xf32> -> tensor<33x64xi4>, tensor<33x2xbf16>
  %w = heddle.dequantize %c, %t axis(1) : tensor<33x64xi4>, tensor<33x2xbf16> -> tensor<33x64xf32>
  %y = heddle.linear %d, %w : tensor<7x64xf32>, tensor<33x64xf32>
  return %y : tensor<7x33xf32>
}
