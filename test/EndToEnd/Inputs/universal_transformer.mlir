// A Universal Transformer (Dehghani et al., arXiv:1807.03819) with the halting of Graves
// (arXiv:1603.08983): one layer, whose weights all steps share, in a loop that ends when every
// token has halted, or after six steps. Code and weights are those of one layer. Norms come
// first, so that tokens stay as different as they are, and halt at different steps.

heddle.weight @layer.self_attn.in_proj_weight from "layer.self_attn.in_proj_weight" : tensor<48x16xf32>
heddle.weight @layer.self_attn.in_proj_bias from "layer.self_attn.in_proj_bias" : tensor<48xf32>
heddle.weight @layer.self_attn.out_proj.weight from "layer.self_attn.out_proj.weight" : tensor<16x16xf32>
heddle.weight @layer.self_attn.out_proj.bias from "layer.self_attn.out_proj.bias" : tensor<16xf32>
heddle.weight @layer.linear1.weight from "layer.linear1.weight" : tensor<32x16xf32>
heddle.weight @layer.linear1.bias from "layer.linear1.bias" : tensor<32xf32>
heddle.weight @layer.linear2.weight from "layer.linear2.weight" : tensor<16x32xf32>
heddle.weight @layer.linear2.bias from "layer.linear2.bias" : tensor<16xf32>
heddle.weight @layer.norm1.weight from "layer.norm1.weight" : tensor<16xf32>
heddle.weight @layer.norm1.bias from "layer.norm1.bias" : tensor<16xf32>
heddle.weight @layer.norm2.weight from "layer.norm2.weight" : tensor<16xf32>
heddle.weight @layer.norm2.bias from "layer.norm2.bias" : tensor<16xf32>
heddle.weight @halt.weight from "halt.weight" : tensor<1x16xf32>
heddle.weight @halt.bias from "halt.bias" : tensor<1xf32>

func.func @universal(%x: tensor<?x?x16xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x16xf32> {heddle.name = "y"}, tensor<i64> {heddle.name = "steps"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %most = arith.constant 6 : index
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %none = heddle.broadcast %zero to ["batch", "length", 16] : tensor<1xf32> -> tensor<?x?x16xf32>
  %never = heddle.broadcast %zero to ["batch", "length", 1] : tensor<1xf32> -> tensor<?x?x1xf32>
  // The step, the state, what has been taken of states, and how likely each token has halted.
  %n, %state, %taken, %halted = scf.while (%i = %c0, %s = %x, %y = %none, %h = %never)
      : (index, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x1xf32>)
        -> (index, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x1xf32>) {
    %least = heddle.reduce min %h axes [0, 1, 2] : tensor<?x?x1xf32> -> tensor<f32>
    %number = tensor.extract %least[] : tensor<f32>
    %threshold = arith.constant 0.99 : f32
    %isUndone = arith.cmpf olt, %number, %threshold : f32
    %isBefore = arith.cmpi ult, %i, %most : index
    %goesOn = arith.andi %isUndone, %isBefore : i1
    scf.condition(%goesOn) %i, %s, %y, %h : index, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x1xf32>
  } do {
  ^bb0(%i: index, %s: tensor<?x?x16xf32>, %y: tensor<?x?x16xf32>, %h: tensor<?x?x1xf32>):
    %next = heddle.encoder_layer %s from("layer") heads(2) norm(pre) activation(relu) epsilon(1.0e-5)
        : tensor<?x?x16xf32>
    %w = heddle.weight_ref @halt.weight : tensor<1x16xf32>
    %b = heddle.weight_ref @halt.bias : tensor<1xf32>
    %logit = heddle.linear %next, %w bias(%b : tensor<1xf32>) : tensor<?x?x16xf32>, tensor<1x16xf32>
    %p = heddle.activation sigmoid %logit : tensor<?x?x1xf32>
    // What is left of 1 is all that a token takes of its last step.
    %left = heddle.generic over ["batch", "length", 1] ins(%p, %h : tensor<?x?x1xf32>, tensor<?x?x1xf32>)
        maps [affine_map<(b, s, c) -> (b, s, c)>, affine_map<(b, s, c) -> (b, s, c)>] {
    ^bb0(%now: f32, %before: f32):
      %all = arith.constant 1.0 : f32
      %limit = arith.constant 0.99 : f32
      %sum = arith.addf %now, %before : f32
      %halts = arith.cmpf ogt, %sum, %limit : f32
      %rest = arith.subf %all, %before : f32
      %share = arith.select %halts, %rest, %now : f32
      heddle.yield %share : f32
    } : tensor<?x?x1xf32>
    %sum = arith.addf %h, %left : tensor<?x?x1xf32>
    %wide = heddle.broadcast %left to ["batch", "length", 16] : tensor<?x?x1xf32> -> tensor<?x?x16xf32>
    %part = arith.mulf %next, %wide : tensor<?x?x16xf32>
    %total = arith.addf %y, %part : tensor<?x?x16xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %next, %total, %sum : index, tensor<?x?x16xf32>, tensor<?x?x16xf32>, tensor<?x?x1xf32>
  }
  %steps = heddle.from_number %n : index -> tensor<i64>
  return %taken, %steps : tensor<?x?x16xf32>, tensor<i64>
}

// The same layer three times.
func.func @repeated(%x: tensor<?x?x16xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x16xf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %depth = arith.constant 3 : index
  %y = scf.for %i = %c0 to %depth step %c1 iter_args(%s = %x) -> (tensor<?x?x16xf32>) {
    %next = heddle.encoder_layer %s from("layer") heads(2) norm(pre) activation(relu) epsilon(1.0e-5)
        : tensor<?x?x16xf32>
    scf.yield %next : tensor<?x?x16xf32>
  }
  return %y : tensor<?x?x16xf32>
}
