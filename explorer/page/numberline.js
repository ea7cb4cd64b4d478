// SPDX-License-Identifier: Apache-2.0
// The values of a format on a line, with the value that came in and the one it became.
import {el, svg} from "./dom.js";
import {number, short} from "./numbers.js";

// As wide as the screen has room for, so that texts keep their size.
const WIDTH = matchMedia("(max-width: 600px)").matches ? 350 : 680;
const LEFT = 20;
const RIGHT = WIDTH - 20;
const LETTER = 6.8;  // pixels of a letter at 12 pixels, at most

/** Numbers of an interval as pixels. */
const axis = (low, high) => (value) => LEFT + ((value - low) / (high - low)) * (RIGHT - LEFT);

const line = (x1, y1, x2, y2, look) => svg("line", {x1, y1, x2, y2, class: look});
const text = (x, y, words, look = "", anchor = "middle") =>
  svg("text", {x, y, class: look, "text-anchor": anchor}, words);

/** A text about x that stays inside of the picture. */
function inside(x, y, words, look) {
  const half = (words.length * LETTER) / 2;
  return text(Math.min(Math.max(x, half + 4), WIDTH - half - 4), y, words, look);
}

/** Texts below a line, left to right, as many as have room; those of `first` have it before others. */
function labels(wanted, y, first = []) {
  const taken = [];
  const drawn = [];
  for (const {x, words} of
         [...wanted.filter((each) => first.includes(each.words)),
          ...wanted.filter((each) => !first.includes(each.words))]) {
    const half = (words.length * LETTER) / 2 + 4;
    if (x - half < 0 || x + half > WIDTH || taken.some(([from, to]) => x + half > from && x - half < to)) continue;
    taken.push([x - half, x + half]);
    drawn.push(text(x, y, words, "label"));
  }
  return drawn;
}

/** The input above the line, an arrow to what it became. */
function marks(place, y, from, to, edge) {
  const x = Math.min(Math.max(place(from), LEFT - 8), RIGHT + 8);
  const beyond = x !== place(from) ? edge : "";
  const end = place(to);
  const parts = [
    svg("path", {d: `M${x - 6} ${y - 26} h12 l-6 10 z`, class: "input"}),
    svg("circle", {cx: end, cy: y, r: 5, class: "result"}), inside(x, y - 32, `${short(from)}${beyond}`, "input-text")
  ];
  if (Math.abs(end - x) > 12) {
    const step = Math.sign(end - x);
    parts.push(
      line(x, y - 14, end - step * 3, y - 14, "way"),
      svg("path", {d: `M${end} ${y - 14} l${- step * 7} -4 v8 z`, class: "way-head"}));
  }
  return parts;
}

function picture(title, height, parts) {
  return svg(
    "svg", {viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": title}, svg("title", {}, title), parts);
}

/** Every value of a small format on the side of the input's sign. */
function whole(values, from, to) {
  const sign = from < 0 || Object.is(from, -0) ? -1 : 1;
  const side =
    [...new Set(values.filter((value) => Number.isFinite(value) && (value === 0 || Math.sign(value) === sign))
                  .map((value) => value + 0))];
  if (side.length < 2) return null;
  const largest = Math.max(...side.map(Math.abs));
  const place = sign < 0 ? axis(-largest, 0) : axis(0, largest);
  const y = 62;
  const ticks = side.map((value) => line(place(value), y - 6, place(value), y + 6, "tick"));
  const wanted =
    side.sort((a, b) => Math.abs(b) - Math.abs(a)).map((value) => ({x: place(value), words: short(value)}));
  return picture("all values of the element format", 88, [
    text(LEFT, 14, `all ${side.length} values of this sign`, "name", "start"), line(LEFT, y, RIGHT, y, "axis"), ticks,
    labels(wanted, y + 22, ["0"]), marks(place, y, from, to, ", beyond the largest value")
  ]);
}

/** The two values that the input lies between, and their midpoint. */
function near(neighbours, from, to, code) {
  const [lower, upper] = [neighbours.lower, neighbours.upper].map((each) => number(each.hex));
  const distance = Math.abs(upper - lower);
  const [low, high] = [Math.min(lower, upper) - distance / 4, Math.max(lower, upper) + distance / 4];
  if (!(high > low)) return null;
  const place = axis(low, high);
  const middle = number(neighbours.midpoint.hex);
  const y = 62;
  const tick = (value, side) =>
    [line(place(value), y - 9, place(value), y + 9, side.is_value ? "tick" : "tick missing"),
     inside(place(value), y + 24, `${side.short.length < 14 ? side.short : short(value)}`, "label"),
     inside(place(value), y + 40, side.is_value ? `code ${side.magnitude_code}` : "no such value", "label")];
  const isNear = to >= low && to <= high;
  return picture("the values around the input", 108, [
    text(LEFT, 14, "around the input", "name", "start"), line(LEFT, y, RIGHT, y, "axis"), tick(lower, neighbours.lower),
    tick(upper, neighbours.upper), line(place(middle), y - 9, place(middle), y + 9, "middle"),
    inside(place(middle), y + 24, `midpoint ${short(middle)}`, "label"),
    isNear ? marks(place, y, from, to, "") :
             [
               inside(place(from), y - 32, short(from), "input-text"),
               svg("path", {d: `M${place(from) - 6} ${y - 26} h12 l-6 10 z`, class: "input"})
             ],
    text(RIGHT, 14, `becomes code ${code}`, "name", "end")
  ]);
}

/** What the lines show: the input as it meets the format (divided by the scale), and the value of its code. */
export function numberLines(element, typed, codes) {
  const scaled = element.scaled ?? element.seen_as ?? element.input.value;
  const from = number(scaled.hex);
  const to = element.element ? number(element.element.hex) : NaN;
  if (Number.isNaN(from) || !Number.isFinite(to)) {
    return el(
      "p", {class: "note"}, `${typed} has no place on the number line here: the answer is code ${element.code}.`);
  }
  const values = codes ? codes.map((each) => number(each.hex)) : [];
  const parts = [
    codes ? whole(values, from, to) : null,
    element.neighbours && Number.isFinite(from) ? near(element.neighbours, from, to, element.code) : null
  ];
  const words = element.scaled ? "The triangle is the value divided by the shared scale, the dot is what it becomes." :
                                 "The triangle is the value, the dot is what it becomes.";
  return el("figure", {class: "lines"}, parts, el("figcaption", {}, words));
}
