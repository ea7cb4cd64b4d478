#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of answers: `mxgold check GOLDEN ANSWERS` reads every kind that a bench writes, passes the right ones, counts each
wrong word and names its line, and refuses what is no file of answers with the line; benches of `mxgold new bench`
end in PASS with a right device and in FAIL with a wrong one.

What is right is in the vectors themselves, and of the benches' device in the two formats: the values of E2M1 are
those of E2M3 with two zeros behind.

usage: answers.py MXGOLD [sv|vhdl|c|python]

With a language: its bench alone; exits 77 where its tool is not here.
"""
import json
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MXGOLD = sys.argv[1]
WORK = Path(tempfile.mkdtemp(prefix="mxgold_answers_"))
FAILURES = []


def run(*arguments, text=None):
    return subprocess.run([MXGOLD, *map(str, arguments)], capture_output=True, text=True, cwd=WORK, input=text)


def expect(what, is_so, done=None):
    if is_so:
        return
    FAILURES.append(what)
    tail = "" if done is None else f"\n  exit {done.returncode}: {done.stdout[-900:]} {done.stderr[-500:]}"
    print(f"FAILED {what}{tail}")


def vectors(name, *arguments):
    """The results of new vectors, a list of words for each record."""
    made = run("gen", *arguments, "-o", name)
    expect(f"gen {name}", made.returncode == 0, made)
    fields = next(line for line in (WORK / name).read_text().splitlines() if line.startswith("# fields"))
    operands = sum(int(f.split("[")[1].split("]")[0]) if "[" in f else 1 for f in fields[9:].split("|")[0].split())
    lines = [line.split() for line in (WORK / name).read_text().splitlines() if not line.startswith("#")]
    return [words[operands:] for words in lines]


def write(name, lines, end="\n"):
    text = "".join(line + end for line in lines)
    (WORK / name).write_bytes(text.encode())
    return name


def npy(name, rows, kind):
    shape = f"({len(rows)}, {len(rows[0])})" if isinstance(rows[0], list) else f"({len(rows)},)"
    words = [word for row in rows for word in (row if isinstance(row, list) else [row])]
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header = header.ljust(117) + "\n"
    data = struct.pack("<%d%s" % (len(words), {"|u1": "B", "<f4": "f", "<i8": "q"}[kind]), *words)
    (WORK / name).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
    return name


def npz(name, arrays, compression):
    with zipfile.ZipFile(WORK / name, "w", compression) as archive:
        for key, words in arrays.items():
            archive.write(WORK / npy(f"{key}.npy", words, "|u1"), f"{key}.npy")
    return name


def safetensors(name, arrays):
    header, data = {}, b""
    for key, (shape, words) in arrays.items():
        header[key] = {"dtype": "U8", "shape": shape, "data_offsets": [len(data), len(data) + len(words)]}
        data += bytes(words)
    text = json.dumps(header).encode()
    (WORK / name).write_bytes(struct.pack("<Q", len(text)) + text + data)
    return name


def passes(what, name, *options, golden="cvt.tv", count=None):
    done = run("check", golden, name, *options)
    expect(f"{what} pass", done.returncode == 0 and "PASS" in done.stdout, done)
    if count is not None:
        expect(f"{what}: {count} records", f"PASS {count:,}/{count:,} records" in done.stdout, done)
    return done


def refuses(what, name, *words, golden="cvt.tv", options=()):
    done = run("check", golden, name, *options)
    said = done.stderr + done.stdout
    expect(f"{what} refused", done.returncode == 3 and all(word in said for word in words), done)


def conversions():
    results = vectors("cvt.tv", "--op", "cvt", "--format", "e4m3fn", "--source", "bf16", "--suite", "smoke")
    count = len(results)
    plain = [f"{code} {flags}" for code, flags in results]
    codes = [code for code, _ in results]
    passes("plain text", write("plain.txt", plain), count=count)
    passes("capitals", write("capitals.txt", [line.upper() for line in plain]))
    passes("no leading zeros", write("short.txt", [f"{int(c, 16):x} {int(f, 16):x}" for c, f in results]))
    passes("wide words", write("wide.txt", [f"{int(c, 16):016x} {int(f, 16):032x}" for c, f in results]))
    passes("0x", write("prefix.txt", [f"0x{c}, 0X{f}" for c, f in results]))
    passes("CR LF", write("crlf.txt", plain, "\r\n"))
    passes("CSV with names", write("names.csv", ["code,flags", *(f"{c},{f}" for c, f in results)], "\r\n"))
    passes("other order", write("order.csv", ["flags;code", *(f"{f};{c}" for c, f in results)]))
    passes("quotes, comma at the end", write("quotes.csv", ['"code","flags"', *(f'"{c}","{f}",' for c, f in results)]))
    passes("skipped columns", write("skip.csv", [f"{i},{c},{f}" for i, (c, f) in enumerate(results)]),
           "--fields", "-,code,flags")
    passes("names of others", write("other.csv", ["n,out,fl", *(f"{i},{c},{f}" for i, (c, f) in enumerate(results))]),
           "--fields", "-,code,flags")
    (WORK / "bom.txt").write_bytes(b"\xef\xbb\xbf" + "\n".join(["// by hand", "", "# two", *plain]).encode())
    passes("BOM, comments, empty lines, no LF at the end", "bom.txt")
    done = passes("codes alone", write("codes.txt", codes), "--fields", "code")
    expect("flags are unobserved", f"{count:,} unobserved" in done.stdout, done)
    passes("observed code", "plain.txt", "--observe", "code")
    rows = [[int(c, 16), int(f, 16)] for c, f in results]
    passes(".npy", npy("all.npy", rows, "|u1"), count=count)
    passes(".npy of one field", npy("codes.npy", [row[0] for row in rows], "|u1"), "--fields", "code")
    passes(".safetensors", safetensors("a.safetensors", {"code": ([count], [r[0] for r in rows])}))
    for kind, compression in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):
        arrays = {"code": [row[0] for row in rows], "flags": [row[1] for row in rows]}
        passes(f".npz, {kind}", npz(f"{kind}.npz", arrays, compression), count=count)
        arrays["code"][7] ^= 1
        done = run("check", "cvt.tv", npz(f"wrong_{kind}.npz", arrays, compression))
        expect(f"a wrong code of .npz, {kind}", done.returncode == 1 and "row 7" in done.stdout, done)
    whole = [row[0] for row in rows]
    passes(".npy of int64", npy("int64.npy", whole, "<i8"), "--fields", "code")
    for what, word in (("beyond the width", 256), ("below 0", -1)):
        name = npy("beside.npy", [word, *whole[1:]], "<i8")
        refuses(f"a word of .npy {what}", name, "row 0", "field code", options=("--fields", "code"))
    done = run("check", "-", "plain.txt", text=(WORK / "cvt.tv").read_text())
    expect("vectors of a pipe", done.returncode == 0, done)
    done = run("check", "cvt.tv", "-", text="\n".join(plain))
    expect("answers of a pipe", done.returncode == 0, done)
    wrong_answers(results)
    refusals(results)


def wrong_answers(results):
    count = len(results)
    for at in (0, 1, count // 2, count - 1):
        wrong = [f"{int(c, 16) ^ (i == at):02x} {f}" for i, (c, f) in enumerate(results)]
        name = write("wrong.txt", ["# one line of comment", "code flags", *wrong])
        done = run("check", "cvt.tv", name, "--html", f"w{at}.html")
        expect(f"record {at} wrong", done.returncode == 1 and f"FAIL {count - 1:,}/{count:,} records" in done.stdout, done)
        expect(f"record {at}: its line", f"MISMATCH record {at} of cvt.tv, wrong.txt line {at + 3}\n" in done.stdout, done)
        page = (WORK / f"w{at}.html").read_text()
        expect(f"record {at}: the page", f"wrong.txt line {at + 3}" in page)
        again = run("check", "cvt.tv", name, "--only", at)
        expect(f"record {at} alone", again.returncode == 1 and "FAIL 0/1 records" in again.stdout, again)
        (WORK / f"w{at}.html").unlink()
        data = run("check", "cvt.tv", name, "--json")
        report = json.loads(data.stdout)
        expect(f"record {at}: JSON", report["schema"] == "mxgold-run 2" and report["transactions"]["wrong"] == 1
               and report["wrong"][0]["number"] == at and report["wrong"][0]["from"] == f"wrong.txt line {at + 3}", data)
        expect(f"record {at}: what repeats it", f"mxgold check cvt.tv wrong.txt --only {at}" in data.stdout, data)
    away = [f"{int(c, 16) & 0xfe if i % 7 == 0 else int(c, 16):02x}" for i, (c, _) in enumerate(results)]
    odd = sum(int(c, 16) & 1 for c, _ in results[::7])
    done = run("check", "cvt.tv", write("away.txt", away), "--fields", "code", "--errors", "1")
    expect("every wrong record is counted", done.returncode == 1 and f"FAIL {count - odd:,}/{count:,}" in done.stdout, done)
    shifted = [f"{c} {f}" for c, f in results[1:] + results[:1]]
    done = run("check", "cvt.tv", write("shifted.txt", shifted))
    expect("answers of the neighbour", done.returncode == 1 and "each the answer to the next record" in done.stdout, done)


def refusals(results):
    plain = [f"{c} {f}" for c, f in results]
    count = len(plain)
    refuses("empty", write("empty.txt", []), "empty.txt", "0 answers", f"{count:,} records")
    refuses("a header alone", write("head.txt", ["code,flags"]), "line 1", "0 answers")
    refuses("short", write("cut.txt", plain[:-1]), f"line {count - 1}", f"{count - 1:,} answers")
    refuses("long", write("long.txt", [*plain, plain[0]]), f"line {count + 1}", "more")
    refuses("a word missing", write("missing.txt", [*plain[:9], plain[9].split()[0], *plain[10:]]), "line 10", "1 words")
    refuses("a word too much", write("more.txt", [*plain[:9], plain[9] + " 00", *plain[10:]]), "line 10", "3 words")
    for digits in ("xx", "zz", "3X", "x", "0x", "XX", "Zf"):
        lines = [*plain[:4], f"{digits} 00", *plain[5:]]
        refuses(f"digits {digits}", write("x.txt", lines), "line 5", "field code", "unknown bits (X or Z)")
    refuses("0x of some", write("some.txt", [*plain[:4], "0x38 0x00", *plain[5:]]), "line 5", "unknown bits")
    refuses("too wide", write("big.txt", [*plain[:4], "138 00", *plain[5:]]), "line 5", "more than 2 digits")
    refuses("no digits", write("word.txt", [*plain, "$finish called"]), f"line {count + 1}")
    refuses("a sentence", write("sentence.txt", [*plain[:5], "-- 00", *plain[6:]]), "line 6", "column 1")
    refuses("an empty cell", write("cell.csv", ["code,flags", "38,,00"]), "line 2", "empty cell")
    refuses("an unknown name", write("name.csv", ["index,code", "0,38"]), "line 1", "'index'", "code, flags")
    refuses("a name twice", write("twice.csv", ["code,code", "38,38"]), "line 1", "twice")
    refuses("vectors in place of answers", "cvt.tv", "mxgold check cvt.tv")
    (WORK / "utf16.txt").write_bytes("38 00\n".encode("utf-16"))
    refuses("UTF-16", "utf16.txt", "UTF-16")
    (WORK / "nul.txt").write_bytes(b"38 00\n\0")
    refuses("bytes 00", "nul.txt", "byte 6")
    refuses("rows missing", npy("rows.npy", [[1, 2]], "|u1"), "rows.npy", "shape (1, 2)", "--fields says which they are")
    refuses("a word of .npy too wide", npy("wide.npy", [[256, 0]] * count, "<f4"), "row 0", "field code")
    done = run("check", "cvt.tv", "nowhere.txt")
    expect("no such file", done.returncode == 3 and "nowhere.txt" in done.stderr, done)
    for options in (["--html", "x.html"], ["--fields", "code"], ["--only", "3"], ["--junit", "x.xml"]):
        done = run("check", "cvt.tv", *options)
        expect(f"{options[0]} without answers", done.returncode == 2 and "GOLDEN ANSWERS" in done.stderr, done)


def blocks():
    results = vectors("mx.tv", "--format", "mxfp4", "--source", "bf16", "--suite", "rnd", "--count", "200")
    lanes = [words[1:33] for words in results]
    passes("words of lanes", write("lanes.txt", [" ".join(words) for words in results]), golden="mx.tv", count=200)
    packed = ["{} {:x} {}".format(w[0], sum(int(c, 16) << 4 * i for i, c in enumerate(w[1:33])), w[33]) for w in results]
    passes("lanes in one word", write("packed.txt", packed), golden="mx.tv")
    names = ",".join(["scale", *(f"code[{i}]" for i in reversed(range(32)))])
    turned = [",".join([w[0], *reversed(c)]) for w, c in zip(results, lanes)]
    passes("lanes by name", write("turned.csv", [names, *turned]), golden="mx.tv")
    wrong = [list(words) for words in results]
    wrong[70][5] = f"{int(wrong[70][5], 16) ^ 1:02x}"
    done = run("check", "mx.tv", write("lane.txt", [" ".join(words) for words in wrong]))
    expect("a wrong lane", done.returncode == 1 and "lane.txt line 71" in done.stdout and "lane 4:" in done.stdout, done)
    wide = list(packed)
    wide[3] = wide[3].split()[0] + " 1" + 32 * "0" + " 00"
    refuses("a word above all lanes", write("over.txt", wide), "line 4", "128 bits", golden="mx.tv")
    refuses("a lane missing", write("few.csv", ["scale,code[0]", "7f,1"]), "line 1", "name all", golden="mx.tv")
    refuses("another count of words", write("33.txt", [" ".join(words[:33]) for words in results]), "line 1", "33 words",
            "--fields", golden="mx.tv")


RIGHT = {
    "sv": ("result[0] = ((operand[0] & 8) << 2) | ((operand[0] & 7) << 2); result[1] = 0;", "result[0] = result[0] ^ 1;"),
    "vhdl": ("result := (others => (others => '0')); result(0)(5) := operand(0)(3);"
             " result(0)(4 downto 2) := operand(0)(2 downto 0);", "result(0)(0) := '1';"),
    "c": ("result[0] = (operand[0] & 8) << 2 | (operand[0] & 7) << 2; result[1] = 0;", "result[0] ^= 1;"),
    "python": ("code = (operand[0] & 8) << 2 | (operand[0] & 7) << 2", "code ^= 1"),
}
TOOL = {"sv": "iverilog", "vhdl": "ghdl", "c": "cc", "python": "python3"}


def bench(language):
    vectors("in.tv", "--op", "cvt", "--source", "e2m1fn", "--format", "e2m3fn", "--suite", "smoke")
    made = run("new", "bench", "in.tv", "--language", language)
    expect(f"new bench {language}", made.returncode == 0 and "FILL IN" in made.stdout, made)
    steps = dict(line.split(": ", 1) for line in made.stdout.splitlines() if line.startswith(("build: ", "run: ")))
    command = " && ".join(steps[step] for step in ("build", "run") if step in steps)
    command = command.replace("mxgold check", f"'{MXGOLD}' check")
    path = next(WORK.glob("in_bench.*"))
    text = path.read_text()
    right, wrong = RIGHT[language]
    for verdict, code, device in (("", None, None), ("PASS", 0, right), ("FAIL", 1, right + " " + wrong)):
        if device is not None:
            if language == "python":
                device = "    " + device.replace(" code ^=", "; code ^=") + "; return [code, 0]"
            kept = [line for line in text.splitlines() if "take this line away" not in line]
            path.write_text("\n".join(device if '"fill in' in line else line for line in kept) + "\n")
        done = subprocess.run(command, shell=True, cwd=WORK, capture_output=True, text=True)
        if code is None:
            expect(f"{language}: unfilled", done.returncode != 0 and "fill in" in done.stdout + done.stderr, done)
        else:
            expect(f"{language}: {verdict}", done.returncode == code and verdict in done.stdout, done)


def main():
    language = sys.argv[2] if len(sys.argv) > 2 else None
    if language is None:
        conversions()
        blocks()
    elif shutil.which(TOOL[language]) is None:
        print(f"SKIPPED: {TOOL[language]} is not here: apt-get install {TOOL[language]}")
        sys.exit(77)
    else:
        bench(language)
    shutil.rmtree(WORK)
    if FAILURES:
        sys.exit(f"{len(FAILURES)} failures")
    print(f"bench in {language}: PASS and FAIL" if language else "files of answers: read, judged, refused")


main()
