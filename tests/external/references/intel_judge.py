#!/usr/bin/env python3
"""mxgold against Intel's FP8-Emulation-Toolkit, as values: profile intel-fp8et. MX_INTEL_FP8ET names a checkout of
IntelLabs/FP8-Emulation-Toolkit (at fcd26e9), of which three programs are made in a temporary folder: `plain`, its C++ without
AVX-512; `avx512`, its AVX-512 code over SIMDe (libsimde-dev) and the stand-ins of intel/avx512.hpp; `cuda`, its kernels, on one
thread of the host. A device's arithmetic of NaN and its parallel draws are in none of them."""

import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from judge import Judge
import mxgold
import stimuli

HERE = pathlib.Path(__file__).resolve().parent / "intel"
TOOLKIT = pathlib.Path(os.environ.get("MX_INTEL_FP8ET") or os.environ.get("MX_INTEL_FP8ET_DEFAULT", ""))
SOURCES = {"cpp": "mpemu/pytquant/cpp/fpemu_impl.cpp", "cuda": "mpemu/pytquant/cuda/fpemu_kernels.cu"}
LAUNCHES = "std::vector<torch::Tensor> fpemu_cuda_forward"  # what only nvcc compiles begins here
HEADERS = ["torch/extension.h", "ATen/cuda/Exceptions.h", "cuda.h", "cuda_runtime.h"]

# The toolkit's name: its number in intel/entries.hpp, our format, its smallest normal value.
FORMATS = {"E5M2": (0, "e5m2", 2.0**-14), "E4M3": (1, "e4m3fn", 2.0**-6), "E3M4": (2, "e3m4fn_intel", 2.0**-2)}
# The toolkit's mode: its number, the variant of the profile.
MODES = {"RNE": (1, {}), "RNAZ": (3, {"variant": "rnaz"}), "RNTZ": (4, {"variant": "rntz"}), "RTZ": (0, {"variant": "rtz"})}
RANDOM_BITS = {"E5M2": 8, "E4M3": 7, "E3M4": 6}
SCALES = [0.37, 3.0, 448 / 1.7, 65500.0, 2.0**-20, 1e30]


def skip(reason):
    print(f"SKIP intel_judge.py: {reason}")
    sys.exit(77)


def text_of(name):
    path = TOOLKIT / SOURCES[name]
    if not path.is_file():
        skip(f"no {path.name}; name a checkout of IntelLabs/FP8-Emulation-Toolkit in MX_INTEL_FP8ET")
    return path.read_text(encoding="utf-8")


def flags_of_machine():
    try:
        return set(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
    except OSError:
        return set()


class Program:
    """The toolkit, compiled one way."""

    def __init__(self, folder, name, source, *options):
        self.name = name
        unit = folder / f"{name}.cpp"
        parts = (HERE / "torch.hpp", source, HERE / "entries.hpp")
        unit.write_text("".join(f'#include "{part}"\n' for part in parts), encoding="utf-8")
        command = ["g++", "-std=c++20", "-O1", "-w", "-Wno-psabi", "-shared", "-fPIC", "-mavx2", "-mf16c", "-ffp-contract=off",
                   f"-I{folder}", *options, str(unit), "-o", str(unit.with_suffix(".so"))]
        subprocess.run(command, check=True)
        self._calls = ctypes.CDLL(str(unit.with_suffix(".so")))

    def _run(self, function, first, inputs, *last):
        values = np.ascontiguousarray(inputs, dtype=np.uint32)
        result = np.empty_like(values)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (values, result)]
        getattr(self._calls, function)(*first, *pointers, ctypes.c_int(values.size), *last)
        return result

    def convert(self, form, mode, inputs, scale=1.0):
        """binary32 patterns by the mode's name, or by the kernel where no name leads there."""
        if self.name != "cuda" and (form == "E5M2" or mode == "RNE"):
            return self._run("intel_mode", [f"{form}_{mode}".encode()], inputs, ctypes.c_float(scale))
        return self._run("intel_kernel", [FORMATS[form][0], MODES[mode][0]], inputs, ctypes.c_float(scale))

    def stochastic(self, form, inputs):
        """With the words of its own generator."""
        return self._run("intel_mode", [f"{form}_STOCHASTIC".encode()], inputs, ctypes.c_float(1.0))

    def stochastic_of(self, form, words, inputs, function="intel_words"):
        """With these words for those of its generator."""
        given = np.ascontiguousarray(words, dtype=np.uint32)
        return self._run(function, [FORMATS[form][0], ctypes.c_void_p(given.ctypes.data)], inputs)


