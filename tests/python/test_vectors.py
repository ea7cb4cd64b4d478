"""Vector files: read, written, made, judged; and the library against the stored goldens."""

import os
import pathlib
import random
import tempfile
import unittest

import numpy

import mxgold

SMOKE = pathlib.Path(os.environ["MXGOLD_ROOT"], "golden", "data", "smoke")


class Vectors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make(self, name="goldens.bin", format="mxfp4", policy="", **how):
        path = self.folder / name
        mxgold.vectors.generate(path, format, policy, **how)
        return path

    def test_both_kinds_hold_the_same(self):
        bin, tv = (mxgold.vectors.read(self.make(name)) for name in ("a.bin", "a.tv"))
        self.assertEqual(bin.header, tv.header)
        numpy.testing.assert_array_equal(bin.records, tv.records)
        self.assertEqual(bin.header["format"], "mxfp4")
        self.assertEqual(bin.records["source"].shape[1], 32)

    def test_what_is_written_is_what_was_read(self):
        for name in ("a.bin", "a.tv"):
            path = self.make(name, "e5m2", "rounding=to_odd", source="bf16")
            file = mxgold.vectors.read(path)
            again = self.folder / ("again" + path.suffix)
            mxgold.vectors.write(again, file.header, file.records)
            self.assertEqual(again.read_bytes(), path.read_bytes())

    def test_answers_are_judged(self):
        file = mxgold.vectors.read(self.make("a.bin", "e4m3fn", suite="dir"))
        file.records["code"] = mxgold.bits(mxgold.convert(file.records["source"], "e4m3fn", source="fp32"))
        answers = self.folder / "answers.bin"
        mxgold.vectors.write(answers, file.header, file.records)
        verdict = mxgold.vectors.check(answers)
        self.assertEqual((verdict["verdict"], verdict["mismatches"]), ("PASS", 0))
        self.assertEqual(verdict["vectors"], len(file.records))
        file.records["code"][7] ^= 1
        mxgold.vectors.write(answers, file.header, file.records)
        verdict = mxgold.vectors.check(answers)
        self.assertEqual((verdict["verdict"], verdict["mismatches"]), ("FAIL", 1))

    def test_damage_is_refused(self):
        for name in ("a.bin", "a.tv"):
            path = self.make(name)
            whole = path.read_bytes()
            half = len(whole) // 2
            digit = b"1" if whole[half:half + 1] == b"0" else b"0"
            for damaged in (b"", whole[:100], whole[:-1], whole[:half] + digit + whole[half + 1:]):
                path.write_bytes(damaged)
                with self.assertRaises(ValueError):
                    mxgold.vectors.read(path)

    def test_one_bit_of_a_header_is_refused_as_the_program_does(self):
        """Of each bit of a header: what is read is what the program reads too, and nothing else."""
        for name, format in (("a.tv", "e2m1fn"), ("a.bin", "mxfp4")):
            path = self.make(name, format, source="bf16", suite="rnd", count=3)
            whole = path.read_bytes()
            end = whole.index(b"# count") if name == "a.tv" else len(whole) - 80
            taken = []
            for bit in random.Random(5).sample(range(8 * end), 80):
                damaged = bytearray(whole)
                damaged[bit // 8] ^= 1 << bit % 8
                path.write_bytes(damaged)
                try:
                    mxgold.vectors.read(path)
                except ValueError:
                    continue
                taken.append(bit)
            for bit in taken:  # free text alone
                line = whole[whole.rindex(b"\n", 0, bit // 8) if b"\n" in whole[:bit // 8] else 0:].lstrip().split(b"\n")[0]
                self.assertTrue(line.startswith(b"# generator"), (name, bit, line))
            path.write_bytes(whole)
            mxgold.vectors.read(path)
        for old, new in ((b"destination e2m1fn", b"destination e4m1fn"), (b"# op cvt", b"# op cv4"),
                         (b"# random none", b"# rcndom none"), (b"# seed 0", b"# seed 1")):
            path = self.make("a.tv", "e2m1fn", suite="rnd", count=3)
            whole = path.read_bytes()
            self.assertIn(old, whole)
            path.write_bytes(whole.replace(old, new))
            with self.subTest(new=new), self.assertRaisesRegex(ValueError, "a.tv"):
                mxgold.vectors.read(path)

    def test_writing_over_the_file_that_was_read(self):
        for name in ("a.bin", "a.tv"):
            path = self.make(name)
            path.chmod(0o640)
            file = mxgold.vectors.read(path)
            whole, kept = path.read_bytes(), file.records.copy()
            mxgold.vectors.write(path, file.header, file.records)
            self.assertEqual(path.read_bytes(), whole)
            self.assertEqual(path.stat().st_mode & 0o777, 0o640)
            file.records["code"] = 1
            mxgold.vectors.write(path, file.header, file.records)
            again = mxgold.vectors.read(path)
            self.assertEqual(again.records.tobytes(), file.records.tobytes())
            mxgold.vectors.write(path, file.header, kept)
            self.assertEqual(again.records.tobytes(), file.records.tobytes())
            self.assertEqual(path.read_bytes(), whole)
            link = self.folder / ("link" + path.suffix)
            link.symlink_to(path.name)
            mxgold.vectors.write(link, file.header, file.records)
            self.assertTrue(link.is_symlink())
            self.assertEqual(mxgold.vectors.read(path).records.tobytes(), file.records.tobytes())
            link.unlink()

    def test_a_write_that_breaks_leaves_what_was_there(self):
        path = self.make("a.tv")
        file = mxgold.vectors.read(path)
        whole = path.read_bytes()
        with self.assertRaises(UnicodeEncodeError):
            mxgold.vectors.write(path, {**file.header, "generator": "\u00e9"}, file.records)
        for bad in ({"generator": "a\nb"}, {"a b": "c"}, {"generator": "a\rb"}):
            with self.assertRaisesRegex(ValueError, "header"):
                mxgold.vectors.write(path, {**file.header, **bad}, file.records)
        self.assertEqual(path.read_bytes(), whole)
        self.assertEqual([each.name for each in self.folder.iterdir() if not each.name.endswith(".json")], ["a.tv"])
        with self.assertRaises(OSError):
            mxgold.vectors.write(self.folder / "none" / "a.tv", file.header, file.records)

    def test_other_names_and_fields_are_refused(self):
        file = mxgold.vectors.read(self.make())
        with self.assertRaises(ValueError):
            mxgold.vectors.write(self.folder / "a.mem", file.header, file.records)
        with self.assertRaises(ValueError):
            mxgold.vectors.read(self.folder / "a.mem")
        with self.assertRaises(ValueError):
            mxgold.vectors.write(self.folder / "a.tv", file.header, file.records["source"])


def settings_of(header, config):
    """The policy of a stored file: what its header says of each policy."""
    own = dict(pair.split("=", 1) for pair in config.split("; ")) if config else {}
    known = {**header, **own}
    policy = {name: known[name] for name in mxgold.policies() if name in known}
    return known, policy


class Goldens(unittest.TestCase):
    """The stored goldens, answered through Python."""

    def test_every_stored_block_and_conversion(self):
        compared = {"cvt": 0, "block": 0}
        for path in sorted(SMOKE.glob("*.tv")):
            file = mxgold.vectors.read(path)
            if file.header["op"] not in compared or file.header["random"] != "none":
                continue
            configs = file.header.get("config", [None])
            configs = [each.split(" ", 1)[1] if each else None for each in configs]
            for number, config in enumerate(configs):
                records = file.records
                if "config" in records.dtype.names:
                    records = records[records["config"] == number]
                known, policy = settings_of(file.header, config)
                answer = self.convert if known["op"] == "cvt" else self.quantize
                compared[known["op"]] += answer(records, known, policy)
        self.assertGreater(compared["cvt"], 1000)
        self.assertGreater(compared["block"], 1000)

    def convert(self, records, known, policy):
        if known["destination_definition"] != "by_name" or known["source_definition"] != "by_name":
            return 0
        codes = mxgold.bits(mxgold.convert(numpy.ascontiguousarray(records["source"]), known["destination"], policy,
                                           source=known["source"]))
        open_bits = records["open"] if "open" in records.dtype.names else numpy.zeros(len(records), int)
        judged = (open_bits & 4) == 0
        numpy.testing.assert_array_equal(codes[judged], records["code"][judged])
        return int(judged.sum())

    def quantize(self, records, known, policy):
        if known["format"] not in mxgold.formats("blocks") or "open" in records.dtype.names:
            return 0
        if mxgold.format(known["format"]).extent != "elements" or known["tile_lines"] != "1":
            return 0
        if mxgold.format(known["format"]).two_level:
            level = {"tensor_scale": numpy.uint32(int(known["stored_tensor_scale"], 16)).view(numpy.float32),
                     "tensor_amax": numpy.uint32(int(known["tensor_amax"], 16)).view(numpy.float32)}
            if known["source"] != "fp32":
                return 0
        else:
            level = {}
        policy["block_size"] = known["block_size"]
        counts = records["elements"] if "elements" in records.dtype.names else None
        compared = 0
        for i, record in enumerate(records):
            count = int(counts[i]) if counts is not None else int(known["block_size"])
            q = mxgold.quantize(numpy.ascontiguousarray(record["source"][:count]), known["format"], policy,
                                source=known["source"], **level)
            self.assertEqual(q.scale_bits[0], record["scale"])
            if "codes_masked" not in q.flags:
                numpy.testing.assert_array_equal(q.code_bits, record["code"][:count])
                compared += count
        return compared


if __name__ == "__main__":
    unittest.main()
