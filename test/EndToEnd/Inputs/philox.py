# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Philox4x32-10."""

WORD = 2**32


def philox(counter, key):
    """All four words (Salmon et al. 2011, section 4.3), of lists of integers."""
    c, k = list(counter), list(key)
    for _ in range(10):
        high_0, low_0 = divmod(0xD2511F53 * c[0], WORD)
        high_1, low_1 = divmod(0xCD9E8D57 * c[2], WORD)
        c = [high_1 ^ c[1] ^ k[0], low_1, high_0 ^ c[3] ^ k[1], low_0]
        k = [(k[0] + 0x9E3779B9) % WORD, (k[1] + 0xBB67AE85) % WORD]
    return c


# The known answers of the authors' Random123.
assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert philox([WORD - 1] * 4, [WORD - 1] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]
