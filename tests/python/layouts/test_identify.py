"""mxgold.identify on arrays: what the program says of the same log, and arrays laid out by others."""

import json
import os
import subprocess
import unittest

import numpy

import mxgold
from mxgold._logs import log_of


def seeded(rows, columns, seed=1):
    """Numbers whose blocks of 32 lie in other binades than the next ones."""
    numbers = numpy.random.default_rng(seed)
    binades = numpy.repeat(numbers.integers(-9, 9, (rows, columns // 32)), 32, axis=1)
    return numpy.ldexp(numbers.standard_normal((rows, columns)), binades).astype(numpy.float32)


def program(log, *more):
    """What `mxgold identify` says of a log: its exit code and its output."""
    done = subprocess.run([os.environ["MXGOLD_PROGRAM"], "identify", "-", *more], input=log, text=True, capture_output=True,
                          check=False)
    return done.returncode, done.stdout


class Arrays(unittest.TestCase):
    def same(self, x, outputs, format):
        """The answer to arrays, which is that of the program to their log."""
        answer = mxgold.identify(x, outputs, format)
        code, data = program(log_of(x, outputs, format)[0], "--json")
        self.assertEqual(bool(answer), code == 0)
        self.assertEqual(answer.data, json.loads(data))
        return answer

    def test_the_program_says_the_same(self):
        x = seeded(2, 64)
        q = mxgold.quantize(x, "nvfp4", "te")
        for outputs in ((q.scales, q.codes), q.codes, mxgold.dequantize(q)):
            self.assertIn("te", self.same(x, outputs, "nvfp4").profiles)
        y = numpy.float32([0.75, 1.25, 1.75, 2.5, 5.0])
        codes = mxgold.convert(y, "e2m1fn", "rounding=ties_to_zero")
        answer = self.same(y, codes, "e2m1fn")
        self.assertEqual(str(answer).splitlines(), program(log_of(y, codes, "e2m1fn")[0])[1].splitlines()[:4])
        self.same(y, mxgold.convert(codes, "fp32", source="e2m1fn"), "e2m1fn")
        # Control: nobody's.
        self.assertFalse(self.same(y, numpy.uint8([7, 0, 7, 0, 7]), "e2m1fn"))

    def test_codes_two_a_byte(self):
        x = seeded(2, 64)
        q = mxgold.quantize(x, "mxfp4", "ocp-mx-1.0")
        low = mxgold.identify(x, (q.scales, mxgold.pack(q.codes, "mxfp4")), "mxfp4")
        self.assertEqual(low.data, mxgold.identify(x, q).data)
        self.assertEqual(len(low.notes), 1)
        self.assertIn("the low one first", str(low).splitlines()[-1])
        high = self.same(x, (q.scales, mxgold.pack(q.codes, "mxfp4", "nibble_high_first")), "mxfp4")
        self.assertFalse(high.profiles)
        self.assertIn(("ocp-mx-1.0", "every two codes exchanged (the other nibble first)"), high.readings)
        # Control: half as many codes of eight bits are not read so.
        with self.assertRaises(ValueError):
            mxgold.identify(x, (q.scales, mxgold.bits(q.codes)[:, ::2]), "mxfp8_e4m3")

    def test_scales_in_tiles(self):
        for rows, blocks, is_whole in ((128, 4, True), (3, 2, False)):
            x = seeded(rows, 32 * blocks)
            q = mxgold.quantize(x, "mxfp4", "ocp-mx-1.0")
            tiled = mxgold.swizzle(mxgold.bits(q.scales))
            found = mxgold.identify(x, (tiled, q.codes), "mxfp4")
            # Of whole tiles there are as many scales as without; of others the padding says what they are.
            self.assertEqual(bool(found.profiles), not is_whole)
            self.assertEqual(bool(found.notes), not is_whole)
            if is_whole:
                self.assertIn("scales in tiles of 128 x 4", found.readings[0][1])
        turned = mxgold.identify(x, (numpy.ascontiguousarray(mxgold.bits(q.scales).T), q.codes), "mxfp4")
        self.assertIn("column by column", turned.readings[0][1])
        self.assertEqual(turned.notes, [])

    def test_lanes_and_scales_of_others(self):
        x = seeded(1, 128)
        q = mxgold.quantize(x, "mxfp4", "mxgold-default")
        scales, codes = mxgold.bits(q.scales), mxgold.bits(q.codes)
        blocks = codes.reshape(-1, 32)
        before = numpy.concatenate([scales.ravel()[:1], scales.ravel()[:-1]]).reshape(scales.shape)
        for text, given in (
                ("codes taken from the next lane", (scales, numpy.roll(blocks, -1, 1).reshape(codes.shape))),
                ("the scale of the block before shown", (before, codes))):
            found = mxgold.identify(x, given, "mxfp4")
            self.assertFalse(found.profiles or found.deviations or found.readings, text)
            self.assertTrue(any(structure.startswith(text) for _, structure in found.structures), (text, str(found)))
        # Controls: what is right has no other name, and one wrong code in another order none at all.
        right = mxgold.identify(x, (scales, codes), "mxfp4")
        self.assertEqual((right.readings, right.structures), ([], []))
        wrong = numpy.roll(blocks, -1, 1).reshape(codes.shape)
        wrong[0, 7] ^= 1
        self.assertFalse(mxgold.identify(x, (scales, wrong), "mxfp4"))


if __name__ == "__main__":
    unittest.main()
