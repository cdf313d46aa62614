// RUN: heddlec %s --target-cpu=x86-64-v4 --quiet --emit=asm -o %t
// RUN: FileCheck %s < %t
// RUN: awk '/vmov.*\(%%rsp\), %%zmm/ {r = 1; next} r && /vfmadd231ps/ {bad = 1} {r = 0} END {exit bad}' %t
// A register tile of 6 rows by 64 channels has 24 sums, which 31 registers hold beside what
// is added to them: no product waits for a sum that comes from the stack.
// CHECK: vfmadd231ps
func.func @run(%x: tensor<1x?x768xf32> {heddle.sizes = ["length"], heddle.name = "x"}) -> tensor<1x?x768xf32> {
  %y = heddle.attention %x, %x, %x heads(12, kv = 12) : tensor<1x?x768xf32>, tensor<1x?x768xf32>, tensor<1x?x768xf32>
  return %y : tensor<1x?x768xf32>
}
