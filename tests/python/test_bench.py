"""Models, scoreboard and streams of mxgold.bench, without a simulator."""

import sys
import unittest

from mxgold.bench import Model, Scoreboard, StreamMonitor, StreamSource
from mxgold.bench.stream import lanes_of

ONES = [0x3F80] * 32  # bfloat16 1.0
NAN = [0x7FC0] + [0x3F80] * 31


class Models(unittest.TestCase):
    def test_a_block_of_the_guide(self):
        model = Model("format=mxfp4 source=bf16")
        self.assertEqual((model.operation, model.lanes), ("block", 32))
        self.assertEqual(model.operands, {"source": (32, 16)})
        self.assertEqual(model.results, {"scale": (1, 8), "code": (32, 4), "flags": (1, 8)})
        answer = model.answer(source=ONES)
        self.assertEqual(answer.results, {"scale": [0x7D], "code": [6] * 32, "flags": [0]})  # 4 * 2^-2
        self.assertFalse(any(any(words) for words in answer.is_open.values()))

    def test_codes_under_a_nan_scale_are_open(self):
        answer = Model("format=mxfp4 source=bf16").answer(source=NAN)
        self.assertEqual(answer.results["scale"], [0xFF])
        self.assertEqual(answer.is_open["code"], [True] * 32)
        self.assertEqual(answer.is_open["scale"], [False])

    def test_every_operation(self):
        self.assertEqual(Model("op=cvt destination=e4m3fn").answer(source=0x3F880000).results["code"], [0x38])
        self.assertEqual(Model("op=arith operation=add").answer(a=0x3F800000, b=0x3F800000).results["code"],
                         [0x40000000])
        dot = Model("op=dot a=mxfp4", lanes=64)
        self.assertEqual(dot.answer(a_scale=[127] * 2, a=[2] * 64, b_scale=[127] * 2, b=[2] * 64).results["code"],
                         [0x42800000])  # 64 products of 1 by 1
        values = Model("op=dequantize format=mxfp4 result=bf16").answer(a_scale=128, a=[2] * 32)
        self.assertEqual(values.results["code"], [0x4000] * 32)

    def test_words_of_the_rtl(self):
        model = Model.of_word(4, "random_bits=8")  # fp32 to e2m1fn, all else 0
        self.assertIn("format=mxfp4", model.text)
        self.assertEqual(model.word, 4)
        self.assertEqual(Model(model.text).word, 4)
        with self.assertRaisesRegex(ValueError, "tensor|nvfp4|scale"):
            _ = Model("format=nvfp4").word

    def test_short_blocks(self):
        model = Model("format=mxfp4 source=bf16")
        self.assertEqual(model.answer(elements=1, source=ONES[:1]).results["code"], [6] + [0] * 31)

    def test_what_is_wrong_is_named(self):
        with self.assertRaisesRegex(ValueError, "format=mxfp5"):
            Model("format=mxfp5")
        with self.assertRaisesRegex(ValueError, "00000007"):
            Model.of_word(7)
        with self.assertRaisesRegex(ValueError, "64 lanes|lanes do not fit"):
            Model("format=mxfp4", lanes=64)
        model = Model("format=mxfp4 source=bf16")
        with self.assertRaisesRegex(TypeError, "no operand sources; it has source"):
            model.answer(sources=ONES)
        with self.assertRaisesRegex(ValueError, r"source\[0\]: 10000 has bits beyond the 16"):
            model.answer(source=[0x10000] * 32)


