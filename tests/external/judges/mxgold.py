"""The reference through its C ABI, on NumPy arrays of codes."""

import ctypes
import json
import os
import subprocess
import tempfile

import numpy as np

_OPTION = ctypes.c_char_p * 2
_U64 = np.dtype("<u8")


class Error(Exception):
    """The library refused a request; the text is its own."""


def _pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def _options(options):
    pairs = [(name.encode(), str(value).encode()) for name, value in options.items()]
    return (_OPTION * max(1, len(pairs)))(*(_OPTION(*pair) for pair in pairs)), len(pairs)


class _Rows(ctypes.Structure):
    """mxgold_rows."""

    _fields_ = [("codes", ctypes.c_void_p), ("code_bytes", ctypes.c_uint64), ("scales", ctypes.c_void_p),
                ("scale_bytes", ctypes.c_uint64), ("rows", ctypes.c_uint64)]


class Library:
    """libmxgold.so; its path comes from MXGOLD_LIBRARY, which the tests' definition sets."""

    def __init__(self, path=None):
        self._abi = ctypes.CDLL(path or os.environ["MXGOLD_LIBRARY"])
        version = self._abi.mxgold_abi_version()
        if version != 1:
            raise Error(f"C ABI version {version}, wanted 1")

    def _check(self, status, message=None):
        if status != 0:
            self._abi.mxgold_status_text.restype = ctypes.c_char_p
            text = self._abi.mxgold_status_text(status).decode()
            raise Error(f"{text}: {message.value.decode()}" if message else text)

    def _create(self, function, source, destination, options):
        handle = ctypes.c_void_p()
        message = ctypes.create_string_buffer(200)
        array, count = _options(options)
        self._check(function(source.encode(), destination.encode(), array, ctypes.c_size_t(count),
                             ctypes.byref(handle), message, ctypes.c_size_t(len(message))), message)
        return handle

    def convert(self, codes, source, destination, random=None, **options):
        """Codes of `source` to codes of `destination` (uint64) under the policy `options`; `random` holds a
        word for each code under the stochastic roundings."""
        words = np.ascontiguousarray(codes, dtype=_U64)
        result = np.empty(words.shape, dtype=_U64)
        draws = None if random is None else np.ascontiguousarray(random, dtype="<u4")
        if draws is not None and draws.shape != words.shape:
            raise Error("one random word for each code, please")
        handle = self._create(self._abi.mxgold_conversion_create, source, destination, options)
        try:
            self._check(self._abi.mxgold_convert(handle, _pointer(words), None if draws is None else _pointer(draws),
                                                 ctypes.c_size_t(words.size), _pointer(result), None))
        finally:
            self._abi.mxgold_conversion_destroy(handle)
        return result

    def _quantizer(self, source, block_format, tensor_scale, options, tensor_amax=None):
        """A quantizer; `tensor_scale` is the binary32 pattern of the stored one of two-level formats, `tensor_amax` that of
        the largest magnitude, for rules that begin with it."""
        handle = self._create(self._abi.mxgold_quantizer_create, source, block_format, options)
        if tensor_scale is None and tensor_amax is None:
            return handle
        levelled = ctypes.c_void_p()
        try:
            level = (ctypes.c_uint32 * 2)(tensor_amax or 0, 0x3F800000 if tensor_scale is None else tensor_scale)
            self._check(self._abi.mxgold_quantizer_at_level(handle, level, ctypes.byref(levelled)))
        finally:
            self._abi.mxgold_quantizer_destroy(handle)
        return levelled

    def quantize(self, codes, source, block_format, tensor_scale=None, tensor_amax=None, **options):
        """Rows of codes of `source` (2-D, in the storage width of the format), one or more whole blocks each,
        to (element codes, scale codes)."""
        words = np.ascontiguousarray(codes)
        handle = self._quantizer(source, block_format, tensor_scale, options, tensor_amax)
        try:
            shape = (ctypes.c_uint64 * 2)(*words.shape)
            sizes = (ctypes.c_uint64 * 5)()
            self._check(self._abi.mxgold_sizes(handle, shape, ctypes.c_size_t(2), ctypes.c_int64(1), sizes))
            elements = np.empty(sizes[3], dtype=np.uint8)
            scales = np.empty(sizes[4], dtype=np.uint8)
            u64 = ctypes.c_uint64
            self._check(self._abi.mxgold_quantize_tensor(
                handle, shape, ctypes.c_size_t(2), ctypes.c_int64(1), _pointer(words), u64(words.nbytes), u64(0),
                ctypes.c_uint32(0), _pointer(elements), u64(elements.nbytes), _pointer(scales), u64(scales.nbytes),
                None))
        finally:
            self._abi.mxgold_quantizer_destroy(handle)
        elements = elements.view(f"<u{elements.size // words.size}")
        # Tiles of several rows have their scales row by row of tiles.
        of_rows = scales.size % words.shape[0] == 0
        return elements.reshape(words.shape), scales.reshape(words.shape[0], -1) if of_rows else scales

    def dequantize(self, elements, scales, block_format, output="fp32", tensor_scale=None, **options):
        """Element and scale codes as quantize() returns them to codes of `output` in its storage width."""
        handle = self._quantizer("fp32", block_format, tensor_scale, options)
        widths = {"fp64": "<u8", "fp32": "<u4", "bf16": "<u2", "fp16": "<u2"}
        values = np.empty(elements.shape, dtype=widths[output])
        elements = np.ascontiguousarray(elements, dtype=np.uint16 if elements.dtype == np.uint16 else np.uint8)
        scales = np.ascontiguousarray(scales, dtype=np.uint8)
        try:
            shape = (ctypes.c_uint64 * 2)(*elements.shape)
            u64 = ctypes.c_uint64
            self._check(self._abi.mxgold_dequantize_tensor(
                handle, shape, ctypes.c_size_t(2), ctypes.c_int64(1), _pointer(elements), u64(elements.nbytes),
                _pointer(scales), u64(scales.nbytes), output.encode(), _pointer(values), u64(values.nbytes)))
        finally:
            self._abi.mxgold_quantizer_destroy(handle)
        return values

    def hadamard(self, words, source, mask, signs_last):
        """Rows of words of `source`, groups of 16 in each, to transformed binary32 patterns."""
        words = np.ascontiguousarray(words)
        values = np.empty(words.shape, dtype=np.uint32)
        shape, u64 = (ctypes.c_uint64 * 2)(*words.shape), ctypes.c_uint64
        self._check(self._abi.mxgold_hadamard_tensor(
            source.encode(), shape, ctypes.c_size_t(2), ctypes.c_int64(1), ctypes.c_uint16(mask),
            ctypes.c_int(1 if signs_last else 0), _pointer(words), u64(words.nbytes), _pointer(values), u64(values.nbytes)))
        return values

    def dot(self, a, b, formats, **options):
        """a.row(i) * b.row(j) as codes of binary32; a and b are (element codes, scale codes) as quantize() returns
        them, `formats` their block formats."""
        message = ctypes.create_string_buffer(200)
        pairs, count = _options(options)
        handle = ctypes.c_void_p()
        quantizers = []
        kept = [[np.ascontiguousarray(part, dtype=np.uint8) for part in side] for side in (a, b)]
        results = np.empty((kept[0][0].shape[0], kept[1][0].shape[0]), dtype="<u4")
        u64 = ctypes.c_uint64
        try:
            for name in formats:
                quantizers.append(self._quantizer("fp32", name, None, {}))
            self._check(self._abi.mxgold_dot_create(*quantizers, pairs, ctypes.c_size_t(count), ctypes.byref(handle), message,
                                                    ctypes.c_size_t(len(message))), message)
            rows = [_Rows(codes.ctypes.data, codes.nbytes, scales.ctypes.data, scales.nbytes, codes.shape[0])
                    for codes, scales in kept]
            self._check(self._abi.mxgold_dot_rows(handle, u64(kept[0][0].shape[1]), ctypes.byref(rows[0]), ctypes.byref(rows[1]),
                                                  None, u64(0), _pointer(results), u64(results.nbytes), None))
        finally:
            if handle:
                self._abi.mxgold_dot_destroy(handle)
            for each in quantizers:
                self._abi.mxgold_quantizer_destroy(each)
        return results


def write_safetensors(path, tensors):
    """Arrays under names, as {name: (dtype of the format, array)}."""
    header, data = {}, b""
    for name, (dtype, array) in tensors.items():
        piece = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(piece)]}
        data += piece
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)


def profiles_of(weights, checkpoint):
    """The profiles by which `mxgold identify` explains all blocks of a checkpoint, both as write_safetensors() takes them, and how
    many outputs it compared."""
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("w.safetensors", "c.safetensors")]
        for path, tensors in zip(files, (weights, checkpoint)):
            write_safetensors(path, tensors)
        run = subprocess.run([os.environ["MXGOLD_PROGRAM"], "identify", "--tensors-in", files[0], "--tensors-out", files[1], "--json",
                              "--count", "4000"], check=False, capture_output=True, text=True)
        if run.returncode not in (0, 1):
            raise Error(run.stderr)
        found = json.loads(run.stdout)
        return [each["profile"] for one in found["classes"] for each in one["members"]], found["outputs"]
