// heddle.linear over more rows than a block has (ScheduleContraction.cpp), and not a
// multiple of them. Of 175 rows, a block has 78 and 30, with and without AVX-512, where
// an output reads 2100 inputs, and 24 and 6 where it reads 6100.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: heddlec %s --weights=weights --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --weights=weights --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified wide: 1 kernel
// CHECK: verified deep: 1 kernel

heddle.weight @w70x2100 from "w70x2100" : tensor<70x2100xf32>
heddle.weight @w33x6100 from "w33x6100" : tensor<33x6100xf32>

func.func @wide(%x: tensor<5x?x2100xf32> {heddle.sizes = ["length"]}) -> tensor<5x?x70xf32> {
  %w = heddle.weight_ref @w70x2100 : tensor<70x2100xf32>
  %y = heddle.linear %x, %w : tensor<5x?x2100xf32>, tensor<70x2100xf32>
  return %y : tensor<5x?x70xf32>
}

func.func @deep(%x: tensor<5x?x6100xf32> {heddle.sizes = ["length"]}) -> tensor<5x?x33xf32> {
  %w = heddle.weight_ref @w33x6100 : tensor<33x6100xf32>
  %y = heddle.linear %x, %w : tensor<5x?x6100xf32>, tensor<33x6100xf32>
  return %y : tensor<5x?x33xf32>
}
