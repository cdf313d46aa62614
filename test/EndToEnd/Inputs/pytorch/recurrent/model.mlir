// nn.GRU, nn.GRUCell and nn.LSTM of PyTorch, and a translator with additive attention that is made
// of them: the function of a name is the case of that name in goldens.py.

heddle.weight @translator.source_embedding.weight from "translator.source_embedding.weight" : tensor<11x12xf32>
heddle.weight @translator.target_embedding.weight from "translator.target_embedding.weight" : tensor<11x12xf32>
heddle.weight @translator.encoder.weight_ih_l0 from "translator.encoder.weight_ih_l0" : tensor<48x12xf32>
heddle.weight @translator.encoder.weight_hh_l0 from "translator.encoder.weight_hh_l0" : tensor<48x16xf32>
heddle.weight @translator.encoder.bias_ih_l0 from "translator.encoder.bias_ih_l0" : tensor<48xf32>
heddle.weight @translator.encoder.bias_hh_l0 from "translator.encoder.bias_hh_l0" : tensor<48xf32>
heddle.weight @translator.attention.query.weight from "translator.attention.query.weight" : tensor<16x16xf32>
heddle.weight @translator.attention.key.weight from "translator.attention.key.weight" : tensor<16x16xf32>
heddle.weight @translator.attention.value.weight from "translator.attention.value.weight" : tensor<1x16xf32>
heddle.weight @translator.decoder.weight_ih from "translator.decoder.weight_ih" : tensor<48x28xf32>
heddle.weight @translator.decoder.weight_hh from "translator.decoder.weight_hh" : tensor<48x16xf32>
heddle.weight @translator.decoder.bias_ih from "translator.decoder.bias_ih" : tensor<48xf32>
heddle.weight @translator.decoder.bias_hh from "translator.decoder.bias_hh" : tensor<48xf32>
heddle.weight @translator.output.weight from "translator.output.weight" : tensor<11x16xf32>
heddle.weight @translator.output.bias from "translator.output.bias" : tensor<11xf32>
heddle.weight @gru.weight_ih_l0 from "gru.weight_ih_l0" : tensor<48x12xf32>
heddle.weight @gru.weight_hh_l0 from "gru.weight_hh_l0" : tensor<48x16xf32>
heddle.weight @gru.bias_ih_l0 from "gru.bias_ih_l0" : tensor<48xf32>
heddle.weight @gru.bias_hh_l0 from "gru.bias_hh_l0" : tensor<48xf32>
heddle.weight @gru.weight_ih_l0_reverse from "gru.weight_ih_l0_reverse" : tensor<48x12xf32>
heddle.weight @gru.weight_hh_l0_reverse from "gru.weight_hh_l0_reverse" : tensor<48x16xf32>
heddle.weight @gru.bias_ih_l0_reverse from "gru.bias_ih_l0_reverse" : tensor<48xf32>
heddle.weight @gru.bias_hh_l0_reverse from "gru.bias_hh_l0_reverse" : tensor<48xf32>
heddle.weight @lstm.weight_ih_l0 from "lstm.weight_ih_l0" : tensor<64x12xf32>
heddle.weight @lstm.weight_hh_l0 from "lstm.weight_hh_l0" : tensor<64x16xf32>
heddle.weight @lstm.bias_ih_l0 from "lstm.bias_ih_l0" : tensor<64xf32>
heddle.weight @lstm.bias_hh_l0 from "lstm.bias_hh_l0" : tensor<64xf32>
heddle.weight @lstm.weight_ih_l1 from "lstm.weight_ih_l1" : tensor<64x16xf32>
heddle.weight @lstm.weight_hh_l1 from "lstm.weight_hh_l1" : tensor<64x16xf32>
heddle.weight @lstm.bias_ih_l1 from "lstm.bias_ih_l1" : tensor<64xf32>
heddle.weight @lstm.bias_hh_l1 from "lstm.bias_hh_l1" : tensor<64xf32>

