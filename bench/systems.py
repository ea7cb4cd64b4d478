#!/usr/bin/env python3
"""The casts of the emulated systems in compat mode beside the packages themselves, in the same run, one thread each.

usage: systems.py [SYSTEM ...] [--elements N] [--rounds N] [--least RATIO]

Prints, for each configuration, M elements a second of the package, of mxgold's library (words in, words out) and of mxgold's Python
module where it has the same function, of `roof`, torch's clone() of the same tensor, and the ratios to the package: medians of N
rounds (5) that take turns, each the second of two calls. Where roof / package is below 3, the goal of 3 lies beyond the speed of copying memory. The packages come
from where the outside judges find them: MX_DMX, MX_TORCHMX, MX_AIMET, MX_MICROXCALING, and qtorch importable; one that is
not there is skipped aloud. MXGOLD_LIBRARY names the library. With --least, exits 1 if a ratio of ours is below it.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
import types
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/external/systems"))
sys.path.insert(0, str(ROOT / "python"))
SYSTEMS = ("qtorch", "dmx", "torchmx", "aimet", "microxcaling")


def qtorch_cases(torch, values):
    from qtorch.quant import block_quantize, fixed_point_quantize, float_quantize

    import mxgold.qtorch.quant as ours

    for exp, man in ((5, 2), (4, 3), (8, 7)):
        for rounding in ("nearest", "stochastic"):
            arguments = dict(exp=exp, man=man, rounding=rounding)
            yield (f"float_quantize(exp={exp},man={man},rounding={rounding})", torch.float32,
                   lambda x, a=arguments: float_quantize(x, **a), lambda x, a=arguments: ours.float_quantize(x, **a))
    for rounding in ("nearest", "stochastic"):
        yield (f"fixed_point_quantize(wl=8,fl=4,rounding={rounding})", torch.float32,
               lambda x, r=rounding: fixed_point_quantize(x, 8, 4, rounding=r),
               lambda x, r=rounding: ours.fixed_point_quantize(x, 8, 4, rounding=r))
        yield (f"block_quantize(wl=8,rounding={rounding})", torch.float32,
               lambda x, r=rounding: block_quantize(x, 8, rounding=r), lambda x, r=rounding: ours.block_quantize(x, 8, rounding=r))


def dmx_cases(torch, values):
    folder = os.environ["MX_DMX"]
    sys.path.insert(0, folder)
    parent = types.ModuleType("dmx.compressor")
    parent.__path__ = [str(Path(folder, "dmx", "compressor"))]
    import dmx  # noqa: F401

    sys.modules["dmx.compressor"] = parent
    from dmx.compressor.numerical.format import Format

    import mxgold.dmx as ours

    for text in ("XP[8,+4](CSN)", "FP[1|5|10,15](FN)", "FP[1|4|3,7](_N)", "BFP[8|8]{64}(SN)", "BFP[4|8]{128}(SN)",
                 "SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}", "MXFP8[E4M3]{32}", "MXFP4[E2M1]{32}", "MXINT8{32}"):
        theirs = Format.from_shorthand(text)
        mine = ours.Format.from_shorthand(text)
        blocked = getattr(theirs, "blocked", False)
        yield (text, torch.float32, (lambda x, f=theirs: f.cast(x, -1)) if blocked else (lambda x, f=theirs: f.cast(x)),
               (lambda x, f=mine: f.cast(x, -1)) if blocked else (lambda x, f=mine: f.cast(x)))


def torchmx_cases(torch, values):
    sys.path.insert(0, os.environ["MX_TORCHMX"])
    from torchmx.mx_tensor import dequantize_mx, quantize_mx

    import mxgold.torchmx.mx_tensor as ours

    for name in ("float8_e4m3", "float6_e3m2", "float4_e2m1", "int8"):
        yield (f"quantize_mx(elem_dtype={name},block_size=32,values=none)", torch.bfloat16,
               lambda x, n=name: quantize_mx(x, n, 32), lambda x, n=name: ours.quantize_mx(x, n, 32))
    for name in ("float8_e4m3", "float6_e3m2", "float4_e2m1", "int8"):
        scale, data = quantize_mx(values.to(torch.bfloat16), name, 32)
        yield (f"dequantize_mx(elem_dtype={name},block_size=32,target_dtype=bfloat16,block_dim=-1)", torch.bfloat16,
               lambda _, n=name, s=scale, d=data: dequantize_mx(d, s, n, 32, torch.bfloat16, -1),
               lambda _, n=name, s=scale, d=data: ours.dequantize_mx(d, s, n, 32, torch.bfloat16, -1),
               {"values": (data.numpy(), "int8" if name == "int8" else "uint8"), "scale": (scale.numpy(), "uint8")})


def aimet_cases(torch, values):
    import aimet_package

    package = aimet_package.load()[0]
    import mxgold.aimet as ours

    tensor, blocks = dict(shape=(1,)), dict(shape=(1024, 32), block_size=(1, 32))
    types = (dict(exponent_bits=4, mantissa_bits=3), dict(exponent_bits=5, mantissa_bits=2), dict(exponent_bits=3, mantissa_bits=2),
             dict(exponent_bits=2, mantissa_bits=1), dict(dtype=torch.float16), dict(dtype=torch.bfloat16))
    for options in (dict(each, **shape) for shape in (tensor, blocks) for each in types):
        pair = []
        for module in (package, ours):
            quantizer = module.FloatQuantizeDequantize(**options)
            with quantizer.compute_encodings():
                quantizer(torch.linspace(-4, 4, 1 << 20).reshape(1024, 1024))
            pair.append(lambda x, q=quantizer: q(x))
            if module is package:
                scale = quantizer.get_scale().detach().numpy().astype("float32")
        text = ",".join(f"{key}={value}" for key, value in options.items()).replace("torch.", "").replace(" ", "")
        yield (f"FloatQuantizeDequantize({text})", torch.float32, *pair,
               {"values": (values.numpy(), "fp32"), "scale": (scale, "fp32")})


def microxcaling_cases(torch, values):
    sys.path.insert(0, os.environ["MX_MICROXCALING"])
    from mx import elemwise_ops, mx_ops

    import mxgold.microxcaling as ours

    for name in ("fp8_e4m3", "fp6_e2m3", "fp4_e2m1", "int8"):
        options = dict(axes=[-1], block_size=32, round="even")
        yield (f"quantize_mx(scale_bits=8,elem_format={name},axes=(-1),block_size=32,round=even)", torch.float32,
               lambda x, n=name: mx_ops._quantize_mx(x, 8, n, **options),
               lambda x, n=name: ours._quantize_mx(x, 8, n, **options))
    yield ("quantize_elemwise(elem_format=fp8_e4m3,round=even)", torch.float32,
           lambda x: elemwise_ops._quantize_elemwise(x, "fp8_e4m3", round="even"),
           lambda x: ours._quantize_elemwise(x, "fp8_e4m3", round="even"))


def seconds(function, argument):
    """Of a second call: the first brings operands and memory back from what ran before."""
    function(argument)
    start = time.process_time()
    function(argument)
    return time.process_time() - start


def measure(system, options):
    warnings.filterwarnings("ignore")
    import numpy
    import torch

    torch.set_num_threads(1)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one thread for mxgold, too
    from mxgold import mode
    from mxgold._library import Cast

    mode("compat")
    torch.manual_seed(0)
    values = torch.randn(1024, options.elements // 1024)
    worst = []
    for text, dtype, theirs, mine, *codes in globals()[f"{system}_cases"](torch, values):
        tensor = values.to(dtype)
        words = tensor.view(torch.int16).numpy().view(numpy.uint16) if dtype is torch.bfloat16 else tensor.numpy()
        tensors = codes[0] if codes else {"values": (words, "bf16" if dtype is torch.bfloat16 else "fp32")}
        try:
            cast = Cast(f"{system}:{text}", "compat")
            random = numpy.random.default_rng(0).integers(0, 1 << 31, cast.random_words(tensors), numpy.uint32)
            functions = {"package": (theirs, tensor),
                         "library": (lambda t, c=cast, r=random: c.apply(t, random=r), tensors)}
            if mine is not None:
                functions["python"] = (mine, tensor)
            functions["roof"] = (torch.clone, tensor)
            times = {name: [] for name in functions}
            for _ in range(options.rounds + 1):
                for name, (function, argument) in functions.items():
                    times[name].append(seconds(function, argument))
        except Exception as error:  # a configuration that one of them cannot do is told, the others go on
            print(f"FAILED {system}:{text}: {type(error).__name__}: {error}")
            worst.append(0.0)
            continue
        rates = {name: options.elements / statistics.median(each[1:]) / 1e6 for name, each in times.items()}
        ratios = {name: rate / rates["package"] for name, rate in rates.items() if name != "package"}
        worst += (ratio for name, ratio in ratios.items() if name != "roof")
        print(f"{system}:{text} | " + " | ".join(f"{name} {rate:.1f}" for name, rate in rates.items()) + " | "
              + ", ".join(f"{name}/package {ratio:.2f}" for name, ratio in ratios.items()), flush=True)
    return 1 if options.least and (not worst or min(worst) < options.least) else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("systems", nargs="*", default=SYSTEMS)
    parser.add_argument("--elements", type=int, default=1 << 20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--least", type=float)
    parser.add_argument("--one", action="store_true")
    options = parser.parse_args()
    if options.one:
        try:
            return measure(options.systems[0], options)
        except (ImportError, KeyError) as error:
            print(f"SKIPPED {options.systems[0]}: {type(error).__name__}: {error}")
            return 0
    status = 0
    for system in options.systems:  # the packages do not live together in one process
        command = [sys.executable, __file__, system, "--one", "--elements", str(options.elements), "--rounds",
                   str(options.rounds)] + (["--least", str(options.least)] if options.least else [])
        status |= subprocess.run(command, check=False).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