class Boards(unittest.TestCase):
    def setUp(self):
        self.board = Scoreboard(Model("format=mxfp4 source=bf16"))

    def give(self, **changed):
        right = self.board.expect(source=ONES).results
        self.board.observe(**{**right, **changed})

    def test_right_answers_pass(self):
        self.give()
        self.give(scale="01111101")  # as bits
        self.assertIn("PASS 2/2 records, 68 words compared, 0 open, 0 unobserved, 0 without", self.board.finish())

    def test_a_flipped_bit(self):
        self.give(code=[6] * 31 + [7])
        with self.assertRaisesRegex(AssertionError, r"(?s)FAIL 0/1 .*code\[31\]: value, expected 6, given 7 \(source 3f80"):
            self.board.finish()

    def test_unknown_bits(self):
        self.give(code=["0110"] * 31 + ["01x0"])
        with self.assertRaisesRegex(AssertionError, r"code\[31\]: X, expected 6, given 01x0"):
            self.board.finish()

    def test_results_that_are_not_given(self):
        self.give(code=[6] * 31)
        with self.assertRaisesRegex(AssertionError, r"code\[31\]: missing, expected 6, given nothing"):
            self.board.finish()

    def test_a_lost_answer(self):
        self.give()
        self.board.expect(source=ONES)
        with self.assertRaisesRegex(AssertionError, "(?s)1 without an answer.*1 answers never came, the first to record 1"):
            self.board.finish()

    def test_an_answer_lost_on_the_way(self):
        answers = [self.board.expect(source=[source] * 32).results for source in (0x3F80, 0x4000, 0x4049)]
        for answer in answers[1:]:
            self.board.observe(**answer)
        with self.assertRaisesRegex(AssertionError, r"(?s)record 0, .*\); this is the answer to record 1: one was lost.*"
                                                    "1 answers never came, the first to record 2"):
            self.board.finish()

    def test_wrong_answers_in_step_are_not_lost(self):
        for source in (0x3F80, 0x4000):
            self.board.expect(source=[source] * 32)
        self.board.observe(scale=0x11, code=[6] * 32, flags=0)
        with self.assertRaisesRegex(AssertionError, r"value, expected 7d, given 11 \([^;]*\)\n") as caught:
            self.board.finish()
        self.assertNotIn("was lost", str(caught.exception))

    def test_a_board_of_another_operation(self):
        board = Scoreboard(Model("op=cvt source=bf16 destination=e4m3fn"))
        board.expect(source=0x3F80)
        with self.assertRaisesRegex(TypeError, "cvt has no result scale; it has code, flags"):
            board.observe(scale=0x7F, code=0x38, flags=0)

    def test_an_answer_too_many(self):
        with self.assertRaisesRegex(AssertionError, "nothing is expected"):
            self.board.observe(scale=0)

    def test_an_empty_run(self):
        with self.assertRaisesRegex(AssertionError, "nothing was compared"):
            self.board.finish()

    def test_what_is_open_or_not_given_is_counted(self):
        board = Scoreboard(Model("format=mxfp4 source=bf16"), observed=["scale", "code"])
        board.expect(source=NAN)
        self.assertTrue(board.observe(scale=0xFF, code=["xxxx"] * 32))
        self.assertIn("1 words compared, 32 open, 1 unobserved", board.finish())
        with self.assertRaisesRegex(ValueError, "no result keep"):
            Scoreboard(board.model, observed=["keep"])

    def test_open_answers_of_units_stay_nan_or_zero(self):
        model = Model("op=mma unit=mi300_f16 a=fp16")
        for a, right, wrong in ((0x7E00, (0x7FC00000, 0xFFFFFFFF, f"{0x7F800001:032b}"), (0x7F800000, 0, "x" * 32)),
                                (0, (0, 0x80000000), (1, 0x7FC00000, 1 << 32))):
            for given in (*right, *wrong):
                board = Scoreboard(model)
                answer = board.expect(1, a=a, b=0x3C00, c=0)
                self.assertEqual((answer.is_open["code"], answer.is_alike["code"]), ([True], [True]))
                self.assertEqual(board.observe(code=given), given in right, given)
                self.assertEqual(board.open, 1)
        answer = Model("op=mma unit=h100_f16 a=fp16").answer(1, a=0x7E00, b=0x3C00, c=0)
        self.assertEqual((answer.results["code"], answer.is_open["code"]), ([0x7FFFFFFF], [False]))

    def test_flags_in_part(self):
        board = Scoreboard(Model("format=mxfp4 source=bf16"), flag_bits=0x0F)
        answer = board.expect(source=ONES)
        board.observe(**{**answer.results, "flags": 0xF0})
        board.expect(source=ONES)
        board.observe(**{**answer.results, "flags": "xxxx0000"})
        self.assertIn("PASS 2/2", board.finish())
        board.expect(source=ONES)
        board.observe(**{**answer.results, "flags": "0000x000"})
        with self.assertRaisesRegex(AssertionError, r"flags\[0\]: X, expected 0, given 0000x000"):
            board.finish()


class Pin:
    """A signal as cocotb gives it."""

    def __init__(self, width, value=0):
        self.width, self.value = width, value

    def __len__(self):
        return self.width


class Streams(unittest.TestCase):
    """A wire from source to monitor, a cycle for each edge that the source awaits."""

    def drive(self, seed, stall):
        pins = {"tvalid": Pin(1), "tready": Pin(1), "tdata": Pin(64)}
        cycles, idle, taken = 0, set(), []

        class Edge:
            def __await__(self):
                nonlocal cycles
                cycles += 1
                pins["tready"].value = cycles % 3 != 0 and 1 or 0
                if pins["tvalid"].value and pins["tready"].value:
                    taken.append(pins["tdata"].value)
                if not pins["tvalid"].value:
                    idle.add(pins["tdata"].value)
                yield

        async def run():
            source = StreamSource(pins, Edge, seed=seed, stall=stall)
            for number in range(200):
                await source.send(tdata=number)

        for _ in run().__await__():
            pass
        return cycles, idle, taken

    def test_every_beat_is_taken_once_in_order(self):
        for seed in range(3):
            cycles, idle, taken = self.drive(seed, 0.5)
            self.assertEqual(taken, list(range(200)))
            self.assertGreater(cycles, 400)
            self.assertGreater(len(idle), 100)  # noise, never the last beat again
        self.assertEqual(self.drive(1, 0.5), self.drive(1, 0.5))
        self.assertEqual(self.drive(1, 0)[1], set())

    def monitor(self, valid):
        pins = {"tvalid": Pin(1, valid), "tready": Pin(1), "tdata": Pin(8, "0000x001")}

        class Edge:
            def __await__(self):
                yield

        async def run():
            return await StreamMonitor(pins, Edge, limit=50).receive()

        waiting = run().__await__()
        try:
            while True:
                next(waiting)
        except StopIteration as stop:
            return stop.value

    def test_monitors(self):
        self.assertEqual(self.monitor("1"), {"tdata": "0000x001"})
        with self.assertRaisesRegex(AssertionError, "tvalid is x"):
            self.monitor("X")
        with self.assertRaisesRegex(AssertionError, "no answer for 50 cycles"):
            self.monitor("0")

    def test_lanes(self):
        self.assertEqual(lanes_of("110100", 2), ["00", "01", "11"])

    def test_nothing_imports_cocotb(self):
        self.assertFalse([name for name in sys.modules if name.startswith("cocotb")])


if __name__ == "__main__":
    unittest.main()
