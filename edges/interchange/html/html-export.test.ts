import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { EventDraft } from "../../../src/protocol/index.ts";
import { empty, fold, loadedMessages } from "../../../src/transcript/index.ts";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { sessionLog } from "../../../test/generate/session-log.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { attacksOn } from "../../../test/web/attacks.ts";
import { MATH_ATTRIBUTES, MATH_TAGS } from "../../../src/kit/text/math-tags.ts";
import { createFlow } from "../../../src/host/export/flow.ts";
import { createHtmlWriter } from "./html-export.ts";
import { loadMath, markupOf } from "./markup.ts";
import { STYLE } from "./style.ts";
import { rounds } from "../../../test/rounds.ts";

function pageOf(events: Parameters<typeof fold>[1], images = new Map<string, Uint8Array>()): string {
  const transcript = fold(empty("session"), events);
  const writer = createHtmlWriter({ head: transcript.head, remarks: [] });
  const flow = createFlow();
  const items = [...[...loadedMessages(transcript)].flatMap((message) => flow.push(message)), ...flow.end()];
  return writer.begin() + items.map((item) => writer.item(item, images)).join("") + writer.end();
}

const ATTRIBUTES: Record<string, RegExp> = {
  class: /^[a-z0-9 -]+$/,
  id: /^m\d+$/,
  href: /^(?:#m\d+|https?:\/\/[^\s"<>]*|mailto:[^\s"<>]*)$/i,
  rel: /^noopener noreferrer nofollow$/,
  start: /^-?\d+$/,
  src: /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]*$/,
  alt: /^[^<>]*$/,
};
for (const name of MATH_ATTRIBUTES) ATTRIBUTES[name] = /^[\w .%-]*$/;
const EMPTY = new Set(["br", "hr", "img"]);
const ALLOWED = new Set(
  `${MATH_TAGS.join(" ")} article header footer h1 h2 h3 h4 h5 h6 p a strong em del code pre span div ul ol li table thead tbody tr th td blockquote details summary dl dt dd main body html br hr img`.split(
    " ",
  ),
);

/** Every `<` must start one of our tags with our attributes, and tags must be closed in order. */
function faultsIn(html: string): string[] {
  const faults: string[] = [];
  const open: string[] = [];
  for (const [whole, closing = "", name = "", rest = ""] of html.matchAll(/<(\/?)([A-Za-z0-9]*)([^>]*)>?/g)) {
    if (!ALLOWED.has(name) || !whole.endsWith(">")) faults.push(whole);
    else if (closing === "/") {
      if (open.pop() !== name) faults.push(`${whole} is not open`);
    } else if (!EMPTY.has(name)) open.push(name);
    const left = rest.replaceAll(/ ([a-z]+)="([^"]*)"/g, (pair, key: string, value: string) =>
      ATTRIBUTES[key]?.test(value) === true ? "" : pair,
    );
    if (left !== "") faults.push(`${whole} has ${left}`);
  }
  return [...faults, ...open.map((name) => `<${name}> is not closed`)];
}

/** Everything before the body is ours. */
function bodyOf(page: string): string {
  return page.slice(page.indexOf("<body>"), page.lastIndexOf("</html>"));
}

await loadMath();

test("formulas are rendered, inline images are shown, and invalid ones stay as written", () => {
  expect(markupOf("It costs $5 and $10; $x_1$ and $\\frac{a$.")).toBe(
    "<p>It costs $5 and $10; <math><mrow><msub><mi>x</mi><mn>1</mn></msub></mrow></math> and $\\frac{a$.</p>\n",
  );
  expect(markupOf("![dot](data:image/png;base64,AAAA) ![x](data:image/svg+xml;base64,AAAA)")).toBe(
    '<p><img alt="dot" src="data:image/png;base64,AAAA"> [image] x</p>\n',
  );
});

