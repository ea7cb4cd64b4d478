"""Exact whole-number arithmetic of a Rule (rules.py): decode, align, add, round. No floating point.

Written from spec U1 and U2 alone. A finite number is significand * 2^(exponent - fraction bits).
"""

import rules

PLUS_INF, MINUS_INF, NAN = 1, 2, 4

# exponent bits, stored fraction bits
FORMATS = {"f32": (8, 23), "tf32": (8, 23), "bf16": (8, 7), "f16": (5, 10), "e4m3": (4, 3), "e5m2": (5, 2)}

# mantissa bits of a result, and whether its subnormals end at that format's own last bit
HELD_IN_FP32 = {"f32": 23, "e8m12": 12, "e8m13": 13, "e8m14": 14}


class Decoder(dict):
    """code -> (significand with sign, exponent, special bits, is negative); filled as it is asked."""

    def __init__(self, name, subnormals, tf32="whole"):
        super().__init__()
        self.exponent_bits, self.stored = FORMATS[name]
        self.has_inf = name != "e4m3"
        self.subnormals = subnormals
        self.rounded_off = 13 if name == "tf32" and tf32 != "whole" else 0
        self.nearest = tf32 == "rne"
        self.fraction = self.stored - self.rounded_off
        self.emin = 2 - (1 << (self.exponent_bits - 1))

    def __missing__(self, code):
        sign = code >> (self.exponent_bits + self.stored) & 1
        rest = code & ((1 << (self.exponent_bits + self.stored)) - 1)
        if self.rounded_off:
            low = rest & 0x1FFF
            rest >>= 13
            is_finite = rest < 0xFF << self.fraction
            if self.nearest and is_finite and (low > 0x1000 or (low == 0x1000 and rest & 1)):
                rest += 1
        self[code] = value = (*self.finite_or_special(sign, rest), sign)
        return value

    def finite_or_special(self, sign, rest):
        field = rest >> self.fraction
        bits = rest & ((1 << self.fraction) - 1)
        if field == (1 << self.exponent_bits) - 1:
            if self.has_inf:
                return 0, 0, NAN if bits else MINUS_INF if sign else PLUS_INF
            if bits == (1 << self.fraction) - 1:
                return 0, 0, NAN
        exponent = self.emin
        if field:
            bits |= 1 << self.fraction
            exponent += field - 1
        elif bits and self.subnormals == "flushed":
            bits = 0
        elif bits and self.subnormals in ("normalised", "fp16"):
            while not bits >> self.fraction and not (self.subnormals == "fp16" and exponent <= -14):
                bits <<= 1
                exponent -= 1
        return -bits if sign else bits, exponent, 0


class Group:
    """The products of one group of one dot product, as far as rules with the same key agree on them."""

    __slots__ = ("terms", "top", "has_zero", "zero_top", "all_negative", "special")

    def __init__(self, lanes, a, b, fraction, by_leading):
        self.terms = terms = []
        self.special = 0
        top = zero_top = None
        self.all_negative = True
        for lane in lanes:
            sa, ea, special_a, minus_a = a[lane]
            sb, eb, special_b, minus_b = b[lane]
            if special_a or special_b:
                self.special |= special_product(a[lane], b[lane])
                continue
            product = sa * sb
            exponent = ea + eb
            if product:
                self.all_negative = False
                terms.append((product, exponent))
                if by_leading:
                    exponent += abs(product).bit_length() - 1 - fraction
                if top is None or exponent > top:
                    top = exponent
            else:
                self.all_negative = self.all_negative and minus_a != minus_b
                if zero_top is None or exponent > zero_top:
                    zero_top = exponent
        self.top, self.zero_top, self.has_zero = top, zero_top, zero_top is not None


def special_product(a, b):
    for one, other in ((a, b), (b, a)):
        if one[2] == NAN or (one[2] and not other[2] and other[0] == 0):
            return NAN
    return MINUS_INF if a[3] != b[3] else PLUS_INF


def prepare(section, rule):
    """([groups of a dot product], fraction bits of products) for a section of stimuli (sets.py)."""
    _, k, name_a, name_b, _ = rules.names_of(section.instruction)
    decode_a = Decoder(name_a, rule.inputs, rule.tf32)
    decode_b = Decoder(name_b, rule.inputs, rule.tf32)
    fraction = decode_a.fraction + decode_b.fraction
    splits = rules.lanes_of(rule.groups, k)
    by_leading = rule.align == "leading"
    prepared = []
    for at in range(section.count):
        a = [decode_a[code] for code in section.a[at * k : at * k + k]]
        b = [decode_b[code] for code in section.b[at * k : at * k + k]]
        prepared.append([Group(lanes, a, b, fraction, by_leading) for lanes in splits])
    return prepared, fraction


def key_of(rule):
    """What `prepare` depends on."""
    return rule.groups, rule.inputs, rule.tf32, rule.align


