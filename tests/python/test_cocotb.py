"""The cocotb test of bridge/cocotb with its controls, over a device in Python (cocotb_stub.py): what cocotb and a
simulator add is tested under the label external."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cocotb_stub

cocotb_stub.install()
sys.path.insert(0, str(pathlib.Path(os.environ["MXGOLD_ROOT"], "bridge", "cocotb")))

import test_quantizer  # noqa: E402  over the modules that were just installed


class Quantizer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.vectors = str(pathlib.Path(cls.folder.name, "blocks.jsonl"))
        subprocess.run([os.environ["MXGOLD_PROGRAM"], "gen", "--suite", "rnd", "--count", "8", "--format",
                        "mxfp4,mxfp8_e4m3", "--rounding", "ties_to_even,stochastic_a", "--random-bits", "8", "-o",
                        cls.vectors], check=True, capture_output=True)

    def play(self, fault):
        os.environ["MXGOLD_VECTORS"], os.environ["MXGOLD_FAULT"] = self.vectors, fault
        return cocotb_stub.run(test_quantizer.quantizer)

    def test_without_a_fault_it_passes(self):
        self.assertEqual([text[:16] for text in self.play("")], ["PASS 8/8 records"] * 4)

    def test_a_flipped_bit(self):
        with self.assertRaisesRegex(AssertionError, r"record 3, code\[0\]: value, expected \w+, given \w+ \(source "):
            self.play("flip")

    def test_an_x(self):
        with self.assertRaisesRegex(AssertionError, r"record 3, code\[0\]: X, expected \w+, given xxxxxxxx"):
            self.play("x")

    def test_a_lost_answer(self):
        with self.assertRaisesRegex(AssertionError, r"(?s)record 3, .*this is the answer to record 4: one was lost"
                                                    r".*1 answers never came, the first to record 7"):
            self.play("lose")

    def test_an_empty_run(self):
        with self.assertRaisesRegex(AssertionError, "no block was offered"):
            self.play("nothing")

    def test_a_word_that_is_none(self):
        with self.assertRaisesRegex(ValueError, "ffffffff is no configuration word"):
            self.play("handle")

    def test_a_model_of_another_rounding(self):
        with self.assertRaisesRegex(AssertionError, r"(?s)FAIL \d/8 records, .*; op=block .* rounding=toward_zero .*value, expected"):
            self.play("rounding")


if __name__ == "__main__":
    unittest.main()