test("whatever the text, the page has only our own tags and attributes", () => {
  for (const { name, text } of attacksOn("http://sink.invalid")) {
    expect([name, faultsIn(markupOf(text))]).toStrictEqual([name, []]);
    const turn = { turnId: "t1", member: "claude" };
    const page = pageOf(
      stamped([
        created({ title: text }),
        joined("claude"),
        said("m1", ["claude"], { text }),
        started("t1", "claude", { model: text }),
        { type: "thinking_done", ...turn, segmentId: "s", text },
        { type: "tool_call_start", ...turn, toolCallId: "c", name: text, title: text, args: { [text]: text } },
        { type: "tool_result", ...turn, toolCallId: "c", ok: true, result: text, diff: text },
        ended("t1", "claude", { outcome: "errored", reason: text }),
        { type: "warning", code: "x", message: text },
      ]),
    );
    expect([name, faultsIn(bodyOf(page))]).toStrictEqual([name, []]);
  }
});

const fragments = fc.constantFrom(
  "<b>",
  "</article>",
  "<!--",
  "]]>",
  "```",
  "|a|\n|-|\n|<|",
  "[x](",
  "javascript:",
  "https://e",
  ")",
  "![",
  "\n\n",
  "- ",
  "> ",
  "&lt;",
  "\\",
  '"',
  "'",
  "`",
  "*",
  "#",
  "~~",
  "1. ",
  "www.e.com",
  "$",
  "$$",
  "\\(",
  "\\text{",
  "}",
);

test("no combination of markup opens or closes a tag of the page", () => {
  fc.assert(
    fc.property(fc.array(fragments, { maxLength: 14 }), (parts) => {
      expect(faultsIn(markupOf(parts.join("")))).toStrictEqual([]);
    }),
    { numRuns: rounds(200, 20_000) },
  );
});

test("generated sessions of every kind give complete pages", () => {
  fc.assert(
    fc.property(sessionLog({ steps: 40, damage: true }), (events) => {
      expect(faultsIn(bodyOf(pageOf(events)))).toStrictEqual([]);
    }),
    { numRuns: rounds(12, 500) },
  );
});

