// Contractions in tiles of a device, each compared with the reference at the tails of rows,
// columns and terms: a tile has 32 rows and columns and 8 terms, a thread 4 rows.
// REQUIRES: opencl
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --target=opencl --verify -o product.o | FileCheck %s

// CHECK: verified rows_3: 1 kernel
func.func @rows_3(%a: tensor<3x24xf32>, %b: tensor<24x32xf32>) -> tensor<3x32xf32> {
  %y = heddle.matmul %a, %b : tensor<3x24xf32>, tensor<24x32xf32> -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}
// CHECK: verified rows_4: 1 kernel
func.func @rows_4(%a: tensor<4x7xf32>, %b: tensor<7x16xf32>) -> tensor<4x16xf32> {
  %y = heddle.matmul %a, %b : tensor<4x7xf32>, tensor<7x16xf32> -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
// CHECK: verified rows_31: 1 kernel
func.func @rows_31(%a: tensor<31x9xf32>, %b: tensor<9x33xf32>) -> tensor<31x33xf32> {
  %y = heddle.matmul %a, %b : tensor<31x9xf32>, tensor<9x33xf32> -> tensor<31x33xf32>
  return %y : tensor<31x33xf32>
}
// CHECK: verified rows_33: 1 kernel
func.func @rows_33(%a: tensor<33x8xf32>, %b: tensor<8x31xf32>) -> tensor<33x31xf32> {
  %y = heddle.matmul %a, %b : tensor<33x8xf32>, tensor<8x31xf32> -> tensor<33x31xf32>
  return %y : tensor<33x31xf32>
}
// A batch of products, whose terms are not known.
// CHECK: verified batch: 1 kernel
func.func @batch(%a: tensor<3x?x?xf32> {heddle.sizes = ["rows", "terms"]}, %b: tensor<3x?x40xf32> {heddle.sizes = ["terms"]}) -> tensor<3x?x40xf32>
    attributes {heddle.symbols = [#heddle.symbol<"rows", 37 to 512>, #heddle.symbol<"terms", 13 to 512>]} {
  %y = heddle.matmul %a, %b : tensor<3x?x?xf32>, tensor<3x?x40xf32> -> tensor<3x?x40xf32>
  return %y : tensor<3x?x40xf32>
}
// Columns that are not known, and whose tile reaches past them.
// CHECK: verified columns: 1 kernel
func.func @columns(%a: tensor<5x17xf32>, %b: tensor<17x?xf32> {heddle.sizes = ["columns"]}) -> tensor<5x?xf32>
    attributes {heddle.symbols = [#heddle.symbol<"columns", 35 to 512>]} {
  %y = heddle.matmul %a, %b : tensor<5x17xf32>, tensor<17x?xf32> -> tensor<5x?xf32>
  return %y : tensor<5x?xf32>
}
// More terms than a sum has, and not a multiple of them.
// CHECK: verified deep: 1 kernel
func.func @deep(%a: tensor<5x2057xf32>, %b: tensor<2057x17xf32>) -> tensor<5x17xf32> {
  %y = heddle.matmul %a, %b : tensor<5x2057xf32>, tensor<2057x17xf32> -> tensor<5x17xf32>
  return %y : tensor<5x17xf32>
}
// CHECK: verified deep_few: 1 kernel
func.func @deep_few(%a: tensor<2x5000xf32>, %b: tensor<5000x17xf32>) -> tensor<2x17xf32> {
  %y = heddle.matmul %a, %b : tensor<2x5000xf32>, tensor<5000x17xf32> -> tensor<2x17xf32>
  return %y : tensor<2x17xf32>
}
// Numbers that are not finite reach only the rows and columns that read them: nothing past
// the last term does.
// CHECK: verified narrow_types: 1 kernel
func.func @narrow_types(%a: tensor<?x19xbf16> {heddle.sizes = ["rows"]}, %b: tensor<19x35xf16>) -> tensor<?x35xf32> {
  %c = arith.extf %a : tensor<?x19xbf16> to tensor<?x19xf32>
  %d = arith.extf %b : tensor<19x35xf16> to tensor<19x35xf32>
  %y = heddle.matmul %c, %d : tensor<?x19xf32>, tensor<19x35xf32> -> tensor<?x35xf32>
  return %y : tensor<?x35xf32>
}
// Two sums of a kernel, and what both make is read twice: of few rows and of
// many.
// CHECK: verified gated: {{[0-9]+}} kernel
func.func @gated(%x: tensor<?x40xf32> {heddle.sizes = ["rows"]}, %u: tensor<40x70xf32>, %v: tensor<40x70xf32>) -> tensor<?x70xf32> {
  %a = heddle.matmul %x, %u : tensor<?x40xf32>, tensor<40x70xf32> -> tensor<?x70xf32>
  %b = heddle.matmul %x, %v : tensor<?x40xf32>, tensor<40x70xf32> -> tensor<?x70xf32>
  %s = math.tanh %a : tensor<?x70xf32>
  %t = arith.mulf %s, %b : tensor<?x70xf32>
  %y = arith.addf %s, %t : tensor<?x70xf32>
  return %y : tensor<?x70xf32>
}
// CHECK: verified gated_many: {{[0-9]+}} kernel
func.func @gated_many(%x: tensor<?x40xf32> {heddle.sizes = ["rows"]}, %u: tensor<40x70xf32>, %v: tensor<40x70xf32>) -> tensor<?x70xf32>
    attributes {heddle.symbols = [#heddle.symbol<"rows", 33 to 512>]} {
  %a = heddle.matmul %x, %u : tensor<?x40xf32>, tensor<40x70xf32> -> tensor<?x70xf32>
  %b = heddle.matmul %x, %v : tensor<?x40xf32>, tensor<40x70xf32> -> tensor<?x70xf32>
  %s = math.tanh %a : tensor<?x70xf32>
  %t = arith.mulf %s, %b : tensor<?x70xf32>
  %y = arith.addf %s, %t : tensor<?x70xf32>
  return %y : tensor<?x70xf32>
}

// What is read twice of the sums reads a residual that has no rows past the last: the
// memory of arguments ends at a page that nothing may access.
// CHECK: verified kept: 1 kernel
func.func @kept(%a: tensor<33x16xf32>, %b: tensor<16x4096xf32>, %c: tensor<33x4096xf32>) -> (tensor<33x4096xf32>, tensor<33x4096xf32>) {
  %y = heddle.matmul %a, %b : tensor<33x16xf32>, tensor<16x4096xf32> -> tensor<33x4096xf32>
  %z = arith.mulf %y, %c : tensor<33x4096xf32>
  %sin, %cos = math.sincos %z : tensor<33x4096xf32>
  return %sin, %cos : tensor<33x4096xf32>, tensor<33x4096xf32>
}
// Rows of different dimensions are those of no tile.
// CHECK: verified rows_of_two: {{[0-9]+}} kernel
func.func @rows_of_two(%a: tensor<?x?x40xf32> {heddle.sizes = ["p", "q"]}, %b: tensor<?x40x24xf32> {heddle.sizes = ["p"]}, %d: tensor<40x24xf32>)
    -> (tensor<?x?x24xf32>, tensor<?x?x24xf32>) {
  %y = heddle.matmul %a, %b : tensor<?x?x40xf32>, tensor<?x40x24xf32> -> tensor<?x?x24xf32>
  %z = heddle.matmul %a, %d : tensor<?x?x40xf32>, tensor<40x24xf32> -> tensor<?x?x24xf32>
  %m = arith.mulf %y, %z : tensor<?x?x24xf32>
  return %m, %z : tensor<?x?x24xf32>, tensor<?x?x24xf32>
}

// Tiles of other shapes, among them one thread for each element and one for 64.
// RUN: echo 'heddle.configure @batch_matmul #heddle.block_product<rows = 16, columns = 16, depth = 2, thread_rows = 1, thread_columns = 1, vector = 1, sum = 16, panel = 16>' > other.mlir
// RUN: echo 'heddle.configure @columns_matmul #heddle.block_product<rows = 8, columns = 128, depth = 32, thread_rows = 8, thread_columns = 8, vector = 2, sum = 32, panel = 4>' >> other.mlir
// RUN: echo 'heddle.configure @gated_matmul2_addf #heddle.block_product<rows = 64, columns = 8, depth = 1, thread_rows = 2, thread_columns = 4, vector = 4, sum = 4, panel = 256>' >> other.mlir
// RUN: echo 'heddle.configure @deep_few_matmul #heddle.block_product<rows = 64, columns = 64, depth = 8, thread_rows = 4, thread_columns = 4, vector = 2, sum = 2048, panel = 2>' >> other.mlir
// RUN: heddlec %s --target=opencl --schedule=other.mlir --verify -o other.o | FileCheck %s
// What an output reads besides its sums lies in memory that ends with the rows.
// CHECK: verified residual: 1 kernel
func.func @residual(%a: tensor<37x24xf32>, %b: tensor<24x64xf32>, %r: tensor<37x64xf32>) -> tensor<37x64xf32> {
  %y = heddle.matmul %a, %b : tensor<37x24xf32>, tensor<24x64xf32> -> tensor<37x64xf32>
  %z = arith.addf %y, %r : tensor<37x64xf32>
  return %z : tensor<37x64xf32>
}
// CHECK: verified residuals: 1 kernel
func.func @residuals(%a: tensor<?x24xf32> {heddle.sizes = ["n"]}, %b: tensor<24x70xf32>, %s: tensor<?x70xf32> {heddle.sizes = ["n"]},
    %t: tensor<?x70xf32> {heddle.sizes = ["n"]}) -> tensor<?x70xf32> {
  %y = heddle.matmul %a, %b : tensor<?x24xf32>, tensor<24x70xf32> -> tensor<?x70xf32>
  %z = arith.addf %y, %s : tensor<?x70xf32>
  %e = math.tanh %z : tensor<?x70xf32>
  %w = arith.mulf %e, %t : tensor<?x70xf32>
  return %w : tensor<?x70xf32>
}
