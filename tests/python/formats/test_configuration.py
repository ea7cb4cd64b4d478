"""Configuration files: what Python makes of them, and Python's own reader of TOML as the judge of ours."""

import pathlib
import random
import tempfile
import unittest

import mxgold

try:
    import tomllib
except ImportError:  # Python 3.9 and 3.10
    tomllib = None

_FOLDER = tempfile.TemporaryDirectory()
_PATH = pathlib.Path(_FOLDER.name) / "my_accel.toml"

#: Pieces of lines: right, wrong, and what a file without tables does not use.
_KEYS = ["format", "rounding", "src_ftz", "lanes", '"seed"', "'dut'", "no.key", "stall.x", "", "\u00e4"]
_VALUES = ['"mxfp4"', "'a\\b'", '"\\u00e9\\t\\"\\\\ \\U0001F600"', "8", "+8", "-0", "0x1F", "0o17", "0b101", "1_000", "007",
           "1__0", "_1", "0xG", "1.5", "-1e3", "1e", "1.", ".5", "6.02_2e+2_3", "inf", "-nan", "true", "false", "True",
           '["a", "b"]', "[1,\n 2, # two\n]", "[]", "[1, [2]]", '["a" "b"]', "{x = 1}", '"""a"""', "1979-05-27", "07:32:00",
           '"open', '"\\x"', '"\\ud800"', '"\\u12"', "9223372036854775807", "9223372036854775808", '"tab\there"', "a", "",
           '"\u00e9\u20ac\U0001F600"', '"\x01"', '"\x7f"', "0x", "-0x1", "1e5_", "[1,,2]", "[,]", '"a" "b"', "'it''s'"]
_BETWEEN = ["\n", "\n\n", "\r\n", " # comment\n", "\t# \u20ac\n", "\n[table]\n", " x\n", "\r", "# \x07\n", ""]


def _ours(data: bytes):
    """{key: values} or None."""
    _PATH.write_bytes(data)
    try:
        return mxgold.Configuration(_PATH).keys
    except ValueError:
        return None


def _theirs(data: bytes):
    try:
        return tomllib.loads(data.decode())
    except (ValueError, tomllib.TOMLDecodeError):
        return None


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def _same(ours, theirs):
    values = theirs if isinstance(theirs, list) else [theirs]
    if len(values) != len(ours):
        return False
    return all(float(a) == b or b != b if isinstance(b, float) else a == _text(b) for a, b in zip(ours, values))


def _is_flat(theirs, text):
    """Is it what a file without tables uses, with values and one of each key?"""
    scalars = (str, int, float, bool)
    for key, value in theirs.items():
        values = value if isinstance(value, list) else [value]
        if not values or any(not isinstance(each, scalars) or each == "" for each in values):
            return False
        if any(isinstance(each, int) and not -2 ** 63 <= each < 2 ** 63 for each in values):
            return False
        if key.replace("_", "-").lower() not in ("format", "rounding", "src-ftz", "lanes", "seed", "dut"):
            return False
    return '"""' not in text and "[table]" not in text


class TestFiles(unittest.TestCase):
    def write(self, text):
        _PATH.write_text(text)
        return mxgold.Configuration(_PATH)

    def test_what_it_says(self):
        c = self.write('format = "MXFP8_E4M3"\nsource = "bf16"\nprofile = "te"\nrounding = "RNA"\nsrc_ftz = "flush"\nlanes = 8\n')
        self.assertEqual(c.format, mxgold.format("mxfp8_e4m3"))
        self.assertEqual(c.source, mxgold.format("bf16"))
        self.assertEqual(c.policy, mxgold.policy("te", rounding="ties_to_away", src_ftz="flush"))
        self.assertEqual(c.keys["lanes"], ("8",))
        self.assertEqual(c, self.write('lanes=8\nformat = "MXFP8_E4M3"\nsource = "bf16"\nprofile = "te"\nrounding = "RNA"\n'
                                       'src-ftz = "flush"'))
        x = [0.75] * 32
        self.assertEqual(list(mxgold.quantize(x, c.format, c.policy).codes),
                         list(mxgold.quantize(x, "mxfp8_e4m3", profile="te", rounding="RNA", src_ftz="flush").codes))

    def test_what_is_not_said(self):
        c = self.write("lanes = 8\n")
        self.assertEqual((c.format, c.source, dict(c.policy)), (None, mxgold.format("fp32"), {}))

    def test_refusals_name_the_place(self):
        for text, words in (('\nronding = "RNE"', ":2: unknown key 'ronding'; did you mean 'rounding'?"),
                            ('rounding = "RNX"', ":1: rounding: unknown value 'RNX'"),
                            ('rounding = ["RNE", "RTZ"]', ":1: rounding: has 2 values; a model takes one"),
                            ('src_ftz = "keep"\nsrc-ftz = "keep"', ":2: src-ftz stands twice; the first is in line 1"),
                            ("[block]", ":1: tables are not used here"), ("format = mxfp4", 'write texts in quotes: "mxfp4"'),
                            ('acc-format = "fp32"', ":1: acc-format: options of the program say this"),
                            ('format = ""', ":1: format: has no value")):
            with self.assertRaisesRegex(ValueError, ".*") as caught:
                self.write(text)
            self.assertIn(words, str(caught.exception))
        with self.assertRaisesRegex(ValueError, "cannot read the configuration file"):
            mxgold.Configuration(_FOLDER.name + "/none.toml")

    @unittest.skipIf(tomllib is None, "tomllib is of Python 3.11")
    def test_tomllib_reads_the_same(self):
        draw = random.Random(20261128)
        read = refused = 0
        for _ in range(3_000):
            lines = []
            for _ in range(draw.randrange(1, 4)):
                weird = draw.random() < 0.2
                key = draw.choice(_KEYS if weird else _KEYS[:6])
                equals = draw.choice([" = ", "=", "\t=\t"] if draw.random() < 0.97 else [" ", "==", ": "])
                value = draw.choice(_VALUES)
                lines.append(key + equals + value + draw.choice(_BETWEEN if weird else _BETWEEN[:5]))
            text = "".join(lines)
            data = text.encode()
            if draw.random() < 0.05:
                at = draw.randrange(len(data))
                data = data[:at] + bytes([draw.randrange(256)]) + data[at + 1:]
            ours, theirs = _ours(data), _theirs(data)
            if ours is not None:
                read += 1
                self.assertIsNotNone(theirs, data)
                self.assertEqual({k.replace("_", "-").lower() for k in theirs}, set(ours), data)
                for key, value in theirs.items():
                    self.assertTrue(_same(ours[key.replace("_", "-").lower()], value), (data, ours, theirs))
            else:
                refused += 1
        self.assertGreater(read, 150)
        self.assertGreater(refused, 300)

    @unittest.skipIf(tomllib is None, "tomllib is of Python 3.11")
    def test_what_is_flat_is_read(self):
        """Each value alone: what tomllib reads and a flat file uses is read here, and the rest is refused."""
        both = 0
        for value in _VALUES:
            text = f"seed = {value}\n"
            theirs = _theirs(text.encode())
            is_flat = theirs is not None and _is_flat(theirs, text)
            self.assertEqual(_ours(text.encode()) is not None, is_flat, text)
            both += is_flat
        self.assertGreater(both, 15)


if __name__ == "__main__":
    unittest.main()
