// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose --heddle-generalize-elementwise \
// RUN:   --heddle-merge-generics --heddle-find-attention=remarks -verify-diagnostics -o /dev/null

func.func @found(%q: tensor<3x17x16xf32>, %k: tensor<3x40x16xf32>) -> tensor<3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : (tensor<3x17x16xf32>, tensor<3x40x16xf32>) -> tensor<3x17x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x17x40xf32> -> tensor<3x17x40xf32>
  // expected-remark @+1 {{attention, found as its parts}}
  %o = heddle.matmul %w, %k : (tensor<3x17x40xf32>, tensor<3x40x16xf32>) -> tensor<3x17x16xf32>
  return %o : tensor<3x17x16xf32>
}

func.func @scores_from_elsewhere(%s: tensor<3x17x40xf32>, %k: tensor<3x40x16xf32>) -> tensor<3x17x16xf32> {
  %w = heddle.softmax %s axis(2) : tensor<3x17x40xf32> -> tensor<3x17x40xf32>
  // expected-remark @+1 {{a softmax whose weights are multiplied here is no attention: its scores come from elsewhere}}
  %o = heddle.matmul %w, %k : (tensor<3x17x40xf32>, tensor<3x40x16xf32>) -> tensor<3x17x16xf32>
  return %o : tensor<3x17x16xf32>
}

func.func @scores_are_read(%q: tensor<3x17x16xf32>, %k: tensor<3x40x16xf32>) -> (tensor<3x17x16xf32>, tensor<3x17x40xf32>) {
  %s = heddle.matmul %q, %k transpose_b : (tensor<3x17x16xf32>, tensor<3x40x16xf32>) -> tensor<3x17x40xf32>
  %w = heddle.softmax %s axis(2) : tensor<3x17x40xf32> -> tensor<3x17x40xf32>
  // expected-remark @+1 {{a softmax whose weights are multiplied here is no attention: something else reads its scores}}
  %o = heddle.matmul %w, %k : (tensor<3x17x40xf32>, tensor<3x40x16xf32>) -> tensor<3x17x16xf32>
  return %o, %s : tensor<3x17x16xf32>, tensor<3x17x40xf32>
}

// A softmax over the queries.
func.func @other_axis(%q: tensor<3x17x16xf32>, %k: tensor<3x40x16xf32>) -> tensor<3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : (tensor<3x17x16xf32>, tensor<3x40x16xf32>) -> tensor<3x17x40xf32>
  %w = heddle.softmax %s axis(1) : tensor<3x17x40xf32> -> tensor<3x17x40xf32>
  // expected-remark @+1 {{a softmax whose weights are multiplied here is no attention: its values are not those of its keys}}
  %o = heddle.matmul %w, %k : (tensor<3x17x40xf32>, tensor<3x40x16xf32>) -> tensor<3x17x16xf32>
  return %o : tensor<3x17x16xf32>
}
