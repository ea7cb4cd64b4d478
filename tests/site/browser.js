// SPDX-License-Identifier: Apache-2.0
// Loads each page of the site in a frame, at each width, and asks the search; tells the server what it saw.
const frame = document.createElement("iframe");
frame.style.border = "0";
document.body.append(frame);
const loaded = (page) => new Promise((done) => {
  frame.onload = () => setTimeout(done, 0);
  frame.src = page;
});
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function widths_of(pages, widths) {
  const wide = [];
  for (const page of pages) {
    await loaded(page);
    for (const width of widths) {
      frame.style.width = `${width}px`;
      const inside = frame.contentDocument.scrollingElement;
      const body = frame.contentDocument.body;
      const most = Math.max(inside.scrollWidth, body.scrollWidth);
      if (most > width) wide.push([page, width, most]);
    }
  }
  return wide;
}

// The pages and sections that a query finds, the best first.
async function found_by(query) {
  frame.style.width = "1280px";
  await loaded("/index.html");
  const field = frame.contentDocument.querySelector(".md-search__input");
  frame.contentDocument.querySelector("#__search").click();
  field.focus();
  field.value = query;
  for (let tries = 0; tries < 100; ++tries) {
    field.dispatchEvent(new Event("keyup", { bubbles: true }));
    await wait(100);
    const links = [...frame.contentDocument.querySelectorAll(".md-search-result__link")];
    const meta = frame.contentDocument.querySelector(".md-search-result__meta").textContent;
    if (links.length > 0 || /No matching/.test(meta)) return links.map((link) => link.getAttribute("href"));
  }
  return ["the search said nothing"];
}

async function main() {
  const asked = await (await fetch("/asked.json")).json();
  frame.style.height = "2400px";
  frame.style.width = "1280px";
  await loaded("/index.html");  // styles and scripts of the first page come late
  await wait(1000);
  const told = { wide: await widths_of(asked.pages, asked.widths), found: {} };
  for (const query of asked.queries) told.found[query] = await found_by(query);
  await fetch("/told", { method: "POST", body: JSON.stringify(told) });
}
main().catch((error) => fetch("/told", { method: "POST", body: JSON.stringify({ error: String(error) }) }));
