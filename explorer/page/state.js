// SPDX-License-Identifier: Apache-2.0
// Everything that the page shows follows from this state, and a link holds all of it.

/** What somebody sees who comes without a link: the same block, scaled by two rules. */
export const START = {
  source: "fp32",
  format: "mxfp4",
  systems: ["torchao-0.18", "triton-kernels-3.5"],
  read: "numbers",  // or "bits"
  input: "0.3 -1 2.5 6.9",
  element: 2,  // the one that is explained,
  system: 1,   // under this system
};

const LISTS = ["systems"];
const NUMBERS = ["element", "system"];

/** "#format=mxfp4&source=fp32&...". */
export function toFragment(state) {
  const fields = new URLSearchParams();
  for (const name of Object.keys(START))
    fields.set(name, LISTS.includes(name) ? state[name].join(",") : String(state[name]));
  return `#${fields}`;
}

/** The state of a link; what it does not say is as at the start. Null where it says nothing. */
export function fromFragment(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const names = Object.keys(START).filter((name) => fields.has(name));
  if (names.length === 0) return null;
  const state = {...START, element: 0, system: 0};
  for (const name of names) {
    const text = fields.get(name);
    if (LISTS.includes(name))
      state[name] = text.split(",").filter((each) => each !== "");
    else if (NUMBERS.includes(name))
      state[name] = Math.max(0, Math.trunc(Number(text)) || 0);
    else
      state[name] = text;
  }
  if (state.read !== "bits") state.read = "numbers";
  return state;
}

/** What was typed or pasted as single values: "tensor([1., 2.5])", "1, 2.5", a column of a table. */
export function tokensOf(text) {
  const values = text.replace(/\b(?:tensor|array|dtype=[\w.]+|device='[^']*')/g, " ");
  return values.split(/[\s,;()[\]{}|]+/).filter((each) => each !== "");
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const HEX_NUMBER = /^[+-]?0x[\da-f]*\.?[\da-f]*p[+-]?\d+$/i;
const WORD = /^[+-]?(?:inf|infinity|nan)$/i;

/**
 * The tokens as the reference reads them without doubt; throws what is wrong with the first that is neither. `digits`:
 * as many hexadecimal digits as bits of the source have.
 */
export function inputsOf(state, digits) {
  return tokensOf(state.input).map((token) => {
    const bits = token.replace(/^0x/i, "");
    const isHex = /^[\da-f]+$/i.test(bits);
    if (state.read === "bits") {
      if (isHex) return `0x${bits}`;
      throw new Error(`'${token}' is no bit pattern: give hexadecimal digits, or read the values as numbers`);
    }
    if (bits !== token && isHex) return token;
    // To the reference a whole number of so many digits looks like bits; one with a point does not.
    if (NUMBER.test(token)) return isHex && token.length === digits ? token.replace(/^\d+/, "$&.") : token;
    if (HEX_NUMBER.test(token) || WORD.test(token)) return token;
    if (isHex) throw new Error(`'${token}' looks like bits: write 0x${token}, or read the values as bit patterns`);
    throw new Error(`'${token}' is no value: give a number (1.5, -3e-5, 0x1.8p-3, inf, nan) or bits (0x3F800000)`);
  });
}
