// Kernels of each kind as PTX, which ptxas takes where there is one.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --target=cuda:sm_80 --emit=device -o all.ptx
// RUN: FileCheck %s < all.ptx
// RUN: %if ptxas %{ bash %S/Inputs/assemble.sh all.ptx sm_80 %}

heddle.weight @w from "w" : tensor<256x512xf32>
heddle.weight @b from "b" : tensor<256x512xbf16>
heddle.weight @e from "e" : tensor<1000x64xf32>

// Slices of rows and columns in shared memory, of which a thread has 8 rows and 8 columns: 64 sums
// in registers, and four loads of vectors for them. Two blocks are to run side by side.
// CHECK: .visible .entry k_product_linear_0(
// CHECK: .maxntid 256
// CHECK: .minnctapersm 2
// CHECK: ld.global.nc.b32
// CHECK: st.shared.b32
// CHECK: barrier.sync 0
// CHECK: ld.shared.v4.b32
// CHECK-COUNT-64: fma.rn.f32
// CHECK-NOT: {{local|entry}}
// CHECK-COUNT-64: st.global.b32
// CHECK-NOT: st.global
// CHECK: .visible .entry k_row_linear_0(
func.func @product(%x: tensor<512x512xf32>) -> tensor<512x256xf32> {
  %w = heddle.weight_ref @w : tensor<256x512xf32>
  %y = heddle.linear %x, %w : tensor<512x512xf32>, tensor<256x512xf32>
  return %y : tensor<512x256xf32>
}

// One row: vectors of weights, whose bits become f32. As many blocks as registers allow.
// CHECK: .maxntid 256
// CHECK-NOT: .minnctapersm
// CHECK-COUNT-8: ld.global.nc.v4.b16
// CHECK: shl.b32 {{.*}}, 16
// CHECK: fma.rn.f32
// CHECK-NOT: local
// CHECK: .visible .entry
func.func @row(%x: tensor<1x512xf32>) -> tensor<1x256xf32> {
  %b = heddle.weight_ref @b : tensor<256x512xbf16>
  %y = heddle.linear %x, %b : tensor<1x512xf32>, tensor<256x512xbf16>
  return %y : tensor<1x256xf32>
}

// Tiles of queries and blocks of keys in shared memory.
// CHECK: .entry k_attention_attention_0(
// CHECK: ld.global.nc.b32
// CHECK: st.shared.b32
// CHECK: barrier.sync 0
// CHECK: ld.shared.v4.b32
// CHECK: fma.rn.f32
// CHECK: st.global.b32
func.func @attention(%q: tensor<2x33x128xf32>, %k: tensor<2x64x128xf32>, %v: tensor<2x64x128xf32>) -> tensor<2x33x128xf32> {
  %m = heddle.mask.causal align(bottom_right)
  %y = heddle.attention %q, %k, %v mask(%m) heads(2, kv = 2) scale(0.125)
     : tensor<2x33x128xf32>, tensor<2x64x128xf32>, tensor<2x64x128xf32>
  return %y : tensor<2x33x128xf32>
}

// A number that the host has not checked stays in the table.
// CHECK: .visible .entry k_gather_embedding_0(
// CHECK: ld.global.nc.b32
// CHECK-DAG: max.s32 {{.*}}, 0
// CHECK-DAG: min.s32 {{.*}}, 999
// CHECK: ld.global.nc.b32
// CHECK: st.global.b32
func.func @gather(%ids: tensor<?x?xi32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %e = heddle.weight_ref @e : tensor<1000x64xf32>
  %y = heddle.embedding %ids, %e : tensor<?x?xi32>, tensor<1000x64xf32>
  return %y : tensor<?x?x64xf32>
}

