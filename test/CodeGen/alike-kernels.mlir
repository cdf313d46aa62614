// Kernels that differ in what they call their sizes alone are one function, which calls of both
// give their own. One with other numbers is another one, and so is one whose sizes have each
// other's places.
// RUN: heddlec %s --quiet --target-cpu=x86-64-v3 --prefix=m --emit=llvm -o - | FileCheck %s
// RUN: heddlec %s --target-cpu=x86-64-v3 --verify -o %t.o | FileCheck %s --check-prefix=VERIFY
// RUN: heddlec %s --quiet --target=cuda:sm_80 --emit=device -o - | FileCheck %s --check-prefix=CUDA

// CHECK: define internal {{.*}} @m_first_mulf(
// CHECK-NOT: @m_second_mulf
// CHECK: define internal {{.*}} @m_third_mulf(
// CHECK-NOT: @m_second_mulf
// CHECK: define internal {{.*}} @m_outer_generic(
// CHECK: define internal {{.*}} @m_turned_generic(
// CHECK-NOT: @m_second_mulf
// CHECK: define {{.*}}@m_first.first_mulf.dispatch
// CHECK: call {{.*}}@m_first_mulf(
// CHECK: define {{.*}}@m_second.second_mulf.dispatch
// CHECK: call {{.*}}@m_first_mulf(
// CHECK: define {{.*}}@m_third.third_mulf.dispatch
// CHECK: call {{.*}}@m_third_mulf(

// VERIFY-DAG: verified first: 1 kernels,
// VERIFY-DAG: verified second: 1 kernels,
// VERIFY-DAG: verified third: 1 kernels,
// VERIFY-DAG: verified outer: 1 kernels,
// VERIFY-DAG: verified turned: 1 kernels,

// CUDA: .entry k_first_mulf_0
// CUDA-NOT: .entry k_second_mulf_0

func.func @first(%x: tensor<?x64xf32> {heddle.sizes = ["tokens"]}) -> tensor<?x64xf32> {
  %y = arith.mulf %x, %x : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
func.func @second(%x: tensor<?x64xf32> {heddle.sizes = ["rows"]}) -> tensor<?x64xf32> {
  %y = arith.mulf %x, %x : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
func.func @third(%x: tensor<?x65xf32> {heddle.sizes = ["rows"]}) -> tensor<?x65xf32> {
  %y = arith.mulf %x, %x : tensor<?x65xf32>
  return %y : tensor<?x65xf32>
}

// The number of the row is multiplied by that of columns here, and by that of rows there.
func.func @outer(%x: tensor<?x?x8xf32> {heddle.sizes = ["m", "n"]}) -> tensor<?x?x8xf32> {
  %y = heddle.generic over ["m", "n", 8] ins(%x : tensor<?x?x8xf32>) maps [affine_map<(i, j, k) -> (i, j, k)>] {
  ^bb0(%e: f32):
    %i = heddle.index 1
    %n = heddle.size "n" : i32
    %p = arith.muli %i, %n : i32
    %f = arith.sitofp %p : i32 to f32
    %s = arith.addf %e, %f : f32
    heddle.yield %s : f32
  } : tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}
func.func @turned(%x: tensor<?x?x8xf32> {heddle.sizes = ["n", "m"]}) -> tensor<?x?x8xf32> {
  %y = heddle.generic over ["n", "m", 8] ins(%x : tensor<?x?x8xf32>) maps [affine_map<(i, j, k) -> (i, j, k)>] {
  ^bb0(%e: f32):
    %i = heddle.index 1
    %n = heddle.size "n" : i32
    %p = arith.muli %i, %n : i32
    %f = arith.sitofp %p : i32 to f32
    %s = arith.addf %e, %f : f32
    heddle.yield %s : f32
  } : tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}
