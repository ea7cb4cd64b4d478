// SPDX-License-Identifier: Apache-2.0
// The fields: values, formats, systems. `change` gets what of the state is new.
import {EXAMPLES, formatGroups, sourceGroups} from "./choices.js";
import {el} from "./dom.js";

const OTHER = "";

function option(value, label, chosen) { return el("option", {value, selected: value === chosen}, label); }

/** A list of formats; one that it lacks, of a link or typed, is added. */
function formatField(id, label, groups, chosen, change) {
  const isListed = groups.some(([, formats]) => formats.some(([name]) => name === chosen));
  const select = el(
    "select", {id}, isListed ? null : option(chosen, chosen, chosen),
    groups.map(
      ([title, formats]) =>
        el("optgroup", {label: title}, formats.map(([name, words]) => option(name, words, chosen)))),
    option(OTHER, "another: type its name ...", chosen));
  const typed = el("input", {
    type: "text",
    "aria-label": `${label}: the name of another`,
    placeholder: "e5m10, binary8p3se, ...",
    hidden: true
  });
  select.addEventListener("change", () => {
    typed.hidden = select.value !== OTHER;
    if (typed.hidden)
      change(select.value);
    else
      typed.focus();
  });
  typed.addEventListener("change", () => {
    if (typed.value.trim()) change(typed.value.trim());
  });
  return el("div", {class: "field"}, el("label", {"for": id}, label), select, typed);
}

function valuesField(state, change) {
  const area =
    el("textarea", {id: "explorer-values", rows: 2, spellcheck: "false", autocapitalize: "off", autocomplete: "off"});
  area.value = state.input;
  area.addEventListener("input", () => change({input: area.value, element: 0}));
  const read = el(
    "select", {
      id: "explorer-read",
      "aria-label": "read the values as",
      title: "numbers, of which 0x... are bits; or bits throughout, in hexadecimal"
    },
    option("numbers", "numbers", state.read), option("bits", "bits", state.read));
  read.addEventListener("change", () => change({read: read.value}));
  const label = el("label", {"for": "explorer-values"}, "Values: type or paste");
  return el("div", {class: "field values"}, el("div", {class: "line apart"}, label, read), area);
}

function chip(name, i, state, known, change) {
  const about = known.find((each) => each.profile === name);
  const left = state.systems.filter((each) => each !== name);
  const remove = state.systems.length > 1 ?
    el(
      "button", {type: "button", "aria-label": `remove ${name}`, onclick: () => change({systems: left, system: 0})},
      "\u00d7") :
    null;
  return el(
    "li", {title: about ? `${about.system} ${about.version}: ${about.description}` : name}, el("span", {}, name),
    remove);
}

function systemsField(state, known, change) {
  const left = known.filter((each) => !state.systems.includes(each.profile));
  const add = el(
    "select", {id: "explorer-add", disabled: left.length === 0}, option("", `add another ...`, ""),
    left.map((each) => option(each.profile, each.profile, "")));
  add.addEventListener("change", () => change({systems: [...state.systems, add.value]}));
  const all = el(
    "button", {
      type: "button",
      class: "plain",
      disabled: left.length === 0,
      title: `every system that defines ${state.format} from ${state.source}`,
      onclick: () => change({systems: [...state.systems, ...left.map((each) => each.profile)]})
    },
    `add all ${left.length}`);
  return el(
    "div", {class: "field systems"}, el("label", {"for": "explorer-add"}, "Systems"),
    el("ul", {class: "chips"}, state.systems.map((name, i) => chip(name, i, state, known, change))),
    el("div", {class: "line"}, add, all));
}

export function examples(change) {
  return el(
    "p", {class: "examples"}, "Examples: ",
    EXAMPLES.map(
      ([label, state]) => el("button", {type: "button", class: "plain", onclick: () => change({...state})}, label)));
}

/** What the fields beside the values show. */
const shown = (state, known) => JSON.stringify([state.source, state.format, state.systems, state.read, known.length]);

/** The form of a state; `before`, the last one, goes on being used where it can: somebody may be typing in it. */
export function form(state, names, known, change, before) {
  const area = before?.querySelector("#explorer-values");
  if (area && area.value !== state.input) area.value = state.input;
  if (before?.dataset.shown === shown(state, known)) return before;
  const fresh = el(
    "form", {class: "fields", "data-shown": shown(state, known), onsubmit: (event) => event.preventDefault()},
    area ? area.closest(".values") : valuesField(state, change),
    formatField("explorer-source", "They come as", sourceGroups(names), state.source, (source) => change({source})),
    formatField(
      "explorer-format", "They become", formatGroups(names), state.format, (format) => change({format, element: 0})),
    systemsField(state, known, change));
  fresh.querySelector("#explorer-read").value = state.read;
  if (before) replace(before, fresh);
  return fresh;
}

/** The field that had the focus keeps it. */
function replace(before, fresh) {
  const focused = document.activeElement?.id;
  before.replaceWith(fresh);
  if (focused && document.activeElement?.id !== focused) fresh.querySelector(`#${focused}`)?.focus();
}
