#!/usr/bin/env python3
"""How long a merge takes, and how much its receipts: a campaign with receipts written by this script.

simulate.py MXGOLD RECEIPTS [PARTS_A_SHARD]: makes one real receipt of `mxgold farm ... -- run`, writes
a campaign of so many shards with copies of it under their own numbers, and times `mxgold farm --merge`.
For docs/maintainers/farm.md; a simulation: nothing was run for these receipts.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time


def seal(fields: dict, name: str) -> dict:
    """The object with the SHA-256 of itself as its last field."""
    text = json.dumps(fields, separators=(",", ":"), ensure_ascii=False)
    return {**fields, name: hashlib.sha256(text.encode()).hexdigest()}


def main() -> int:
    mxgold, shards = sys.argv[1], int(sys.argv[2])
    each = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as work:
        folder = os.path.join(work, "c")
        command = ["run", "--dut", "reference", "--suite", "smoke", "--format", "e2m1fn", "--source", "bf16"]
        subprocess.run([mxgold, "farm", folder, "--shards", "1", "--", *command], check=True, capture_output=True)
        with open(f"{folder}/campaign.json", encoding="ascii") as file:
            campaign = json.load(file)
        with open(f"{folder}/receipts/0.json", encoding="ascii") as file:
            receipt = json.load(file)
        del campaign["id"], receipt["sha256"]
        part = receipt["result"][0]
        campaign.update(shards=shards, parts=shards * each, work=shards * each * part["cases"])
        campaign = seal(campaign, "id")
        with open(f"{folder}/campaign.json", "w", encoding="ascii") as file:
            json.dump(campaign, file, indent=1)
        receipt["compared"] = each * part["words"]
        os.remove(f"{folder}/receipts/0.json")
        digits = len(str(shards - 1))
        size = 0
        for shard in range(shards):
            parts = [{**part, "part": shard * each + i} for i in range(each)]
            own = seal({**receipt, "campaign": campaign["id"], "shard": shard, "shards": shards, "result": parts},
                       "sha256")
            text = json.dumps(own, indent=1) + "\n"
            size += len(text)
            with open(f"{folder}/receipts/{shard:0{digits}}.json", "w", encoding="ascii") as file:
                file.write(text)
        start = time.monotonic()
        end = subprocess.run([mxgold, "farm", folder, "--merge"], capture_output=True, text=True, check=False)
        seconds = time.monotonic() - start
        print(end.stdout.splitlines()[-1] if end.stdout else end.stderr)
        print(f"{shards} receipts of {each} parts, {size} bytes: merged in {seconds:.2f} s, exit {end.returncode}")
        return end.returncode


if __name__ == "__main__":
    sys.exit(main())
