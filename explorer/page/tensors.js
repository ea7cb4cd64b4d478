// SPDX-License-Identifier: Apache-2.0
// A dropped file: its tensors, and for one of them the error under several formats.
import {el} from "./dom.js";
import {tensorsOf} from "./files.js";
import {measure} from "./measure.js";
import {grouped, short} from "./numbers.js";

const FORMATS = ["mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxint8", "nvfp4", "mxfp4", "e4m3fn", "e5m2"];
const MOST_SHOWN = 400;

/** What is measured: the usual formats, and the chosen one under each chosen system. */
function rowsOf(state) {
  const usual = FORMATS.map((format) => ({format, profile: "mxgold-default"}));
  const chosen = state.systems.map((profile) => ({format: state.format, profile}));
  return [...usual, ...chosen.filter((each) => each.profile !== "mxgold-default" || !FORMATS.includes(each.format))];
}

const share = (part, all) => (part === 0 ? "0" : `${grouped(part)} (${short((100 * part) / all, 3)} %)`);

function figureCells(figures) {
  if (figures.problem) return [el("td", {colspan: 6, class: "problem"}, figures.problem)];
  const {sqnr, mse, largest, saturated, flushed, exact, elements} = figures;
  return [
    short(sqnr, 5), short(mse, 6), short(largest, 6), share(saturated, elements), share(flushed, elements),
    share(exact, elements)
  ].map((each) => el("td", {}, each));
}

const HEADINGS = [
  ["format", ""], ["system", ""], ["SQNR in dB", "signal to quantization noise ratio: more is better"],
  ["mean squared error", ""], ["largest error", ""], ["saturated", "became the largest magnitude and lost magnitude"],
  ["flushed to zero", "other than zero, became zero"], ["exact", "did not move"]
];

export class Tensors {
  constructor(engine, stateNow) {
    this.engine = engine;
    this.stateNow = stateNow;
    this.run = 0;  // the last measurement that was asked for
    this.list = el("div", {});
    this.errors = el("div", {class: "errors", "aria-live": "polite"});
    const input = el("input", {type: "file", accept: ".npy,.safetensors", id: "explorer-file"});
    input.addEventListener("change", () => this.open(input.files[0]));
    this.element = el(
      "section", {class: "tensors"}, el("h3", {}, "A tensor of your own"),
      el(
        "div", {class: "drop"},
        el("label", {"for": "explorer-file"}, "Drop a .npy or .safetensors file here, or choose one: "), input),
      this.list, this.errors);
    this.listen();
  }

  listen() {
    const drop = this.element.querySelector(".drop");
    const over = (isOver) => (event) => {
      if (![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      drop.classList.toggle("over", isOver);
    };
    document.addEventListener("dragover", over(true));
    document.addEventListener("dragleave", over(false));
    document.addEventListener("drop", (event) => {
      over(false)(event);
      const [file] = event.dataTransfer.files;
      if (file) this.open(file);
    });
  }

  async open(file) {
    if (!file) return;
    this.run += 1;
    this.errors.replaceChildren();
    try {
      this.show(file, await tensorsOf(file));
    } catch (problem) {
      this.list.replaceChildren(el("p", {class: "problem", role: "alert"}, problem.message));
    }
  }

  show(file, tensors) {
    const filter =
      el("input", {type: "search", placeholder: "part of a name", "aria-label": "show tensors whose name has"});
    const body = el("tbody", {});
    const rest = el("p", {class: "note"});
    const fill = () => {
      const found = tensors.filter((each) => each.name.includes(filter.value));
      body.replaceChildren(...found.slice(0, MOST_SHOWN).map((each) => this.row(file, each)));
      rest.textContent =
        found.length > MOST_SHOWN ? `${grouped(found.length - MOST_SHOWN)} more: narrow them down by name.` : "";
    };
    filter.addEventListener("input", fill);
    fill();
    const heads = ["tensor", "type", "shape", "elements", ""].map((each) => el("th", {scope: "col"}, each));
    this.list.replaceChildren(
      el(
        "p", {}, `${file.name}: ${grouped(tensors.length)} tensor${tensors.length === 1 ? "" : "s"}. `,
        tensors.length > 8 ? filter : null),
      el("div", {class: "scroll short"}, el("table", {}, el("thead", {}, el("tr", {}, heads)), body)), rest);
    const numbers = tensors.filter((each) => each.format && each.elements > 0);
    if (tensors.length === 1 && numbers.length === 1) this.measure(file, numbers[0]);
  }

  row(file, tensor) {
    const why = !tensor.format ? "no floating-point values" : tensor.elements === 0 ? "empty" : null;
    const action =
      why ?? el("button", {type: "button", class: "plain", onclick: () => this.measure(file, tensor)}, "measure");
    return el(
      "tr", {}, el("th", {scope: "row"}, tensor.name), el("td", {}, tensor.dtype),
      el("td", {}, tensor.shape.length ? tensor.shape.join(" \u00d7 ") : "scalar"),
      el("td", {}, grouped(tensor.elements)), el("td", {}, action));
  }

  async measure(file, tensor) {
    this.run += 1;
    const {run} = this;
    const isWanted = () => run === this.run;
    const rows = rowsOf(this.stateNow());
    const bar = el("progress", {max: rows.length, value: 0, "aria-label": "measured so far"});
    const body = el("tbody", {});
    const title = el(
      "p", {}, `${tensor.name}, ${grouped(tensor.elements)} values of ${tensor.dtype}, blocks along the last axis: `,
      bar);
    const heads = HEADINGS.map(([words, about]) => el("th", {scope: "col", title: about || null}, words));
    this.errors.replaceChildren(
      title, el("div", {class: "scroll"}, el("table", {class: "figures"}, el("thead", {}, el("tr", {}, heads)), body)));
    for (const [i, row] of rows.entries()) {
      const figures = await measure(this.engine, file, tensor, row, isWanted, (part) => {
                        bar.value = i + part;
                      }).catch((problem) => ({problem: problem.message}));
      if (figures === null || !isWanted()) return;
      body.append(el("tr", {}, el("th", {scope: "row"}, row.format), el("td", {}, row.profile), figureCells(figures)));
    }
    const some = body.rows.length ? "" : " nothing";
    bar.replaceWith(`measured.${some}`);
    this.errors.classList.add("done");
  }
}
