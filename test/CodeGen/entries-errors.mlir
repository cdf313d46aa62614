// What C could not call, or the header not declare, is an error.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: not heddlec append.mlir --prefix=out -o out.o 2>> messages
// RUN: not heddlec body.mlir --prefix=out -o out.o 2>> messages
// RUN: not heddlec double.mlir --prefix=out -o out.o 2>> messages
// RUN: not heddlec entries.mlir --prefix=out -o out.o 2>> messages
// RUN: not heddlec function.mlir --prefix=out -o out.o 2>> messages
// RUN: not heddlec nameless.mlir --prefix=out -o out.o 2>> messages
// RUN: not heddlec none.mlir --prefix=out -o out.o 2>> messages
// RUN: not heddlec none.mlir --prefix=out --emit=kernels 2>> messages
// RUN: not heddlec phases.mlir --prefix=out -o out.o 2>> messages
// RUN: not heddlec rank.mlir --prefix=out -o out.o 2>> messages
// RUN: not heddlec type.mlir --prefix=out -o out.o 2>> messages
// RUN: FileCheck %s < messages
// RUN: ls | not grep out

// CHECK: append.mlir:4:8: error: 'heddle.cache.append' op expected its cache to be changed again, or to be returned
//--- append.mlir
func.func @forward(%k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 1 x 16 x f32> {heddle.sizes = ["batch", "capacity"]}) -> tensor<?x?x16xf32> {
  %0 = heddle.cache.append %cache, %k, %k layer(0) at(%starts) lengths(%lengths)
    : !heddle.cache<1 x 1 x 16 x f32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?xi32>, tensor<?xi32>
  %1 = arith.addf %k, %k : tensor<?x?x16xf32>
  return %1 : tensor<?x?x16xf32>
}
// A private function that nothing calls is none.
// CHECK: body.mlir:{{.*}}: error: expected at least one func.func, found none
//--- body.mlir
func.func private @forward(%x: tensor<4xf32>) -> tensor<4xf32>
// CHECK: double.mlir:1:1: error: 'func.func' op argument 1 is named 'x', which argument 0 is, too
//--- double.mlir
func.func @forward(%x: tensor<4xf32> {heddle.name = "x"}, %y: tensor<4xf32> {heddle.name = "x"}) -> tensor<4xf32> {
  %0 = arith.addf %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK: entries.mlir:5:1: error: 'func.func' op needs the name 'out_f_workspace_size' in the header, which another function needs, too
// CHECK: entries.mlir:1:1: note: the other function
//--- entries.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @f_workspace_size(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK: function.mlir:1:1: error: 'func.func' op needs the name 'out_model' in the header, which the header itself needs, too
//--- function.mlir
func.func @model(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK: nameless.mlir:1:1: error: 'func.func' op expected argument 0 to have a name without the character 0, found ''
//--- nameless.mlir
func.func @forward(%x: tensor<4xf32> {heddle.name = ""}) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-COUNT-2: none.mlir:1:1: error: expected at least one func.func, found none
//--- none.mlir
module {
}
// CHECK: phases.mlir:5:1: error: 'func.func' op needs the name 'out_decode' in the header, which another function needs, too
//--- phases.mlir
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> attributes {heddle.decoder} {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @decode(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK: rank.mlir:1:20: error: 'func.func' op expected argument 0 to be a tensor of f32, f64, bf16, f16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or i1 with at most 6 dimensions, a scalar, or a cache, found 'tensor<1x1x1x1x1x1x1xf32>'
//--- rank.mlir
func.func @forward(%x: tensor<1x1x1x1x1x1x1xf32>) -> tensor<1x1x1x1x1x1x1xf32> {
  %0 = arith.addf %x, %x : tensor<1x1x1x1x1x1x1xf32>
  return %0 : tensor<1x1x1x1x1x1x1xf32>
}
// CHECK: type.mlir:1:40: error: 'func.func' op expected argument 1 to be a tensor of f32, f64, bf16, f16, f8E4M3FN, f8E5M2, i8, i16, i32, i64, ui8, ui16, ui32, ui64 or i1 with at most 6 dimensions, a scalar, or a cache, found 'tensor<4xi4>'
//--- type.mlir
func.func @forward(%x: tensor<4xbf16>, %y: tensor<4xi4>) -> tensor<4xbf16> {
  %0 = arith.addf %x, %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
