// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o types.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o types.o | FileCheck %s %}

// Weights, counts and what control flow carries, of other types than f32 and i32.

heddle.weight @codes = dense<[[1, -2, 3], [-4, 5, -6]]> : tensor<2x3xi8>
heddle.weight @half = dense<[[1.5, -2.0], [0.25, 3.0]]> : tensor<2x2xbf16>
heddle.weight @vec = dense<[1.5, -2.0, 3.0]> : tensor<3xf16>
heddle.weight @flags = dense<[[true, false, true], [false, false, true]]> : tensor<2x3xi1>
heddle.weight @wide = dense<[9007199254740993, -9223372036854775808, 5]> : tensor<3xi64>
// Returned as they are.
// CHECK: verified copies as a whole: worst error 0 of tolerance 0 at
func.func @copies() -> (tensor<2x3xi8>, tensor<2x2xbf16>, tensor<3xf16>, tensor<2x3xi1>, tensor<3xi64>) {
  %a = heddle.weight_ref @codes : tensor<2x3xi8>
  %b = heddle.weight_ref @half : tensor<2x2xbf16>
  %c = heddle.weight_ref @vec : tensor<3xf16>
  %d = heddle.weight_ref @flags : tensor<2x3xi1>
  %e = heddle.weight_ref @wide : tensor<3xi64>
  return %a, %b, %c, %d, %e : tensor<2x3xi8>, tensor<2x2xbf16>, tensor<3xf16>, tensor<2x3xi1>, tensor<3xi64>
}

// Read by kernels, in panels and as vectors.
// CHECK: verified uses: 5 kernels, worst error 0 of tolerance 0 in
func.func @uses(%x: tensor<2x3xi8>, %h: tensor<2x2xbf16>, %v: tensor<3xf16>, %f: tensor<2x3xi1>, %i: tensor<3xi64>) -> (tensor<2x3xi8>, tensor<2x2xbf16>, tensor<3xf16>, tensor<2x3xi1>, tensor<3xi64>) {
  %a = heddle.weight_ref @codes : tensor<2x3xi8>
  %b = heddle.weight_ref @half : tensor<2x2xbf16>
  %c = heddle.weight_ref @vec : tensor<3xf16>
  %d = heddle.weight_ref @flags : tensor<2x3xi1>
  %e = heddle.weight_ref @wide : tensor<3xi64>
  %ya = arith.addi %a, %x : tensor<2x3xi8>
  %yb = heddle.matmul %h, %b : tensor<2x2xbf16>, tensor<2x2xbf16> -> tensor<2x2xbf16>
  %yc = arith.mulf %c, %v : tensor<3xf16>
  %yd = arith.andi %d, %f : tensor<2x3xi1>
  %ye = arith.addi %e, %i : tensor<3xi64>
  return %ya, %yb, %yc, %yd, %ye : tensor<2x3xi8>, tensor<2x2xbf16>, tensor<3xf16>, tensor<2x3xi1>, tensor<3xi64>
}

// Numbers of sequences in i64: layers read them as i32, and sums of them are i64.
// CHECK: verified counts: 4 kernels
func.func @counts(
    %q: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %cache: !heddle.cache<1 x 1 x 16 x f32> {heddle.sizes = ["batch", "capacity"]},
    %starts: tensor<?xi64> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi64> {heddle.sizes = ["batch"]})
    -> (tensor<?x16xf32>, !heddle.cache<1 x 1 x 16 x f32>, tensor<?xi64>) {
  %r = heddle.rotary %q at(%starts : tensor<?xi64>) heads(1) positions(512) base(10000.0)
     : tensor<?x?x16xf32>
  %appended = heddle.cache.append %cache, %r, %q layer(0) at(%starts) lengths(%lengths)
            : !heddle.cache<1 x 1 x 16 x f32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>,
              tensor<?xi64>, tensor<?xi64>
  %k, %v = heddle.cache.read %appended layer(0) : !heddle.cache<1 x 1 x 16 x f32>
  %ends = arith.addi %starts, %lengths : tensor<?xi64>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi64>)
  %valid = heddle.mask.lengths %ends : tensor<?xi64>
  %mask = heddle.mask.and %causal, %valid
  %o = heddle.attention %q, %k, %v mask(%mask) heads(1, kv = 1) scale(0.25)
     : tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  %last = heddle.last_token %o, %lengths : tensor<?x?x16xf32>, tensor<?xi64>
  return %last, %appended, %ends
       : tensor<?x16xf32>, !heddle.cache<1 x 1 x 16 x f32>, tensor<?xi64>
}

// CHECK: verified loop: 3 kernels, worst error 0 of tolerance 0 in
func.func @loop(%x: tensor<4xbf16>, %go: tensor<1xi1>, %n: tensor<1xi64>)
    -> (tensor<4xbf16>, tensor<1xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %flag = tensor.extract %go[%c0] : tensor<1xi1>
  %y = scf.if %flag -> tensor<4xbf16> {
    %z = arith.addf %x, %x : tensor<4xbf16>
    scf.yield %z : tensor<4xbf16>
  } else {
    scf.yield %x : tensor<4xbf16>
  }
  %steps = tensor.extract %n[%c0] : tensor<1xi64>
  %end = arith.index_cast %steps : i64 to index
  %r:2 = scf.for %i = %c0 to %end step %c1 iter_args(%a = %y, %b = %go)
      -> (tensor<4xbf16>, tensor<1xi1>) {
    %product = arith.mulf %a, %x : tensor<4xbf16>
    %other = arith.xori %b, %go : tensor<1xi1>
    scf.yield %product, %other : tensor<4xbf16>, tensor<1xi1>
  }
  return %r#0, %r#1 : tensor<4xbf16>, tensor<1xi1>
}

// Sums of counts that more than masks use are values like others.
// CHECK: verified sums_of_counts: 1 kernels, worst error 0 of tolerance 0 in
func.func @sums_of_counts(%a: tensor<?xi32> {heddle.sizes = ["batch"]},
                          %b: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?xi32> {
  %0 = arith.addi %a, %b : tensor<?xi32>
  %1 = arith.muli %0, %b : tensor<?xi32>
  return %1 : tensor<?xi32>
}
