// A byte of a file that is no integer of 4 bits.
// RUN: not heddlec %s -o %t.o 2>&1 | FileCheck %s
// CHECK: error: weight 'q' has values that are too large for its type i4

heddle.weight @q = dense_resource<q> : tensor<2x2xi4>
heddle.weight @s = dense<1.0> : tensor<2x1xf32>

func.func @f(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %q = heddle.weight_ref @q : tensor<2x2xi4>
  %s = heddle.weight_ref @s : tensor<2x1xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<2x2xi4>, tensor<2x1xf32> -> tensor<2x2xf32>
  %y = arith.addf %x, %d : tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      q: "0x0100000007F80800"
    }
  }
#-}
