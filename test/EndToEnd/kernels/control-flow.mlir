// Loops and branches around kernels, compared with the reference: values are carried round
// in memory that changes hands.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o flow.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o flow.o | FileCheck %s %}

// CHECK: verified doubled: 1 kernel
func.func @doubled(%x: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<?x?x64xf32>) {
    %y = arith.addf %a, %a : tensor<?x?x64xf32>
    scf.yield %y : tensor<?x?x64xf32>
  }
  return %r : tensor<?x?x64xf32>
}

// No step at all: the result is the argument.
// CHECK: verified untouched: 1 kernel
func.func @untouched(%x: tensor<?x8xf32> {heddle.sizes = ["n"]}) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %c0 step %c1 iter_args(%a = %x) -> (tensor<?x8xf32>) {
    %y = arith.addf %a, %a : tensor<?x8xf32>
    scf.yield %y : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// Two values that change places, one of them twice, and a weight.
heddle.weight @w = dense<0.5> : tensor<8x8xf32>
// CHECK: verified swapped: 2 kernels
func.func @swapped(%x: tensor<?x8xf32> {heddle.sizes = ["n"]}, %y: tensor<?x8xf32> {heddle.sizes = ["n"]})
    -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %w = heddle.weight_ref @w : tensor<8x8xf32>
  %p, %q, %r, %s = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x, %b = %y, %c = %x, %d = %w)
      -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<8x8xf32>) {
    %sum = arith.addf %a, %b : tensor<?x8xf32>
    %half = heddle.linear %sum, %w : tensor<?x8xf32>, tensor<8x8xf32>
    scf.yield %b, %half, %half, %d : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<8x8xf32>
  }
  return %p, %q, %r, %s : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<8x8xf32>
}

// A loop in a loop, with a value from outside both.
// CHECK: verified nested: {{[0-9]+}} kernels
func.func @nested(%x: tensor<?x8xf32> {heddle.sizes = ["n"]}) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = arith.negf %x : tensor<?x8xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<?x8xf32>) {
    %s = scf.for %j = %c0 to %i step %c1 iter_args(%b = %a) -> (tensor<?x8xf32>) {
      %t = arith.addf %b, %n : tensor<?x8xf32>
      scf.yield %t : tensor<?x8xf32>
    }
    scf.yield %s : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}

// A branch, by a number that the caller gives.
// CHECK: verified chosen: 2 kernels
func.func @chosen(%x: tensor<?x8xf32> {heddle.sizes = ["n"]},
    %k: tensor<1xi32> {heddle.values = #heddle.values<0 to "1">}) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %flag = tensor.extract %k[%c0] : tensor<1xi32>
  %isZero = arith.cmpi eq, %flag, %zero : i32
  %a, %b = scf.if %isZero -> (tensor<?x8xf32>, tensor<?x8xf32>) {
    %y = arith.addf %x, %x : tensor<?x8xf32>
    scf.yield %y, %x : tensor<?x8xf32>, tensor<?x8xf32>
  } else {
    %y = arith.negf %x : tensor<?x8xf32>
    scf.yield %x, %y : tensor<?x8xf32>, tensor<?x8xf32>
  }
  return %a, %b : tensor<?x8xf32>, tensor<?x8xf32>
}

// As many steps as the data need: halved until the largest magnitude is below 1.
// CHECK: verified settled: {{[0-9]+}} kernels
func.func @settled(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<1xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %r, %m = scf.while (%a = %x) : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<1xf32>) {
    %most = heddle.generic over [1] reduce [4, 8] initial [0.0 : f32] ins(%a : tensor<4x8xf32>)
      maps [affine_map<(o, i, j) -> (i, j)>] {
    ^bb0(%v: f32, %acc: f32):
      %abs = math.absf %v : f32
      %next = arith.maximumf %acc, %abs : f32
      heddle.yield %next : f32
    } : tensor<1xf32>
    %value = tensor.extract %most[%c0] : tensor<1xf32>
    %goesOn = arith.cmpf ogt, %value, %one : f32
    scf.condition(%goesOn) %a, %most : tensor<4x8xf32>, tensor<1xf32>
  } do {
  ^bb0(%a: tensor<4x8xf32>, %most: tensor<1xf32>):
    %half = arith.constant dense<0.5> : tensor<4x8xf32>
    %next = arith.mulf %a, %half : tensor<4x8xf32>
    scf.yield %next : tensor<4x8xf32>
  }
  return %r, %m : tensor<4x8xf32>, tensor<1xf32>
}

// Functions of the model call each other.
// CHECK: verified calls: 1 kernel
func.func private @twice(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %y = arith.addf %x, %x : tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
func.func @calls(%x: tensor<?x8xf32> {heddle.sizes = ["n"]}) -> tensor<?x8xf32> {
  %y = func.call @twice(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %z = func.call @twice(%y) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// A loop reads a cache that has been appended to; its memory was another kernel's before,
// which needed more.
// CHECK: verified attends: 2 kernels
func.func @attends(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> (tensor<?x?x8xf32>, !heddle.cache<1 x 1 x 8 x f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %d = heddle.cache.append %c, %x, %x layer(0) at(%starts) lengths(%lengths)
     : !heddle.cache<1 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  %m = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<?x?x8xf32>) {
    %keys, %values = heddle.cache.read %d layer(0) : !heddle.cache<1 x 1 x 8 x f32>
    %o = heddle.attention %a, %keys, %values mask(%m) heads(1, kv = 1) scale(1.0)
       : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
    scf.yield %o : tensor<?x?x8xf32>
  }
  return %r, %d : tensor<?x?x8xf32>, !heddle.cache<1 x 1 x 8 x f32>
}

// What comes after a branch is no epilogue of a layer: it may have any channels.
// CHECK: verified after: 3 kernels
func.func @after(%x: tensor<3x?xf32> {heddle.sizes = ["n"]},
    %k: tensor<1xi32> {heddle.values = #heddle.values<0 to "1">}) -> tensor<3x?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %flag = tensor.extract %k[%c0] : tensor<1xi32>
  %isZero = arith.cmpi eq, %flag, %zero : i32
  %a = scf.if %isZero -> (tensor<3x?xf32>) {
    %y = math.absf %x : tensor<3x?xf32>
    scf.yield %y : tensor<3x?xf32>
  } else {
    %y = arith.negf %x : tensor<3x?xf32>
    scf.yield %y : tensor<3x?xf32>
  }
  %b = arith.mulf %a, %x : tensor<3x?xf32>
  return %b : tensor<3x?xf32>
}

// A number of bf16 that a loop compares, and hands on.
// CHECK: verified halved:
func.func @halved(%x: tensor<1xbf16>) -> tensor<1xbf16> {
  %half = arith.constant dense<0.5> : tensor<1xbf16>
  %r, %s = scf.while (%a = %x) : (tensor<1xbf16>) -> (tensor<1xbf16>, tensor<1xbf16>) {
    %size = math.absf %a : tensor<1xbf16>
    %zero = arith.constant 0 : index
    %limit = arith.constant 0.3 : bf16
    %number = tensor.extract %size[%zero] : tensor<1xbf16>
    %isLarge = arith.cmpf ogt, %number, %limit : bf16
    scf.condition(%isLarge) %a, %size : tensor<1xbf16>, tensor<1xbf16>
  } do {
  ^bb0(%a: tensor<1xbf16>, %size: tensor<1xbf16>):
    %y = arith.mulf %a, %half : tensor<1xbf16>
    scf.yield %y : tensor<1xbf16>
  }
  return %s : tensor<1xbf16>
}
