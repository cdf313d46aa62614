// RUN: heddle-opt %s --heddle-resolve-sizes | FileCheck %s

// CHECK-LABEL: func.func @collapse
// CHECK: heddle.reshape %{{.*}} to ["b * l", 64]
func.func @collapse(%x: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x64xf32> {
  %y = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x64xf32> into tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @expand
// CHECK: heddle.reshape %{{.*}} to ["b", 4, 16]
func.func @expand(%x: tensor<?x64xf32> {heddle.sizes = ["b"]}) -> tensor<?x4x16xf32> {
  %c0 = arith.constant 0 : index
  %b = tensor.dim %x, %c0 : tensor<?x64xf32>
  %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [%b, 4, 16] : tensor<?x64xf32> into tensor<?x4x16xf32>
  return %y : tensor<?x4x16xf32>
}

// CHECK-LABEL: func.func @slice
// CHECK: %[[S:.*]] = heddle.slice %{{.*}} offsets ["b - 1", 2] sizes [1, 4] steps [1, 3]
// CHECK: heddle.reshape %[[S]] to [4]
func.func @slice(%x: tensor<?x64xf32> {heddle.sizes = ["b"]}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x64xf32>
  %last = arith.subi %b, %c1 : index
  %y = tensor.extract_slice %x[%last, 2] [1, 4] [1, 3] : tensor<?x64xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @concat
// CHECK: heddle.concat %{{.*}}, %{{.*}} axis(0)
func.func @concat(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) -> tensor<6x3xf32> {
  %z = tensor.concat dim(0) %x, %y : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  return %z : tensor<6x3xf32>
}

// CHECK-LABEL: func.func @pad
// CHECK: heddle.pad %{{.*}} low [1, 0] high [0, 2] value(1.500000e+00 : f32)
func.func @pad(%x: tensor<2x3xf32>) -> tensor<3x5xf32> {
  %v = arith.constant 1.5 : f32
  %z = tensor.pad %x low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : f32
  } : tensor<2x3xf32> to tensor<3x5xf32>
  return %z : tensor<3x5xf32>
}

// CHECK-LABEL: func.func @generate
// CHECK: heddle.generic over ["n", 3] tables(%{{.*}} : tensor<?x3xf32, #heddle.sizes<"n">>)
// CHECK: %[[I:.*]] = heddle.index 0
// CHECK: %[[J:.*]] = heddle.index 1
// CHECK: heddle.read %{{.*}}[%[[I]], %[[J]]]
func.func @generate(%x: tensor<?x3xf32> {heddle.sizes = ["n"]}) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %y = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %e = tensor.extract %x[%i, %j] : tensor<?x3xf32>
    %sum = arith.addf %e, %e : f32
    tensor.yield %sum : f32
  } : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @splat
// CHECK: heddle.generic over ["n", 3] {
// CHECK: %[[SIZE:.*]] = heddle.size "n" : i32
// CHECK: arith.sitofp
func.func @splat(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i32
  %f = arith.sitofp %i : i32 to f32
  %y = tensor.splat %f[%n] : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// What lies outside of the slice is that of the destination; dimensions that the
// source lacks are of one element.
// CHECK-LABEL: func.func @insert
// CHECK: heddle.generic over [5, 9] ins(%{{.*}} : tensor<5x9xf32>) maps {{.*}} tables(%{{.*}} : tensor<3xf32>)
// CHECK: %[[OLD:.*]]: f32, %[[SLICE:.*]]: tensor<3xf32>
// CHECK: %[[IN_ROW:.*]] = arith.cmpi eq
// CHECK: %[[REST:.*]] = arith.remsi
// CHECK: %[[ON_STEP:.*]] = arith.cmpi eq, %[[REST]]
// CHECK: %[[IN:.*]] = arith.andi %[[IN_ROW]], %[[ON_STEP]] : i1
// CHECK: %[[NEW:.*]] = heddle.read %[[SLICE]][%{{.*}}] fill(%[[OLD]])
// CHECK: arith.select %[[IN]], %[[NEW]], %[[OLD]] : f32
func.func @insert(%x: tensor<5x9xf32>, %s: tensor<3xf32>) -> tensor<5x9xf32> {
  %y = tensor.insert_slice %s into %x[4, 1] [1, 3] [1, 2] : tensor<3xf32> into tensor<5x9xf32>
  return %y : tensor<5x9xf32>
}

// What a loop writes part by part is inserted after all that reads it. A tensor that is needed
// beside the one with the part in it is a new one.
// CHECK-LABEL: func.func @insert_in_loop
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Z:.*]] = %{{.*}})
// CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[X]]
// CHECK: heddle.generic over [5, 9] ins(%[[Z]] :
// CHECK: %[[ROW:.*]] = heddle.reshape %{{.*}} to [1, 9]
// CHECK: %[[NEXT:.*]] = heddle.insert %[[ROW]] into %[[X]] at %[[I]] axis(0) : tensor<1x9xf32> into tensor<5x9xf32>
// CHECK: scf.yield %[[NEXT]], %{{.*}}
func.func @insert_in_loop(%x: tensor<5x9xf32>, %z: tensor<5x9xf32>, %s: tensor<9xf32>) -> (tensor<5x9xf32>, tensor<5x9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x, %b = %z) -> (tensor<5x9xf32>, tensor<5x9xf32>) {
    %next = tensor.insert_slice %s into %a[%i, 0] [1, 9] [1, 1] : tensor<9xf32> into tensor<5x9xf32>
    %sum = arith.addf %a, %a : tensor<5x9xf32>
    %other = tensor.insert_slice %s into %b[%i, 0] [1, 9] [1, 1] : tensor<9xf32> into tensor<5x9xf32>
    %both = arith.addf %other, %sum : tensor<5x9xf32>
    scf.yield %next, %both : tensor<5x9xf32>, tensor<5x9xf32>
  }
  return %r#0, %r#1 : tensor<5x9xf32>, tensor<5x9xf32>
}

