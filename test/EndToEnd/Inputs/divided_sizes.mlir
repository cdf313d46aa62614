// A kernel divides by a size that is 0 in some calls, and negative in others.
func.func @f(%x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["n"]}) -> (tensor<3xi32> {heddle.name = "y"}) {
  %y = heddle.generic over [3] {
    %q = heddle.size "floordiv(n, n - 4) + mod(9, n - 4)" : i32
    heddle.yield %q : i32
  } : tensor<3xi32>
  return %y : tensor<3xi32>
}
