// Experts of integers that no scale multiplies.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: heddlec %s --weights=weights --verify --quiet -o kernel.o | FileCheck %s
// CHECK: verified cast as a whole

// Devices run kernels/expert-groups.mlir with --slow, to save time.
// UNSUPPORTED: device

heddle.weight @narrow from "narrow" : tensor<3x40x64xbf16>

func.func @cast(%x: tensor<?x64xi8> {heddle.sizes = ["n"]}, %e: tensor<?x2xi32> {heddle.sizes = ["n"]}) -> tensor<?x2x40xf32> {
  %w = heddle.weight_ref @narrow : tensor<3x40x64xbf16>
  %c, %s = heddle.quantize %w axis(2) group(64) : tensor<3x40x64xbf16> -> tensor<3x40x64xi8>, tensor<3x40x1xf32>
  %v = heddle.cast %c : tensor<3x40x64xi8> -> tensor<3x40x64xf32>
  %y = heddle.cast %x : tensor<?x64xi8> -> tensor<?x64xf32>
  %z = heddle.expert_linear %y, %e, %v : tensor<?x64xf32>, tensor<?x2xi32>, tensor<3x40x64xf32>
  return %z : tensor<?x2x40xf32>
}
