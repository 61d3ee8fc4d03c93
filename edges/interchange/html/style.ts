/** Style of an exported session: light, dark and print. Fetches nothing. */
import { MEMBER_HUES } from "../../../src/transcript/index.ts";

const HUES = MEMBER_HUES.map(
  ([light, dark], at) =>
    `.c${at} { --hue: light-dark(${light}, ${dark}); border-left-color: var(--hue); } .c${at} > header .who { color: var(--hue); }`,
).join("\n");

export const STYLE = `
:root { color-scheme: light dark;
  --paper: light-dark(#fbfaf8, #17181b); --ink: light-dark(#1d1f23, #e6e4df); --quiet: light-dark(#63666d, #9a9da5);
  --line: light-dark(#e3e0da, #2d3036); --card: light-dark(#ffffff, #1e2024); --code: light-dark(#f3f1ec, #24272c);
  --link: light-dark(#1d5fa8, #8bb8ee); --warn: light-dark(#a3341f, #f0957f); --pin: light-dark(#8a6100, #e2b84d); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.6 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main, header.session, footer { max-width: 52rem; margin: 0 auto; padding: 0 1.25rem; }
header.session { padding-top: 3rem; padding-bottom: 1.5rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; font-size: .875rem; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
.remark { margin: 1rem 0 0; padding: .5rem .75rem; border-left: 3px solid var(--pin); font-size: .875rem; }
article { margin: 1.25rem 0; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line);
  border-left: 4px solid var(--line); border-radius: 8px; overflow-wrap: anywhere; }
article article { margin: 1rem 0 0; }
article > header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .15rem .75rem; margin-bottom: .5rem; }
article h2, article h3.who { margin: 0; font-size: 1rem; }
article > header a { color: inherit; text-decoration: none; }
.fact, .ending, .notice { color: var(--quiet); font-size: .8125rem; }
.pinned { color: var(--pin); font-size: .8125rem; }
.ending { margin: .75rem 0 0; } .ending.bad { color: var(--warn); }
.notice { margin: .75rem 1.25rem; text-align: center; overflow-wrap: anywhere; }
details.notice { text-align: left; }
.user { border-left-color: var(--ink); background: light-dark(#f5f3ee, #202227); }
${HUES}
p, ul, ol, blockquote, .code, .table { margin: .6rem 0; }
h4, h5, h6 { margin: 1.1rem 0 .4rem; line-height: 1.3; } h4 { font-size: 1.0625rem; } h5, h6 { font-size: 1rem; }
a { color: var(--link); } .away { color: var(--quiet); font-size: .85em; overflow-wrap: anywhere; }
code, pre { font: .8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
:not(pre) > code { background: var(--code); padding: .1em .35em; border-radius: 4px; }
pre { margin: 0; padding: .75rem; background: var(--code); border-radius: 6px; overflow-x: auto; white-space: pre;
  max-height: 30rem; overflow-y: auto; }
pre.plain { white-space: pre-wrap; max-height: none; }
.code { position: relative; } .language { position: absolute; top: .3rem; right: .6rem; font-size: .6875rem; color: var(--quiet); }
.footnote { padding: 0 .15em; color: var(--quiet); font-size: .75em; vertical-align: super; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--quiet); }
.table { overflow-x: auto; } table { border-collapse: collapse; font-size: .9375rem; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; } .right { text-align: right; } .center { text-align: center; }
hr { border: 0; border-top: 1px solid var(--line); margin: 1rem 0; }
details { margin: .6rem 0; border: 1px solid var(--line); border-radius: 6px; padding: .35rem .75rem; font-size: .875rem; }
details[open] { padding-bottom: .75rem; } details .label { color: var(--quiet); font-size: .75rem; margin: .6rem 0 .2rem; }
summary { cursor: pointer; overflow-wrap: anywhere; } summary .fact { margin-left: .5rem; }
details.failed > summary { color: var(--warn); }
.aside { margin: .6rem 0; padding: .4rem .75rem; border-left: 3px solid var(--line); font-size: .9375rem; }
.aside > :first-child { margin-top: 0; } .aside > :last-child { margin-bottom: 0; }
.plus { color: light-dark(#1d6b34, #7fcf96); } .minus { color: light-dark(#a3341f, #f0957f); } .hunk { color: var(--quiet); }
ul.plan { list-style: none; padding-left: .25rem; } .done { color: var(--quiet); text-decoration: line-through; }
.attached { font-size: .875rem; color: var(--quiet); } .attached img { display: block; max-width: 100%; max-height: 24rem; margin: .4rem 0; border-radius: 6px; }
footer { padding-top: 1rem; padding-bottom: 3rem; color: var(--quiet); font-size: .8125rem; }
@media (max-width: 40rem) { main, header.session, footer { padding-left: .75rem; padding-right: .75rem; } article { padding: .75rem; } }
@media print { :root { color-scheme: light; } body { background: #fff; font-size: 10.5pt; } article { background: none; break-inside: auto; }
  article > header { break-after: avoid; } pre { max-height: none; white-space: pre-wrap; overflow: visible; }
  details::details-content { content-visibility: visible; block-size: auto; } }
`;
