// Comparisons of numbers, ordered and not: each is true of some elements.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified unordered: {{[0-9]+}} kernel
// CHECK: verified ordered: {{[0-9]+}} kernel
func.func @unordered(%x: tensor<5x7xf32>, %y: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>,
    tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>) {
  %0 = arith.cmpf ueq, %x, %y : tensor<5x7xf32>
  %1 = arith.cmpf une, %x, %y : tensor<5x7xf32>
  %2 = arith.cmpf ugt, %x, %y : tensor<5x7xf32>
  %3 = arith.cmpf uge, %x, %y : tensor<5x7xf32>
  %4 = arith.cmpf ult, %x, %y : tensor<5x7xf32>
  %5 = arith.cmpf ule, %x, %y : tensor<5x7xf32>
  %6 = arith.cmpf uno, %x, %y : tensor<5x7xf32>
  %a = arith.select %0, %x, %y : tensor<5x7xi1>, tensor<5x7xf32>
  %b = arith.select %1, %x, %y : tensor<5x7xi1>, tensor<5x7xf32>
  %c = arith.select %2, %x, %y : tensor<5x7xi1>, tensor<5x7xf32>
  %d = arith.select %3, %x, %y : tensor<5x7xi1>, tensor<5x7xf32>
  %e = arith.select %4, %x, %y : tensor<5x7xi1>, tensor<5x7xf32>
  %f = arith.select %5, %x, %y : tensor<5x7xi1>, tensor<5x7xf32>
  %g = arith.select %6, %x, %y : tensor<5x7xi1>, tensor<5x7xf32>
  return %a, %b, %c, %d, %e, %f, %g : tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>,
      tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>
}

func.func @ordered(%x: tensor<5x7xf32>, %y: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>,
    tensor<5x7xf32>, tensor<5x7xf32>) {
  %0 = arith.cmpf oeq, %x, %y : tensor<5x7xf32>
  %1 = arith.cmpf one, %x, %y : tensor<5x7xf32>
  %2 = arith.cmpf ogt, %x, %y : tensor<5x7xf32>
  %3 = arith.cmpf ole, %x, %y : tensor<5x7xf32>
  %a = arith.select %0, %x, %y : tensor<5x7xi1>, tensor<5x7xf32>
  %b = arith.select %1, %x, %y : tensor<5x7xi1>, tensor<5x7xf32>
  %c = arith.select %2, %x, %y : tensor<5x7xi1>, tensor<5x7xf32>
  %d = arith.select %3, %x, %y : tensor<5x7xi1>, tensor<5x7xf32>
  return %a, %b, %c, %d : tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>
}
