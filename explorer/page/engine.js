// SPDX-License-Identifier: Apache-2.0
// The reference, compiled to WebAssembly (explorer/answers). It computes in this page: nothing is sent anywhere.

const MOST_KEPT = 200;  // answers
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What the C++ library asks of a system, an environment for one: the reference needs none of it, so it is refused. */
const NOT_SUPPORTED = 52;  // a number of WASI's
function refusing(module) {
  const imports = {};
  for (const {module: from, name} of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = () => NOT_SUPPORTED;
  }
  return imports;
}

async function compiled(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} could not be loaded (${answer.status})`);
  return WebAssembly.compile(await answer.arrayBuffer());
}

/** Sums of the C++ class ErrorSums, in its order. */
const SUMS = ["elements", "leftOut", "exact", "saturated", "flushed", "signal", "noise", "largest", "moved"];

export class Engine {
  static async load(url) {
    const module = await compiled(url);
    const {exports} = await WebAssembly.instantiate(module, refusing(module));
    exports._initialize?.();
    return new Engine(exports);
  }

  constructor(exports) {
    this.exports = exports;
    this.kept = new Map();
  }

  /**
   * Asks `what` with fields, each a text or a list of texts; the answer, {data, text} or {problem}, is not to be
   * changed.
   */
  ask(what, fields = {}) {
    const key = JSON.stringify([what, fields]);
    if (!this.kept.has(key)) {
      if (this.kept.size >= MOST_KEPT) this.kept.delete(this.kept.keys().next().value);
      this.kept.set(key, this.#question("explorer_answer", {ask: what, ...fields}));
    }
    return this.kept.get(key);
  }

  /** Errors of a tensor under one format: look() at every piece where it looksFirst, add() every piece, sums(). */
  errors(fields) {
    const opened = this.#question("explorer_errors_open", fields);
    if (opened.problem) return opened;
    const {exports} = this;
    const handle = opened.errors;
    return {
      looksFirst: opened.looks_first,
      look: (bytes) => this.#lend(bytes, (at) => exports.explorer_errors_look(handle, at, bytes.length)),
      add: (bytes) => this.#lend(bytes, (at) => exports.explorer_errors_add(handle, at, bytes.length)),
      sums: () => {
        const found = new Float64Array(exports.memory.buffer, exports.explorer_errors_sums(handle), SUMS.length);
        return Object.fromEntries(SUMS.map((name, i) => [name, found[i]]));
      },
      close: () => exports.explorer_errors_close(handle),
    };
  }

  #question(call, fields) {
    const lines = Object.entries(fields).flatMap(([name, value]) => [value].flat().map((each) => `${name} ${each}`));
    const question = encoder.encode(`${lines.join("\n")}\0`);
    const answer = this.#lend(question, (at) => this.exports[call](at));
    const text = this.#text(answer);
    this.exports.explorer_free(answer);
    return JSON.parse(text);
  }

  /** Calls `use` with the place of a copy of the bytes. */
  #lend(bytes, use) {
    const at = this.exports.explorer_memory(Math.max(bytes.length, 1));
    if (at === 0) throw new Error("out of memory: reload the page and take a smaller tensor");
    new Uint8Array(this.exports.memory.buffer).set(bytes, at);
    const result = use(at);
    this.exports.explorer_free(at);
    return result;
  }

  #text(at) {
    const memory = new Uint8Array(this.exports.memory.buffer);
    return decoder.decode(memory.subarray(at, memory.indexOf(0, at)));
  }
}
