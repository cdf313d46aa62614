// RUN: heddle-opt %s -split-input-file --heddle-set-target=cpu=x86-64-v3,+avx512f | FileCheck %s
// RUN: heddle-opt %s -split-input-file --heddle-set-target=cpu=x86-64-v3,+avx512f --heddle-set-target=cpu=x86-64-v3,+avx512f | FileCheck %s

// What the CPU's name stands for, and what was added; all that another stage has to know.
// CHECK: module attributes {heddle.target = #heddle.target<cpu = "x86-64-v3", features = "{{.*}}+avx2,{{.*}}+avx512f,{{.*}}+fma
module {}
