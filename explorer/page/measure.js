// SPDX-License-Identifier: Apache-2.0
// How far a tensor's values move under a format. The page stays alive meanwhile: a piece at a time.

const PIECE = 1 << 15;  // elements

const breath = () => new Promise((go) => {
  setTimeout(go, 0);
});

/** Reads the tensor piece by piece; `use` takes each. False where `isWanted` no longer holds. */
async function each(file, tensor, isWanted, use) {
  for (let at = tensor.start; at < tensor.end; at += PIECE * tensor.bytes) {
    const end = Math.min(at + PIECE * tensor.bytes, tensor.end);
    const piece = new Uint8Array(await file.slice(at, end).arrayBuffer());
    if (!isWanted()) return false;
    use(piece);
    await breath();
  }
  return true;
}

/** The figures of `mxgold.measure` (docs/python.md) from the sums. */
export function figures(sums) {
  return {
    ...sums,
    sqnr: 10 * Math.log10(sums.signal / sums.noise),
    mse: sums.noise / Math.max(sums.elements, 1),
    bias: sums.moved / Math.max(sums.elements, 1),
  };
}

/**
 * Quantizes and reads back a tensor under {format, profile}: the figures, {problem}, or null where it is no longer
 * wanted. `progress` hears of every piece, from 0 to 1.
 */
export async function measure(engine, file, tensor, {format, profile}, isWanted, progress) {
  const length = tensor.shape.at(-1) ?? 1;
  const errors = engine.errors({source: tensor.format, format, profile, length});
  if (errors.problem) return errors;
  try {
    const total = (tensor.end - tensor.start) * (errors.looksFirst ? 2 : 1);
    let done = 0;
    const told = (use) => (piece) => {
      use(piece);
      done += piece.length;
      progress(done / total);
    };
    if (errors.looksFirst && !(await each(file, tensor, isWanted, told(errors.look)))) return null;
    if (!(await each(file, tensor, isWanted, told(errors.add)))) return null;
    return figures(errors.sums());
  } finally {
    errors.close();
  }
}
