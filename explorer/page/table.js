// SPDX-License-Identifier: Apache-2.0
// The systems side by side: a row for each value, a column for each system. Arrow keys move between the cells.
import { el } from "./dom.js";
import { number, short } from "./numbers.js";

/** All digits of a value where they are few, else the first six. */
const brief = (value) => (value.short.length <= 12 ? value.short : `${short(number(value.hex), 6)}\u2026`);

const flagsOf = (flags) => (flags.length ? flags.join(" ").replaceAll("_", " ") : "no flags");

function scaleCell({ scale }) {
  const mark = scale.differs ? el("span", { class: "mark", title: "another scale than the first system" }, "\u2260") : null;
  const open = scale.open ? el("span", { class: "flags" }, `unspecified: ${scale.open.because}`) : null;
  return el("td", { class: scale.differs ? "other" : "", title: `${scale.code} = ${scale.value.short}` }, mark, el("code", {}, scale.code),
    ` = ${brief(scale.value)}`, open);
}

/** What a screen reader says of a cell, and a pointer shows. */
function told(element, profile, index) {
  const difference = element.otherValue ? "another value than the first system; " : element.otherCode ? "another code than the first system; " : "";
  const open = element.open ? `; unspecified: ${element.open.because}` : element.masked ? "; means nothing under a NaN scale" : "";
  return `${profile}, element ${index}: ${difference}code ${element.code}, reads back as ${element.back.short}, ${flagsOf(element.flags)}${open}`;
}

function elementCell(column, element, index, at, isChosen, choose) {
  const open = element.open || element.masked;
  const mark = element.otherValue ? "\u2260" : element.otherCode ? "\u2248" : open ? "?" : "";
  const button = el("button", {
    type: "button", class: "cell", title: told(element, column.profile, index), "aria-label": told(element, column.profile, index),
    "aria-pressed": String(isChosen), tabindex: isChosen ? "0" : "-1", "data-row": index, "data-column": at, onclick: () => choose(index, at),
  }, el("span", { class: "mark" }, mark), el("code", {}, element.code),
  el("span", { class: "value", title: element.back.short }, ` = ${brief(element.back)}`),
  el("span", { class: "flags" }, element.flags.join(" ").replaceAll("_", " ")));
  return el("td", { class: `answered ${element.otherValue ? "other" : element.otherCode ? "code-only" : open ? "open" : ""}` }, button);
}

function moved(event, state, rows, columns, choose) {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [-1e6, 0], End: [1e6, 0] };
  const step = steps[event.key];
  if (!step || !event.target.matches(".cell")) return;
  event.preventDefault();
  const within = (value, count) => Math.min(Math.max(value, 0), count - 1);
  choose(within(state.element + step[0], rows), within(state.system + step[1], columns));
}

/** `typed`: the values as they were typed. `choose(element, system)` is called when a cell is. */
export function resultTable(columns, state, typed, choose) {
  const [first] = columns;
  const head = el("tr", {}, el("th", { scope: "col" }, "value"), columns.map((each) => el("th", { scope: "col" }, each.profile)));
  const scales = first.scale && el("tr", { class: "scale" }, el("th", { scope: "row" }, "shared scale"), columns.map(scaleCell));
  const rows = first.elements.map((element, i) => el("tr", {},
    el("th", { scope: "row" }, el("span", { class: "index" }, String(i)), ` ${typed[i]} `, el("span", { class: "bits" }, `0x${element.input.bits}`)),
    columns.map((each, at) => elementCell(each, each.elements[i], i, at, i === state.element && at === state.system, choose))));
  const flags = el("tr", { class: "flag-row" }, el("th", { scope: "row" }, "flags of all"), columns.map((each) => el("td", {}, flagsOf(each.flags))));
  return el("div", { class: "scroll", tabindex: "-1" }, el("table", {
    class: "results", onkeydown: (event) => moved(event, state, first.elements.length, columns.length, choose),
  }, el("caption", { class: "off-screen" }, "codes, values and flags of each system"), el("thead", {}, head), el("tbody", {}, scales, rows, flags)));
}

const count = (many, what) => `${many} ${what}${many === 1 ? "" : "s"}`;

/** What the table shows, in a sentence for each system. */
export function verdict(columns) {
  const [first, ...others] = columns;
  if (others.length === 0) return ["Add a second system to see where it gives different bits."];
  return others.map((each) => {
    const codes = each.elements.filter((element) => element.otherCode).length;
    const values = each.elements.filter((element) => element.otherValue).length;
    const open = each.elements.filter((element, i) => element.open || first.elements[i].open).length;
    const silent = open ? ` ${count(open, "element")} of ${first.elements.length} unspecified.` : "";
    if (!codes && !values && !each.scale?.differs) return `${each.profile} agrees with ${first.profile}.${silent}`;
    const parts = [each.scale?.differs ? "the shared scale" : "", codes ? count(codes, "code") : "", values ? count(values, "value") : ""];
    const why = each.partings?.length ? ` Reason: ${each.partings.join(", ")}.` : "";
    return `${each.profile} differs from ${first.profile} in ${parts.filter((part) => part).join(", ").replace(/, ([^,]*)$/, " and $1")}.${why}${silent}`;
  });
}
