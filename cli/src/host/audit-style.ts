/** The style of the audit report: readable on paper, in the dark and on a narrow window. */

export const STYLE = `
:root { color-scheme: light dark; --ink: #1d2430; --dim: #5c6675; --line: #d9dee6; --paper: #fff; --stripe: #f6f8fa;
  --done: #3d7ab8; --failed: #d08a1d; --refused: #c0392b; --good: #1f7a4d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --dim: #9aa5b4; --line: #343c48; --paper: #14181f; --stripe: #1b2029;
  --done: #6aa5e0; --failed: #e3ab4f; --refused: #ef7466; --good: #5cc28f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 2rem 4rem; max-width: 100rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.7rem; }
h2 { margin: 2.2rem 0 .6rem; font-size: 1.15rem; }
header p { margin: .2rem 0 0; color: var(--dim); }
.verdict { margin: 1.2rem 0; padding: .7rem 1rem; border-left: 5px solid var(--failed); background: var(--stripe); overflow-wrap: anywhere; }
.verdict.good { border-color: var(--good); }
.verdict.altered { border-color: var(--refused); }
.figures { display: flex; flex-wrap: wrap; gap: 2.5rem; margin: 0; padding: 0; list-style: none; color: var(--dim); }
.figures b { display: block; color: var(--ink); font-size: 1.8rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.figures .refused b { color: var(--refused); } .figures .failed b { color: var(--failed); } .figures .done b { color: var(--done); }
.none { color: var(--dim); }
.scroll { max-height: 36rem; overflow: auto; border: 1px solid var(--line); border-radius: 6px; }
table { width: 100%; border-collapse: collapse; font-size: .86rem; }
th, td { padding: .35rem .6rem; text-align: left; vertical-align: top; unicode-bidi: isolate; }
th { color: var(--dim); font-weight: 600; white-space: nowrap; position: sticky; top: 0; background: var(--paper); box-shadow: 0 1px var(--line); }
tbody tr:nth-child(even) { background: var(--stripe); }
td { overflow-wrap: anywhere; }
td.time { white-space: nowrap; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
td.word { min-width: 6.2rem; } td.long { min-width: 10rem; }
td.name, td.code, td.id { white-space: nowrap; } td.id { font-family: ui-monospace, monospace; font-size: .95em; }
tr.bad td.code { color: var(--refused); font-weight: 600; }
td.count { width: 5rem; text-align: right; font-variant-numeric: tabular-nums; }
.pair th:not(:first-child) { text-align: right; }
td.refused { color: var(--refused); font-weight: 600; } td.failed { color: var(--failed); font-weight: 600; } td.zero { color: var(--dim); }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(24rem, 1fr)); gap: 0 2rem; align-items: start; }
.legend { display: flex; gap: 1.4rem; margin: 0 0 .3rem; color: var(--dim); font-size: .86rem; }
.legend span::before { content: ""; display: inline-block; width: .8em; height: .8em; margin-right: .45em; border-radius: 2px; background: currentColor; }
.legend .done::before { background: var(--done); } .legend .failed::before { background: var(--failed); } .legend .refused::before { background: var(--refused); }
svg { display: block; width: 100%; height: auto; }
.axis line { stroke: var(--line); } .axis text { fill: var(--dim); font-size: 12px; }
@media (max-width: 44rem) { body { padding: 1rem 1rem 3rem; } .axis text { font-size: 21px; } .pair { grid-template-columns: 1fr; } }
rect.done { fill: var(--done); } rect.failed { fill: var(--failed); } rect.refused { fill: var(--refused); }
@media print { body { padding: 0; font-size: 11px; } .scroll { border: 0; max-height: none; overflow: visible; } h2 { break-after: avoid; } tr { break-inside: avoid; } }
`;
