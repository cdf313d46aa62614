// Narrow numbers in places that few models have.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: heddlec %s --weights=weights --verify --quiet -o kernel.o | FileCheck %s
// RUN: heddlec %s --weights=weights --weight-type=int4 --verify --quiet -o kernel.o | FileCheck %s
// RUN: %if !device %{ heddlec %s --weights=weights --weight-type=int4 --arithmetic=int8 --verify --quiet -o kernel.o | FileCheck %s %}
// RUN: %if !device %{ heddlec %s --weights=weights --weight-type=int8 --arithmetic=int16 --target-cpu=x86-64-v3 --verify --quiet -o kernel.o \
// RUN:   | FileCheck %s %}
// CHECK-COUNT-8: verified {{.*}} as a whole

// Products with matrices are layers that multiply integers.
// RUN: heddlec %s --weights=weights --weight-type=int8 --arithmetic=int8 --target-cpu=icelake-server --emit=kernels --quiet \
// RUN:   | FileCheck %s --check-prefix=KERNELS
// KERNELS: heddle.launch @narrow_product_linear2_cast
// KERNELS: heddle.kernel @narrow_product_linear2_cast({{.*}}groups of 4
// KERNELS: i32 sums of 64

// PoCL takes long for these kernels: on a device with --slow alone.
// UNSUPPORTED: brief

heddle.weight @w from "w" : tensor<32x64xf32>
heddle.weight @rows from "rows" : tensor<8x64xf32>
heddle.weight @columns from "columns" : tensor<64x32xf32>
heddle.weight @narrow from "narrow" : tensor<64x32xbf16>
heddle.weight @mixed from "mixed" : tensor<24x8xf32>
heddle.weight @output from "output" : tensor<8x8xf32>

// Integers that become others.
func.func @again(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x32xf32> {
  %w = heddle.weight_ref @w : tensor<32x64xf32>
  %c, %s = heddle.quantize %w axis(1) group(64) : tensor<32x64xf32> -> tensor<32x64xi8>, tensor<32x1xf16>
  %d = heddle.dequantize %c, %s axis(1) : tensor<32x64xi8>, tensor<32x1xf16> -> tensor<32x64xf32>
  %y = heddle.linear %x, %d : tensor<?x64xf32>, tensor<32x64xf32>
  return %y : tensor<?x32xf32>
}

// Such as lie in the middle between two of them.
func.func @ties(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x32xf32> {
  %w = heddle.weight_ref @w : tensor<32x64xf32>
  %c, %s = heddle.quantize %w axis(1) group(64) : tensor<32x64xf32> -> tensor<32x64xi8>, tensor<32x1xf32>
  %u = heddle.offset_binary %c : tensor<32x64xi8> -> tensor<32x64xui8>
  %d = heddle.dequantize %u, %s axis(1) : tensor<32x64xui8>, tensor<32x1xf32> -> tensor<32x64xf32>
  %y = heddle.linear %x, %d : tensor<?x64xf32>, tensor<32x64xf32>
  return %y : tensor<?x32xf32>
}

// Weights of 16 bits, and inputs that are weights.
func.func @stored() -> (tensor<8x64xi16>, tensor<8x1xf32>) {
  %w = heddle.weight_ref @rows : tensor<8x64xf32>
  %q, %s = heddle.quantize %w axis(1) group(64) : tensor<8x64xf32> -> tensor<8x64xi16>, tensor<8x1xf32>
  return %q, %s : tensor<8x64xi16>, tensor<8x1xf32>
}

func.func @layer() -> tensor<8x32xf32> {
  %w = heddle.weight_ref @rows : tensor<8x64xf32>
  %u = heddle.weight_ref @w : tensor<32x64xf32>
  %y = heddle.linear %w, %u : tensor<8x64xf32>, tensor<32x64xf32>
  return %y : tensor<8x32xf32>
}

func.func @product(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x32xf32> {
  %w = heddle.weight_ref @columns : tensor<64x32xf32>
  %y = heddle.matmul %x, %w : tensor<?x64xf32>, tensor<64x32xf32> -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

func.func @narrow_product(%x: tensor<2x64x?xbf16> {heddle.sizes = ["n"]}) -> tensor<2x?x32xbf16> {
  %w = heddle.weight_ref @narrow : tensor<64x32xbf16>
  %y = heddle.matmul %x, %w transpose_a : tensor<2x64x?xbf16>, tensor<64x32xbf16> -> tensor<2x?x32xbf16>
  return %y : tensor<2x?x32xbf16>
}

// Inputs in another order.
func.func @attention(%x: tensor<?x?x8xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x?x8xf32> {
  %w = heddle.weight_ref @mixed : tensor<24x8xf32>
  %u = heddle.weight_ref @output : tensor<8x8xf32>
  %o = arith.constant dense<[2, 0, 1, 3, 7, 6, 5, 4]> : tensor<8xi32>
  %m = heddle.gather %w, %o axis(1) : tensor<24x8xf32>, tensor<8xi32> -> tensor<24x8xf32>
  %y = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2) combined(%m : tensor<24x8xf32>) output(%u : tensor<8x8xf32>) : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

// An offset whose groups are not those of its integers.
func.func @groups(%a: tensor<?x64xi16> {heddle.sizes = ["n"]}, %s: tensor<?x32xf32> {heddle.sizes = ["n"]},
    %sums: tensor<?x32xf32> {heddle.sizes = ["n"]}) -> tensor<?x16xf32> {
  %b = heddle.weight_ref @codes : tensor<16x64xi8>
  %t = heddle.weight_ref @scales : tensor<16x16xf32>
  %p = heddle.generic over ["n", 16] reduce [64] initial [0.0 : f32]
      ins(%a, %s, %b, %t : tensor<?x64xi16>, tensor<?x32xf32>, tensor<16x64xi8>, tensor<16x16xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (r, k floordiv 2)>,
            affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (c, k floordiv 4)>] {
  ^bb0(%0: i16, %1: f32, %2: i8, %3: f32, %sum: f32):
    %4 = arith.sitofp %0 : i16 to f32
    %5 = arith.mulf %4, %1 : f32
    %6 = arith.sitofp %2 : i8 to f32
    %7 = arith.mulf %6, %3 : f32
    %8 = arith.mulf %5, %7 : f32
    %9 = arith.addf %sum, %8 : f32
    heddle.yield %9 : f32
  } : tensor<?x16xf32>
  %o = heddle.generic over ["n", 16] reduce [32] initial [0.0 : f32]
      ins(%sums, %t : tensor<?x32xf32>, tensor<16x16xf32>)
      maps [affine_map<(r, c, j) -> (r, j)>, affine_map<(r, c, j) -> (c, j floordiv 4)>] {
  ^bb0(%0: f32, %1: f32, %sum: f32):
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    heddle.yield %3 : f32
  } : tensor<?x16xf32>
  %y = arith.subf %p, %o : tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
heddle.weight @integers from "integers" : tensor<16x64xf32>
heddle.weight @codes : tensor<16x64xi8> {
  %0 = heddle.weight_ref @integers : tensor<16x64xf32>
  %c, %s = heddle.quantize %0 axis(1) group(64) : tensor<16x64xf32> -> tensor<16x64xi8>, tensor<16x1xf32>
  heddle.yield %c : tensor<16x64xi8>
}
heddle.weight @scales from "scales" : tensor<16x16xf32>
