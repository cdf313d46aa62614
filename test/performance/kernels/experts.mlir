// Two of eight experts of 512x1024 for each token, each as often as the others.
heddle.weight @gate = dense<0.02> : tensor<8x1024x512xf32>
heddle.weight @up = dense<0.03> : tensor<8x1024x512xf32>
heddle.weight @down = dense<0.04> : tensor<8x512x1024xf32>

func.func @run(%x: tensor<?x512xf32> {heddle.sizes = ["tokens"], heddle.name = "x"}) -> tensor<?x2x512xf32> {
  %e = heddle.generic over ["tokens", 2] {
    %t = heddle.index 0
    %j = heddle.index 1
    %two = arith.constant 2 : i32
    %eight = arith.constant 8 : i32
    %0 = arith.muli %t, %two : i32
    %1 = arith.addi %0, %j : i32
    %2 = arith.remsi %1, %eight : i32
    heddle.yield %2 : i32
  } : tensor<?x2xi32>
  %g = heddle.weight_ref @gate : tensor<8x1024x512xf32>
  %u = heddle.weight_ref @up : tensor<8x1024x512xf32>
  %d = heddle.weight_ref @down : tensor<8x512x1024xf32>
  %0 = heddle.expert_linear %x, %e, %g : tensor<?x512xf32>, tensor<?x2xi32>, tensor<8x1024x512xf32>
  %1 = heddle.activation silu %0 : tensor<?x2x1024xf32>
  %2 = heddle.expert_linear %x, %e, %u : tensor<?x512xf32>, tensor<?x2xi32>, tensor<8x1024x512xf32>
  %3 = arith.mulf %1, %2 : tensor<?x2x1024xf32>
  %y = heddle.expert_linear %3, %e, %d : tensor<?x2x1024xf32>, tensor<?x2xi32>, tensor<8x512x1024xf32>
  return %y : tensor<?x2x512xf32>
}
