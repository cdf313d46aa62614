// Sums of integers are views, and each of these reads the one before twice: a walk
// over all paths would take 2^64 steps.

// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-form-kernels | FileCheck %s

// CHECK-LABEL: func.func @chain
// CHECK: heddle.launch @chain_attention(
// CHECK: heddle.kernel @chain_attention(
// CHECK-COUNT-64: arith.addi
// CHECK-NOT: arith.addi
// CHECK: heddle.attention
func.func @chain(%x: tensor<2x8x4xf32>, %n0: tensor<2xi32>) -> tensor<2x8x4xf32> {
  %n1 = arith.addi %n0, %n0 : tensor<2xi32>
  %n2 = arith.addi %n1, %n1 : tensor<2xi32>
  %n3 = arith.addi %n2, %n2 : tensor<2xi32>
  %n4 = arith.addi %n3, %n3 : tensor<2xi32>
  %n5 = arith.addi %n4, %n4 : tensor<2xi32>
  %n6 = arith.addi %n5, %n5 : tensor<2xi32>
  %n7 = arith.addi %n6, %n6 : tensor<2xi32>
  %n8 = arith.addi %n7, %n7 : tensor<2xi32>
  %n9 = arith.addi %n8, %n8 : tensor<2xi32>
  %n10 = arith.addi %n9, %n9 : tensor<2xi32>
  %n11 = arith.addi %n10, %n10 : tensor<2xi32>
  %n12 = arith.addi %n11, %n11 : tensor<2xi32>
  %n13 = arith.addi %n12, %n12 : tensor<2xi32>
  %n14 = arith.addi %n13, %n13 : tensor<2xi32>
  %n15 = arith.addi %n14, %n14 : tensor<2xi32>
  %n16 = arith.addi %n15, %n15 : tensor<2xi32>
  %n17 = arith.addi %n16, %n16 : tensor<2xi32>
  %n18 = arith.addi %n17, %n17 : tensor<2xi32>
  %n19 = arith.addi %n18, %n18 : tensor<2xi32>
  %n20 = arith.addi %n19, %n19 : tensor<2xi32>
  %n21 = arith.addi %n20, %n20 : tensor<2xi32>
  %n22 = arith.addi %n21, %n21 : tensor<2xi32>
  %n23 = arith.addi %n22, %n22 : tensor<2xi32>
  %n24 = arith.addi %n23, %n23 : tensor<2xi32>
  %n25 = arith.addi %n24, %n24 : tensor<2xi32>
  %n26 = arith.addi %n25, %n25 : tensor<2xi32>
  %n27 = arith.addi %n26, %n26 : tensor<2xi32>
  %n28 = arith.addi %n27, %n27 : tensor<2xi32>
  %n29 = arith.addi %n28, %n28 : tensor<2xi32>
  %n30 = arith.addi %n29, %n29 : tensor<2xi32>
  %n31 = arith.addi %n30, %n30 : tensor<2xi32>
  %n32 = arith.addi %n31, %n31 : tensor<2xi32>
  %n33 = arith.addi %n32, %n32 : tensor<2xi32>
  %n34 = arith.addi %n33, %n33 : tensor<2xi32>
  %n35 = arith.addi %n34, %n34 : tensor<2xi32>
  %n36 = arith.addi %n35, %n35 : tensor<2xi32>
  %n37 = arith.addi %n36, %n36 : tensor<2xi32>
  %n38 = arith.addi %n37, %n37 : tensor<2xi32>
  %n39 = arith.addi %n38, %n38 : tensor<2xi32>
  %n40 = arith.addi %n39, %n39 : tensor<2xi32>
  %n41 = arith.addi %n40, %n40 : tensor<2xi32>
  %n42 = arith.addi %n41, %n41 : tensor<2xi32>
  %n43 = arith.addi %n42, %n42 : tensor<2xi32>
  %n44 = arith.addi %n43, %n43 : tensor<2xi32>
  %n45 = arith.addi %n44, %n44 : tensor<2xi32>
  %n46 = arith.addi %n45, %n45 : tensor<2xi32>
  %n47 = arith.addi %n46, %n46 : tensor<2xi32>
  %n48 = arith.addi %n47, %n47 : tensor<2xi32>
  %n49 = arith.addi %n48, %n48 : tensor<2xi32>
  %n50 = arith.addi %n49, %n49 : tensor<2xi32>
  %n51 = arith.addi %n50, %n50 : tensor<2xi32>
  %n52 = arith.addi %n51, %n51 : tensor<2xi32>
  %n53 = arith.addi %n52, %n52 : tensor<2xi32>
  %n54 = arith.addi %n53, %n53 : tensor<2xi32>
  %n55 = arith.addi %n54, %n54 : tensor<2xi32>
  %n56 = arith.addi %n55, %n55 : tensor<2xi32>
  %n57 = arith.addi %n56, %n56 : tensor<2xi32>
  %n58 = arith.addi %n57, %n57 : tensor<2xi32>
  %n59 = arith.addi %n58, %n58 : tensor<2xi32>
  %n60 = arith.addi %n59, %n59 : tensor<2xi32>
  %n61 = arith.addi %n60, %n60 : tensor<2xi32>
  %n62 = arith.addi %n61, %n61 : tensor<2xi32>
  %n63 = arith.addi %n62, %n62 : tensor<2xi32>
  %n64 = arith.addi %n63, %n63 : tensor<2xi32>
  %m = heddle.mask.lengths %n64 : tensor<2xi32>
  %y = heddle.attention %x, %x, %x mask(%m) heads(1, kv = 1) scale(0.5)
     : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}
