// Zeros of both signs, which --verify draws among inputs, through each op that keeps or changes their
// signs.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified moved: {{[0-9]+}} kernels
// CHECK: verified halves: {{[0-9]+}} kernels
// CHECK: verified rounded: {{[0-9]+}} kernels
// CHECK: verified functions: {{[0-9]+}} kernels
// CHECK: verified of_two: {{[0-9]+}} kernels
// CHECK: verified of_constants: {{[0-9]+}} kernels

!v = tensor<8x64xf32>
func.func @moved(%x: !v, %y: !v) -> (!v, !v, !v, !v) {
  %0 = arith.negf %x : !v
  %1 = arith.negf %0 : !v
  %2 = math.absf %x : !v
  %3 = math.copysign %x, %y : !v
  return %0, %1, %2, %3 : !v, !v, !v, !v
}
func.func @halves(%x: tensor<8x64xf16>, %y: tensor<8x64xbf16>) -> (tensor<8x64xf16>, tensor<8x64xbf16>) {
  %0 = arith.negf %x : tensor<8x64xf16>
  %1 = arith.negf %y : tensor<8x64xbf16>
  return %0, %1 : tensor<8x64xf16>, tensor<8x64xbf16>
}
func.func @rounded(%x: !v) -> (!v, !v, !v, !v, !v, tensor<8x64xbf16>) {
  %0 = math.ceil %x : !v
  %1 = math.floor %x : !v
  %2 = math.trunc %x : !v
  %3 = math.round %x : !v
  %4 = math.roundeven %x : !v
  %5 = arith.truncf %x : !v to tensor<8x64xbf16>
  return %0, %1, %2, %3, %4, %5 : !v, !v, !v, !v, !v, tensor<8x64xbf16>
}
func.func @functions(%x: !v) -> (!v, !v, !v, !v, !v, !v, !v) {
  %0 = math.sqrt %x : !v
  %1 = math.sin %x : !v
  %2 = math.tanh %x : !v
  %3 = math.asinh %x : !v
  %4 = math.erf %x : !v
  %5 = math.expm1 %x : !v
  %6 = math.log1p %x : !v
  return %0, %1, %2, %3, %4, %5, %6 : !v, !v, !v, !v, !v, !v, !v
}
func.func @of_two(%x: !v, %y: !v) -> (!v, !v, !v, !v, !v, !v, !v) {
  %0 = arith.addf %x, %y : !v
  %1 = arith.subf %x, %x : !v
  %2 = arith.mulf %x, %y : !v
  %3 = arith.divf %x, %y : !v
  %4 = arith.maximumf %x, %y : !v
  %5 = arith.minimumf %x, %y : !v
  %6 = arith.remf %x, %y : !v
  return %0, %1, %2, %3, %4, %5, %6 : !v, !v, !v, !v, !v, !v, !v
}
// x + 0 is not x, and x * 0 not 0.
func.func @of_constants(%x: !v) -> (!v, !v, !v, !v, !v) {
  %zero = arith.constant dense<0.0> : !v
  %negative = arith.constant dense<-0.0> : !v
  %0 = arith.addf %x, %zero : !v
  %1 = arith.subf %negative, %x : !v
  %2 = arith.mulf %x, %zero : !v
  %3 = arith.maximumf %x, %negative : !v
  %4 = arith.divf %zero, %x : !v
  return %0, %1, %2, %3, %4 : !v, !v, !v, !v, !v
}