// Numbers from outside are made again as they stand: they may be negative, or leave
// their type.
// CHECK-LABEL: func.func @negative
// CHECK: %[[SIZE:.*]] = heddle.size "n" : i32
// CHECK: %[[WIDE:.*]] = arith.extsi %[[SIZE]] : i32 to i64
// CHECK: %[[LESS:.*]] = arith.subi %[[WIDE]], %{{.*}} : i64
// CHECK: arith.divsi %[[LESS]]
// CHECK: %[[BYTE:.*]] = arith.trunci %{{.*}} : i64 to i8
// CHECK: arith.extsi %[[BYTE]] : i8 to i64
func.func @negative(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<3xi64> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : i64
  %c5 = arith.constant 5 : i64
  %dim = tensor.dim %x, %c0 : tensor<?xf32>
  %n = arith.index_cast %dim : index to i64
  %less = arith.subi %n, %c5 : i64
  %half = arith.divsi %less, %c2 : i64
  %byte = arith.trunci %n : i64 to i8
  %wide = arith.extsi %byte : i8 to i64
  %sum = arith.addi %half, %wide : i64
  %y = tensor.splat %sum : tensor<3xi64>
  return %y : tensor<3xi64>
}

// A slice that begins where a loop is reads at a number, which stays inside; what begins
// at a size is a heddle.slice.
// CHECK-LABEL: func.func @slice_at_step
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: %[[STEP:.*]] = heddle.from_number %[[I]] : index -> tensor<i64>
// CHECK: %[[ROWS:.*]] = heddle.generic over [2, 9] tables(%{{.*}}, %[[STEP]] : tensor<?x9xf32, #heddle.sizes<"n">>, tensor<i64>)
// CHECK: ^bb0(%[[X:.*]]: tensor<?x9xf32, {{.*}}>, %[[TABLE:.*]]: tensor<i64>):
// CHECK: %[[NUMBER:.*]] = heddle.read %[[TABLE]][] : tensor<i64>
// CHECK: %[[WIDE:.*]] = arith.maxsi
// CHECK: %[[AT:.*]] = arith.trunci %[[WIDE]] : i64 to i32
// CHECK: %[[LAST:.*]] = heddle.size "n - 4" : i32
// CHECK: %[[LESS:.*]] = arith.minsi %[[AT]], %[[LAST]]
// CHECK: %[[FIRST:.*]] = arith.maxsi %[[LESS]]
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]]
// CHECK: heddle.read %[[X]][%[[ROW]], %{{.*}}]
// CHECK: heddle.slice %[[ROWS]] offsets [0, 1] sizes [2, 4] steps [1, 2]
func.func @slice_at_step(%x: tensor<?x9xf32> {heddle.sizes = ["n"]}, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %y) -> tensor<2x4xf32> {
    %s = tensor.extract_slice %x[%i, 1] [2, 4] [3, %c2] : tensor<?x9xf32> to tensor<2x4xf32>
    %sum = arith.addf %a, %s : tensor<2x4xf32>
    scf.yield %sum : tensor<2x4xf32>
  }
  return %r : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @insert_at_step
// CHECK: %[[STEP:.*]] = heddle.from_number
// CHECK: heddle.generic over [5] ins(%{{.*}} : tensor<5xf32>) maps {{.*}} tables(%[[STEP]] : tensor<i64>)
// CHECK: ^bb0(%[[OLD:.*]]: f32, %[[TABLE:.*]]: tensor<i64>):
// CHECK: %[[ONE:.*]] = arith.constant 1.0
// CHECK: heddle.read %[[TABLE]][]
// CHECK: %[[INDEX:.*]] = heddle.index 0
// CHECK: %[[IS_HERE:.*]] = arith.cmpi eq, %[[INDEX]], %{{.*}} : i32
// CHECK: arith.select %[[IS_HERE]], %[[ONE]], %[[OLD]] : f32
func.func @insert_at_step(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> tensor<5xf32> {
    %s = tensor.insert %one into %a[%i] : tensor<5xf32>
    scf.yield %s : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}

// Each element is chosen by its place.
// CHECK-LABEL: func.func @from_elements
// CHECK: heddle.generic over [2, 2] tables(%{{.*}} : tensor<?xf32, #heddle.sizes<"n">>)
// CHECK-COUNT-3: arith.select
func.func @from_elements(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<2x2xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.extract %x[%c0] : tensor<?xf32>
  %y = tensor.from_elements %e, %zero, %zero, %e : tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// Control flow reads an element at a computed index after a kernel has found it.
// CHECK-LABEL: func.func @extract_at_step
// CHECK: %[[STEP:.*]] = heddle.from_number
// CHECK: %[[ELEMENT:.*]] = heddle.generic over [] tables(%{{.*}}, %[[STEP]] : tensor<5xi32>, tensor<i64>)
// CHECK: tensor.extract %[[ELEMENT]][] : tensor<i32>
func.func @extract_at_step(%x: tensor<4xf32>, %n: tensor<5xi32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %v = tensor.extract %n[%i] : tensor<5xi32>
    %end = arith.index_cast %v : i32 to index
    %s = scf.for %j = %c0 to %end step %c1 iter_args(%b = %a) -> tensor<4xf32> {
      %c = arith.addf %b, %b : tensor<4xf32>
      scf.yield %c : tensor<4xf32>
    }
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
