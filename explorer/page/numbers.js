// SPDX-License-Identifier: Apache-2.0
// Numbers as the reference writes them, for drawing and for sums. No result of a conversion is computed here.

/** "0x1.8p+1", "-0", "inf", "nan" as a number. Formats wider than binary64 lose bits. */
export function number(text) {
  const parts = /^(-?)0x([0-9a-f]+)(?:\.([0-9a-f]*))?p([+-]\d+)$/.exec(text);
  if (!parts)
    return text.endsWith("inf") ? Number(text.replace("inf", "Infinity")) : text === "nan" ? NaN : Number(text);
  const [, sign, whole, fraction = "", power] = parts;
  const digits = parseInt(whole + fraction, 16);
  return (sign ? -1 : 1) * digits * 2 ** (Number(power) - 4 * fraction.length);
}

/** A few digits for people: "1.25", "3.5e-12". */
export function short(value, digits = 4) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return value.toExponential(digits - 1).replace(/\.?0+e/, "e");
  return String(Number(value.toPrecision(digits)));
}

/** "4,096". */
export const grouped = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