// States past the ends of sequences are 0; the last ones are those at the ends.
func.func private @gru(%x: tensor<?x?x12xf32>, %lengths: tensor<?xi32>, %w: tensor<48x12xf32>,
    %u: tensor<48x16xf32>, %b: tensor<48xf32>, %d: tensor<48xf32>) -> (tensor<?x?x16xf32>, tensor<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x12xf32>
  %end = tensor.dim %x, %c1 : tensor<?x?x12xf32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %start = heddle.broadcast %zero to ["batch", 16] : tensor<1xf32> -> tensor<?x16xf32>
  %none = heddle.broadcast %zero to ["batch", "source", 16] : tensor<1xf32> -> tensor<?x?x16xf32>
  %last, %states = scf.for %t = %c0 to %end step %c1 iter_args(%h = %start, %all = %none)
      -> (tensor<?x16xf32>, tensor<?x?x16xf32>) {
    %slice = tensor.extract_slice %x[0, %t, 0] [%batch, 1, 12] [1, 1, 1] : tensor<?x?x12xf32> to tensor<?x1x12xf32>
    %token = heddle.squeeze %slice axes [1] : tensor<?x1x12xf32> -> tensor<?x12xf32>
    %next = heddle.gru_cell %token, %h, %w, %u biases(%b, %d : tensor<48xf32>, tensor<48xf32>)
       : tensor<?x12xf32>, tensor<?x16xf32>, tensor<48x12xf32>, tensor<48x16xf32>
    %now = heddle.from_number %t : index -> tensor<i64>
    %isThere = heddle.generic over ["batch", 1] ins(%lengths, %now : tensor<?xi32>, tensor<i64>)
        maps [affine_map<(b, o) -> (b)>, affine_map<(b, o) -> ()>] {
    ^bb0(%n: i32, %step: i64):
      %wide = arith.extsi %n : i32 to i64
      %isBefore = arith.cmpi slt, %step, %wide : i64
      heddle.yield %isBefore : i1
    } : tensor<?x1xi1>
    %kept = heddle.where %isThere, %next, %h : tensor<?x1xi1>, tensor<?x16xf32>, tensor<?x16xf32> -> tensor<?x16xf32>
    %shown = heddle.where %isThere, %next, %start : tensor<?x1xi1>, tensor<?x16xf32>, tensor<?x16xf32> -> tensor<?x16xf32>
    %row = heddle.expand %shown axes [1] : tensor<?x16xf32> -> tensor<?x1x16xf32>
    %written = tensor.insert_slice %row into %all[0, %t, 0] [%batch, 1, 16] [1, 1, 1] : tensor<?x1x16xf32> into tensor<?x?x16xf32>
    scf.yield %kept, %written : tensor<?x16xf32>, tensor<?x?x16xf32>
  }
  return %states, %last : tensor<?x?x16xf32>, tensor<?x16xf32>
}

// The same from the ends of sequences to their beginnings.
func.func private @gru_backwards(%x: tensor<?x?x12xf32>, %lengths: tensor<?xi32>, %w: tensor<48x12xf32>,
    %u: tensor<48x16xf32>, %b: tensor<48xf32>, %d: tensor<48xf32>) -> (tensor<?x?x16xf32>, tensor<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x12xf32>
  %end = tensor.dim %x, %c1 : tensor<?x?x12xf32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %start = heddle.broadcast %zero to ["batch", 16] : tensor<1xf32> -> tensor<?x16xf32>
  %none = heddle.broadcast %zero to ["batch", "source", 16] : tensor<1xf32> -> tensor<?x?x16xf32>
  %last, %states = scf.for %i = %c0 to %end step %c1 iter_args(%h = %start, %all = %none)
      -> (tensor<?x16xf32>, tensor<?x?x16xf32>) {
    %after = arith.subi %end, %c1 : index
    %t = arith.subi %after, %i : index
    %slice = tensor.extract_slice %x[0, %t, 0] [%batch, 1, 12] [1, 1, 1] : tensor<?x?x12xf32> to tensor<?x1x12xf32>
    %token = heddle.squeeze %slice axes [1] : tensor<?x1x12xf32> -> tensor<?x12xf32>
    %next = heddle.gru_cell %token, %h, %w, %u biases(%b, %d : tensor<48xf32>, tensor<48xf32>)
       : tensor<?x12xf32>, tensor<?x16xf32>, tensor<48x12xf32>, tensor<48x16xf32>
    %now = heddle.from_number %t : index -> tensor<i64>
    %isThere = heddle.generic over ["batch", 1] ins(%lengths, %now : tensor<?xi32>, tensor<i64>)
        maps [affine_map<(b, o) -> (b)>, affine_map<(b, o) -> ()>] {
    ^bb0(%n: i32, %step: i64):
      %wide = arith.extsi %n : i32 to i64
      %isBefore = arith.cmpi slt, %step, %wide : i64
      heddle.yield %isBefore : i1
    } : tensor<?x1xi1>
    %kept = heddle.where %isThere, %next, %h : tensor<?x1xi1>, tensor<?x16xf32>, tensor<?x16xf32> -> tensor<?x16xf32>
    %shown = heddle.where %isThere, %next, %start : tensor<?x1xi1>, tensor<?x16xf32>, tensor<?x16xf32> -> tensor<?x16xf32>
    %row = heddle.expand %shown axes [1] : tensor<?x16xf32> -> tensor<?x1x16xf32>
    %written = tensor.insert_slice %row into %all[0, %t, 0] [%batch, 1, 16] [1, 1, 1] : tensor<?x1x16xf32> into tensor<?x?x16xf32>
    scf.yield %kept, %written : tensor<?x16xf32>, tensor<?x?x16xf32>
  }
  return %states, %last : tensor<?x?x16xf32>, tensor<?x16xf32>
}

