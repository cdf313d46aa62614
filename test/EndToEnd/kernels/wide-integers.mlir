// Comparisons of i64 that come from the smallest and the largest one: floats are limited
// to those when they are cast.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified negative: 1 kernel
// CHECK: verified limited: 1 kernel
// CHECK: verified upper: 1 kernel

func.func @negative(%x: tensor<77xf32>) -> tensor<77xi1> {
  %i = heddle.cast %x : tensor<77xf32> -> tensor<77xi64>
  %zero = arith.constant dense<0> : tensor<77xi64>
  %n = arith.cmpi slt, %i, %zero : tensor<77xi64>
  return %n : tensor<77xi1>
}

func.func @limited(%x: tensor<77xi64>, %c: tensor<77xi1>, %d: tensor<77xi1>) -> tensor<77xi64> {
  %least = arith.constant dense<-9223372036854775808> : tensor<77xi64>
  %most = arith.constant dense<9223372036854775807> : tensor<77xi64>
  %five = arith.constant dense<5> : tensor<77xi64>
  %0 = arith.select %c, %least, %x : tensor<77xi1>, tensor<77xi64>
  %1 = arith.select %d, %most, %0 : tensor<77xi1>, tensor<77xi64>
  %2 = arith.maxsi %1, %five : tensor<77xi64>
  %3 = arith.floordivsi %0, %five : tensor<77xi64>
  %4 = arith.minsi %2, %3 : tensor<77xi64>
  return %4 : tensor<77xi64>
}

func.func @upper(%x: tensor<65x5xbf16>, %y: tensor<65x5xi64>) -> tensor<65x5xi64> {
  %i = heddle.cast %x : tensor<65x5xbf16> -> tensor<65x5xi64>
  %low, %high = arith.mulsi_extended %i, %y : tensor<65x5xi64>
  return %high : tensor<65x5xi64>
}
