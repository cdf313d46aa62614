// Tables of different sizes: each argument's has a name of its own, and a name that would
// mean two sizes is not defined.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --prefix=two -o two.o
// RUN: FileCheck %s < two.h
// RUN: %cc -Wextra -I. -fsyntax-only -include two.h -x c /dev/null

// CHECK-NOT: _VOCABULARY
// CHECK: {{^}}#define TWO_TYPES_VOCABULARY 2{{$}}
// CHECK-NOT: _VOCABULARY
heddle.weight @words = dense<1.0> : tensor<8x4xf32>
heddle.weight @types = dense<1.0> : tensor<2x4xf32>

func.func @both(%ids: tensor<?xi32> {heddle.name = "ids", heddle.sizes = ["n"]},
    %types: tensor<?xi32> {heddle.name = "types", heddle.sizes = ["n"]}) -> tensor<?x4xf32> {
  %w = heddle.weight_ref @words : tensor<8x4xf32>
  %t = heddle.weight_ref @types : tensor<2x4xf32>
  %a = heddle.embedding %ids, %w : tensor<?xi32>, tensor<8x4xf32>
  %b = heddle.embedding %types, %t : tensor<?xi32>, tensor<2x4xf32>
  %c = arith.addf %a, %b : tensor<?x4xf32>
  return %c : tensor<?x4xf32>
}

func.func @other(%ids: tensor<?xi32> {heddle.name = "ids", heddle.sizes = ["n"]}) -> tensor<?x4xf32> {
  %t = heddle.weight_ref @types : tensor<2x4xf32>
  %a = heddle.embedding %ids, %t : tensor<?xi32>, tensor<2x4xf32>
  return %a : tensor<?x4xf32>
}
