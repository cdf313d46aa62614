// RUN: heddle-opt %s -allow-unregistered-dialect | FileCheck %s
// RUN: heddle-opt %s -allow-unregistered-dialect | heddle-opt -allow-unregistered-dialect | FileCheck %s

// Equal expressions are one attribute, whatever way they are written.
// CHECK: "sums"() {a = #heddle.size<"length + past">, b = #heddle.size<"length + past">, c = #heddle.size<"length - 1">, d = #heddle.size<"7">}
"sums"() {a = #heddle.size<"past + length">, b = #heddle.size<"2 * past + length - past">,
          c = #heddle.size<"-1 + length">, d = #heddle.size<"3 + (2 * n + 4) - n * 2">} : () -> ()

// CHECK: "products"() {a = #heddle.size<"batch * length + batch * past">, b = #heddle.size<"0">, c = #heddle.size<"n * n - 1">}
"products"() {a = #heddle.size<"batch * (past + length)">, b = #heddle.size<"0 * n">,
              c = #heddle.size<"(n + 1) * (n - 1)">} : () -> ()

// What divides comes out of the quotient.
// CHECK: "quotients"() {a = #heddle.size<"ceildiv(length, 32)">, b = #heddle.size<"2 * n">, c = #heddle.size<"n + floordiv(m, 8) + 1">, d = #heddle.size<"1">, e = #heddle.size<"floordiv(n, m)">, f = #heddle.size<"n + floordiv(k, m)">}
"quotients"() {a = #heddle.size<"ceildiv(length, 32)">, b = #heddle.size<"floordiv(64 * n, 32)">,
               c = #heddle.size<"floordiv(8 * n + m + 8, 8)">, d = #heddle.size<"ceildiv(n, n)">,
               e = #heddle.size<"floordiv(n, m)">,
               f = #heddle.size<"floordiv(n * m + k, m)">} : () -> ()

// CHECK: "remainders"() {a = #heddle.size<"0">, b = #heddle.size<"mod(m, 4)">, c = #heddle.size<"1">}
"remainders"() {a = #heddle.size<"mod(8 * n, 4)">, b = #heddle.size<"mod(4 * n + m, 4)">,
                c = #heddle.size<"mod(-7, 4)">} : () -> ()

// One of two that differ by a number is the smaller one.
// CHECK: "choices"() {a = #heddle.size<"n">, b = #heddle.size<"n + 1">, c = #heddle.size<"min(m, n)">, d = #heddle.size<"min(m, n)">}
"choices"() {a = #heddle.size<"min(n, n + 1)">, b = #heddle.size<"max(n, n + 1)">,
             c = #heddle.size<"min(n, m)">, d = #heddle.size<"min(m, n)">} : () -> ()

// Numbers stay within 64 bits.
// CHECK: "large"() {a = #heddle.size<"9223372036854775807">}
"large"() {a = #heddle.size<"4611686018427387904 * 4">} : () -> ()

// CHECK: "type"() : () -> tensor<?x4x?xf32, #heddle.sizes<"batch", "m * n">>
"type"() : () -> tensor<?x4x?xf32, #heddle.sizes<"batch", "n * m">>