test("the page carries its own policy: no script, nothing fetched, only the style that is in it", () => {
  const page = pageOf(stamped([created({ title: "<x>" })]));
  const [, policy = ""] = /content-security-policy" content="([^"]*)"/.exec(page) ?? [];
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; img-src data:; base-uri 'none'; form-action 'none'$/,
  );
  expect(page).toContain("<title>&lt;x&gt;</title>");
  expect(page).toContain(`<style>${STYLE}</style>`);
  expect(STYLE).not.toMatch(/url\(|@import|<|expression/);
  expect(page).not.toMatch(/<script|<link|<iframe|<object/);
});

test("Markdown is rendered, code is unchanged, links lead only to web and mail addresses, images become links", () => {
  expect(
    markupOf("# A\n\n**b** `c<d>` [e](https://e.invalid/?a=1&b=2) ![p](https://e.invalid/p.png) [j](javascript:x)"),
  ).toBe(
    '<h4>A</h4>\n<p><strong>b</strong> <code>c&lt;d&gt;</code> <a href="https://e.invalid/?a=1&amp;b=2" rel="noopener noreferrer nofollow">e</a> ' +
      '<a href="https://e.invalid/p.png" rel="noopener noreferrer nofollow">[image] p <span class="away">https://e.invalid/p.png</span></a> j</p>\n',
  );
  expect(markupOf("```ts\nif (a < b && c) {}\n```")).toBe(
    '<div class="code"><span class="language">ts</span><pre><code>if (a &lt; b &amp;&amp; c) {}</code></pre></div>\n',
  );
  expect(markupOf('a &amp; b &lt;c&gt; "d"')).toBe("<p>a &amp; b &lt;c&gt; &quot;d&quot;</p>\n");
});

test("in the exported page a link that looks like another address names its host, an image its address, and links are never nested", () => {
  const plain = (markdown: string) => markupOf(markdown).replaceAll(/ rel="[^"]*"/g, "");
  const away = (text: string) => `<span class="away">${text}</span>`;
  expect(plain("[https://bank.invalid](https://e.invalid/x) [**bank.invalid**](https://e.invalid)")).toBe(
    `<p><a href="https://e.invalid/x">https://bank.invalid ${away("(e.invalid)")}</a> ` +
      `<a href="https://e.invalid"><strong>bank.invalid</strong> ${away("(e.invalid)")}</a></p>\n`,
  );
  expect(plain("[bank&period;invalid](https://e.invalid) [a &amp; b](https://e.invalid) https://e.invalid/z")).toBe(
    `<p><a href="https://e.invalid">bank&period;invalid ${away("(e.invalid)")}</a> ` +
      '<a href="https://e.invalid">a &amp; b</a> <a href="https://e.invalid/z">https://e.invalid/z</a></p>\n',
  );
  expect(plain("[![badge](https://p.invalid/b.png)](https://e.invalid) [![x](data:,)](https://e.invalid)")).toBe(
    `<p><a href="https://e.invalid">badge</a> ` +
      `<a href="https://p.invalid/b.png">[image] badge ${away("https://p.invalid/b.png")}</a> ` +
      '<a href="https://e.invalid">x</a> [image] x</p>\n',
  );
});

test("footnotes and details are drawn as on the page, and nothing else of HTML is", () => {
  expect(markupOf("Twice[^1] a<br>day.\n\n[^1]: As <b>measured</b>.")).toBe(
    '<p>Twice<span class="footnote">1</span> a<br>day.</p>\n' +
      '<p><span class="footnote">1</span> As &lt;b&gt;measured&lt;/b&gt;.</p>\n',
  );
  expect(markupOf("`[^1]` stays")).toBe("<p><code>[^1]</code> stays</p>\n");
  const text =
    "Before\n\n<details open>\n<summary>More <b>x</b></summary>\n\nInner **text**\n\n```ts\na\n```\n\n</details>\n\nAfter [l][l]\n\n[l]: https://e.invalid";
  expect(markupOf(text)).toBe(
    "<p>Before</p>\n<details open><summary>More &lt;b&gt;x&lt;/b&gt;</summary>\n<p>Inner <strong>text</strong></p>\n" +
      '<div class="code"><span class="language">ts</span><pre><code>a</code></pre></div>\n</details>\n' +
      '<p>After <a href="https://e.invalid" rel="noopener noreferrer nofollow">l</a></p>\n',
  );
  expect(markupOf('<details onclick="x"><summary>S</summary></details>')).toBe(
    "&lt;details onclick=&quot;x&quot;&gt;&lt;summary&gt;S&lt;/summary&gt;&lt;/details&gt;",
  );
});

test("an attached picture is inside the file; another file is named", () => {
  const attachments = [
    { name: "p.png", mime: "image/png", blob: { sha256: "1".repeat(64), bytes: 3 } },
    { name: "x.svg", mime: "image/svg+xml", blob: { sha256: "2".repeat(64), bytes: 3 } },
  ];
  const drafts: EventDraft[] = [created(), said("m1", [], { attachments })];
  const images = new Map(["1", "2"].map((one) => [one.repeat(64), Uint8Array.of(1, 2, 3)]));
  const page = pageOf(stamped(drafts), images);
  expect(page).toContain('attached: p.png (image/png, 3 bytes)<img alt="p.png" src="data:image/png;base64,AQID">');
  expect(page).toContain("attached: x.svg (image/svg+xml, 3 bytes)</p>");
});

test("a message that steered a turn and a summary made in it are shown where they belong", () => {
  const turn = { turnId: "t1", member: "claude" };
  const page = pageOf(
    stamped([
      created(),
      joined("claude"),
      started("t1", "claude"),
      said("m2", ["claude"], { text: "Use b" }),
      { type: "steering", messageId: "m2", ...turn },
      { type: "compaction", ...turn, summary: "Half done.", before: 0, after: 0, firstKeptSeq: 3, native: true },
      ended("t1", "claude"),
    ]),
  );
  const [, inTurn = ""] = /id="m3">(.*?)<\/article>/s.exec(page) ?? [];
  expect(inTurn).toContain("<p>Use b</p>");
  expect(inTurn).toContain("<p>Half done.</p>");
  expect(inTurn).not.toContain("Kept in full");
});
