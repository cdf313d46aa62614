// Sums that begin with infinity or NaN: an addition of them to finite sums is not
// one that LLVM may leave out, with the store of its result.
//
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified filled_product: {{.*}} worst error 0
// CHECK: verified filled_product as a whole: worst error 0 of tolerance 0 
// CHECK: verified product: {{.*}} worst error 0
// CHECK: verified product as a whole: worst error 0 of tolerance 0 
// CHECK: verified deep_product:
// CHECK: verified few_rows:
// CHECK: verified long_sums:
// CHECK: verified sums_and_maxima:
// CHECK: verified padded:
// CHECK: verified with_sinks:

func.func @filled_product(%x: tensor<17x40xf32>, %k: tensor<40x16xf32>)
    -> tensor<17x16xf32> {
  %c = arith.constant 0x7F800000 : f32
  %e = tensor.empty() : tensor<17x16xf32>
  %i = linalg.fill ins(%c : f32) outs(%e : tensor<17x16xf32>) -> tensor<17x16xf32>
  %o = linalg.matmul ins(%x, %k : tensor<17x40xf32>, tensor<40x16xf32>)
      outs(%i : tensor<17x16xf32>) -> tensor<17x16xf32>
  return %o : tensor<17x16xf32>
}

func.func @product(%x: tensor<17x40xf32>, %k: tensor<40x16xf32>) -> tensor<17x16xf32> {
  %o = heddle.generic over [17, 16] reduce [40] initial [0xFF800000 : f32]
      ins(%x, %k : tensor<17x40xf32>, tensor<40x16xf32>)
      maps [affine_map<(q, e, k) -> (q, k)>, affine_map<(q, e, k) -> (k, e)>] {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    heddle.yield %t : f32
  } : tensor<17x16xf32>
  return %o : tensor<17x16xf32>
}

func.func @deep_product(%x: tensor<17x5000xf32>, %k: tensor<5000x16xf32>)
    -> tensor<17x16xf32> {
  %o = heddle.generic over [17, 16] reduce [5000] initial [0x7FC00000 : f32]
      ins(%x, %k : tensor<17x5000xf32>, tensor<5000x16xf32>)
      maps [affine_map<(q, e, k) -> (q, k)>, affine_map<(q, e, k) -> (k, e)>] {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    heddle.yield %t : f32
  } : tensor<17x16xf32>
  return %o : tensor<17x16xf32>
}

func.func @few_rows(%x: tensor<?x40xf32> {heddle.sizes = ["rows"]}, %k: tensor<40x33xf32>)
    -> tensor<?x33xf32> {
  %o = heddle.generic over ["rows", 33] reduce [40] initial [0x7F800000 : f32]
      ins(%x, %k : tensor<?x40xf32>, tensor<40x33xf32>)
      maps [affine_map<(q, e, k) -> (q, k)>, affine_map<(q, e, k) -> (k, e)>] {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %s, %p : f32
    heddle.yield %t : f32
  } : tensor<?x33xf32>
  return %o : tensor<?x33xf32>
}

func.func @long_sums(%x: tensor<3x700xf32>) -> tensor<3xf32> {
  %o = heddle.generic over [3] reduce [700] initial [0xFF800000 : f32]
      ins(%x : tensor<3x700xf32>) maps [affine_map<(q, k) -> (q, k)>] {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %s, %a : f32
    heddle.yield %t : f32
  } : tensor<3xf32>
  return %o : tensor<3xf32>
}

func.func @sums_and_maxima(%x: tensor<3x70xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %o:2 = heddle.generic over [3] reduce [70] initial [0x7FC00000 : f32, 0x7F800000 : f32]
      ins(%x : tensor<3x70xf32>) maps [affine_map<(q, k) -> (q, k)>] {
  ^bb0(%a: f32, %s: f32, %m: f32):
    %t = arith.addf %s, %a : f32
    %n = arith.maximumf %m, %a : f32
    heddle.yield %t, %n : f32, f32
  } : tensor<3xf32>, tensor<3xf32>
  return %o#0, %o#1 : tensor<3xf32>, tensor<3xf32>
}

func.func @padded(%x: tensor<3x5xf32>, %k: tensor<9x4xf32>) -> (tensor<3x9xf32>, tensor<3x4xf32>) {
  %c = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 1] high[0, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<3x5xf32> to tensor<3x9xf32>
  %y = heddle.matmul %p, %k : tensor<3x9xf32>, tensor<9x4xf32> -> tensor<3x4xf32>
  return %p, %y : tensor<3x9xf32>, tensor<3x4xf32>
}

heddle.weight @sinks = dense<[0x7F800000, 0xFF800000, 0x7FC00000, 0.5]> : tensor<4xf32>
func.func @with_sinks(%q: tensor<2x7x32xf32>, %k: tensor<2x70x32xf32>, %v: tensor<2x70x32xf32>)
    -> (tensor<2x7x32xf32>, tensor<2x4x7xf32>) {
  %sinks = heddle.weight_ref @sinks : tensor<4xf32>
  %r:2 = heddle.attention %q, %k, %v sinks(%sinks : tensor<4xf32>) heads(4, kv = 4)
      scale(0.3) results(output, log_sum_exp)
      : tensor<2x7x32xf32>, tensor<2x70x32xf32>, tensor<2x70x32xf32>
  return %r#0, %r#1 : tensor<2x7x32xf32>, tensor<2x4x7xf32>
}
func.func @sinks_of_one_query(%q: tensor<1x1x32xf32>, %k: tensor<1x700x32xf32>,
    %v: tensor<1x700x32xf32>) -> tensor<1x1x32xf32> {
  %sinks = heddle.weight_ref @sinks : tensor<4xf32>
  %r = heddle.attention %q, %k, %v sinks(%sinks : tensor<4xf32>) heads(4, kv = 4) scale(0.3)
      : tensor<1x1x32xf32>, tensor<1x700x32xf32>, tensor<1x700x32xf32>
  return %r : tensor<1x1x32xf32>
}
