"""Pictures: what is drawn is what was measured. Without matplotlib only its absence is tested."""

import sys
import unittest
import unittest.mock

import numpy

import mxgold
from mxgold import plot

try:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot
except ImportError:
    matplotlib = None

NEEDED = unittest.skipIf(matplotlib is None, "matplotlib is not installed: pictures are not drawn")


class Missing(unittest.TestCase):
    def test_what_to_install_is_said(self):
        q = mxgold.quantize(numpy.ones(32), "mxfp4")
        with unittest.mock.patch.dict(sys.modules, {"matplotlib": None}):
            for draw in (lambda: plot.number_line("e2m1fn"), lambda: plot.codes(q), lambda: plot.errors(numpy.ones(32), q)):
                with self.assertRaisesRegex(ImportError, "pip install matplotlib"):
                    draw()

    def test_what_cannot_be_drawn_is_refused_first(self):
        x = numpy.ones((4, 64), "f4")
        q = mxgold.quantize(x, "mxfp4")
        for draw, wanted in ((lambda: plot.number_line(), "give one at least"), (lambda: plot.number_line("fp32"), "32 bits"),
                             (lambda: plot.block(x, q, 8), "there are 8 blocks"), (lambda: plot.block(x, q, -1), "8 blocks"),
                             (lambda: plot.block(x[0], q, 0), "x has shape"),
                             (lambda: plot.block(x, mxgold.quantize(x, "mxfp4", axis=0)), "last axis"),
                             (lambda: plot.scales("nvfp4"), "one level"), (lambda: plot.scales("e4m3fn"), "e4m3fn"),
                             (lambda: plot.agreement(x, "mxfp4", ["te"]), "te"),
                             (lambda: plot.codes(numpy.ones(3, "f4")), "32 bits")):
            with self.assertRaisesRegex(ValueError, wanted):
                draw()


@NEEDED
class Drawn(unittest.TestCase):
    def setUp(self):
        self.axes = pyplot.figure().add_subplot()
        self.addCleanup(pyplot.close, "all")

    def test_number_lines(self):
        drawn = plot.number_line("e2m1fn", "mxfp6_e3m2", limit=6, axes=self.axes)
        self.assertIs(drawn, self.axes)
        for ticks, name in zip(self.axes.collections, ("e2m1fn", "e3m2fn")):
            values = mxgold.format(name).values()
            self.assertEqual(sorted(line[0][0] for line in ticks.get_segments()), sorted(set(values[abs(values) <= 6].tolist())))
        self.assertEqual([each.get_text() for each in self.axes.get_yticklabels()], ["e2m1fn", "e3m2fn"])

    def test_codes(self):
        x = numpy.array([0, 0.5, -0.5, 6, 6, 6, -6, 1])
        plot.codes(mxgold.convert(x, "e2m1fn"), "e2m1fn", axes=self.axes)
        heights = [bar.get_height() for bar in self.axes.patches]
        self.assertEqual(sum(heights), len(x))
        self.assertEqual((heights[0], heights[-1], len(heights)), (1, 3, 16))
        q = mxgold.quantize(numpy.linspace(-6, 6, 640).astype("f4"), "mxfp4")
        axes = plot.codes(q, axes=pyplot.figure().add_subplot())
        self.assertEqual(sum(bar.get_height() for bar in axes.patches), 640)

    def test_a_block(self):
        x = numpy.linspace(-3, 5, 4 * 70).astype("f4").reshape(4, 70)
        q = mxgold.quantize(x, "mxfp4")
        for index, row, part in ((0, 0, slice(0, 32)), (2, 0, slice(64, 70)), (11, 3, slice(64, 70))):
            axes = plot.block(x, q, index, axes=pyplot.figure().add_subplot())
            before, after = (line.get_ydata().tolist() for line in axes.lines)
            self.assertEqual((before, after), (x[row, part].tolist(), q.dequantize()[row, part].tolist()))

    def test_scales(self):
        plot.scales("mxfp8_e4m3", ("ocp-mx-1.0", "te", "rule=ceil"), (0, 2), axes=self.axes)
        for line, policy in zip(self.axes.lines, ("ocp-mx-1.0", "te", "rule=ceil")):
            for largest, scale in list(zip(*line.get_data()))[::511]:
                q = mxgold.quantize([largest], "mxfp8_e4m3", policy)
                self.assertEqual(mxgold.convert(q.scales, "fp64")[0], scale)
        self.assertEqual([each.get_text() for each in self.axes.get_legend().get_texts()], ["ocp-mx-1.0", "te", "rule=ceil"])

    def test_errors(self):
        x = numpy.array([1.0, 1.0625, -3.1, 0.0])
        plot.errors(x, mxgold.convert(x, "e4m3fn"), "e4m3fn", axes=self.axes)
        magnitudes, ulps = self.axes.lines[0].get_data()
        self.assertEqual((magnitudes.tolist(), ulps[:2].tolist()), ([1.0, 1.0625, 3.1], [0.0, 0.5]))

    def test_agreement(self):
        x = numpy.array([[480.0] + [1.0] * 31, [1.0] * 32], "f4")
        plot.agreement(x, "mxfp8_e4m3", ["ocp-mx-1.0", "te", "torchao-0.18"], axes=self.axes)
        table = self.axes.images[0].get_array()
        self.assertEqual([table[i][i] for i in range(3)], [100] * 3)
        self.assertEqual(table[0][2], 100)
        self.assertEqual(table[0][1], 100 * 33 / 66)
        self.assertEqual(table[0][1], table[1][0])
        axes = plot.agreement(x, "mxfp8_e4m3", axes=pyplot.figure().add_subplot())
        self.assertGreater(len(axes.get_yticklabels()), 5)


if __name__ == "__main__":
    unittest.main()
