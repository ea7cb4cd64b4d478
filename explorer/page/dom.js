// SPDX-License-Identifier: Apache-2.0
// Elements made in one line: el("button", {class: "x", onclick: f}, "text", child).

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on"))
      element.addEventListener(name.slice(2), value);
    else
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((each) => each !== null && each !== undefined));
  return element;
}

export const el = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) =>
  filled(document.createElementNS(SVG, tag), attributes, children);

/** A button that copies what `text` gives and says so. */
export function copyButton(label, text) {
  const button = el("button", {type: "button", class: "plain copy"}, label);
  button.addEventListener("click", async () => {
    button.textContent = (await copied(text())) ? "copied" : "not allowed here: select and copy";
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
  return button;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedByHand(text);
  }
}

/** Pages without https have no clipboard of their own. */
function copiedByHand(text) {
  const field = el("textarea", {class: "off-screen"});
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
