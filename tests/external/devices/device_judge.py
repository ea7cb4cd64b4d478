#!/usr/bin/env python3
"""Third-party modules judged by their device files alone: deviations come out with their causes, the reviewed waivers
make them green, and one more fault turns them red.

usage: device_judge.py MXGOLD DESIGN [CHECKOUT]

DESIGN: idma_mxquant (suite smoke), idma_mxquant_dir (the same module, suite dir), idma_mxquant_fp16, idma_mxdequant
(pulp-platform/iDMA 0.7.0, SHL-0.51) or mxfpga_bf16_e5m2 (ebby-s/MX-for-FPGA, MIT).
CHECKOUT: where its repository is; else the environment's MX_IDMA or MX_MXFPGA, else MX_IDMA_DEFAULT or
MX_MXFPGA_DEFAULT. Nothing of it is changed: the fault goes into a copy. Exits 77 (skipped), saying what is missing,
where there is no checkout or no Verilator.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The widths of AXI4's signals, which iDMA takes from another repository.
AXI_PACKAGE = """package axi_pkg;
  typedef logic [1:0] burst_t;
  typedef logic [3:0] cache_t;
  typedef logic [2:0] prot_t;
  typedef logic [3:0] qos_t;
  typedef logic [3:0] region_t;
endpackage
"""


@dataclass
class Design:
    """A module of a checkout, what it does otherwise, and a fault that it does not have."""

    checkout: str  # the variable that device files know
    options: list
    wrong: int  # answers that deviate from the specification
    causes: list  # what the verdict says of them; the waivers are those that it prints
    file: str  # where the fault goes
    right: str
    broken: str
    device: str = ""  # the device file's name, where it is not the design's
    exact: list = field(default_factory=list)  # options under which it is right without waivers, if any


# One cause for all wrong blocks: two deviations, both at once in most of them.
IDMA_CAUSES = ["as with source subnormals read as 1.m * 2^-bias (spec F7) and scales held at the bottom at 2^-128 (spec F4)",
               'to waive it: "as": {"source_subnormals": "leading_one", "scale_bottom": -128}']
DESIGNS = {
    "idma_mxquant": Design(
        "IDMA", ["--suite", "smoke"], 65, IDMA_CAUSES,
        "src/backend/idma_otf_mxquant.sv", "      if (roundup) rounded", "      if (guard) rounded"),
    "idma_mxquant_dir": Design(
        "IDMA", ["--suite", "dir"], 549, IDMA_CAUSES, "src/backend/idma_otf_mxquant.sv",
        "sub_stky  = (full_mant[20:0] != 21'd0);", "sub_stky  = 1'b0;", "idma_mxquant"),
    "idma_mxquant_fp16": Design(
        "IDMA", ["--suite", "dir"], 33, ["as with scales held at the bottom at 2^-128 (spec F4)", 'to waive it: "as": {"scale_bottom": -128}'], "src/idma_float_pkg.sv",
        "man_norm = man16 << (lz + 4'd1);", "man_norm = man16 << lz;"),
    "idma_mxdequant": Design(
        "IDMA", ["--suite", "dir", "--dequant-overflow", "inf", "--dst-ftz", "none"], 236,
        ["as with dst_ftz", "as with dequant_overflow saturate for inf (spec F15)",
         'to waive it: "as": {"dequant_overflow": "saturate"}'],
        "src/backend/idma_otf_mxdequant.sv", "{m[1] & m[0], 22'd0}", "{m[1], 22'd0}",
        exact=["--suite", "dir", "--dequant-overflow", "saturate", "--dst-ftz", "post"]),
    "mxfpga_bf16_e5m2": Design(
        "MXFPGA", ["--suite", "smoke"], 93, ["as with scales held at the bottom at 2^-112 (spec F4)", 'to waive it: "as": {"scale_bottom": -112}'],
        "src/util/rnd/fp_rnd_nan_rne.sv", "p0_nrm_rnd = R_nrm && (aligned_num[width_i-width_o_man-1] || S_nrm)",
        "p0_nrm_rnd = R_nrm"),
}


def skip(what):
    print(f"SKIP {what}")
    sys.exit(77)


def checkout_of(design, words):
    name = f"MX_{design.checkout}"
    path = words[0] if words else os.environ.get(name) or os.environ.get(f"{name}_DEFAULT", "")
    if not path or not (Path(path) / design.file).is_file():
        skip(f"{name}: no checkout with {design.file} at '{path}'; set {name} to one")
    return Path(path).resolve()


def generate(checkout, folder):
    """What iDMA's own build generates or takes from elsewhere: the codes of its operations, AXI's widths."""
    (folder / "axi_pkg.sv").write_text(AXI_PACKAGE)
    registers = checkout / "src/frontend/reg/idma_reg.rdl"
    if not registers.is_file():
        return
    enum = re.search(r"enum compute_op \{(.*?)\n\s*\};", registers.read_text(), re.S)[1]
    codes = re.findall(r"(\w+)\s*=\s*(\d+)'d(\d+)", enum)
    members = ",\n".join(f"  COMPUTE_{name.upper()} = {width}'d{value}" for name, width, value in codes)
    (folder / "idma").mkdir()
    (folder / "idma/compute.svh").write_text(
        f"typedef enum logic [{int(codes[0][1]) - 1}:0] {{\n{members}\n}} compute_op_e;\n")


def run(mxgold, name, design, checkout, generated, more, expected, words):
    """A run; its exit code and what it says have to be those."""
    command = [mxgold, "run", "--dut", f"device:{HERE / (design.device or name)}.json", *design.options, *more]
    environment = dict(os.environ, IDMA_GENERATED=str(generated), **{design.checkout: str(checkout)})
    end = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    text = end.stdout + end.stderr
    missing = [each for each in words if each not in text]
    if end.returncode != expected or missing:
        print(f"FAIL: {' '.join(command)}: exit {end.returncode}, expected {expected}; does not say {missing}\n"
              f"{text[-4000:]}\n  again with {design.checkout}={checkout} IDMA_GENERATED={generated}")
        sys.exit(1)
    return text


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[2] not in DESIGNS:
        print(__doc__, file=sys.stderr)
        return 2
    mxgold, name = sys.argv[1:3]
    design = DESIGNS[name]
    checkout = checkout_of(design, sys.argv[3:])
    if shutil.which(os.environ.get("MXGOLD_VERILATOR", "verilator")) is None:
        skip("no Verilator: install the package verilator")
    waivers = ["--waivers", str(HERE / f"{name}.waivers.json")]
    with tempfile.TemporaryDirectory() as temporary:
        generated = Path(temporary) / "generated"
        generated.mkdir()
        generate(checkout, generated)
        text = run(mxgold, name, design, checkout, generated, [], 1, [f" the {design.wrong} wrong records:", *design.causes])
        if "no cause known" in text:
            print(f"FAIL: {name}: a deviation has no cause\n{text[-2000:]}")
            return 1
        run(mxgold, name, design, checkout, generated, waivers, 0, ["PASS "])
        if design.exact:
            run(mxgold, name, replace(design, options=design.exact), checkout, generated, [], 0, ["PASS "])
        copy = Path(temporary) / "broken"
        shutil.copytree(checkout / "src", copy / "src")
        source = (copy / design.file).read_text()
        if source.count(design.right) != 1:
            print(f"FAIL: {design.file} has '{design.right}' {source.count(design.right)} times: another version?")
            return 1
        (copy / design.file).write_text(source.replace(design.right, design.broken))
        run(mxgold, name, design, copy, generated, waivers, 1, ["FAIL "])
    print(f"PASS {name}: {design.wrong} deviations named and waived, one more fault seen")
    return 0


if __name__ == "__main__":
    sys.exit(main())
