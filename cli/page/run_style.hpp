// SPDX-License-Identifier: Apache-2.0
// How the page of a run looks, over the style of every page (cli/cover/report.hpp).
#pragma once

#include <string_view>

namespace mx::cli {

inline constexpr std::string_view kRunStyle = R"(<style>
.verdict { padding: .5rem .75rem; border-left: .5rem solid; border-radius: .25rem; overflow-wrap: anywhere; }
.verdict > p:first-child { font-size: 1.25rem; font-weight: 600; }
.pass { border-color: var(--good); background: var(--good-soft); } .fail { border-color: var(--bad); background: var(--bad-soft); }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .125rem 1rem; margin: .5rem 0; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.long { overflow-wrap: anywhere; white-space: pre-line; color: var(--dim); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .5rem; text-align: right; border: 1px solid var(--rule); white-space: nowrap; }
th:first-child { text-align: left; white-space: normal; min-width: 7rem; overflow-wrap: anywhere; } thead th { background: var(--soft); }
td.ok { background: var(--good-soft); } td.none { color: var(--dim); } td.wrong { font-weight: 600; }
td.w1 { background: var(--w1); } td.w2 { background: var(--w2); } td.w3 { background: var(--w3); } td.w4 { background: var(--w4); color: var(--on-w4); }
.board { font-size: .8125rem; } .board th, .board td { padding: .125rem .375rem; } .cause { margin: .5rem 0; overflow-wrap: anywhere; }
pre { overflow-x: auto; background: var(--soft); padding: .5rem; font-size: .8125rem; line-height: 1.35; margin: .25rem 0; }
pre.again { white-space: pre-wrap; overflow-wrap: anywhere; flex: 1; }
.copy { display: flex; gap: .5rem; align-items: flex-start; } .copy button { margin-top: .25rem; font: inherit; padding: .25rem .75rem; cursor: pointer; }
.lines { display: flex; flex-wrap: wrap; gap: .5rem; } .line { flex: 1 1 18rem; max-width: 26rem; } .line svg { display: block; width: 100%; height: auto; }
.bits { font-family: ui-monospace, monospace; font-size: .875rem; }
.bits td { text-align: left; } .bits th:first-child { min-width: 0; white-space: nowrap; }
.bits b { display: inline-block; min-width: .75em; text-align: center; font-weight: 400; }
.bits b.d { background: var(--bad); color: var(--page); } .bits s { display: inline-block; width: .375em; }
@media (max-width: 30rem) { .bits { font-size: .75rem; } .bits th, .bits td { padding: .125rem .25rem; } .board { font-size: .75rem; } .board th, .board td { padding: .125rem; } }
@media print { pre { white-space: pre-wrap; overflow-wrap: anywhere; } .wide { overflow: visible; } .copy button { display: none; }
  td, .verdict, .bits b { print-color-adjust: exact; -webkit-print-color-adjust: exact; } section { break-inside: auto; } }
</style>
)";

/// Buttons that copy the command beside them: by the clipboard, or else by a selection.
inline constexpr std::string_view kRunScript = R"(<script>
for (const button of document.querySelectorAll(".copy button")) {
  const text = button.previousElementSibling;
  button.hidden = false;
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
    } catch {
      getSelection().selectAllChildren(text);
      document.execCommand("copy");
    }
    button.textContent = "copied";
  };
}
</script>
)";

}  // namespace mx::cli
