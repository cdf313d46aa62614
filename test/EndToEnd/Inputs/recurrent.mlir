// Recurrent layers over sequences: a cell in an scf.for, which takes as many steps as the
// longest sequence of a call has tokens; and a decoder with attention to the states of one.
// recurrent.py has the formulas.

heddle.weight @gru_input from "gru.input.weight" : tensor<72x20xf32>
heddle.weight @gru_hidden from "gru.hidden.weight" : tensor<72x24xf32>
heddle.weight @gru_input_bias from "gru.input.bias" : tensor<72xf32>
heddle.weight @gru_hidden_bias from "gru.hidden.bias" : tensor<72xf32>
heddle.weight @lstm_input from "lstm.input.weight" : tensor<96x20xf32>
heddle.weight @lstm_hidden from "lstm.hidden.weight" : tensor<96x24xf32>
heddle.weight @lstm_input_bias from "lstm.input.bias" : tensor<96xf32>
heddle.weight @lstm_hidden_bias from "lstm.hidden.bias" : tensor<96xf32>
heddle.weight @decoder_input from "decoder.input.weight" : tensor<96x44xf32>
heddle.weight @decoder_hidden from "decoder.hidden.weight" : tensor<96x24xf32>
heddle.weight @decoder_input_bias from "decoder.input.bias" : tensor<96xf32>
heddle.weight @decoder_hidden_bias from "decoder.hidden.bias" : tensor<96xf32>

