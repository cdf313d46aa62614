// Elements and rows on a device, each kernel compared with the reference.
// REQUIRES: opencl
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --target=opencl --verify -o rows.o | FileCheck %s

// CHECK: verified add: 1 kernel
func.func @add(%x: tensor<?x64xf32> {heddle.sizes = ["n"]},
               %y: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %s = arith.addf %x, %y : tensor<?x64xf32>
  return %s : tensor<?x64xf32>
}

// CHECK: verified softmax: {{[0-9]+}} kernel
func.func @softmax(%x: tensor<?x?xf32> {heddle.sizes = ["n", "m"]}) -> tensor<?x?xf32> {
  %s = heddle.softmax %x axis(1) : tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// CHECK: verified columns: {{[0-9]+}} kernel
func.func @columns(%x: tensor<?x33xf32> {heddle.sizes = ["n"]}) -> tensor<?x33xf32> {
  %s = heddle.softmax %x axis(0) : tensor<?x33xf32>
  return %s : tensor<?x33xf32>
}

// RUN: not heddlec %s --target=vulkan 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: heddlec: error: --target: expected cpu, opencl, cuda or cuda:sm_80 and the like, found 'vulkan'