def programs(folder):
    plain, cuda = text_of("cpp"), text_of("cuda")
    if "fpemu_forward" not in plain or LAUNCHES not in cuda:
        raise ValueError(f"{TOOLKIT} is another version")
    if not {"avx2", "f16c"} <= flags_of_machine():
        skip("this machine has no AVX2 and F16C, by which the toolkit converts")
    if shutil.which("g++") is None:
        skip("no g++, which compiles the toolkit")
    for header in HEADERS:
        (folder / header).parent.mkdir(parents=True, exist_ok=True)
        (folder / header).touch()
    (folder / "immintrin.h").write_text(f'#include_next <immintrin.h>\n#include "{HERE / "avx512.hpp"}"\n', encoding="utf-8")
    kernels = folder / "kernels.inc"
    kernels.write_text(cuda.split(LAUNCHES)[0], encoding="utf-8")
    probe = subprocess.run(["g++", "-E", "-x", "c++", "-"], input="#include <simde/x86/avx512.h>\n", text=True,
                           capture_output=True, check=False)
    made = [Program(folder, "plain", TOOLKIT.resolve() / SOURCES["cpp"]), Program(folder, "cuda", kernels, "-DMX_CUDA")]
    if probe.returncode != 0:
        print("  its AVX-512 code is NOT compared: no SIMDe; apt-get install libsimde-dev")
        return made
    print("  its AVX-512 code runs over SIMDe, 16 instructions of it as stand-ins of this judge (intel/avx512.hpp)")
    return [*made, Program(folder, "avx512", TOOLKIT.resolve() / SOURCES["cpp"], "-DMX_AVX512")]


def padded(patterns):
    """To whole steps of 32, which the AVX-512 code takes alone."""
    return np.concatenate([patterns, np.zeros(-patterns.size % 32, dtype=np.uint32)]).astype(np.uint32)


def inputs_of(seed):
    """binary32 patterns: every binary16 value, the thresholds between them with their neighbours, structured and random ones."""
    halves = np.arange(0x7C01, dtype=np.uint16).view(np.float16).astype(np.float64)
    halves[-1] = 65536.0
    edges = ((halves[:-1] + halves[1:]) / 2).astype(np.float32).view(np.uint32)
    near = np.concatenate([edges - np.uint32(1), edges, edges + np.uint32(1)])
    exact = stimuli.all_16_bit().view(np.float16).astype(np.float32).view(np.uint32)
    return padded(np.concatenate([exact, near, near | np.uint32(1 << 31), stimuli.structured("fp32", seed, 200_000)]))


def magnitudes(patterns):
    return (patterns & np.uint32(0x7FFFFFFF)).view(np.float32)


class Comparison:
    """Our side of a format, and what is not compared."""

    def __init__(self, judge, library, form):
        self.judge, self.library, self.form = judge, library, form
        _, self.format, self.smallest_normal = FORMATS[form]

    def ours(self, patterns, options, random=None):
        """Values by the profile, as binary32 patterns."""
        if self.judge.args.wrong:
            options = {"rounding": "away_from_zero"}
        codes = self.library.convert(patterns, "fp32", self.format, random=None if self.judge.args.wrong else random,
                                     profile="intel-fp8et", **options)
        return codes, self.values(codes)

    def values(self, codes):
        return self.library.convert(codes, self.format, "fp32", overflow="none_inf_or_nan", nan="keep_sign").astype(np.uint32)

    def below_normal(self, patterns):
        size = magnitudes(patterns)
        return (size > 0) & (size < np.float32(self.smallest_normal))

    def compared(self, patterns, nan=True, below_normal=False):
        """Which inputs the profile answers for: NaN with `nan`, subnormal results with `below_normal`."""
        kept = np.ones(patterns.shape, dtype=bool) if below_normal else ~self.below_normal(patterns)
        return kept if nan else kept & ~np.isnan(magnitudes(patterns))

    def same(self, what, patterns, ours, theirs, kept, sees_wrong=True):
        left = np.count_nonzero(~kept)
        theirs = stimuli.one_nan(theirs, "fp32")
        self.judge.same(f"{self.form}_{what}" + (f" ({left} not compared)" if left else ""), patterns[kept], ours[kept],
                        theirs[kept], sees_wrong)


