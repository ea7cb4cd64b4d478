// SPDX-License-Identifier: Apache-2.0
// The explorer: state in, picture out. Every change makes a new state, asks the reference and draws again.
import {systemsOf} from "./choices.js";
import {copyButton, el} from "./dom.js";
import {Engine} from "./engine.js";
import {examples, form} from "./form.js";
import {answersOf} from "./model.js";
import {fromFragment, inputsOf, START, toFragment, tokensOf} from "./state.js";
import {explanation} from "./steps.js";
import {resultTable, verdict} from "./table.js";
import {Tensors} from "./tensors.js";

class Explorer {
  constructor(engine, place) {
    this.engine = engine;
    this.names = engine.ask("names").data;
    this.state = fromFragment(location.hash) ?? {...START};
    this.form = null;
    this.top = el("div", {}, examples((change) => this.change(change)));
    this.results = el("div", {class: "answer"});
    this.link =
      el("input", {type: "text", readonly: true, id: "explorer-link", onfocus: (event) => event.target.select()});
    place.replaceChildren(
      this.top, this.results,
      el(
        "div", {class: "line link"}, el("label", {"for": "explorer-link"}, "Link to this"), this.link,
        copyButton("copy the link", () => this.link.value)),
      new Tensors(engine, () => this.state).element);
    addEventListener("hashchange", () => {
      const state = fromFragment(location.hash);
      if (state) this.change(state);
    });
    this.refresh();
    place.dataset.ready = "yes";
  }

  change(fields) {
    this.state = {...this.state, ...fields};
    this.refresh();
  }

  refresh() {
    const started = performance.now();
    const known = this.engine.ask("systems", {format: this.state.format, source: this.state.source});
    let answer;
    try {
      answer = this.answers(known);
    } catch (problem) {
      answer = [el("p", {class: "problem", role: "alert"}, problem.message)];
    }
    this.form = form(this.state, this.names, known.data?.systems ?? [], (change) => this.change(change), this.form);
    if (!this.form.parentNode) this.top.append(this.form);
    this.results.replaceChildren(...answer);
    history.replaceState(null, "", toFragment(this.state));
    this.link.value = location.href;
    this.results.dataset.milliseconds = (performance.now() - started).toFixed(1);
  }

  /** What is shown below the form; throws what is wrong with the state. */
  answers(known) {
    const refuse = (problem) => {
      if (problem) throw new Error(problem);
    };
    refuse(known.problem);
    const {state} = this;
    const inputs = inputsOf(state, Math.ceil(known.data.source_bits / 4));
    if (inputs.length === 0) refuse("No value is given: type a number, for example 1.5, or choose an example.");
    const before = state.systems;
    state.systems = systemsOf(this.engine, state, known.data.systems, inputs);
    if (state.systems.length === 0)
      refuse(`No system here defines ${state.format} from ${state.source}: choose another format.`);
    const {columns, problem} = answersOf(this.engine, state, inputs);
    refuse(problem);
    state.element = Math.min(state.element, columns[0].elements.length - 1);
    state.system = Math.min(state.system, columns.length - 1);
    const typed = tokensOf(state.input);
    return [
      this.leftOut(before.filter((name) => !state.systems.includes(name))),
      el("ul", {class: "verdict"}, verdict(columns).map((each) => el("li", {}, each))),
      resultTable(columns, state, typed, (element, system) => this.choose(element, system)),
      el(
        "p", {class: "note"},
        "\u2260 another value than the first system, \u2248 another code that reads back as the same value, ",
        "? unspecified. Choose a cell, or move with the arrow keys, to see why."),
      explanation({state, inputs, typed, columns, codes: this.codesOf(known.data)})
    ];
  }

  /** Systems that were chosen before, or that a link names, and that do not define the format. */
  leftOut(names) {
    const {format, source} = this.state;
    const words = `${names.join(", ")}: no rules for ${format} from ${source}, so left out.`;
    return names.length ? el("p", {class: "note", role: "status"}, words) : "";
  }

  /** Every value of the element format, where it has few. */
  codesOf({element, element_bits: bits}) {
    return bits <= 8 ? this.engine.ask("codes", {format: element}).data?.codes ?? null : null;
  }

  choose(element, system) {
    this.change({element, system});
    this.results.querySelector(".cell[aria-pressed=true]")?.focus();
  }
}

const place = document.getElementById("explorer-app");
try {
  new Explorer(await Engine.load(new URL("explorer.wasm", import.meta.url)), place);
} catch (problem) {
  place.replaceChildren(el(
    "p", {class: "problem", role: "alert"},
    `The explorer did not start: ${problem.message}. A current browser is needed.`));
  throw problem;
}
