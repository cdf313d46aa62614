// RUN: heddle-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected the name of a size, found "2 * n"}}
#negative_symbol_c1 = #heddle.symbol<"2 * n", 1 to 4>

// -----

// expected-error @+1 {{expected 0 <= minimum <= maximum of size "n", found 5 and 4}}
#negative_symbol_c2 = #heddle.symbol<"n", 5 to 4>

// -----

// expected-error @+1 {{expected 0 <= minimum <= maximum of size "n", found -1 and 4}}
#negative_symbol_c2 = #heddle.symbol<"n", -1 to 4>

// -----

// expected-error @+1 {{expected each size once in heddle.symbols, found "n" twice}}
func.func @negative_symbol_c3() attributes {heddle.symbols = [#heddle.symbol<"n", 1 to 4>, #heddle.symbol<"n", 1 to 5>]} {
  return
}

// -----

// expected-error @+1 {{expected heddle.symbols to be an array of #heddle.symbol of a function}}
func.func @symbols_of_another_kind() attributes {heddle.symbols = ["n"]} {
  return
}

// -----

// expected-error @+1 {{expected heddle.role of argument 0 to be a #heddle.role of such, found #heddle.role<logits>}}
func.func @negative_role_c1(%n: tensor<4xi32> {heddle.role = #heddle.role<logits>}) {
  return
}

// -----

// expected-error @+1 {{expected heddle.role of result 0 to be a #heddle.role of such, found "ids"}}
func.func @negative_role_c1(%n: tensor<4xi32>) -> (tensor<4xi32> {heddle.role = "ids"}) {
  return %n : tensor<4xi32>
}

// -----

// expected-error @+1 {{expected heddle.values to be #heddle.values of a tensor of i32 or i64, found #heddle.values<0 to "3"> of argument 0}}
func.func @negative_values_c1(%n: tensor<4xf32> {heddle.values = #heddle.values<0 to "3">}) {
  return
}

// -----

// expected-error @+1 {{expected what is added to argument 0 to be another i32 or i64 argument with a length for each of its sequences, found argument 0}}
func.func @negative_values_c2(%n: tensor<4xi32> {heddle.values = #heddle.values<0 to "3", plus argument(0)>}) {
  return
}

// -----

// expected-error @+1 {{expected a value from 5 to 3, of which there is none}}
func.func @negative_values_c3(%n: tensor<4xi32> {heddle.values = #heddle.values<5 to "3">}) {
  return
}

// -----

// expected-error @+1 {{found argument 1}}
func.func @negative_values_c2(%n: tensor<4xi32> {heddle.values = #heddle.values<0 to "3", plus argument(1)>}, %m: tensor<5xi32>) {
  return
}

// -----

// expected-error @+1 {{expected heddle.padding of result 0 to be the number of an i32 or i64 argument with a length for each of its sequences, found 1 : i64}}
func.func @padding_of_nothing(%x: tensor<2x4xf32>) -> (tensor<2x4xf32> {heddle.padding = 1 : i64}) {
  return %x : tensor<2x4xf32>
}

// -----

// expected-error @+1 {{expected heddle.role of a tensor of i32 or i64, found argument 0 of type 'tensor<4xf32>'}}
func.func @ids_of_floats(%x: tensor<4xf32> {heddle.role = #heddle.role<ids>}) {
  return
}

// -----

// expected-error @+1 {{expected attributes of argument 0 to be heddle.name, heddle.sizes, heddle.role, heddle.values, heddle.padding, found heddle.size}}
func.func @unknown_of_argument(%x: tensor<?xf32> {heddle.size = ["n"]}) {
  return
}

// -----

// expected-error @+1 {{expected attributes of result 0 to be heddle.name, heddle.role, heddle.padding, found heddle.values}}
func.func @unknown_of_result(%x: tensor<2xi32>) -> (tensor<2xi32> {heddle.values = #heddle.values<0 to "3">}) {
  return %x : tensor<2xi32>
}

// -----

// expected-error @+1 {{expected attributes of a function to be heddle.symbols, heddle.broadcasts, heddle.counts, heddle.decoder, found heddle.decoders}}
func.func @unknown_of_function() attributes {heddle.decoders = "length"} {
  return
}

// -----

// expected-error @+1 {{expected heddle.name of argument 0 to be a string, found 3 : i64}}
func.func @name_of_number(%x: tensor<2xf32> {heddle.name = 3 : i64}) {
  return
}

// -----

// expected-error @+1 {{expected attributes of a module to be heddle.name, heddle.positions, heddle.bos, heddle.eos, heddle.generation, heddle.target, found heddle.position}}
module attributes {heddle.position = 64 : i64} {
}

// -----

// expected-error @+1 {{expected heddle.eos to be array<i64: ...> of ids from 0 to 2147483647, found array<i64: -1>}}
module attributes {heddle.eos = array<i64: -1>} {
}

// -----

// expected-error @+1 {{expected heddle.generation to be a dictionary, found 3 : i64}}
module attributes {heddle.generation = 3 : i64} {
}

// -----

// expected-error @+1 {{expected "top_p" of heddle.generation to be a number above 0 and up to 1, found 1.500000e+00 : f64}}
module attributes {heddle.generation = {top_p = 1.5 : f64}} {
}

// -----

// expected-error @+1 {{expected "beams" of heddle.generation to be an i64 from 0 to 4096, found 5000 : i64}}
module attributes {heddle.generation = {beams = 5000 : i64}} {
}

// -----

// expected-error @+1 {{expected "early_stopping" of heddle.generation to be true or false, found 1 : i64}}
module attributes {heddle.generation = {early_stopping = 1 : i64}} {
}

// -----

// expected-error @+1 {{expected "forced_first" of heddle.generation to be an i64 from 0 to 2147483647, found -1 : i64}}
module attributes {heddle.generation = {forced_first = -1 : i64}} {
}

// -----

// expected-error @+1 {{expected "suppressed_ids" of heddle.generation to be array<i64: ...> of ids from 0 to 2147483647, found array<i64: 3, -1>}}
module attributes {heddle.generation = {suppressed_ids = array<i64: 3, -1>}} {
}

// -----

// expected-error @+1 {{expected a field of heddle_generation_defaults in heddle.generation, found "topk"}}
module attributes {heddle.generation = {topk = 5 : i64}} {
}

// -----

// expected-error @+1 {{expected beams in heddle.generation without fields of sampling, as a search draws no ids}}
module attributes {heddle.generation = {beams = 2 : i64, temperature = 0.5 : f64}} {
}

// -----

// expected-error @+1 {{expected heddle.symbols on entry points alone, found it on a private function}}
func.func private @symbols_of_private(%x: tensor<?xf32> {heddle.sizes = ["n"]}) attributes {heddle.symbols = [#heddle.symbol<"n", 1 to 8>]} {
  return
}

// -----

// expected-error @+1 {{expected heddle.values on entry points alone, found it on a private function}}
func.func private @values_of_private(%n: tensor<4xi32> {heddle.values = #heddle.values<0 to "3">}) {
  return
}

// -----

// expected-error @+1 {{expected heddle.role of argument 0 to be a #heddle.role of such, found #heddle.role<embedding>}}
func.func @negative_role_c1_embedding(%x: tensor<4x5xf32> {heddle.role = #heddle.role<embedding>}) {
  return
}

// -----

// expected-error @+1 {{expected heddle.role of result 0 to be a #heddle.role of such, found #heddle.role<types>}}
func.func @negative_role_c1_types(%n: tensor<4xi32>) -> (tensor<4xi32> {heddle.role = #heddle.role<types>}) {
  return %n : tensor<4xi32>
}
