// Elements that numbers choose, along one dimension or several, and from the end. They are copies, but for
// sums. Calls have indices on both sides of their dimensions, and sizes of 0.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified gather_wraps: 1 kernel
// CHECK: verified gather_places: 1 kernel
// CHECK: verified gather_matrices: 1 kernel
// CHECK: verified gather_elements_wraps: 1 kernel
// CHECK: verified one_hot_wraps: 1 kernel
// CHECK: verified scatter_wraps: {{[0-9]+}} kernels
// CHECK: verified scatter_places: {{[0-9]+}} kernels
// CHECK: verified scatter_matrices: {{[0-9]+}} kernels
// CHECK: verified scatter_one: {{[0-9]+}} kernels
// CHECK: verified scatter_none: {{[0-9]+}} kernels

func.func @gather_wraps(%x: tensor<?x24xf32> {heddle.sizes = ["n"]}, %i: tensor<?xi64> {heddle.sizes = ["m"], heddle.values = #heddle.values<-20 to "20">})
    -> tensor<?x24xf32> attributes {heddle.symbols = [#heddle.symbol<"n", 1 to 64>]} {
  %y = heddle.gather %x, %i axis(0) wrap : tensor<?x24xf32>, tensor<?xi64> -> tensor<?x24xf32>
  return %y : tensor<?x24xf32>
}

// ONNX's GatherND.
func.func @gather_places(%x: tensor<3x?x20xbf16> {heddle.sizes = ["n"]}, %i: tensor<?x5x2xi32> {heddle.sizes = ["m"], heddle.values = #heddle.values<-20 to "20">})
    -> tensor<?x5x20xbf16> attributes {heddle.symbols = [#heddle.symbol<"n", 1 to 64>]} {
  %y = heddle.gather %x, %i axis(0) coordinates(2) : tensor<3x?x20xbf16>, tensor<?x5x2xi32> -> tensor<?x5x20xbf16>
  return %y : tensor<?x5x20xbf16>
}

func.func @gather_matrices(%x: tensor<?x7x9x3xi8> {heddle.sizes = ["n"]}, %i: tensor<6x2xi32> {heddle.values = #heddle.values<-20 to "20">}) -> tensor<?x6x3xi8> {
  %y = heddle.gather %x, %i axis(1) coordinates(2) wrap : tensor<?x7x9x3xi8>, tensor<6x2xi32> -> tensor<?x6x3xi8>
  return %y : tensor<?x6x3xi8>
}

func.func @gather_elements_wraps(%x: tensor<5x12xf16>, %i: tensor<5x?xi32> {heddle.sizes = ["m"], heddle.values = #heddle.values<-20 to "20">}) -> tensor<5x?xf16> {
  %y = heddle.gather_elements %x, %i axis(1) wrap : tensor<5x12xf16>, tensor<5x?xi32> -> tensor<5x?xf16>
  return %y : tensor<5x?xf16>
}

func.func @one_hot_wraps(%i: tensor<?xi32> {heddle.sizes = ["n"], heddle.values = #heddle.values<-20 to "20">}) -> tensor<?x7xf32> {
  %y = heddle.one_hot %i depth(7) wrap : tensor<?xi32> -> tensor<?x7xf32>
  return %y : tensor<?x7xf32>
}

func.func @scatter_wraps(%x: tensor<?x24xf32> {heddle.sizes = ["n"]}, %i: tensor<?xi32> {heddle.sizes = ["m"], heddle.values = #heddle.values<-20 to "20">},
    %u: tensor<?x24xf32> {heddle.sizes = ["m"]}) -> (tensor<?x24xf32>, tensor<?x24xf32>) {
  %y = heddle.scatter assign %x, %i, %u axis(0) wrap : tensor<?x24xf32>, tensor<?xi32>, tensor<?x24xf32> -> tensor<?x24xf32>
  %z = heddle.scatter add %x, %i, %u axis(0) wrap : tensor<?x24xf32>, tensor<?xi32>, tensor<?x24xf32> -> tensor<?x24xf32>
  return %y, %z : tensor<?x24xf32>, tensor<?x24xf32>
}

// ONNX's ScatterND.
func.func @scatter_places(%x: tensor<3x?x20xf32> {heddle.sizes = ["n"]}, %i: tensor<?x5x2xi32> {heddle.sizes = ["m"], heddle.values = #heddle.values<-20 to "20">},
    %u: tensor<?x5x20xf32> {heddle.sizes = ["m"]}) -> (tensor<3x?x20xf32>, tensor<3x?x20xf32>, tensor<3x?x20xf32>) {
  %0 = heddle.scatter assign %x, %i, %u axis(0) coordinates(2) : tensor<3x?x20xf32>, tensor<?x5x2xi32>, tensor<?x5x20xf32> -> tensor<3x?x20xf32>
  %1 = heddle.scatter add %x, %i, %u axis(0) coordinates(2) : tensor<3x?x20xf32>, tensor<?x5x2xi32>, tensor<?x5x20xf32> -> tensor<3x?x20xf32>
  %2 = heddle.scatter max %x, %i, %u axis(0) coordinates(2) : tensor<3x?x20xf32>, tensor<?x5x2xi32>, tensor<?x5x20xf32> -> tensor<3x?x20xf32>
  return %0, %1, %2 : tensor<3x?x20xf32>, tensor<3x?x20xf32>, tensor<3x?x20xf32>
}

func.func @scatter_matrices(%x: tensor<?x7x9x3xi32> {heddle.sizes = ["n"]}, %i: tensor<6x2xi64> {heddle.values = #heddle.values<-20 to "20">},
    %u: tensor<?x6x3xi32> {heddle.sizes = ["n"]}) -> (tensor<?x7x9x3xi32>, tensor<?x7x9x3xi32>) {
  %0 = heddle.scatter assign %x, %i, %u axis(1) coordinates(2) wrap : tensor<?x7x9x3xi32>, tensor<6x2xi64>, tensor<?x6x3xi32> -> tensor<?x7x9x3xi32>
  %1 = heddle.scatter min %x, %i, %u axis(1) coordinates(2) wrap : tensor<?x7x9x3xi32>, tensor<6x2xi64>, tensor<?x6x3xi32> -> tensor<?x7x9x3xi32>
  return %0, %1 : tensor<?x7x9x3xi32>, tensor<?x7x9x3xi32>
}

func.func @scatter_one(%x: tensor<4x?xf32> {heddle.sizes = ["n"]}, %i: tensor<i32> {heddle.values = #heddle.values<-20 to "20">}, %u: tensor<4xf32>) -> tensor<4x?xf32> {
  %y = heddle.scatter assign %x, %i, %u axis(1) wrap : tensor<4x?xf32>, tensor<i32>, tensor<4xf32> -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

func.func @scatter_none(%x: tensor<4x5xf32>, %i: tensor<3x0x2xi32>, %u: tensor<3x0xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %y = heddle.scatter assign %x, %i, %u axis(0) coordinates(2) : tensor<4x5xf32>, tensor<3x0x2xi32>, tensor<3x0xf32> -> tensor<4x5xf32>
  %z = heddle.scatter max %x, %i, %u axis(0) coordinates(2) : tensor<4x5xf32>, tensor<3x0x2xi32>, tensor<3x0xf32> -> tensor<4x5xf32>
  return %y, %z : tensor<4x5xf32>, tensor<4x5xf32>
}
