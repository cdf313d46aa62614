# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a heat map of examples/heat_map back: its title, its cells, and what its rows sum up to.

    heat_map.py FILE.svg
"""
import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
# 64 weights of six digits after the point.
TOLERANCE = 1e-4

root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
assert root.tag == f"{SVG}svg", root.tag
rows = {}
for rect in root.iter(f"{SVG}rect"):
    if rect.get("class") == "cell":
        weight = float(rect.get("fill-opacity"))
        assert 0 <= weight <= 1, weight
        rows.setdefault(float(rect.get("y")), {})[float(rect.get("x"))] = weight
places = [sorted(row) for row in rows.values()]
assert all(place == places[0] for place in places), "rows of different cells"
labels = [text for text in root.iter(f"{SVG}text") if "label" in text.get("class", "")]
assert len(labels) == len(places[0]) + len(places), f"{len(labels)} labels"
title = next(text.text for text in root.iter(f"{SVG}text") if text.get("class") == "title")

print(title.replace("\N{RIGHTWARDS ARROW}", "->"))
print(f"{len(places)} rows of {len(places[0])} cells")
worst = max(abs(sum(row.values()) - 1) for row in rows.values())
print("rows sum up to 1" if worst < TOLERANCE else f"a row is off by {worst}")
print("largest:", " ".join(str(max(row, key=row.get)) for row in ({
    places[0].index(x): weight for x, weight in row.items()} for row in rows.values())))
