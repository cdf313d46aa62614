// Parts that a whole vector reads one element of, without using it.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --target-cpu=native --verify -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --target-cpu=x86-64-v3 --verify -o kernel.o | FileCheck %s %}

// CHECK: verified short: 1 kernel
func.func @short(%x: tensor<24xf32>, %y: tensor<2xf32>) -> tensor<26xf32> {
  %z = heddle.concat %x, %y axis(0) : tensor<24xf32>, tensor<2xf32> -> tensor<26xf32>
  return %z : tensor<26xf32>
}
// CHECK: verified shorter: 1 kernel
func.func @shorter(%x: tensor<5x9xf32>, %y: tensor<5x2xf32>) -> tensor<5x11xf32> {
  %z = heddle.concat %x, %y axis(1) : tensor<5x9xf32>, tensor<5x2xf32> -> tensor<5x11xf32>
  return %z : tensor<5x11xf32>
}
