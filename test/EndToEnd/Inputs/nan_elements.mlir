func.func @difference(%x: tensor<?x16xf32> {heddle.name = "x", heddle.sizes = ["rows"]},
    %y: tensor<?x16xf32> {heddle.name = "y", heddle.sizes = ["rows"]}) -> (tensor<?x16xf32> {heddle.name = "z"}) {
  %z = arith.subf %x, %x : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
func.func @cancel(%x: tensor<?x16xf32> {heddle.name = "x", heddle.sizes = ["rows"]},
    %y: tensor<?x16xf32> {heddle.name = "y", heddle.sizes = ["rows"]}) -> (tensor<?x16xf32> {heddle.name = "z"}) {
  %s = arith.addf %x, %y : tensor<?x16xf32>
  %z = arith.subf %s, %y : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
func.func @negated(%x: tensor<?x16xf32> {heddle.name = "x", heddle.sizes = ["rows"]},
    %y: tensor<?x16xf32> {heddle.name = "y", heddle.sizes = ["rows"]}) -> (tensor<?x16xf32> {heddle.name = "z"}) {
  %n = arith.negf %x : tensor<?x16xf32>
  %z = arith.addf %x, %n : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
func.func @quotient(%x: tensor<?x16xf32> {heddle.name = "x", heddle.sizes = ["rows"]},
    %y: tensor<?x16xf32> {heddle.name = "y", heddle.sizes = ["rows"]}) -> (tensor<?x16xf32> {heddle.name = "z"}) {
  %z = arith.divf %x, %x : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
func.func @product(%x: tensor<?x16xf32> {heddle.name = "x", heddle.sizes = ["rows"]},
    %y: tensor<?x16xf32> {heddle.name = "y", heddle.sizes = ["rows"]}) -> (tensor<?x16xf32> {heddle.name = "z"}) {
  %zero = arith.subf %y, %y : tensor<?x16xf32>
  %z = arith.mulf %x, %zero : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
func.func @relu(%x: tensor<?x16xf32> {heddle.name = "x", heddle.sizes = ["rows"]},
    %y: tensor<?x16xf32> {heddle.name = "y", heddle.sizes = ["rows"]}) -> (tensor<?x16xf32> {heddle.name = "z"}) {
  %z = heddle.activation relu %x : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
func.func @maximum(%x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["elements"]},
    %y: tensor<?xf32> {heddle.name = "y", heddle.sizes = ["elements"]}) -> (tensor<?xf32> {heddle.name = "z"}) {
  %z = arith.maximumf %x, %y : tensor<?xf32>
  return %z : tensor<?xf32>
}
func.func @minimum(%x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["elements"]},
    %y: tensor<?xf32> {heddle.name = "y", heddle.sizes = ["elements"]}) -> (tensor<?xf32> {heddle.name = "z"}) {
  %z = arith.minimumf %x, %y : tensor<?xf32>
  return %z : tensor<?xf32>
}
func.func @maxnum(%x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["elements"]},
    %y: tensor<?xf32> {heddle.name = "y", heddle.sizes = ["elements"]}) -> (tensor<?xf32> {heddle.name = "z"}) {
  %z = arith.maxnumf %x, %y : tensor<?xf32>
  return %z : tensor<?xf32>
}
func.func @unordered(%x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["elements"]},
    %y: tensor<?xf32> {heddle.name = "y", heddle.sizes = ["elements"]}) -> (tensor<?xf32> {heddle.name = "z"}) {
  %c = arith.cmpf ult, %x, %y : tensor<?xf32>
  %z = arith.uitofp %c : tensor<?xi1> to tensor<?xf32>
  return %z : tensor<?xf32>
}
func.func @truncated(%x: tensor<?xf32> {heddle.name = "x", heddle.sizes = ["elements"]},
    %y: tensor<?xf32> {heddle.name = "y", heddle.sizes = ["elements"]}) -> (tensor<?xf32> {heddle.name = "z"}) {
  %i = heddle.cast %x : tensor<?xf32> -> tensor<?xi8>
  %z = arith.sitofp %i : tensor<?xi8> to tensor<?xf32>
  return %z : tensor<?xf32>
}