def off_grid(comparison, values):
    """How many values are none of the format."""
    return np.count_nonzero(comparison.values(comparison.library.convert(values, "fp32", comparison.format)) != values)


def judge_nan(judge, library, made):
    """The code of NaN in E5M2, whose values are binary16 with a low byte of zeros: its high byte."""
    patterns = np.array([0x7FC00000, 0xFFC00000], dtype=np.uint32)
    for program in made:
        if program.name != "cuda":
            theirs = program.convert("E5M2", "RNE", np.repeat(patterns, 16))[::16].view(np.float32).astype(np.float16)
            judge.same(f"E5M2_RNE {program.name} codes of NaN", patterns, Comparison(judge, library, "E5M2").ours(patterns, {})[0],
                       theirs.view(np.uint16) >> 8, sees_wrong=False)


def judge_nearest(judge, library, made):
    judge_nan(judge, library, made)
    patterns = inputs_of(judge.args.seed)
    for form in FORMATS:
        comparison = Comparison(judge, library, form)
        for mode in MODES if form == "E5M2" else ("RNE", "RNAZ", "RNTZ"):
            for program in made:
                # Its AVX-512 code knows no other mode.
                is_even = program.name == "avx512" and mode != "RNE"
                ours = comparison.ours(patterns, {} if is_even else MODES[mode][1])[1]
                theirs = program.convert(form, mode, patterns)
                kept = comparison.compared(patterns, program.name != "cuda", form == "E5M2")
                comparison.same(f"{mode} {program.name}" + (", which is RNE" if is_even else ""), patterns, ours, theirs, kept)
                if mode == "RNE" and form != "E5M2":
                    below = comparison.below_normal(patterns)
                    print(f"    {off_grid(comparison, theirs[below])} of the {np.count_nonzero(below)} answers to numbers below "
                          "the smallest normal value are no values of the format")


def judge_scaled(judge, library, made):
    patterns = inputs_of(judge.args.seed)
    for scale in SCALES:
        factor, back = np.float32(scale), np.float32(1.0 / np.float64(np.float32(scale)))
        with np.errstate(all="ignore"):
            scaled = (patterns.view(np.float32) * factor).view(np.uint32)
        for form in FORMATS:
            comparison = Comparison(judge, library, form)
            with np.errstate(all="ignore"):
                values = comparison.ours(scaled, {})[1].view(np.float32) * back
                through_half = values.astype(np.float16).astype(np.float32)
            kept = comparison.compared(scaled, False, form == "E5M2")
            for program in made:
                # The kernels give binary16 again, also to binary32 tensors.
                ours = through_half if program.name == "cuda" else values
                theirs = program.convert(form, "RNE", patterns, scale)
                comparison.same(f"RNE {program.name} scaled by {scale:.7g}", patterns, ours.view(np.uint32), theirs, kept,
                                sees_wrong=program.name != "cuda")  # may all be beyond binary16


def draws_of(seed):
    """binary16 values with random words: one binade with every sum of significand and bits, all values, random ones."""
    generator = np.random.Generator(np.random.Philox(seed))
    binade = np.repeat(np.arange(0x3C00, 0x4000, dtype=np.uint16), 256).view(np.float16).astype(np.float32).view(np.uint32)
    every = np.tile(stimuli.all_16_bit().view(np.float16).astype(np.float32).view(np.uint32), 4)
    rest = stimuli.structured("fp32", seed, 100_000)
    patterns = padded(np.concatenate([binade, every, rest]))
    words = generator.integers(0, 1 << 32, size=patterns.size, dtype=np.uint32)
    words[: binade.size] = np.tile(np.arange(256, dtype=np.uint32), 1024) | words[: binade.size] & np.uint32(0xFFFFFF00)
    return patterns, words


def stochastic(form):
    return {"variant": "stochastic"}, np.uint32((1 << RANDOM_BITS[form]) - 1)


