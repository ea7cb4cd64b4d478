// SPDX-License-Identifier: Apache-2.0
// The systems side by side: a row for each value, a column for each system. Arrow keys move between the cells.
import {el} from "./dom.js";
import {number, short} from "./numbers.js";

/** All digits of a value where they are few, else the first six. */
const brief = (value) => (value.short.length <= 12 ? value.short : `${short(number(value.hex), 6)}\u2026`);

const flagsOf = (flags) => (flags.length ? flags.join(" ").replaceAll("_", " ") : "no flags");

function scaleCell({scale}) {
  const mark =
    scale.differs ? el("span", {class: "mark", title: "another scale than the first system"}, "\u2260") : null;
  const open = scale.open ? el("span", {class: "flags"}, `unspecified: ${scale.open.because}`) : null;
  return el(
    "td", {class: scale.differs ? "other" : "", title: `${scale.code} = ${scale.value.short}`}, mark,
    el("code", {}, scale.code), ` = ${brief(scale.value)}`, open);
}

/** How an element's answer can stand to that of the first system. */
const SAME = {
  mark: "",
  look: "",
  words: ""
};
const OPEN = {
  mark: "?",
  look: "open",
  words: ""
};
const OTHER_CODE = {
  mark: "\u2248",
  look: "code-only",
  words: "another code than the first system; "
};
const OTHER_VALUE = {
  mark: "\u2260",
  look: "other",
  words: "another value than the first system; "
};

function standing(element) {
  if (element.otherValue) return OTHER_VALUE;
  if (element.otherCode) return OTHER_CODE;
  return element.open || element.masked ? OPEN : SAME;
}

function openWords(element) {
  if (element.open) return `; unspecified: ${element.open.because}`;
  return element.masked ? "; means nothing under a NaN scale" : "";
}

/** What a screen reader says of a cell, and a pointer shows. */
function told(element, profile, index) {
  const {code, back, flags} = element;
  const answer = `code ${code}, reads back as ${back.short}, ${flagsOf(flags)}`;
  return `${profile}, element ${index}: ${standing(element).words}${answer}${openWords(element)}`;
}

/** `place`: {row, column}. */
function elementCell(column, place, isChosen, choose) {
  const element = column.elements[place.row];
  const {mark, look} = standing(element);
  const words = told(element, column.profile, place.row);
  const button = el(
    "button", {
      type: "button",
      class: "cell",
      title: words,
      "aria-label": words,
      "aria-pressed": String(isChosen),
      tabindex: isChosen ? "0" : "-1",
      "data-row": place.row,
      "data-column": place.column,
      onclick: () => choose(place.row, place.column)
    },
    el("span", {class: "mark"}, mark), el("code", {}, element.code),
    el("span", {class: "value", title: element.back.short}, ` = ${brief(element.back)}`),
    el("span", {class: "flags"}, element.flags.join(" ").replaceAll("_", " ")));
  return el("td", {class: `answered ${look}`}, button);
}

function elementRow(columns, row, state, typed, choose) {
  const {bits} = columns[0].elements[row].input;
  const head = el(
    "th", {scope: "row"}, el("span", {class: "index"}, String(row)), ` ${typed} `,
    el("span", {class: "bits"}, `0x${bits}`));
  const isChosen = (column) => row === state.element && column === state.system;
  return el("tr", {}, head, columns.map((each, column) => elementCell(each, {row, column}, isChosen(column), choose)));
}

function moved(event, state, rows, columns, choose) {
  const steps =
    {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [-1e6, 0], End: [1e6, 0]};
  const step = steps[event.key];
  if (!step || !event.target.matches(".cell")) return;
  event.preventDefault();
  const within = (value, count) => Math.min(Math.max(value, 0), count - 1);
  choose(within(state.element + step[0], rows), within(state.system + step[1], columns));
}

/** `typed`: the values as they were typed. `choose(element, system)` is called when a cell is. */
export function resultTable(columns, state, typed, choose) {
  const [first] = columns;
  const line = (name, cells, look) => el("tr", {class: look}, el("th", {scope: "row"}, name), cells);
  const head =
    el("tr", {}, ["value", ...columns.map((each) => each.profile)].map((each) => el("th", {scope: "col"}, each)));
  const scales = first.scale && line("shared scale", columns.map(scaleCell), "scale");
  const rows = first.elements.map((_, i) => elementRow(columns, i, state, typed[i], choose));
  const flags = line("flags of all", columns.map((each) => el("td", {}, flagsOf(each.flags))), "flag-row");
  const onkeydown = (event) => moved(event, state, rows.length, columns.length, choose);
  const table = el(
    "table", {class: "results", onkeydown},
    el("caption", {class: "off-screen"}, "codes, values and flags of each system"), el("thead", {}, head),
    el("tbody", {}, scales, rows, flags));
  return el("div", {class: "scroll", tabindex: "-1"}, table);
}

const count = (many, what) => `${many} ${what}${many === 1 ? "" : "s"}`;
const joined = (words) => words.join(", ").replace(/, ([^,]*)$/, " and $1");

const MOST_NAMED = 6;  // systems in a sentence

function named(systems) {
  if (systems.length <= MOST_NAMED) return joined(systems);
  return `${systems.slice(0, MOST_NAMED).join(", ")} and ${systems.length - MOST_NAMED} more`;
}

/** How a system stands to the first one: the verb, and what follows the name of the first. */
function comparison(system, first) {
  const codes = system.elements.filter((element) => element.otherCode).length;
  const values = system.elements.filter((element) => element.otherValue).length;
  const open = system.elements.filter((element, i) => element.open || first.elements[i].open).length;
  const silent = open ? ` ${count(open, "element")} of ${first.elements.length} unspecified.` : "";
  const parts = [];
  if (system.scale?.differs) parts.push("the shared scale");
  if (codes) parts.push(count(codes, "code"));
  if (values) parts.push(count(values, "value"));
  if (parts.length === 0) return ["agree", `with ${first.profile}.${silent}`];
  const why = system.partings?.length ? ` Reason: ${system.partings.join(", ")}.` : "";
  return ["differ", `from ${first.profile} in ${joined(parts)}.${why}${silent}`];
}

/** What the table shows, in a sentence for all systems that stand alike to the first one. */
export function verdict(columns) {
  const [first, ...others] = columns;
  if (others.length === 0) return ["Add a second system to see where it gives different bits."];
  const alike = new Map();
  for (const each of others) {
    const key = comparison(each, first).join(" ");
    alike.set(key, [...(alike.get(key) ?? []), each]);
  }
  return [...alike.values()].map((systems) => {
    const [verb, rest] = comparison(systems[0], first);
    return `${named(systems.map((each) => each.profile))} ${verb}${systems.length === 1 ? "s" : ""} ${rest}`;
  });
}
