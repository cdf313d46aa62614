// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose --heddle-set-target=cpu=x86-64-v4 \
// RUN:   --heddle-find-contractions --heddle-configure-kernels | FileCheck %s
// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose --heddle-set-target=cpu=x86-64-v3 \
// RUN:   --heddle-find-contractions --heddle-configure-kernels | FileCheck %s --check-prefix=AVX2
// RUN: echo 'heddle.configure @rows #heddle.row_tiles<task = 64, strip = 8, vector = 4>' > %t
// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose --heddle-set-target=cpu=x86-64-v4 \
// RUN:   --heddle-find-contractions --heddle-configure-kernels=file=%t | FileCheck %s --check-prefix=FILE

// CHECK: heddle.kernel @rows
// CHECK-SAME: heddle.configuration = #heddle.row_tiles<task = 32768, strip = 512, vector = 16>
// AVX2: heddle.kernel @rows
// AVX2-SAME: heddle.configuration = #heddle.row_tiles<task = 32768, strip = 512, vector = 8>
// FILE: heddle.kernel @rows
// FILE-SAME: heddle.configuration = #heddle.row_tiles<task = 64, strip = 8, vector = 4>
heddle.kernel @rows(%x: tensor<?x8xf32> {heddle.sizes = ["n"]}) -> tensor<?x8xf32> {
  %y = heddle.activation relu %x : tensor<?x8xf32>
  heddle.yield %y : tensor<?x8xf32>
}

// 48 columns divide 96; as many rows as the registers of 6 by 64 hold then. 17 tiles
// of rows and 2 panels make tasks of 2 tiles.
// CHECK: heddle.kernel @product
// CHECK-SAME: heddle.configuration = #heddle.product_tiles<rows = 8, columns = 48, vector = 16, depth = 2048, block = 2, task = 2>
// AVX2: heddle.kernel @product
// AVX2-SAME: heddle.configuration = #heddle.product_tiles<rows = 6, columns = 16, vector = 8, depth = 2048, block = 8, task = 6>
heddle.kernel @product(%x: tensor<130x80xf32>, %y: tensor<80x96xf32>) -> tensor<130x96xf32> {
  %z = heddle.matmul %x, %y : tensor<130x80xf32>, tensor<80x96xf32> -> tensor<130x96xf32>
  heddle.yield %z : tensor<130x96xf32>
}

