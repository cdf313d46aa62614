// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @rotary
func.func @rotary(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) -> tensor<?x?x64xf32> {
  // CHECK: heddle.rotary %{{.*}} at(%{{.*}} : tensor<?xi32>) heads(8) positions(512) base(1.000000e+04) : tensor<?x?x64xf32>
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(512) base(10000.0)
     : tensor<?x?x64xf32>
  return %0 : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @rotary_from_0
func.func @rotary_from_0(%x: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  // CHECK: heddle.rotary %{{.*}} heads(8) positions(512) base(1.000000e+04) : tensor<?x?x64xf32>
  %0 = heddle.rotary %x heads(8) positions(512) base(10000.0) : tensor<?x?x64xf32>
  return %0 : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @rotary_scaled
func.func @rotary_scaled(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // CHECK: scaling(<linear, factor = 4.000000e+00>)
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(512) base(10000.0)
       scaling(<linear, factor = 4.0>) : tensor<?x?x64xf32>
  // CHECK: scaling(<llama3, factor = 8.000000e+00, low = 1.000000e+00, high = 4.000000e+00, original = 8192>)
  %1 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(131072) base(500000.0)
       scaling(<llama3, factor = 8.0, low = 1.0, high = 4.0, original = 8192>)
     : tensor<?x?x64xf32>
  return
}

// CHECK-LABEL: func.func @rotary_pairs
func.func @rotary_pairs(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // CHECK: at(%{{.*}}) heads(8) interleaved positions(512)
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) interleaved positions(512) base(10000.0)
     : tensor<?x?x64xf32>
  // CHECK: at(%{{.*}}) heads(2) rotated(12) positions(512)
  %1 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(2) rotated(12) positions(512) base(10000.0)
     : tensor<?x?x64xf32>
  return
}

// Fields may stand in any order.
// CHECK-LABEL: func.func @rotary_stretched
func.func @rotary_stretched(%x: tensor<?x?x64xf32>, %starts: tensor<?xi32>) {
  // CHECK: scaling(<dynamic, factor = 2.000000e+00, original = 128, length = 512>)
  %0 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(512) base(10000.0)
       scaling(<dynamic, original = 128, length = 512, factor = 2.0>) : tensor<?x?x64xf32>
  // CHECK: scaling(<yarn, factor = 4.000000e+00, original = 128>)
  %1 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(512) base(10000.0)
       scaling(<yarn, factor = 4.0, original = 128>) : tensor<?x?x64xf32>
  // CHECK: scaling(<yarn, factor = 4.000000e+00, original = 128, fast = 1.600000e+01, slow = 2.000000e+00, attention = 1.250000e+00, truncate = false>)
  %2 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) positions(512) base(10000.0)
       scaling(<yarn, factor = 4.0, original = 128, fast = 16.0, slow = 2.0, attention = 1.25, truncate = false>)
     : tensor<?x?x64xf32>
  // CHECK: scaling(<longrope, factor = 4.000000e+00, original = 128, length = 512, short_factor = [1.000000e+00, 1.500000e+00], long_factor = [1.000000e+00, 4.000000e+00]>)
  %3 = heddle.rotary %x at(%starts : tensor<?xi32>) heads(8) rotated(4) positions(512) base(10000.0)
       scaling(<longrope, factor = 4.0, original = 128, length = 512, short_factor = [1.0, 1.5], long_factor = [1.0, 4.0]>)
     : tensor<?x?x64xf32>
  return
}

// Positions of tokens, and given angles: of each sequence, of all, and narrower.
// CHECK-LABEL: func.func @rotary_given
func.func @rotary_given(%x: tensor<?x?x64xf32>, %ids: tensor<?x?xi64>, %cos: tensor<?x?x4xf32>,
    %shared: tensor<?x4xf16>, %one: tensor<1x?x6xf32>) {
  // CHECK: heddle.rotary %{{[a-z0-9]+}} position_ids(%{{[a-z0-9]+}} : tensor<?x?xi64>) heads(8) positions(512) base(1.000000e+04) : tensor<?x?x64xf32>
  %0 = heddle.rotary %x position_ids(%ids : tensor<?x?xi64>) heads(8) positions(512) base(10000.0)
     : tensor<?x?x64xf32>
  // CHECK: heddle.rotary %{{[a-z0-9]+}} cosines(%{{[a-z0-9]+}} : tensor<?x?x4xf32>) sines(%{{[a-z0-9]+}} : tensor<?x?x4xf32>) heads(8) : tensor<?x?x64xf32>
  %1 = heddle.rotary %x cosines(%cos : tensor<?x?x4xf32>) sines(%cos : tensor<?x?x4xf32>) heads(8)
     : tensor<?x?x64xf32>
  // CHECK: cosines(%{{[a-z0-9]+}} : tensor<?x4xf16>) sines(%{{[a-z0-9]+}} : tensor<?x4xf16>) heads(2) rotated(8) interleaved : tensor<?x?x64xf32>
  %2 = heddle.rotary %x cosines(%shared : tensor<?x4xf16>) sines(%shared : tensor<?x4xf16>) heads(2)
       rotated(8) interleaved : tensor<?x?x64xf32>
  %3 = heddle.rotary %x cosines(%one : tensor<1x?x6xf32>) sines(%one : tensor<1x?x6xf32>) heads(2)
       rotated(12) : tensor<?x?x64xf32>
  return
}