def judge_vector_bits(judge, library, program, form, patterns, words):
    """E4M3 and E3M4 by AVX-512: the seven high bits of the bytes of its words."""
    steps = words[: patterns.size // 4]
    bits = (steps.view(np.uint8) >> 1).astype(np.uint32)
    theirs = program.stochastic_of(form, steps, patterns, "intel_steps")
    comparison = Comparison(judge, library, form)
    kept = comparison.compared(patterns)
    options, mask = stochastic(form)
    codes, ours = comparison.ours(patterns, options, bits & mask)
    if form == "E3M4":
        differ = np.count_nonzero((ours != theirs)[kept])
        print(f"    {form}_STOCHASTIC avx512 adds 7 bits to 6: {differ} of {np.count_nonzero(kept)} answers are not the "
              "profile's")
        # The seventh bit is one code more, up to 31, whose code the format gives to NaN; the largest value and beyond stay.
        below = (magnitudes(patterns) < 29.9921875) & (magnitudes(patterns) > 0) & kept
        codes = codes + np.where(below, bits >> 6, 0).astype(np.uint64)
        beyond = np.uint32(0x41F80000) | (codes >> 7 << 31).astype(np.uint32)
        ours = np.where(codes & 0x7F == 0x7F, beyond, comparison.values(codes))
        comparison.same("STOCHASTIC avx512, the profile's and one code more with the seventh bit", patterns, ours, theirs, kept)
        return
    comparison.same("STOCHASTIC avx512", patterns, ours, theirs, kept)


def judge_own_bits(judge, library, program, patterns):
    """E5M2 by AVX-512, whose generator starts afresh with every call: its bits are found first, by which of
    1 + k * 2^-10 go up."""
    bits = np.zeros(patterns.size, dtype=np.uint32)
    for step in (128, 64, 32, 16, 8, 4, 2, 1):
        # 1 + (256 - tried) * 2^-10 goes up where the bits are `tried` or more.
        tried = bits + np.uint32(step)
        probe = np.uint32(0x3F800000) + ((np.uint32(256) - tried) << np.uint32(13))
        up = program.stochastic("E5M2", probe) >= 0x3FA00000
        bits = np.where(up, tried, bits)
    comparison = Comparison(judge, library, "E5M2")
    options, _ = stochastic("E5M2")
    ours = comparison.ours(patterns, options, bits)[1]
    theirs = program.stochastic("E5M2", patterns)
    print(f"    E5M2_STOCHASTIC avx512: {np.unique(bits).size} different R in {bits.size} draws")
    comparison.same("STOCHASTIC avx512, with the bits that it was seen to draw", patterns, ours, theirs,
                    comparison.compared(patterns))
    judge_below(comparison, program, patterns, theirs)


def judge_below(comparison, program, patterns, theirs):
    """Where E5M2 draws nothing."""
    if comparison.form == "E5M2":
        comparison.same(f"STOCHASTIC {program.name} below the smallest normal value is RNE", patterns,
                        comparison.ours(patterns, {})[1], theirs, comparison.below_normal(patterns))


def judge_stochastic(judge, library, made):
    patterns, words = draws_of(judge.args.seed)
    for form in FORMATS:
        comparison = Comparison(judge, library, form)
        options, mask = stochastic(form)
        ours = comparison.ours(patterns, options, words & mask)[1]
        for program in made:
            if program.name == "avx512" and form == "E5M2":
                judge_own_bits(judge, library, program, patterns)
            elif program.name == "avx512":
                judge_vector_bits(judge, library, program, form, patterns, words)
            else:
                theirs = program.stochastic_of(form, words, patterns)
                kept = comparison.compared(patterns, program.name != "cuda")
                comparison.same(f"STOCHASTIC {program.name}", patterns, ours, theirs, kept)
                judge_below(comparison, program, patterns, theirs)


def main():
    judge = Judge("intel", f"FP8-Emulation-Toolkit @fcd26e9, numpy {np.__version__}", ("nearest", "scaled", "stochastic"))
    library = mxgold.Library()
    print("  not compared: E4M3_IEEE, E5M2_DAZ, RPINF, RNINF, FP4, FLOAT16, BFLOAT16, scales of blocks, binary64 and binary16 "
          "tensors, payloads of NaN; of the kernels also NaN, which a device's multiplication makes its own")
    with tempfile.TemporaryDirectory() as folder:
        made = programs(pathlib.Path(folder))
        for surface, function in (("nearest", judge_nearest), ("scaled", judge_scaled), ("stochastic", judge_stochastic)):
            if judge.wants(surface):
                function(judge, library, made)
    judge.finish()


if __name__ == "__main__":
    main()
