// A linear layer, whose weights lie in other panels on a device, and attention of one query,
// whose keys a device cuts into splits.
heddle.weight @w from "w" : tensor<96x64xf32>

func.func @attend(
    %x: tensor<?x1x64xf32> {heddle.name = "x", heddle.sizes = ["batch"]},
    %k: tensor<?x?x32xf32> {heddle.name = "k", heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.name = "v", heddle.sizes = ["batch", "keys"]})
    -> (tensor<?x1x96xf32> {heddle.name = "y"}) {
  %w = heddle.weight_ref @w : tensor<96x64xf32>
  %q = heddle.linear %x, %w : tensor<?x1x64xf32>, tensor<96x64xf32>
  %y = heddle.attention %q, %k, %v heads(6, kv = 2)
      : tensor<?x1x96xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y : tensor<?x1x96xf32>
}
