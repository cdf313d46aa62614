// Layers that run until their result settles: how many steps that takes is in the data.
// settle.py has the formulas.

heddle.weight @inner from "settle.inner.weight" : tensor<24x24xf32>
heddle.weight @outer from "settle.outer.weight" : tensor<24x20xf32>
heddle.weight @outer_bias from "settle.outer.bias" : tensor<24xf32>

// z = tanh(inner z / 2 + outer x + bias) from 0 on, until no element changes by more than
// `limit`, or `most` steps are done, or 200.
func.func @settle(%x: tensor<?x20xf32> {heddle.name = "x", heddle.sizes = ["batch"]},
    %limit: tensor<1xf32> {heddle.name = "limit"}, %most: tensor<1xi32> {heddle.name = "most"})
    -> (tensor<?x24xf32> {heddle.name = "z"}, tensor<1xi32> {heddle.name = "steps"}) {
  %c0 = arith.constant 0 : index
  %c200 = arith.constant 200 : i32
  %none = arith.constant dense<0> : tensor<1xi32>
  %one = arith.constant dense<1> : tensor<1xi32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %start = heddle.broadcast %zero to ["batch", 24] : tensor<1xf32> -> tensor<?x24xf32>
  %inner = heddle.weight_ref @inner : tensor<24x24xf32>
  %outer = heddle.weight_ref @outer : tensor<24x20xf32>
  %bias = heddle.weight_ref @outer_bias : tensor<24xf32>
  %drive = heddle.linear %x, %outer bias(%bias : tensor<24xf32>) : tensor<?x20xf32>, tensor<24x20xf32>
  %half = arith.constant dense<0.5> : tensor<1xf32>
  %halves = heddle.broadcast %half to ["batch", 24] : tensor<1xf32> -> tensor<?x24xf32>
  %z, %steps = scf.while (%now = %start, %done = %none)
      : (tensor<?x24xf32>, tensor<1xi32>) -> (tensor<?x24xf32>, tensor<1xi32>) {
    %product = heddle.linear %now, %inner : tensor<?x24xf32>, tensor<24x24xf32>
    %weaker = arith.mulf %product, %halves : tensor<?x24xf32>
    %sum = arith.addf %weaker, %drive : tensor<?x24xf32>
    %next = math.tanh %sum : tensor<?x24xf32>
    %count = arith.addi %done, %one : tensor<1xi32>
    %difference = arith.subf %next, %now : tensor<?x24xf32>
    %size = math.absf %difference : tensor<?x24xf32>
    %largest = heddle.reduce max %size axes [0, 1] : tensor<?x24xf32> -> tensor<f32>
    %change = tensor.extract %largest[] : tensor<f32>
    %enough = tensor.extract %limit[%c0] : tensor<1xf32>
    %moves = arith.cmpf ogt, %change, %enough : f32
    %counted = tensor.extract %count[%c0] : tensor<1xi32>
    %allowed = tensor.extract %most[%c0] : tensor<1xi32>
    %last = arith.minsi %allowed, %c200 : i32
    %mayGoOn = arith.cmpi slt, %counted, %last : i32
    %goesOn = arith.andi %moves, %mayGoOn : i1
    scf.condition(%goesOn) %next, %count : tensor<?x24xf32>, tensor<1xi32>
  } do {
  ^bb0(%next: tensor<?x24xf32>, %count: tensor<1xi32>):
    scf.yield %next, %count : tensor<?x24xf32>, tensor<1xi32>
  }
  return %z, %steps : tensor<?x24xf32>, tensor<1xi32>
}

heddle.weight @norm from "refine.norm.weight" : tensor<32xf32>
heddle.weight @norm_bias from "refine.norm.bias" : tensor<32xf32>
heddle.weight @query from "refine.query.weight" : tensor<32x32xf32>
heddle.weight @value from "refine.value.weight" : tensor<32x32xf32>

// A layer of attention over the first tokens of each sequence, again and again: h = x + what
// it gives of h / 2, until the change is small beside h: `limit` of it, or 1/8192.
func.func @refine(%x: tensor<?x?x32xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %limit: tensor<1xf32> {heddle.name = "limit"})
    -> (tensor<?x?x32xf32> {heddle.name = "h"}, tensor<1xi32> {heddle.name = "steps"},
        tensor<1xf32> {heddle.name = "ratio"}) {
  %c0 = arith.constant 0 : index
  %least = arith.constant 0.0001220703125 : f32
  %none = arith.constant dense<0> : tensor<1xi32>
  %one = arith.constant dense<1> : tensor<1xi32>
  %half = arith.constant dense<0.5> : tensor<1xf32>
  %halves = heddle.broadcast %half to ["batch", "length", 32] : tensor<1xf32> -> tensor<?x?x32xf32>
  %norm = heddle.weight_ref @norm : tensor<32xf32>
  %bias = heddle.weight_ref @norm_bias : tensor<32xf32>
  %query = heddle.weight_ref @query : tensor<32x32xf32>
  %value = heddle.weight_ref @value : tensor<32x32xf32>
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %h, %steps, %ratio = scf.while (%now = %x, %done = %none)
      : (tensor<?x?x32xf32>, tensor<1xi32>) -> (tensor<?x?x32xf32>, tensor<1xi32>, tensor<1xf32>) {
    %n = heddle.layer_norm %now, %norm, %bias epsilon(1.0e-5)
      : tensor<?x?x32xf32>, tensor<32xf32>, tensor<32xf32>
    %q = heddle.linear %n, %query : tensor<?x?x32xf32>, tensor<32x32xf32>
    %v = heddle.linear %n, %value : tensor<?x?x32xf32>, tensor<32x32xf32>
    %seen = heddle.attention %q, %n, %v mask(%valid) heads(4, kv = 4) scale(0.35355339)
      : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
    %weaker = arith.mulf %seen, %halves : tensor<?x?x32xf32>
    %next = arith.addf %x, %weaker : tensor<?x?x32xf32>
    %count = arith.addi %done, %one : tensor<1xi32>
    %difference = arith.subf %next, %now : tensor<?x?x32xf32>
    %change = heddle.reduce l2 %difference axes [0, 1, 2] : tensor<?x?x32xf32> -> tensor<f32>
    %size = heddle.reduce l2 %next axes [0, 1, 2] : tensor<?x?x32xf32> -> tensor<f32>
    %scalar = arith.divf %change, %size : tensor<f32>
    %quotient = heddle.reshape %scalar to [1] : tensor<f32> -> tensor<1xf32>
    %number = tensor.extract %quotient[%c0] : tensor<1xf32>
    %given = tensor.extract %limit[%c0] : tensor<1xf32>
    %enough = arith.maximumf %given, %least : f32
    %goesOn = arith.cmpf ogt, %number, %enough : f32
    scf.condition(%goesOn) %next, %count, %quotient : tensor<?x?x32xf32>, tensor<1xi32>, tensor<1xf32>
  } do {
  ^bb0(%next: tensor<?x?x32xf32>, %count: tensor<1xi32>, %quotient: tensor<1xf32>):
    scf.yield %next, %count : tensor<?x?x32xf32>, tensor<1xi32>
  }
  return %h, %steps, %ratio : tensor<?x?x32xf32>, tensor<1xi32>, tensor<1xf32>
}
