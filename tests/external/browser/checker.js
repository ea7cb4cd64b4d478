// SPDX-License-Identifier: Apache-2.0
// Runs inside a page and tells its parent what is wrong with it: errors, text that does not fit, lies on other text or
// cannot be read, pictures without content.
const faults = [];
const fault = (what, where) => faults.push(`${what}: ${where}`.slice(0, 200));
addEventListener("error", (event) => fault("error", event.message));
console.error = (...words) => fault("console", words.join(" "));

const LEAST_CONTRAST = 4.5;
const LEAST_SHAPES = 8;

const numbers = (color) => (color.match(/[\d.]+/g) || []).map(Number);
function luminance(color) {
  const [r, g, b] = numbers(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}
const inside = (point, box) => point.x >= box.left && point.x <= box.right && point.y >= box.top && point.y <= box.bottom;
const middle = (box) => ({ x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 });
const box_of = (element) => element.getBoundingClientRect();

function check_text(text, svg, boxes) {
  const box = box_of(text);
  const frame = box_of(svg);
  if (box.left < frame.left - 0.5 || box.right > frame.right + 0.5 || box.top < frame.top - 0.5 || box.bottom > frame.bottom + 0.5) {
    fault("text leaves its picture", text.textContent);
  }
  // The box that was drawn last below the text is behind it.
  const behind = boxes.filter((each) => inside(middle(box), box_of(each))).at(-1);
  if (behind && contrast(getComputedStyle(text).fill, getComputedStyle(behind).fill) < LEAST_CONTRAST) {
    fault("text is hard to read", text.textContent);
  }
  return box;
}

function check_picture(svg) {
  const title = svg.querySelector("title")?.textContent || "?";
  const shapes = svg.querySelectorAll("line, rect, circle, polyline, polygon, text");
  if (shapes.length < LEAST_SHAPES || box_of(svg).width < 100 || box_of(svg).height < 40) fault("empty picture", title);
  const rects = [...svg.querySelectorAll("rect")];
  const boxes = [...svg.querySelectorAll("text")].map((text) => ({ text: text.textContent, box: check_text(text, svg, rects) }));
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
    const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    if (wide > 1 && high > 0.35 * Math.min(a.box.height, b.box.height)) fault(`texts overlap in ${title}`, `${a.text} / ${b.text}`);
  }));
}

function background_of(element) {
  for (let each = element; each; each = each.parentElement) {
    const color = getComputedStyle(each).backgroundColor;
    if (numbers(color)[3] !== 0) return color;
  }
  return "rgb(255, 255, 255)";
}

function check_page(page = document) {
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) fault("the page is wider than the window", `${root.scrollWidth} > ${innerWidth}`);
  for (const element of page.querySelectorAll("p, li, dd, dt, th, td, h1, h2, summary, pre, button")) {
    if (!element.checkVisibility() || element.closest("svg")) continue;
    const words = element.textContent.trim();
    const is_scrolled = getComputedStyle(element).overflowX === "auto";
    if (element.scrollWidth > element.clientWidth + 1 && !is_scrolled && getComputedStyle(element).display !== "inline") fault("text overflows", words);
    if (words && contrast(getComputedStyle(element).color, background_of(element)) < LEAST_CONTRAST) fault("text is hard to read", words);
  }
}

addEventListener("load", () => setTimeout(() => {
  const pictures = [...document.querySelectorAll("svg")].filter((each) => each.checkVisibility());
  for (const button of document.querySelectorAll(".copy button")) button.click();
  pictures.forEach(check_picture);
  check_page();
  setTimeout(() => parent.postMessage({
    faults, pictures: pictures.length, width: innerWidth, dark: matchMedia("(prefers-color-scheme: dark)").matches,
    copied: [...document.querySelectorAll(".copy button")].filter((each) => each.textContent === "copied").length,
  }, "*"), 200);
}, 50));
