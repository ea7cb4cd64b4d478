"""The host functions of AMD's HIP headers, compiled from a checkout or folder that MX_HIP names, on arrays of patterns. Part of
hip_judge.py."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from judge import SKIP

FOLDER = Path(os.environ.get("MX_HIP") or os.environ.get("MX_HIP_DEFAULT", ""))
PLACES = ("", "include/hip/amd_detail", "hipamd/include/hip/amd_detail", "projects/clr/hipamd/include/hip/amd_detail")
TYPES = {"fp32": 0, "fp16": 1, "bf16": 2}
FP8 = {"e4m3fn": 0, "e5m2": 1, "e4m3fnuz": 2, "e5m2fnuz": 3}


def file_of(name):
    """A header of the checkout or folder, or None."""
    found = [FOLDER / place / name for place in PLACES if (FOLDER / place / name).is_file()]
    return found[0] if found and str(FOLDER) not in ("", ".") else None


def skip(reason):
    print(f"SKIP hip_judge.py: {reason}; MX_HIP names a checkout of ROCm/rocm-systems or ROCm/clr, an installed ROCm, or a "
          "folder with those two headers")
    sys.exit(SKIP)


def fp8_part(text):
    """What converts single values, of a header that goes on with classes of the device."""
    begin, end = text.find("enum __hip_fp8_interpretation_t"), text.find("/**\n * \\brief convert float2 to")
    if begin < 0 or end < begin:
        skip("amd_hip_fp8.h is not divided as the one of @f9f995c was")
    return text[begin:end]


def compiled(folder, header):
    """The library of one of the headers."""
    if header == "ocp":
        (folder / "amd_hip_ocp_host.hpp").write_bytes(file_of("amd_hip_ocp_host.hpp").read_bytes())
        (folder / "amd_hip_ocp_types.h").write_text("")
    else:
        (folder / "amd_hip_fp8_part.h").write_text(fp8_part(file_of("amd_hip_fp8.h").read_text(encoding="utf-8")))
    library = folder / "hip.so"
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-O1", "-w", "-Wno-packed-bitfield-compat", "-fno-strict-aliasing",
               "-fPIC", "-shared", "-x", "c++", f"-DHIP_{header.upper()}", "-I", str(folder),
               str(Path(__file__).with_name("hip_functions.hpp")), "-o", str(library)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        skip(f"{command[0]} is not installed")
    except subprocess.CalledProcessError as error:
        print(error.stderr, file=sys.stderr)
        raise
    return ctypes.CDLL(str(library))


def pointer(array):
    return None if array is None else array.ctypes.data_as(ctypes.c_void_p)


def words(array):
    return np.ascontiguousarray(array, dtype=np.uint32)


class Hip:
    """The functions, on arrays of patterns."""

    def __init__(self, library):
        self.library = library

    def ocp(self, kind, encoding, back, saturating, patterns, seeds=None, scales=None):
        patterns = words(patterns)
        scales = np.zeros(patterns.size, np.int8) if scales is None else np.ascontiguousarray(scales, dtype=np.int8)
        out = np.empty(patterns.size, np.uint32)
        if self.library.hip_ocp(TYPES[kind], encoding, back, saturating, pointer(patterns), pointer(seeds), pointer(scales),
                                pointer(out), ctypes.c_size_t(patterns.size)):
            raise ValueError(f"no encoding {encoding}")
        return out

    def packed(self, encoding, patterns, scales, seeds=None):
        out = np.empty((len(patterns), 6), np.uint32)
        self.library.hip_pack(encoding, pointer(patterns), pointer(seeds), pointer(scales), pointer(out),
                              ctypes.c_size_t(len(patterns)))
        return out.view(np.uint8)

    def fp8(self, name, saturating, patterns, function="hip_fp8"):
        patterns = words(patterns)
        out = np.empty(patterns.size, np.uint32)
        getattr(self.library, function)(FP8[name], saturating, pointer(patterns), pointer(out), ctypes.c_size_t(patterns.size))
        return out

    def fp8_back(self, kind, name):
        codes, out = np.arange(256, dtype=np.uint32), np.empty(256, np.uint32)
        self.library.hip_fp8_back(TYPES[kind], FP8[name], pointer(codes), pointer(out), ctypes.c_size_t(256))
        return out
