// SPDX-License-Identifier: Apache-2.0
// Which tensors a .npy or .safetensors file holds. Only headers are read here; bytes are read when they are measured.

const MOST_HEADER = 100e6;  // the format's own limit

/** Bits of an element, and its format where it is a number that can be quantized. */
const TYPES = {
  F64: [64, "fp64"],
  F32: [32, "fp32"],
  F16: [16, "fp16"],
  BF16: [16, "bf16"],
  F8_E4M3: [8, "e4m3fn"],
  F8_E5M2: [8, "e5m2"],
  F8_E8M0: [8, null],
  F8_E4M3FNUZ: [8, "e4m3fnuz"],
  F8_E5M2FNUZ: [8, "e5m2fnuz"],
  F6_E2M3: [6, null],
  F6_E3M2: [6, null],
  F4: [4, null],
  BOOL: [8, null],
  U8: [8, null],
  I8: [8, null],
  U16: [16, null],
  I16: [16, null],
  U32: [32, null],
  I32: [32, null],
  U64: [64, null],
  I64: [64, null],
  C64: [64, null],
};

/** What NumPy calls them. "<V2" is what it writes for the bfloat16 of ml_dtypes. */
const DESCRIPTIONS = {
  "<f8": "F64",
  "<f4": "F32",
  "<f2": "F16",
  "<V2": "BF16",
  bfloat16: "BF16",
  "|b1": "BOOL",
  "|u1": "U8",
  "|i1": "I8",
  "<u2": "U16",
  "<i2": "I16",
  "<u4": "U32",
  "<i4": "I32",
  "<u8": "U64",
  "<i8": "I64",
  "<c8": "C64",
};

const refuse = (what) => {
  throw new Error(what);
};
const count = (shape) => shape.reduce((product, each) => product * each, 1);

async function bytesOf(file, from, to) { return new Uint8Array(await file.slice(from, to).arrayBuffer()); }

/** A tensor, once its size is seen to fit its shape. */
function tensor(file, {name, dtype, shape, start, end}) {
  const known = TYPES[dtype];
  const elements = count(shape);
  if (!shape.every((each) => Number.isSafeInteger(each) && each >= 0) || !Number.isSafeInteger(elements)) {
    refuse(`${file.name}: tensor ${name}: the shape (${shape.join(", ")}) is none`);
  }
  if (known && (elements * known[0]) / 8 !== end - start) {
    refuse(
      `${file.name}: tensor ${name}: ${end - start} bytes found, shape (${shape.join(", ")}) of ${dtype} needs ${
        (elements * known[0]) / 8}; ` +
      "the file is truncated or damaged, copy it again");
  }
  return {name, dtype, shape, elements, start, end, format: known?.[1] ?? null, bytes: known ? known[0] / 8 : 0};
}

async function npy(file) {
  const first = await bytesOf(file, 0, 12);
  const version = first[6];
  if (file.size < 10 || version < 1 || version > 3)
    refuse(`${file.name}: not a .npy file of version 1, 2 or 3; save it again with numpy.save`);
  const view = new DataView(first.buffer);
  const [start, length] = version === 1 ? [10, view.getUint16(8, true)] : [12, view.getUint32(8, true)];
  if (length > file.size - start) refuse(`${file.name}: the header is cut off; copy the file again`);
  const header = new TextDecoder("latin1").decode(await bytesOf(file, start, start + length));
  const description = /'descr'\s*:\s*(?:'([^']*)'|(\[))/.exec(header);
  const order = /'fortran_order'\s*:\s*(True|False)/.exec(header);
  const shape = /'shape'\s*:\s*\(([\d\sL,]*)\)/.exec(header);
  if (!description || !order || !shape)
    refuse(`${file.name}: the header lacks descr, fortran_order or shape; save it again with numpy.save`);
  if (description[2]) refuse(`${file.name}: a structured array; save one field as an array of its own`);
  const lengths =
    shape[1].split(",").map((each) => each.replace("L", "").trim()).filter((each) => each !== "").map(Number);
  const dtype = DESCRIPTIONS[description[1]];
  if (!dtype) refuse(`${file.name}: type '${description[1]}' is not known here; convert with array.astype('<f4')`);
  if (order[1] === "True" && lengths.length > 1)
    refuse(`${file.name}: the array is in Fortran order; save it with numpy.ascontiguousarray(array)`);
  return [tensor(
    file, {name: file.name.replace(/\.npy$/i, ""), dtype, shape: lengths, start: start + length, end: file.size})];
}

async function safetensors(file) {
  const view = new DataView((await bytesOf(file, 0, 8)).buffer);
  const length = file.size < 8 ? 0 : Number(view.getBigUint64(0, true));
  if (length === 0 || length > MOST_HEADER) refuse(`${file.name}: not a .npy or .safetensors file`);
  if (length > file.size - 8) refuse(`${file.name}: the header is cut off; copy the file again`);
  const text = new TextDecoder().decode(await bytesOf(file, 8, 8 + length));
  let header;
  try {
    header = JSON.parse(text);
  } catch (problem) {
    refuse(`${file.name}: the header is no JSON (${problem.message}); not a .safetensors file, or damaged`);
  }
  const entries = Object.entries(header).filter(([name]) => name !== "__metadata__");
  return entries.map(([name, entry]) => {
    const [from, to] = entry?.data_offsets ?? [];
    const fits = Array.isArray(entry?.shape) && typeof entry.dtype === "string" && from >= 0 && from <= to &&
      to <= file.size - 8 - length;
    if (!fits)
      refuse(
        `${file.name}: tensor ${name}: its entry in the header is damaged, or the file is truncated; copy it again`);
    return tensor(file, {name, dtype: entry.dtype, shape: entry.shape, start: 8 + length + from, end: 8 + length + to});
  });
}

/** The tensors of a file, in the order of its header. Throws what is wrong with it. */
export async function tensorsOf(file) {
  const magic = await bytesOf(file, 0, 6);
  const isNpy = magic[0] === 0x93 && String.fromCharCode(...magic.slice(1)) === "NUMPY";
  const found = await (isNpy ? npy(file) : safetensors(file));
  return found.length ? found : refuse(`${file.name}: there are no tensors in it`);
}
