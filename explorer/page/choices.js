// SPDX-License-Identifier: Apache-2.0
// What can be chosen: formats in groups, the systems that define a format, and examples to begin with.

const SOURCES = ["fp32", "bf16", "fp16", "fp64", "tf32"];

/** Formats in groups: [[label, [[name, label], ...]], ...]. */
export function formatGroups({formats, blocks}) {
  const block = (each) =>
    [each.name,
     each.extent === "elements" ? `${each.name} (${each.element}, ${each.block_size * each.tile_lines} a block)` :
                                  each.name];
  const mx = blocks.filter((each) => /^mx(fp|int8)/.test(each.name));
  const nv = blocks.filter((each) => each.name.startsWith("nvfp4"));
  const others = blocks.filter((each) => !mx.includes(each) && !nv.includes(each));
  const values = (test) => formats.filter(test).map((each) => [each.name, each.name]);
  return [
    ["MX: blocks under a shared scale", mx.map(block)],
    ["NVFP4", nv.map(block)],
    ["single values, up to 8 bits", values((each) => each.bits <= 8)],
    ["single values, more bits", values((each) => each.bits > 8)],
    ["other block formats", others.map(block)],
  ];
}

/** The same for the format that values come in. */
export function sourceGroups({formats}) {
  const rest = formats.filter((each) => !SOURCES.includes(each.name));
  return [["usual", SOURCES.map((name) => [name, name])], ["others", rest.map((each) => [each.name, each.name])]];
}

/** The systems of a state that define its format; where none is left, the first and one that answers otherwise. */
export function systemsOf(engine, state, known, inputs) {
  const names = known.map((each) => each.profile);
  const kept = state.systems.filter((name) => names.includes(name) || name.includes("blocks-as="));
  if (kept.length > 0 || names.length < 2) return kept.length > 0 ? kept : names;
  const all = engine.ask("explain", {format: state.format, source: state.source, input: inputs, profile: names});
  const rows = all.problem ? [] : all.data.comparisons.map((table) => table.profiles);
  const other = names.find((_, i) => rows.some((profiles) => !profiles[i].same_as_first));
  return [names[0], other ?? names[1]];
}

const block = {
  source: "fp32",
  read: "numbers",
  element: 0,
  system: 1
};

/** Each shows two systems that give different bits. */
export const EXAMPLES = [
  [
    "Two scale rules",
    {...block, format: "mxfp4", systems: ["torchao-0.18", "triton-kernels-3.5"], input: "0.3 -1 2.5 6.9", element: 3}
  ],
  ["A tie", {...block, format: "mxfp4", systems: ["ocp-mx-1.0", "ggml"], input: "0.25 0.75 1.25 2.5 5 6"}],
  [
    "Beyond the largest value",
    {...block, format: "e4m3fn", systems: ["torch-2.15/cpu", "torch-2.11/cuda"], input: "448 464 465 -500 inf"}
  ],
  ["A NaN in a block", {...block, format: "mxfp4", systems: ["torchao-0.18", "tt-metal"], input: "1 nan 3 -0.5"}],
  [
    "NVFP4", {
      ...block,
      format: "nvfp4",
      source: "bf16",
      systems: ["te", "cublas-13", "te:4over6_mae_256"],
      input: "1 2.5 3 -0.3 0.01 5.5"
    }
  ],
];