// CHECK: .visible .entry k_append_cache_append_0(
// CHECK: ld.global.nc.b32
// CHECK: st.global.b32
func.func @append(%k: tensor<?x?x128xf32> {heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x128xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 2 x 64 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> !heddle.cache<1 x 2 x 64 x f32> {
  %c = heddle.cache.append %cache, %k, %v layer(0) at(%starts) lengths(%lengths)
     : !heddle.cache<1 x 2 x 64 x f32>, tensor<?x?x128xf32>, tensor<?x?x128xf32>, tensor<?xi32>, tensor<?xi32>
  return %c : !heddle.cache<1 x 2 x 64 x f32>
}

// Halide divides such numbers by 7 with an average, for which a CPU has an instruction.
// CHECK: .visible .entry k_remainder_remui_0(
// CHECK: ld.global.nc.b8 [[X:%rs[0-9]+]]
// CHECK: mul.lo.s16 {{.*}}, [[X]], 36
// CHECK: shr.u16 [[UPPER:%rs[0-9]+]], {{.*}}, 8
// CHECK: add.s16 [[SUM:%rs[0-9]+]], [[UPPER]], [[X]]
// CHECK: add.s16 [[ROUNDED:%rs[0-9]+]], [[SUM]], 1
// CHECK: shr.u16 {{.*}}, [[ROUNDED]], 3
// CHECK: st.global.b8
func.func @remainder(%x: tensor<33xi8>) -> tensor<33xi8> {
  %c = arith.constant dense<7> : tensor<33xi8>
  %y = arith.remui %x, %c : tensor<33xi8>
  return %y : tensor<33xi8>
}

// The host's conditions on sizes are made again in kernels: no boolean is an argument.
// CHECK: .visible .entry k_divided_
func.func @divided(%x: tensor<?x2x8xf32> {heddle.sizes = ["b * h"]}, %w: tensor<?x8x64xf32> {heddle.sizes = ["b * h"]},
    %t: tensor<?x?x2x64xf32> {heddle.sizes = ["b", "h"]}) -> tensor<?x2x64xf32> {
  %y = heddle.matmul %x, %w : tensor<?x2x8xf32>, tensor<?x8x64xf32> -> tensor<?x2x64xf32>
  %z = heddle.generic over ["b * h", 2, 64] ins(%y : tensor<?x2x64xf32>)
      maps [affine_map<(i, j, k) -> (i, j, k)>] tables(%t : tensor<?x?x2x64xf32>) {
  ^bb0(%e: f32, %table: tensor<?x?x2x64xf32>):
    %i = heddle.index 0
    %j = heddle.index 1
    %k = heddle.index 2
    %h = heddle.size "h" : i32
    %a = arith.floordivsi %i, %h : i32
    %b = arith.remsi %i, %h : i32
    %r = heddle.read %table[%a, %b, %j, %k] : tensor<?x?x2x64xf32>
    %s = arith.subf %r, %e : f32
    heddle.yield %s : f32
  } : tensor<?x2x64xf32>
  return %z : tensor<?x2x64xf32>
}

// A thread has four elements where there are enough, a block's side by side, and each one where
// the numbers are few. Loads that are only of what is read ptxas moves before stores. Of a number
// that is not known, the elements of whole blocks are not compared with it.
// CHECK: .visible .entry k_many_addf_0(
// CHECK-NOT: setp
// CHECK-COUNT-8: ld.global.nc.b32
// CHECK: ret;
// CHECK: .visible .entry k_few_addf_0(
// CHECK-COUNT-2: ld.global.nc.b32
// CHECK-NOT: ld.global
// CHECK: ret;
// CHECK: .visible .entry k_open_addf_0(
// CHECK: setp.gt.s32
// CHECK: @%p{{[0-9]+}} bra
// CHECK-COUNT-4: setp
// CHECK-NOT: setp
// CHECK: ret;
func.func @many(%x: tensor<4096x1024xf32>, %y: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %z = arith.addf %x, %y : tensor<4096x1024xf32>
  return %z : tensor<4096x1024xf32>
}
func.func @few(%x: tensor<4x1024xf32>, %y: tensor<4x1024xf32>) -> tensor<4x1024xf32> {
  %z = arith.addf %x, %y : tensor<4x1024xf32>
  return %z : tensor<4x1024xf32>
}
func.func @open(%x: tensor<?xf32> {heddle.sizes = ["n"]}, %y: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  %z = arith.addf %x, %y : tensor<?xf32>
  return %z : tensor<?xf32>
}
