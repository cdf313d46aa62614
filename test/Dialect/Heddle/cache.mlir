// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace

// CHECK: @equal(!heddle.cache<5 x 4 x 8 x bf16>)
func.func private @equal(!heddle.cache<5 x 4 x 8 x bf16, values 8 x bf16>)
// CHECK: @others(!heddle.cache<5 x 4 x 8 x i8, values 16 x f16>)
func.func private @others(!heddle.cache<5 x 4 x 8 x i8, values 16 x f16>)
// CHECK: @dimension(!heddle.cache<5 x 4 x 8 x f32, values 16 x f32>)
func.func private @dimension(!heddle.cache<5 x 4 x 8 x f32, values 16 x f32>)
// CHECK: @sized(!heddle.cache<5 x 4 x 8 x f32, <"pool", "64">>)
func.func private @sized(!heddle.cache<5 x 4 x 8 x f32, <"pool", "64">>)
// CHECK: @both(!heddle.cache<5 x 4 x 8 x f32, values 8 x i8, <"batch", "capacity">>)
func.func private @both(!heddle.cache<5 x 4 x 8 x f32, values 8 x i8, <"batch", "capacity">>)
