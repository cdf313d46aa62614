"""Writes attention whose mask is a chain of ops, each of which uses the one before
twice: shared_masks.py LINKS MASKS, with so many different masks in the chain."""

import sys

links, masks = int(sys.argv[1]), int(sys.argv[2])
q, counts = "tensor<2x8x64xf32>", "tensor<2xi32>"
arguments = [f"%q: {q}"] + [f"%s{i}: {counts}" for i in range(masks)]
print(f"func.func @f({', '.join(arguments)}) -> {q} {{")
for i in range(masks):
    kind = f"causal offset(%s{i} : {counts})" if i % 2 else f"lengths %s{i} : {counts}"
    print(f"  %mask{i} = heddle.mask.{kind}")
last = "%mask0"
for i in range(links):
    print(f"  %not{i} = heddle.mask.not {last}")
    print(f"  %and{i} = heddle.mask.and {last}, %mask{(i + 1) % masks}")
    print(f"  %or{i} = heddle.mask.or %and{i}, %not{i}")
    last = f"%or{i}"
print(f"""  %o = heddle.attention %q, %q, %q mask({last}) heads(4, kv = 4) scale(0.25)
      : {q}, {q}, {q}
  return %o : {q}
}}""")
