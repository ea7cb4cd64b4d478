"""Reads a .jsonl vector file by the standard library alone and checks count and digests.

usage: read_jsonl.py FILE
"""

import hashlib
import json
import sys


def words(record, field):
    value = record[field["name"]]
    return [value] if field["words"] == 1 else value


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        lines = [json.loads(line) for line in file]
    header, trailer = lines[0], lines[-1]
    if header.get("mxgold-vectors") != "2":
        sys.exit("no vectors of schema 2")
    count = int(header["count"])
    first = 1 + (int(header["configurations"]) if header["configurations"] != "1" else 0)
    records = lines[first:-1]
    if trailer.get("end") != count or len(records) != count:
        sys.exit(f"{len(records)} records, {count} declared")
    digests = {"operands": hashlib.sha256(), "records": hashlib.sha256()}
    for record in records:
        for field in header["layout"]:
            for word in words(record, field):
                if len(word) != field["digits"]:
                    sys.exit(f"field {field['name']}: {word}")
                code = bytes.fromhex(word)[::-1]
                digests["records"].update(code)
                if not field["result"]:
                    digests["operands"].update(code)
    for name, digest in digests.items():
        if digest.hexdigest() != trailer[name]:
            sys.exit(f"the {name} are not those of the trailer")
    print(f"PASS {count} records {digests['records'].hexdigest()}")


main()
