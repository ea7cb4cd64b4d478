// SPDX-License-Identifier: Apache-2.0
// One element step by step: the words of `mxgold explain`, its number line, and the command that says the same.
import {copyButton, el} from "./dom.js";
import {commandOf, stepsOf} from "./model.js";
import {numberLines} from "./numberline.js";

const LABEL = 13;  // where the text of a line begins

/** Lines "  label      text" as a list of terms; lines without a label go on with the last. */
function steps(lines) {
  const list = el("dl", {});
  for (const line of lines) {
    const label = line.slice(2, LABEL).trim();
    if (label || !list.lastChild)
      list.append(el("dt", {}, label), el("dd", {}, line.slice(LABEL)));
    else
      list.lastChild.append(el("br"), line.slice(LABEL));
  }
  return list;
}

/** `typed`: the values as they were typed. `codes`: every value of the element format, or null. */
export function explanation({state, inputs, typed, columns, codes}) {
  const chosen = columns[state.system];
  const element = chosen.elements[state.element];
  const {block, own} = stepsOf(chosen, state.element);
  const command = commandOf(state, inputs, chosen.profile);
  const title = `Element ${state.element}, ${typed[state.element]}, under ${chosen.profile}`;
  return el(
    "section", {class: "explanation", "aria-live": "polite"}, el("h3", {}, title),
    numberLines(element, typed[state.element], codes),
    el(
      "div", {class: "steps"}, block.length ? el("div", {}, el("h4", {}, block[0]), steps(block.slice(1))) : null,
      el("div", {}, el("h4", {}, own[0] ?? ""), steps(own.slice(1)))),
    el("p", {}, "The program says the same:"),
    el("div", {class: "line"}, el("code", {class: "command"}, command), copyButton("copy the command", () => command)));
}