// Weights in panels: their width. Nothing more to choose where rows are not known.
// CHECK: heddle.kernel @panels
// CHECK-SAME: heddle.configuration = #heddle.product_tiles<rows = 12, columns = 32, vector = 16, depth = 2048, block = {{[0-9]+}}, task = {{[0-9]+}}>
heddle.kernel @panels(%x: tensor<?x80xf32> {heddle.sizes = ["n"]},
    %w: tensor<96x80xf32> {heddle.layout = #heddle.layout<panels of 32 along 0>, heddle.weight}) -> tensor<?x96xf32> {
  %z = heddle.linear %x, %w : tensor<?x80xf32>, tensor<96x80xf32>
  heddle.yield %z : tensor<?x96xf32>
}

// No private cache keeps these matrices. Panels are tasks enough where there are 16, and
// blocks have 171 tiles of 6 rows then; otherwise as many as make 16 tasks, in groups.
// CHECK: heddle.kernel @many_panels
// CHECK-SAME: heddle.configuration = #heddle.product_tiles<rows = 6, columns = 64, vector = 16, depth = 2048, block = 171, task = 1>
heddle.kernel @many_panels(%x: tensor<?x768xf32> {heddle.sizes = ["n"]},
    %w: tensor<1024x768xf32> {heddle.layout = #heddle.layout<panels of 64 along 0>, heddle.weight}) -> tensor<?x1024xf32> {
  %z = heddle.linear %x, %w : tensor<?x768xf32>, tensor<1024x768xf32>
  heddle.yield %z : tensor<?x1024xf32>
}
// CHECK: heddle.kernel @few_panels
// CHECK-SAME: heddle.configuration = #heddle.product_tiles<rows = 6, columns = 64, vector = 16, depth = 2048, block = 16, task = {{[0-9]+}}, group = 8>
heddle.kernel @few_panels(%x: tensor<?x768xf32> {heddle.sizes = ["n"]},
    %w: tensor<768x768xf32> {heddle.layout = #heddle.layout<panels of 64 along 0>, heddle.weight}) -> tensor<?x768xf32> {
  %z = heddle.linear %x, %w : tensor<?x768xf32>, tensor<768x768xf32>
  heddle.yield %z : tensor<?x768xf32>
}
// Of many rows no block has more than 1026.
// CHECK: heddle.kernel @many_rows
// CHECK-SAME: block = 171, task = {{[0-9]+}}, group = 8>
heddle.kernel @many_rows(%x: tensor<8192x768xf32>,
    %w: tensor<768x768xf32> {heddle.layout = #heddle.layout<panels of 64 along 0>, heddle.weight}) -> tensor<8192x768xf32> {
  %z = heddle.linear %x, %w : tensor<8192x768xf32>, tensor<768x768xf32>
  heddle.yield %z : tensor<8192x768xf32>
}
// The last panel is not full.
// CHECK: heddle.kernel @uneven
// CHECK-SAME: block = {{[0-9]+}}, task = {{[0-9]+}}>
heddle.kernel @uneven(%x: tensor<?x768xf32> {heddle.sizes = ["n"]},
    %w: tensor<760x768xf32> {heddle.layout = #heddle.layout<panels of 64 along 0>, heddle.weight}) -> tensor<?x760xf32> {
  %z = heddle.linear %x, %w : tensor<?x768xf32>, tensor<760x768xf32>
  heddle.yield %z : tensor<?x760xf32>
}

// Tasks of few rows have 32768 weights at least: two of these panels, of 18432 each.
// CHECK: heddle.kernel @narrow_panels
// CHECK-SAME: block = {{[0-9]+}}, task = 2>
heddle.kernel @narrow_panels(%x: tensor<?x576xf32> {heddle.sizes = ["n"]},
    %w: tensor<1536x576xf32> {heddle.layout = #heddle.layout<panels of 32 along 0>, heddle.weight}) -> tensor<?x1536xf32> {
  %z = heddle.linear %x, %w : tensor<?x576xf32>, tensor<1536x576xf32>
  heddle.yield %z : tensor<?x1536xf32>
}

// Heads of 3 queries that decode: one tile of 3 rows. Of wide heads fewer rows than
// the machine's 12 fit the stack of a task.
// Register tiles are as wide as registers hold.
// CHECK: heddle.kernel @decode
// CHECK-SAME: heddle.configuration = #heddle.attention_tiles<rows = 3, chunk = 16, register_rows = 3, keys = 32, columns = 64, vector = 16>
// AVX2: heddle.kernel @decode
// AVX2-SAME: heddle.configuration = #heddle.attention_tiles<rows = 3, chunk = 16, register_rows = 3, keys = 16, columns = 16, vector = 8>
heddle.kernel @decode(%q: tensor<?x1x384xf32> {heddle.sizes = ["batch"]}, %k: tensor<?x?x128xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x128xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x1x384xf32> {
  %a = heddle.attention %q, %k, %v heads(6, kv = 2) scale(0.125) : tensor<?x1x384xf32>, tensor<?x?x128xf32>, tensor<?x?x128xf32>
  heddle.yield %a : tensor<?x1x384xf32>
}
// CHECK: heddle.kernel @wide
// CHECK-SAME: heddle.configuration = #heddle.attention_tiles<rows = 8, chunk = 16, register_rows = 4, keys = 64, columns = 64, vector = 16>
// AVX2: heddle.kernel @wide
// AVX2-SAME: heddle.configuration = #heddle.attention_tiles<rows = 8, chunk = 16, register_rows = 4, keys = 16, columns = 16, vector = 8>
heddle.kernel @wide(%q: tensor<?x?x1024xf32> {heddle.sizes = ["batch", "length"]}, %k: tensor<?x?x1024xf32> {heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x1024xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x1024xf32> {
  %a = heddle.attention %q, %k, %v heads(1, kv = 1) scale(0.125) : tensor<?x?x1024xf32>, tensor<?x?x1024xf32>, tensor<?x?x1024xf32>
  heddle.yield %a : tensor<?x?x1024xf32>
}

// One row has vectors in as many registers as it has sums.
// CHECK: heddle.kernel @single
// CHECK-SAME: heddle.configuration = #heddle.attention_tiles<rows = 1, chunk = 16, register_rows = 1, keys = 32, columns = 128, vector = 16>
// AVX2: heddle.kernel @single
// AVX2-SAME: heddle.configuration = #heddle.attention_tiles<rows = 1, chunk = 16, register_rows = 1, keys = 32, columns = 64, vector = 8>
heddle.kernel @single(%q: tensor<?x1x256xf32> {heddle.sizes = ["batch"]}, %k: tensor<?x?x256xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x256xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x1x256xf32> {
  %a = heddle.attention %q, %k, %v heads(2, kv = 2) scale(0.125) : tensor<?x1x256xf32>, tensor<?x?x256xf32>, tensor<?x?x256xf32>
  heddle.yield %a : tensor<?x1x256xf32>
}

// Blocks of integers that are short have sums in i32 and in f32, and tiles of fewer rows.
// CHECK: heddle.kernel @short_blocks
// CHECK-SAME: heddle.configuration = #heddle.product_tiles<rows = 8, columns = 32, vector = 16,
// AVX2: heddle.kernel @short_blocks
// AVX2-SAME: heddle.configuration = #heddle.product_tiles<rows = 4, columns = 32, vector = 8,
heddle.kernel @short_blocks(%c: tensor<?x64xi16> {heddle.sizes = ["n"]}, %d: tensor<?x1xf32> {heddle.sizes = ["n"]},
    %q: tensor<96x64xi8> {heddle.weight, heddle.layout = #heddle.layout<panels of 32 along 0 groups of 2>},
    %s: tensor<96x2xf32> {heddle.weight, heddle.layout = #heddle.layout<panels of 32 along 0>}) -> (tensor<?x96xf32> {heddle.sizes = ["n"]}) {
  %y = heddle.generic over ["n", 96] reduce [64] initial [0.0 : f32]
      ins(%c, %d, %q, %s : tensor<?x64xi16>, tensor<?x1xf32>, tensor<96x64xi8>, tensor<96x2xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (r, 0)>,
            affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (c, k floordiv 32)>] {
  ^bb0(%a: i16, %b: f32, %code: i8, %scale: f32, %sum: f32):
    %0 = arith.sitofp %a : i16 to f32
    %1 = arith.mulf %0, %b : f32
    %2 = arith.sitofp %code : i8 to f32
    %3 = arith.mulf %2, %scale : f32
    %4 = arith.mulf %1, %3 : f32
    %5 = arith.addf %sum, %4 : f32
    heddle.yield %5 : f32
  } : tensor<?x96xf32>
  heddle.yield %y : tensor<?x96xf32>
}
