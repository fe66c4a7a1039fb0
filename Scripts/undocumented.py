#!/usr/bin/env python3
"""Names the public types without a documentation comment; exit status 1 where there are some.

usage: undocumented.py GRAPHS MODULE...

GRAPHS  folder with the symbol graphs that `swift package dump-symbol-graph` writes
"""
import json
import os
import sys

TYPES = {"swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.actor", "swift.typealias"}


def main():
    count, bare = 0, []
    for module in sys.argv[2:]:
        with open(os.path.join(sys.argv[1], module + ".symbols.json"), encoding="utf-8") as file:
            symbols = json.load(file)["symbols"]
        for symbol in symbols:
            if symbol["kind"]["identifier"] not in TYPES:
                continue
            # What only fulfils a protocol has the protocol's text.
            if symbol["kind"]["identifier"] == "swift.typealias" and len(symbol["pathComponents"]) > 1:
                continue
            count += 1
            if not symbol.get("docComment", {}).get("lines"):
                bare.append(module + "." + ".".join(symbol["pathComponents"]))
    for name in bare:
        print("no documentation comment:", name)
    print(f"{count} public types, {len(bare)} without documentation")
    sys.exit(1 if bare else 0)


main()