def round_to(total, base, mantissa, exponent_bits, rule, is_nearest):
    """The code of total * 2^base, total not 0, in a format of that many bits."""
    emin = 2 - (1 << (exponent_bits - 1))
    size = abs(total)
    last = max(size.bit_length() - 1 + base, emin) - mantissa
    shift = last - base
    if shift <= 0:
        significand = size << -shift
    else:
        significand = size >> shift
        if is_nearest:
            rest = size & ((1 << shift) - 1)
            half = 1 << (shift - 1)
            if rest > half or (rest == half and significand & 1):
                significand += 1
    code = significand + ((last + mantissa - emin) << mantissa)
    infinity = ((1 << exponent_bits) - 1) << mantissa
    if code >= infinity:
        code = infinity if rule.overflow == "inf" else infinity - 1
    if code < 1 << mantissa and rule.subnormal_results == "flushed":
        code = 0
    if total < 0 and (code or rule.small_sign == "kept"):
        code |= 1 << (mantissa + exponent_bits)
    return code


def output_code(total, base, rule):
    """The result of a group whose exact sum, not 0, is total * 2^base."""
    is_nearest = rule.rounding == "rne"
    output = rule.output
    if output == "f16":
        return round_to(total, base, 10, 5, rule, is_nearest)
    if output == "f16_by_e8m13":
        drop = max(abs(total).bit_length() - 14, 0)
        kept = abs(total) >> drop
        return round_to(-kept if total < 0 else kept, base + drop, 10, 5, rule, is_nearest)
    if output == "e8m13_floating":  # 14 bits wherever the leading one stands, as far as f32 reaches
        drop = max(abs(total).bit_length() - 14, 0)
        kept = abs(total) >> drop
        return round_to(-kept if total < 0 else kept, base + drop, 23, 8, rule, is_nearest)
    mantissa = HELD_IN_FP32[output]
    return round_to(total, base, mantissa, 8, rule, is_nearest) << (23 - mantissa)


class Unit:
    """A rule bound to the formats of one instruction."""

    def __init__(self, instruction, rule, fraction):
        self.rule = rule
        self.fraction = fraction  # of products
        self.to_fp16 = rules.names_of(instruction)[4] == "f16"
        normalised = rule.carry_subnormal == "normalised" or rule.align == "leading"
        self.carries = Decoder("f16" if self.to_fp16 else "f32", "normalised" if normalised else "own")
        self.minus_zero = 0x8000 if self.to_fp16 else 0x80000000
        self.infinity = 0x7C00 if self.to_fp16 else 0x7F800000

    def special(self, bits):
        if bits & NAN or bits == PLUS_INF | MINUS_INF:
            return self.rule.nan
        return self.infinity if bits == PLUS_INF else self.infinity | self.minus_zero

    def add_group(self, group, carry):
        """The code of one group with its carry (spec U1 steps 2 to 6)."""
        significand, exponent, special, is_minus = self.carries[carry]
        if special or group.special:
            return self.special(special | group.special)
        rule = self.rule
        # 2. The exponent that all terms are aligned to.
        top = group.top
        has_zero = group.has_zero
        if significand:
            if top is None or exponent > top:
                top = exponent
        else:
            has_zero = True
        zero = rule.zero_exponent
        if zero == "emin":
            zero = None
            if has_zero:
                zero = self.carries.emin if not significand else group.zero_top
                if group.zero_top is not None and group.zero_top > zero:
                    zero = group.zero_top
        # A zero C or one at emin or more keeps top at e_zero or above without any zero product.
        if zero is not None and has_zero and (top is None or zero > top):
            top = zero
        if not group.terms and not significand:
            is_negative = rule.zero_sum == "ieee" and is_minus and group.all_negative
            return self.minus_zero if is_negative else 0
        # 3 and 4. Cut to multiples of 2^base, and add.
        base = top - rule.fraction
        total = 0
        offset = -self.fraction - base
        is_floor = rule.cut == "floor"
        for product, at in group.terms:
            shift = at + offset
            if shift >= 0:
                total += product << shift
            elif product > 0 or is_floor:
                total += product >> -shift
            else:
                total -= -product >> -shift
        shift = exponent - self.carries.fraction - base
        if shift >= 0:
            total += significand << shift
        elif significand > 0 or is_floor:
            total += significand >> -shift
        else:
            total -= -significand >> -shift
        # 5. Round.
        return output_code(total, base, rule) if total else 0

    def add_afterwards(self, one, other):
        """IEEE addition of two results, to nearest even."""
        sa, ea, special_a, minus_a = self.carries[one]
        sb, eb, special_b, minus_b = self.carries[other]
        if special_a or special_b:
            return self.special(special_a | special_b)
        base = min(ea, eb)
        total = (sa << (ea - base)) + (sb << (eb - base))
        if total == 0:
            return self.minus_zero if minus_a and minus_b and not sa and not sb else 0
        mantissa, exponent_bits = (10, 5) if self.to_fp16 else (23, 8)
        return round_to(total, base - mantissa, mantissa, exponent_bits, self.rule, True)

    def result(self, groups, carry):
        """The code of a whole dot product."""
        inside = self.rule.carry == "inside"
        code = carry if inside else 0
        for group in groups:
            code = self.add_group(group, code)
        return code if inside else self.add_afterwards(carry, code)