func.func @gru_both_ways(%x: tensor<?x?x12xf32> {heddle.name = "x", heddle.sizes = ["batch", "source"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]})
    -> (tensor<?x?x32xf32> {heddle.name = "states"}, tensor<?x16xf32> {heddle.name = "last"},
        tensor<?x16xf32> {heddle.name = "first"}) {
  %w = heddle.weight_ref @gru.weight_ih_l0 : tensor<48x12xf32>
  %u = heddle.weight_ref @gru.weight_hh_l0 : tensor<48x16xf32>
  %b = heddle.weight_ref @gru.bias_ih_l0 : tensor<48xf32>
  %d = heddle.weight_ref @gru.bias_hh_l0 : tensor<48xf32>
  %forwards, %last = func.call @gru(%x, %lengths, %w, %u, %b, %d)
      : (tensor<?x?x12xf32>, tensor<?xi32>, tensor<48x12xf32>, tensor<48x16xf32>, tensor<48xf32>, tensor<48xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x16xf32>)
  %wr = heddle.weight_ref @gru.weight_ih_l0_reverse : tensor<48x12xf32>
  %ur = heddle.weight_ref @gru.weight_hh_l0_reverse : tensor<48x16xf32>
  %br = heddle.weight_ref @gru.bias_ih_l0_reverse : tensor<48xf32>
  %dr = heddle.weight_ref @gru.bias_hh_l0_reverse : tensor<48xf32>
  %backwards, %first = func.call @gru_backwards(%x, %lengths, %wr, %ur, %br, %dr)
      : (tensor<?x?x12xf32>, tensor<?xi32>, tensor<48x12xf32>, tensor<48x16xf32>, tensor<48xf32>, tensor<48xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x16xf32>)
  %states = heddle.concat %forwards, %backwards axis(2)
      : tensor<?x?x16xf32>, tensor<?x?x16xf32> -> tensor<?x?x32xf32>
  return %states, %last, %first : tensor<?x?x32xf32>, tensor<?x16xf32>, tensor<?x16xf32>
}

