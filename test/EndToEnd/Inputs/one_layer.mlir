// The smallest model that has all that a model has: for tests of files and of CPUs, which
// compile it often.
heddle.weight @table = dense<0.25> : tensor<16x32xf32>
func.func @forward(%x: tensor<?x32xf32> {heddle.sizes = ["rows"]}) -> tensor<?x16xf32> {
  %table = heddle.weight_ref @table : tensor<16x32xf32>
  %y = heddle.linear %x, %table : tensor<?x32xf32>, tensor<16x32xf32>
  return %y : tensor<?x16xf32>
}
