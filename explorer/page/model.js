// SPDX-License-Identifier: Apache-2.0
// What the reference says of a state: a column for each system, with a row for each value.

const failed = (problem) => ({problem});

/** One system's answer in the same words for blocks and for single values. */
function column({data, text}) {
  const elements = data.block ? data.block.elements : data.values;
  return {
    profile: data.profile,
    scale: data.block ? {...data.block.scale} : null,
    flags: data.block ? data.block.flags : [...new Set(elements.flatMap((each) => each.flags ?? []))],
    elements: elements.map((each) => ({...each, back: each.dequantized ?? each.element, flags: each.flags ?? []})),
    text,
  };
}

const isOpen = (element) => Boolean(element.open || element.masked);

/** Marks what differs from the first system: code, value. What a system leaves unspecified differs from nothing. */
function compare(columns) {
  const [first] = columns;
  for (const each of columns) {
    if (each.scale) each.scale.differs = each.scale.code !== first.scale.code && !each.scale.open && !first.scale.open;
    each.elements.forEach((element, i) => {
      const other = first.elements[i];
      const compared = !isOpen(element) && !isOpen(other);
      element.otherCode = compared && element.code !== other.code;
      element.otherValue = compared && element.back.hex !== other.back.hex;
    });
  }
}

/** The policy at which a system parts from the first: one for a block, one for each single value. */
function addPartings(columns, data) {
  columns.forEach((each, i) => {
    each.partings =
      [...new Set(data.comparisons.map((table) => table.profiles[i].parts_at).filter((text) => text !== ""))];
  });
}

/**
 * {columns, element, blockSize} or {problem}. `inputs`: what inputsOf() gave.
 */
export function answersOf(engine, state, inputs) {
  const asked = {format: state.format, source: state.source, input: inputs};
  const columns = [];
  let blockSize = null;
  for (const profile of state.systems) {
    const answer = engine.ask("explain", {...asked, profile: [profile]});
    if (answer.problem) return failed(answer.problem);
    columns.push(column(answer));
    blockSize = answer.data.block_size ?? null;
  }
  compare(columns);
  if (columns.length > 1) {
    const beside = engine.ask("explain", {...asked, profile: state.systems});
    if (beside.problem) return failed(beside.problem);
    addPartings(columns, beside.data);
  }
  return {columns, blockSize};
}

/** The lines of an explanation that belong to one element: those of the block, then its own. */
export function stepsOf(column, index) {
  const lines = column.text.trimEnd().split("\n");
  const parts = [[]];
  for (const line of lines) {
    if (!line.startsWith(" ")) parts.push([]);
    parts.at(-1).push(line);
  }
  const own = parts.filter((part) => part.length > 0);
  if (!column.scale) return {block: [], own: own[index] ?? []};
  return {block: own[0], own: own[index + 1] ?? []};
}

/** The same question as a command. */
export function commandOf(state, inputs, profile) {
  const words =
    ["mxgold", "explain", "--format", state.format, "--source", state.source, "--profile", profile, ...inputs];
  return words.map((word) => (/^[\w.:/+=-]+$/.test(word) ? word : `'${word}'`)).join(" ");
}