// A token goes through both layers before the next one comes.
func.func @lstm_two_layers(%x: tensor<?x?x12xf32> {heddle.name = "x", heddle.sizes = ["batch", "source"]})
    -> (tensor<?x?x16xf32> {heddle.name = "states"}, tensor<2x?x16xf32> {heddle.name = "last"},
        tensor<2x?x16xf32> {heddle.name = "cell"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x12xf32>
  %end = tensor.dim %x, %c1 : tensor<?x?x12xf32>
  %w0 = heddle.weight_ref @lstm.weight_ih_l0 : tensor<64x12xf32>
  %u0 = heddle.weight_ref @lstm.weight_hh_l0 : tensor<64x16xf32>
  %b0 = heddle.weight_ref @lstm.bias_ih_l0 : tensor<64xf32>
  %d0 = heddle.weight_ref @lstm.bias_hh_l0 : tensor<64xf32>
  %w1 = heddle.weight_ref @lstm.weight_ih_l1 : tensor<64x16xf32>
  %u1 = heddle.weight_ref @lstm.weight_hh_l1 : tensor<64x16xf32>
  %b1 = heddle.weight_ref @lstm.bias_ih_l1 : tensor<64xf32>
  %d1 = heddle.weight_ref @lstm.bias_hh_l1 : tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %start = heddle.broadcast %zero to ["batch", 16] : tensor<1xf32> -> tensor<?x16xf32>
  %none = heddle.broadcast %zero to ["batch", "source", 16] : tensor<1xf32> -> tensor<?x?x16xf32>
  %r:5 = scf.for %t = %c0 to %end step %c1
      iter_args(%h0 = %start, %s0 = %start, %h1 = %start, %s1 = %start, %all = %none)
      -> (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x?x16xf32>) {
    %slice = tensor.extract_slice %x[0, %t, 0] [%batch, 1, 12] [1, 1, 1] : tensor<?x?x12xf32> to tensor<?x1x12xf32>
    %token = heddle.squeeze %slice axes [1] : tensor<?x1x12xf32> -> tensor<?x12xf32>
    %n0, %m0 = heddle.lstm_cell %token, %h0, %s0, %w0, %u0 biases(%b0, %d0 : tensor<64xf32>, tensor<64xf32>)
       : tensor<?x12xf32>, tensor<?x16xf32>, tensor<64x12xf32>, tensor<64x16xf32>
    %n1, %m1 = heddle.lstm_cell %n0, %h1, %s1, %w1, %u1 biases(%b1, %d1 : tensor<64xf32>, tensor<64xf32>)
       : tensor<?x16xf32>, tensor<?x16xf32>, tensor<64x16xf32>, tensor<64x16xf32>
    %row = heddle.expand %n1 axes [1] : tensor<?x16xf32> -> tensor<?x1x16xf32>
    %written = tensor.insert_slice %row into %all[0, %t, 0] [%batch, 1, 16] [1, 1, 1] : tensor<?x1x16xf32> into tensor<?x?x16xf32>
    scf.yield %n0, %m0, %n1, %m1, %written
        : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x?x16xf32>
  }
  %h0 = heddle.expand %r#0 axes [0] : tensor<?x16xf32> -> tensor<1x?x16xf32>
  %s0 = heddle.expand %r#1 axes [0] : tensor<?x16xf32> -> tensor<1x?x16xf32>
  %h1 = heddle.expand %r#2 axes [0] : tensor<?x16xf32> -> tensor<1x?x16xf32>
  %s1 = heddle.expand %r#3 axes [0] : tensor<?x16xf32> -> tensor<1x?x16xf32>
  %last = heddle.concat %h0, %h1 axis(0) : tensor<1x?x16xf32>, tensor<1x?x16xf32> -> tensor<2x?x16xf32>
  %cell = heddle.concat %s0, %s1 axis(0) : tensor<1x?x16xf32>, tensor<1x?x16xf32> -> tensor<2x?x16xf32>
  return %r#4, %last, %cell : tensor<?x?x16xf32>, tensor<2x?x16xf32>, tensor<2x?x16xf32>
}

// What reads is a GRU; what writes is one whose every step looks at what was read, with weights
// of w_v^T tanh(W_q q + W_k k). It is told the right tokens.
func.func @translator(%source: tensor<?x?xi32> {heddle.name = "src", heddle.sizes = ["batch", "source"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %target: tensor<?x?xi32> {heddle.name = "tgt", heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x11xf32> {heddle.name = "logits"}, tensor<?x?x?xf32> {heddle.name = "attention"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %es = heddle.weight_ref @translator.source_embedding.weight : tensor<11x12xf32>
  %et = heddle.weight_ref @translator.target_embedding.weight : tensor<11x12xf32>
  %w = heddle.weight_ref @translator.encoder.weight_ih_l0 : tensor<48x12xf32>
  %u = heddle.weight_ref @translator.encoder.weight_hh_l0 : tensor<48x16xf32>
  %b = heddle.weight_ref @translator.encoder.bias_ih_l0 : tensor<48xf32>
  %d = heddle.weight_ref @translator.encoder.bias_hh_l0 : tensor<48xf32>
  %wq = heddle.weight_ref @translator.attention.query.weight : tensor<16x16xf32>
  %wk = heddle.weight_ref @translator.attention.key.weight : tensor<16x16xf32>
  %row_v = heddle.weight_ref @translator.attention.value.weight : tensor<1x16xf32>
  %wd = heddle.weight_ref @translator.decoder.weight_ih : tensor<48x28xf32>
  %ud = heddle.weight_ref @translator.decoder.weight_hh : tensor<48x16xf32>
  %bd = heddle.weight_ref @translator.decoder.bias_ih : tensor<48xf32>
  %dd = heddle.weight_ref @translator.decoder.bias_hh : tensor<48xf32>
  %wo = heddle.weight_ref @translator.output.weight : tensor<11x16xf32>
  %bo = heddle.weight_ref @translator.output.bias : tensor<11xf32>

  %words = heddle.embedding %source, %es : tensor<?x?xi32>, tensor<11x12xf32>
  %states, %state = func.call @gru(%words, %lengths, %w, %u, %b, %d)
      : (tensor<?x?x12xf32>, tensor<?xi32>, tensor<48x12xf32>, tensor<48x16xf32>, tensor<48xf32>, tensor<48xf32>)
      -> (tensor<?x?x16xf32>, tensor<?x16xf32>)
  %keys = heddle.linear %states, %wk : tensor<?x?x16xf32>, tensor<16x16xf32>
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %wv = heddle.squeeze %row_v axes [0] : tensor<1x16xf32> -> tensor<16xf32>

  %tokens = heddle.embedding %target, %et : tensor<?x?xi32>, tensor<11x12xf32>
  %batch = tensor.dim %tokens, %c0 : tensor<?x?x12xf32>
  %end = tensor.dim %tokens, %c1 : tensor<?x?x12xf32>
  %count = tensor.dim %states, %c1 : tensor<?x?x16xf32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %no_logits = heddle.broadcast %zero to ["batch", "length", 11] : tensor<1xf32> -> tensor<?x?x11xf32>
  %no_weights = heddle.broadcast %zero to ["batch", "length", "source"] : tensor<1xf32> -> tensor<?x?x?xf32>
  %last, %logits, %weights = scf.for %t = %c0 to %end step %c1
      iter_args(%h = %state, %all_logits = %no_logits, %all_weights = %no_weights)
      -> (tensor<?x16xf32>, tensor<?x?x11xf32>, tensor<?x?x?xf32>) {
    %query = heddle.linear %h, %wq : tensor<?x16xf32>, tensor<16x16xf32>
    %q = heddle.expand %query axes [1] : tensor<?x16xf32> -> tensor<?x1x16xf32>
    %c, %a = heddle.attention %q, %keys, %states mask(%valid) heads(1, kv = 1) results(output, weights)
        term(%wv : tensor<16xf32>) {
        ^bb0(%one: tensor<?x1x1x?x16xf32>, %other: tensor<?x1x1x?x16xf32>, %v: tensor<16xf32>):
          %0 = arith.addf %one, %other : tensor<?x1x1x?x16xf32>
          %1 = math.tanh %0 : tensor<?x1x1x?x16xf32>
          %2 = heddle.generic over ["batch", 1, 1, "source", 16]
              ins(%1, %v : tensor<?x1x1x?x16xf32>, tensor<16xf32>)
              maps [affine_map<(b, h, q, k, c) -> (b, h, q, k, c)>, affine_map<(b, h, q, k, c) -> (c)>] {
          ^bb0(%feature: f32, %factor: f32):
            %3 = arith.mulf %feature, %factor : f32
            heddle.yield %3 : f32
          } : tensor<?x1x1x?x16xf32>
          heddle.yield %2 : tensor<?x1x1x?x16xf32>
        } : tensor<?x1x16xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
    %context = heddle.squeeze %c axes [1] : tensor<?x1x16xf32> -> tensor<?x16xf32>
    %slice = tensor.extract_slice %tokens[0, %t, 0] [%batch, 1, 12] [1, 1, 1] : tensor<?x?x12xf32> to tensor<?x1x12xf32>
    %token = heddle.squeeze %slice axes [1] : tensor<?x1x12xf32> -> tensor<?x12xf32>
    %input = heddle.concat %context, %token axis(1) : tensor<?x16xf32>, tensor<?x12xf32> -> tensor<?x28xf32>
    %next = heddle.gru_cell %input, %h, %wd, %ud biases(%bd, %dd : tensor<48xf32>, tensor<48xf32>)
       : tensor<?x28xf32>, tensor<?x16xf32>, tensor<48x28xf32>, tensor<48x16xf32>
    %outputs = heddle.linear %next, %wo bias(%bo : tensor<11xf32>) : tensor<?x16xf32>, tensor<11x16xf32>
    %row = heddle.expand %outputs axes [1] : tensor<?x11xf32> -> tensor<?x1x11xf32>
    %more_logits = tensor.insert_slice %row into %all_logits[0, %t, 0] [%batch, 1, 11] [1, 1, 1]
        : tensor<?x1x11xf32> into tensor<?x?x11xf32>
    %row_a = heddle.squeeze %a axes [1] : tensor<?x1x1x?xf32> -> tensor<?x1x?xf32>
    %more_weights = tensor.insert_slice %row_a into %all_weights[0, %t, 0] [%batch, 1, %count] [1, 1, 1]
        : tensor<?x1x?xf32> into tensor<?x?x?xf32>
    scf.yield %next, %more_logits, %more_weights : tensor<?x16xf32>, tensor<?x?x11xf32>, tensor<?x?x?xf32>
  }
  return %logits, %weights : tensor<?x?x11xf32>, tensor<?x?x?xf32>
}
