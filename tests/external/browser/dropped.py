# SPDX-License-Identifier: Apache-2.0
"""Files dropped on the explorer page: what it says of their tensors, beside mxgold.measure of the Python package."""

import decimal
import json
import struct

import mxgold
import numpy

TEXTS = """[...document.querySelectorAll('#explorer-app .tensors {}')].map((row) =>
    [...row.cells].map((cell) => cell.textContent))"""


def tensors():
    """Values whose sums are exact, so that every order of adding gives the same."""
    draw = numpy.random.default_rng(7)
    plain = (draw.integers(-512, 513, (6, 80)) / 64).astype(numpy.float32)
    plain[0, :3] = [numpy.nan, numpy.inf, 0]
    wide = (draw.integers(-4096, 4097, (3, 5, 32)) / 128).astype(numpy.float16)
    return plain, wide


def safetensors(path, parts):
    """Writes {name: (dtype, shape, bytes)}."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (dtype, shape, content) in parts.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def digits(value, count):
    """A number as the page rounds it for people: halves go up."""
    exact = decimal.Decimal(float(value))
    return float(decimal.Context(prec=count, rounding=decimal.ROUND_HALF_UP).plus(exact))


def figures_of(x, format, profile):
    if format.startswith(("mx", "nv")):
        found = mxgold.measure.errors(x, mxgold.quantize(x, format, profile=profile))
    else:
        found = mxgold.measure.errors(x, mxgold.convert(x, format, profile=profile), format)
    return [digits(found.sqnr, 5), digits(found.mse, 6), digits(found.max_error, 6), found.saturated, found.flushed,
            found.exact]


def number(text):
    return float(text.split(" (")[0].replace(",", ""))


def measured(page, x, rows):
    """Where the figures that are shown are not Python's."""
    if len(rows) < 9:
        yield f"only {len(rows)} formats were measured: {rows}"
    for format, profile, *shown in rows:
        try:
            want = figures_of(x, format, profile)
        except ValueError as refusal:  # the profile says nothing of the type
            if len(shown) != 1 or str(refusal).split(":")[0] not in shown[0]:
                yield f"{format} under {profile}: {shown}, and not {refusal}"
            continue
        if len(shown) != len(want) or [number(each) for each in shown] != want:
            yield f"errors of {format} under {profile}: {shown}, and not {want}"


def figures_shown(page, name):
    """The rows of figures of a tensor, once all are there."""
    text = "document.querySelector('.errors').textContent"
    page.until(f"{text}.startsWith({json.dumps(name)}) && {text}.includes('measured.')")
    return page.run(TEXTS.format(".figures tbody tr"))


def measure(page, name):
    """Presses the button of a tensor."""
    page.run(f"[...document.querySelectorAll('.tensors tr')].find((row) => row.cells[0].textContent === "
             f"{json.dumps(name)}).querySelector('button').click()")
    return figures_shown(page, name)


def dropped_problems(opened, folder):
    plain, wide = tensors()
    numpy.save(folder / "plain.npy", plain)
    bfloat = (plain.view(numpy.uint32) >> 16).astype(numpy.uint16)
    safetensors(folder / "some.safetensors", {
        "wide": ("F16", wide.shape, wide.tobytes()), "brain": ("BF16", bfloat.shape, bfloat.tobytes()),
        "ids": ("I64", (2,), b"\0" * 16), "none": ("F32", (0, 4), b"")})
    (folder / "cut.npy").write_bytes((folder / "plain.npy").read_bytes()[:-5])
    (folder / "text.txt").write_text("nothing of the kind, whatever it is called")
    page = opened()
    page.go_offline()
    before = len(page.requests)
    page.drop(folder / "plain.npy", ".drop")
    yield from measured(page, plain, figures_shown(page, "plain"))
    page.drop(folder / "some.safetensors", ".drop")
    page.until("document.querySelector('.tensors').textContent.includes('4 tensors')")
    listed = page.run(TEXTS.format(".short tbody tr"))
    want = [["wide", "F16", "3 \u00d7 5 \u00d7 32", "480", "measure"],
            ["brain", "BF16", "6 \u00d7 80", "480", "measure"],
            ["ids", "I64", "2", "2", "no floating-point values"], ["none", "F32", "0 \u00d7 4", "0", "empty"]]
    if listed != want:
        yield f"tensors listed: {listed}"
    yield from measured(page, wide, measure(page, "wide"))
    for name, words in (("cut.npy", "truncated or damaged"), ("text.txt", "not a .npy or .safetensors file")):
        page.drop(folder / name, ".drop")
        page.until("document.querySelector('.tensors [role=alert]') !== null", 10)
        if words not in page.run("document.querySelector('.tensors [role=alert]').textContent"):
            yield f"{name}: {page.run('document.querySelector(`.tensors [role=alert]`).textContent')}"
        page.drop(folder / "plain.npy", ".drop")
        figures_shown(page, "plain")
    if page.requests_after(before):
        yield f"a dropped file asked the network for {page.requests_after(before)}"
    yield from (f"console: {each}" for each in page.complaints)
    page.close()
