"""Changes a .tv file and computes its digests anew, so that only its content is wrong.

Usage: forge.py CHANGE IN OUT. CHANGE: flip (a bit of the last code of record 40), cut (the first
record alone), repeat (every record twice), reverse (the last record first), generator (another
generator: nothing of the set), suite (another name).
"""
import hashlib
import sys


def digest(records):
    """SHA-256 of every word as little-endian bytes."""
    stream = b"".join(bytes.fromhex(word)[::-1] for record in records for word in record)
    return hashlib.sha256(stream).hexdigest()


def main():
    change, source, target = sys.argv[1:]
    with open(source, encoding="ascii") as file:
        lines = file.read().splitlines()
    header = [line for line in lines[:-3] if line.startswith("#")]
    records = [line.split() for line in lines if not line.startswith("#")]
    fields = next(line for line in header if line.startswith("# fields ")).split(" | ")[0]
    operand_words = sum(int(field.split("[")[1].split("]")[0]) if "[" in field else 1
                        for field in fields.split()[2:])
    if change == "flip":
        records[40][-2] = "03" if records[40][-2] != "03" else "02"
    elif change == "cut":
        records = records[:1]
    elif change == "repeat":
        records = records + records
    elif change == "reverse":
        records = records[::-1]
    elif change in ("generator", "suite"):
        header = [f"# {change} mine" if line.startswith(f"# {change} ") else line
                  for line in header]
    else:
        sys.exit(f"{change}: no such change")
    header[-1] = f"# count {len(records)}"
    operands = [record[:operand_words] for record in records]
    trailer = [f"# end {len(records)}", f"# operands {digest(operands)}",
               f"# records {digest(records)}"]
    with open(target, "w", encoding="ascii") as file:
        file.write("\n".join(header + [" ".join(record) for record in records] + trailer) + "\n")


main()
