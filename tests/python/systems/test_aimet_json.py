"""Encodings as JSON: what FloatEncoding.from_json makes of damaged documents. Seeded mutants, each accepted or refused
with a ValueError; a reader that lets another exception through is seen."""

import random
import unittest

import numpy

from mxgold.aimet import FloatEncoding

SEED = 20261122
MUTANTS = 24000
TOKENS = ["0", "-0", "-1", "1", "8", "9", "23", "24", "255", "1e5", "1e-45", "3.4028235e38", "3.5e38", "1e400", "-1e400",
          "9" * 40, "1" * 5000, "0.1", "NaN", "Infinity", "-Infinity", "null", "true", "false", '"float"', '"linear"', '""',
          '"\\ud800"', "[]", "[[]]", "[1, [2]]", "[[1, 2], [3, 4]]", "[" * 40 + "1" + "]" * 40, "[" * 100000, "{}",
          '{"scale": 1}', "[true]", "[null]", '["1"]', "[-1]", "[0]", "[9223372036854775808]", '"scale": 2', '"unit": 1']


def documents():
    scales = [numpy.float32(0.1), numpy.float32([1e-40, -3.0]), numpy.float32([[0.5, 2], [7, 2**100]]),
              numpy.float32([[[numpy.inf], [numpy.nan]]])]
    types = [(3, 4, True, False), (1, 2, True, False), (10, 5, False, False), (2, 5, True, True)]
    return [FloatEncoding(*kind, scale, size).to_json() for scale in scales for kind in types
            for size in (None, (1, 4), (-1, 32))]


def parts_of(text):
    """Where values and members of a document begin and end."""
    edges = [i for i, each in enumerate(text) if each in '{}[],:" ']
    return edges + [len(text)]


def mutant(draw, texts):
    text = draw.choice(texts)
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        edges = parts_of(text)
        first = draw.choice(edges)
        last = draw.choice([edge for edge in edges if edge >= first][:6])
        kind = draw.randrange(7)
        if kind == 0:  # a character becomes another one
            at = draw.randrange(len(text) + 1)
            text = text[:at] + chr(draw.choice((0, 9, 32, 34, 44, 58, 91, 93, 123, 125, 0x7F, 0xFFFD, 0x1F600,
                                                draw.randrange(32, 127)))) + text[at + 1:]
        elif kind == 1:  # a piece is lost
            text = text[:first] + text[last:]
        elif kind == 2:  # a piece comes twice
            text = text[:last] + text[first:last] + text[last:]
        elif kind == 3:  # the end is lost
            text = text[:draw.randrange(len(text) + 1)]
        elif kind == 4:  # a piece of another document
            text = text[:first] + draw.choice(texts)[first:last] + text[last:]
        else:  # another value after a colon, a bracket or a comma
            after = [i + 1 for i, each in enumerate(text) if each in ":[,"]
            if after:
                at = draw.choice(after)
                ends = [text.find(each, at) for each in ",}]" if text.find(each, at) >= 0]
                text = text[:at] + draw.choice(TOKENS) + text[min(ends, default=len(text)):]
        text = text or " "
    if draw.randrange(20) == 0:  # bytes, perhaps of no text
        data = bytearray(text.encode("utf-8", "replace"))
        data[draw.randrange(len(data))] = draw.randrange(256)
        return bytes(data)
    return text


def strays(read, count):
    """(accepted, refused, what else came out) of so many mutants."""
    draw, texts = random.Random(SEED), documents()
    accepted, refused, others = [], 0, []
    for _ in range(count):
        text = mutant(draw, texts)
        try:
            accepted.append(read(text))
        except ValueError:
            refused += 1
        except Exception as error:
            others.append((type(error).__name__, text[:200]))
    return accepted, refused, others


class AimetJson(unittest.TestCase):
    def test_documents_are_read_back_bit_by_bit(self):
        for text in documents():
            again = FloatEncoding.from_json(text)
            self.assertEqual(again.to_json(), text)
            FloatEncoding.from_json(text.encode())

    def test_mutants(self):
        accepted, refused, others = strays(FloatEncoding.from_json, MUTANTS)
        self.assertEqual(others, [], f"seed {SEED}")
        self.assertGreater(len(accepted), MUTANTS // 50)
        self.assertGreater(refused, MUTANTS // 50)
        for encoding in accepted:
            again = FloatEncoding.from_json(encoding.to_json())
            self.assertEqual(again.to_json(), encoding.to_json())
            self.assertEqual(again.scale.shape, encoding.scale.shape)
            self.assertTrue(0 <= encoding.exponent_bits <= 8 and 0 <= encoding.mantissa_bits <= 23)
        self.assertGreater(len({encoding.to_json() for encoding in accepted}), 100)

    def test_a_reader_without_checks_is_seen(self):
        def careless(text):
            import json

            facts = json.loads(text)
            return FloatEncoding(facts["mantissa_bits"], facts["exponent_bits"], facts["finite"],
                                 facts["unsigned_zero"], numpy.asarray(facts["scale"], dtype=numpy.float32),
                                 facts["block_size"])

        with numpy.errstate(all="ignore"):
            kinds = {kind for kind, _ in strays(careless, 4000)[2]}
        self.assertTrue({"KeyError", "TypeError"} <= kinds, kinds)

    def test_refusals(self):
        text = documents()[0]
        for damage in (("0.10000000149011612", "3.5e38"), ("0.10000000149011612", "[]"), ("3", "2.0"),
                       ("true", "1"), ('"float"', '"linear"'), ('"scale"', '"mapping"'), ("null", "[0]"),
                       ("null", "[true]"), ("}", ', "unit": 1}'), ("}", ', "scale": 1}')):
            self.assertIn(damage[0], text)
            with self.assertRaises(ValueError, msg=damage):
                FloatEncoding.from_json(text.replace(*damage))
        for other in ("", "[]", "1", "null", "[" * 100000, '{"a":' * 100000, b"\xff"):
            with self.assertRaises(ValueError):
                FloatEncoding.from_json(other)


if __name__ == "__main__":
    unittest.main()