// states[b, t] is the state after token t of sequence b, and 0 past its end; last[b] is the one
// at its end.
func.func @gru(%x: tensor<?x?x20xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"],
                             heddle.values = #heddle.values<1 to "length">})
    -> (tensor<?x?x24xf32> {heddle.name = "states"}, tensor<?x24xf32> {heddle.name = "last"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x20xf32>
  %w = heddle.weight_ref @gru_input : tensor<72x20xf32>
  %u = heddle.weight_ref @gru_hidden : tensor<72x24xf32>
  %b = heddle.weight_ref @gru_input_bias : tensor<72xf32>
  %d = heddle.weight_ref @gru_hidden_bias : tensor<72xf32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %start = heddle.broadcast %zero to ["batch", 24] : tensor<1xf32> -> tensor<?x24xf32>
  %none = heddle.broadcast %zero to ["batch", "length", 24] : tensor<1xf32> -> tensor<?x?x24xf32>
  %longest = heddle.reduce max %lengths axes [0] : tensor<?xi32> -> tensor<i32>
  %number = tensor.extract %longest[] : tensor<i32>
  %end = arith.index_cast %number : i32 to index
  %last, %states = scf.for %t = %c0 to %end step %c1 iter_args(%h = %start, %all = %none)
      -> (tensor<?x24xf32>, tensor<?x?x24xf32>) {
    %slice = tensor.extract_slice %x[0, %t, 0] [%batch, 1, 20] [1, 1, 1] : tensor<?x?x20xf32> to tensor<?x1x20xf32>
    %token = heddle.squeeze %slice axes [1] : tensor<?x1x20xf32> -> tensor<?x20xf32>
    %next = heddle.gru_cell %token, %h, %w, %u biases(%b, %d : tensor<72xf32>, tensor<72xf32>)
       : tensor<?x20xf32>, tensor<?x24xf32>, tensor<72x20xf32>, tensor<72x24xf32>
    %now = heddle.from_number %t : index -> tensor<i64>
    %isThere = heddle.generic over ["batch", 1] ins(%lengths, %now : tensor<?xi32>, tensor<i64>)
        maps [affine_map<(b, o) -> (b)>, affine_map<(b, o) -> ()>] {
    ^bb0(%n: i32, %step: i64):
      %wide = arith.extsi %n : i32 to i64
      %isBefore = arith.cmpi slt, %step, %wide : i64
      heddle.yield %isBefore : i1
    } : tensor<?x1xi1>
    %kept = heddle.where %isThere, %next, %h : tensor<?x1xi1>, tensor<?x24xf32>, tensor<?x24xf32> -> tensor<?x24xf32>
    %shown = heddle.where %isThere, %next, %start : tensor<?x1xi1>, tensor<?x24xf32>, tensor<?x24xf32> -> tensor<?x24xf32>
    %row = heddle.expand %shown axes [1] : tensor<?x24xf32> -> tensor<?x1x24xf32>
    %written = tensor.insert_slice %row into %all[0, %t, 0] [%batch, 1, 24] [1, 1, 1] : tensor<?x1x24xf32> into tensor<?x?x24xf32>
    scf.yield %kept, %written : tensor<?x24xf32>, tensor<?x?x24xf32>
  }
  return %states, %last : tensor<?x?x24xf32>, tensor<?x24xf32>
}

// The same with two states.
func.func @lstm(%x: tensor<?x?x20xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"],
                             heddle.values = #heddle.values<1 to "length">})
    -> (tensor<?x?x24xf32> {heddle.name = "states"}, tensor<?x24xf32> {heddle.name = "last"}, tensor<?x24xf32> {heddle.name = "cell"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x20xf32>
  %w = heddle.weight_ref @lstm_input : tensor<96x20xf32>
  %u = heddle.weight_ref @lstm_hidden : tensor<96x24xf32>
  %b = heddle.weight_ref @lstm_input_bias : tensor<96xf32>
  %d = heddle.weight_ref @lstm_hidden_bias : tensor<96xf32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %start = heddle.broadcast %zero to ["batch", 24] : tensor<1xf32> -> tensor<?x24xf32>
  %none = heddle.broadcast %zero to ["batch", "length", 24] : tensor<1xf32> -> tensor<?x?x24xf32>
  %longest = heddle.reduce max %lengths axes [0] : tensor<?xi32> -> tensor<i32>
  %number = tensor.extract %longest[] : tensor<i32>
  %end = arith.index_cast %number : i32 to index
  %last, %cell, %states = scf.for %t = %c0 to %end step %c1 iter_args(%h = %start, %c = %start, %all = %none)
      -> (tensor<?x24xf32>, tensor<?x24xf32>, tensor<?x?x24xf32>) {
    %slice = tensor.extract_slice %x[0, %t, 0] [%batch, 1, 20] [1, 1, 1] : tensor<?x?x20xf32> to tensor<?x1x20xf32>
    %token = heddle.squeeze %slice axes [1] : tensor<?x1x20xf32> -> tensor<?x20xf32>
    %next, %nextCell = heddle.lstm_cell %token, %h, %c, %w, %u biases(%b, %d : tensor<96xf32>, tensor<96xf32>)
       : tensor<?x20xf32>, tensor<?x24xf32>, tensor<96x20xf32>, tensor<96x24xf32>
    %now = heddle.from_number %t : index -> tensor<i64>
    %isThere = heddle.generic over ["batch", 1] ins(%lengths, %now : tensor<?xi32>, tensor<i64>)
        maps [affine_map<(b, o) -> (b)>, affine_map<(b, o) -> ()>] {
    ^bb0(%n: i32, %step: i64):
      %wide = arith.extsi %n : i32 to i64
      %isBefore = arith.cmpi slt, %step, %wide : i64
      heddle.yield %isBefore : i1
    } : tensor<?x1xi1>
    %kept = heddle.where %isThere, %next, %h : tensor<?x1xi1>, tensor<?x24xf32>, tensor<?x24xf32> -> tensor<?x24xf32>
    %keptCell = heddle.where %isThere, %nextCell, %c : tensor<?x1xi1>, tensor<?x24xf32>, tensor<?x24xf32> -> tensor<?x24xf32>
    %shown = heddle.where %isThere, %next, %start : tensor<?x1xi1>, tensor<?x24xf32>, tensor<?x24xf32> -> tensor<?x24xf32>
    %row = heddle.expand %shown axes [1] : tensor<?x24xf32> -> tensor<?x1x24xf32>
    %written = tensor.insert_slice %row into %all[0, %t, 0] [%batch, 1, 24] [1, 1, 1] : tensor<?x1x24xf32> into tensor<?x?x24xf32>
    scf.yield %kept, %keptCell, %written : tensor<?x24xf32>, tensor<?x24xf32>, tensor<?x?x24xf32>
  }
  return %states, %last, %cell : tensor<?x?x24xf32>, tensor<?x24xf32>, tensor<?x24xf32>
}

// A decoder that reads tokens y and attends to what @lstm has read: its state is the query, the
// encoder's are keys and values.
func.func @decoder(%y: tensor<?x?x20xf32> {heddle.name = "y", heddle.sizes = ["batch", "steps"]},
    %states: tensor<?x?x24xf32> {heddle.name = "states", heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %last: tensor<?x24xf32> {heddle.name = "last", heddle.sizes = ["batch"]},
    %cell: tensor<?x24xf32> {heddle.name = "cell", heddle.sizes = ["batch"]})
    -> (tensor<?x?x24xf32> {heddle.name = "outputs"}, tensor<?x?x?xf32> {heddle.name = "shares"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %y, %c0 : tensor<?x?x20xf32>
  %steps = tensor.dim %y, %c1 : tensor<?x?x20xf32>
  %length = tensor.dim %states, %c1 : tensor<?x?x24xf32>
  %w = heddle.weight_ref @decoder_input : tensor<96x44xf32>
  %u = heddle.weight_ref @decoder_hidden : tensor<96x24xf32>
  %b = heddle.weight_ref @decoder_input_bias : tensor<96xf32>
  %d = heddle.weight_ref @decoder_hidden_bias : tensor<96xf32>
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %noOutputs = heddle.broadcast %zero to ["batch", "steps", 24] : tensor<1xf32> -> tensor<?x?x24xf32>
  %noWeights = heddle.broadcast %zero to ["batch", "steps", "length"] : tensor<1xf32> -> tensor<?x?x?xf32>
  %h1, %c2, %outputs, %weights = scf.for %t = %c0 to %steps step %c1
      iter_args(%h = %last, %c = %cell, %all = %noOutputs, %drawn = %noWeights)
      -> (tensor<?x24xf32>, tensor<?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x?xf32>) {
    %query = heddle.expand %h axes [1] : tensor<?x24xf32> -> tensor<?x1x24xf32>
    %seen, %shares = heddle.attention %query, %states, %states mask(%valid) heads(1, kv = 1)
        results(output, weights) : tensor<?x1x24xf32>, tensor<?x?x24xf32>, tensor<?x?x24xf32>
    %slice = tensor.extract_slice %y[0, %t, 0] [%batch, 1, 20] [1, 1, 1] : tensor<?x?x20xf32> to tensor<?x1x20xf32>
    %joined = heddle.concat %slice, %seen axis(2) : tensor<?x1x20xf32>, tensor<?x1x24xf32> -> tensor<?x1x44xf32>
    %input = heddle.squeeze %joined axes [1] : tensor<?x1x44xf32> -> tensor<?x44xf32>
    %next, %nextCell = heddle.lstm_cell %input, %h, %c, %w, %u biases(%b, %d : tensor<96xf32>, tensor<96xf32>)
       : tensor<?x44xf32>, tensor<?x24xf32>, tensor<96x44xf32>, tensor<96x24xf32>
    %row = heddle.expand %next axes [1] : tensor<?x24xf32> -> tensor<?x1x24xf32>
    %written = tensor.insert_slice %row into %all[0, %t, 0] [%batch, 1, 24] [1, 1, 1] : tensor<?x1x24xf32> into tensor<?x?x24xf32>
    %share = heddle.squeeze %shares axes [1] : tensor<?x1x1x?xf32> -> tensor<?x1x?xf32>
    %drawnNow = tensor.insert_slice %share into %drawn[0, %t, 0] [%batch, 1, %length] [1, 1, 1] : tensor<?x1x?xf32> into tensor<?x?x?xf32>
    scf.yield %next, %nextCell, %written, %drawnNow : tensor<?x24xf32>, tensor<?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x?xf32>
  }
  return %outputs, %weights : tensor<?x?x24xf32>, tensor<?x?x?xf32>
}
