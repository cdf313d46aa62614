"""perplexity.py MODEL REFERENCE WINDOW IDS [OPTION...]: compares what `heddle-run perplexity` says of
token ids with what follows from the logits of every prefix, each in a sequence of one call of prefill."""

import re
import subprocess
import sys

import numpy as np

model, reference, window = sys.argv[1], sys.argv[2], int(sys.argv[3])
ids = np.array([int(text) for text in sys.argv[4].split(",")], np.int32)

# Prefixes of each window, and what follows them.
prefixes, following = [], []
for first in range(0, len(ids), window):
    part = ids[first : first + window]
    for length in range(1, len(part)):
        prefixes.append(part[:length])
        following.append(part[length])
lengths = np.array([len(prefix) for prefix in prefixes], np.int32)
padded = np.zeros((len(prefixes), lengths.max()), np.int32)
for row, prefix in zip(padded, prefixes):
    row[: len(prefix)] = prefix
np.save("ids.npy", padded)
np.save("lengths.npy", lengths)


def logits(artifact):
    subprocess.run(
        ["heddle-run", "run", artifact, "--entry=prefill", "--input=ids=ids.npy", "--input=lengths=lengths.npy",
         f"--size=batch={len(prefixes)},length={padded.shape[1]},capacity={window}",
         "--output=logits=logits.npy"],
        check=True,
    )
    return np.load("logits.npy").astype(np.float64)


def log_probabilities(x):
    x = x - x.max(1, keepdims=True)
    return x - np.log(np.exp(x).sum(1, keepdims=True))


ours, theirs = logits(model), logits(reference)
p, q = log_probabilities(theirs), log_probabilities(ours)
rows = np.arange(len(prefixes))
centered = theirs - theirs.mean(1, keepdims=True)
off = ours - ours.mean(1, keepdims=True) - centered
expected = [
    np.exp(-q[rows, following].mean()),
    len(prefixes),
    np.exp(-p[rows, following].mean()),
    100 * np.sqrt((off**2).sum() / (centered**2).sum()),
    (np.exp(p) * (p - q)).sum(1).mean(),
    100 * (ours.argmax(1) != theirs.argmax(1)).mean(),
]

said = subprocess.run(
    ["heddle-run", "perplexity", model, f"--reference={reference}", f"--ids={sys.argv[4]}", f"--window={window}",
     *sys.argv[5:]],
    check=True, capture_output=True, text=True,
).stdout
pattern = (
    r"perplexity (\S+), of (\d+) ids in \d+ windows? of \d+\nperplexity (\S+) of the reference\n"
    r"logits are off by (\S+)% .*\nKullback-Leibler divergence (\S+)\n.* another at (\S+)% of the places\n"
)
found = [float(text) for text in re.fullmatch(pattern, said).groups()]
# Two digits after the point, or three of a number. What else differs are roundings.
assert np.allclose(found, expected, rtol=6e-3, atol=6e-3 if expected[3] > 0.01 else 0), (found, expected)
assert found[1] == expected[1] and expected[4] > 0, (found, expected)
assert abs(found[4] / expected[4] - 1) < 6e-3, (found, expected)
print("the same")
