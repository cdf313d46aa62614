// Any names of arguments, results and sizes become identifiers, of C and of C++; the
// description in the object has them as they are.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --prefix=out --emit=shared -o ./libout.so
// RUN: heddlec %s --prefix=out -o out.o
// RUN: FileCheck %s < out.h
// RUN: %cc -Wextra -pedantic -I. -fsyntax-only -include out.h -x c /dev/null
// RUN: %cc -Wextra -pedantic -I. -fsyntax-only -include stdio.h -include complex.h -include errno.h -include math.h -include out.h -x c /dev/null
// RUN: c++ -Wall -Wextra -pedantic -Werror -I. -I%project/runtime -fsyntax-only -include out.h -x c++ /dev/null
// RUN: env PYTHONPATH=%project/runtime/python PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 %S/Inputs/any_names.py ./libout.so | FileCheck %s --check-prefix=CALLED
// RUN: heddle-run inspect out.o | FileCheck %s --check-prefix=DESCRIBED

// CHECK: not_, "not" in the model: [length] f32
// CHECK-NEXT: a_b, "a/b" in the model: [length] f32
// CHECK-NEXT: a_b_, "a.b" in the model: [length] f32
// CHECK-NEXT: n0_weight, "0.weight" in the model: [length] f32
// CHECK-NEXT: n_Bool, "_Bool" in the model: [length] f32
// CHECK-NEXT: out_model_, "out_model" in the model: [length] f32
// CHECK-NEXT: OUT_H_, "OUT_H" in the model: [length] f32
// CHECK-NEXT: length: [length] f32
// CHECK-NEXT: n____x, "/ * /?x" in the model: [length] f32
// CHECK-NEXT: int64_t_, "int64_t" in the model: [length] f32
// CHECK-NEXT: length_, "length" in the model: 0 to {{[0-9]+}}
// CHECK-NEXT: An argument without elements may be null.
// CHECK-NEXT: workspace: scratch
// CHECK: heddle_status out_f(
// CHECK-NEXT: const heddle_context *context, const heddle_weights *weights,
// CHECK-NEXT: const float *not_,
// CHECK-NEXT: const float *a_b,
// CHECK-NEXT: const float *a_b_,
// CHECK-NEXT: const float *n0_weight,
// CHECK-NEXT: const float *n_Bool,
// CHECK-NEXT: const float *out_model_,
// CHECK-NEXT: const float *OUT_H_,
// CHECK-NEXT: const float *length,
// CHECK-NEXT: const float *n____x,
// CHECK-NEXT: float *int64_t_,
// CHECK-NEXT: int64_t length_,
// CHECK: out_f_workspace_size(
// CHECK-NEXT: int64_t length_,
// CHECK: sizes[] = {length_};

// CHECK: heddle_status out_macros(
// CHECK: const float *EOF_,
// CHECK-NEXT: const float *I_,
// CHECK-NEXT: float *EDOM_,

// CALLED: f(*, _Bool, out_model, OUT_H, length, **_): [27.0, 27.0]
// CALLED: doubled(*, n, n_): [2.0, 2.0, 2.0, 2.0]
// DESCRIBED: {{^ *}}not {{ *}}input
// DESCRIBED: a/b
// DESCRIBED: a.b
// DESCRIBED: 0.weight

func.func @f(%0: tensor<?xf32> {heddle.name = "not", heddle.sizes = ["length"]},
    %1: tensor<?xf32> {heddle.name = "a/b", heddle.sizes = ["length"]},
    %2: tensor<?xf32> {heddle.name = "a.b", heddle.sizes = ["length"]},
    %3: tensor<?xf32> {heddle.name = "0.weight", heddle.sizes = ["length"]},
    %4: tensor<?xf32> {heddle.name = "_Bool", heddle.sizes = ["length"]},
    %5: tensor<?xf32> {heddle.name = "out_model", heddle.sizes = ["length"]},
    %6: tensor<?xf32> {heddle.name = "OUT_H", heddle.sizes = ["length"]},
    %7: tensor<?xf32> {heddle.name = "length", heddle.sizes = ["length"]},
    %8: tensor<?xf32> {heddle.name = "/*/\0Ax", heddle.sizes = ["length"]})
    -> (tensor<?xf32> {heddle.name = "int64_t"}) {
  %a = arith.addf %0, %1 : tensor<?xf32>
  %b = arith.addf %2, %3 : tensor<?xf32>
  %c = arith.addf %4, %5 : tensor<?xf32>
  %d = arith.addf %6, %7 : tensor<?xf32>
  %e = arith.addf %a, %b : tensor<?xf32>
  %g = arith.addf %c, %d : tensor<?xf32>
  %h = arith.addf %e, %g : tensor<?xf32>
  %i = arith.subf %h, %8 : tensor<?xf32>
  return %i : tensor<?xf32>
}

func.func @doubled(%n: tensor<?xf32> {heddle.name = "n", heddle.sizes = ["2 * n"]}) -> tensor<?xf32> {
  %0 = arith.addf %n, %n : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Macros of headers that a program may include before.
func.func @macros(%0: tensor<4xf32> {heddle.name = "EOF"}, %1: tensor<4xf32> {heddle.name = "I"})
    -> (tensor<4xf32> {heddle.name = "EDOM"}) {
  %y = arith.addf %0, %1 : tensor<4xf32>
  return %y : tensor<4xf32>
}
