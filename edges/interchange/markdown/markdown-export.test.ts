import * as fc from "fast-check";
import { Lexer, type Token } from "marked";
import { expect, test } from "vitest";
import type { EventDraft } from "../../../src/protocol/index.ts";
import { empty, fold, loadedMessages } from "../../../src/transcript/index.ts";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { attacksOn } from "../../../test/web/attacks.ts";
import { createFlow } from "../../../src/host/export/flow.ts";
import { createMarkdownWriter } from "./markdown-export.ts";
import { coded, contained, fenced } from "./safe-markdown.ts";
import { rounds } from "../../../test/rounds.ts";

function documentOf(drafts: readonly EventDraft[]): string {
  const transcript = fold(empty("session"), stamped(drafts));
  const writer = createMarkdownWriter({ head: transcript.head, remarks: ["A remark."] });
  const flow = createFlow();
  const items = [...[...loadedMessages(transcript)].flatMap((message) => flow.push(message)), ...flow.end()];
  return writer.begin() + items.map((item) => writer.item(item)).join("") + writer.end();
}

const turn = { turnId: "t1", member: "claude" };
const text = (words: string): EventDraft => ({ type: "text_done", ...turn, segmentId: words, text: words });

test("a session reads as a document: speakers, calls, thoughts, pins, subagents, attachments and compactions", () => {
  const blob = { sha256: "0".repeat(64), bytes: 12 };
  const made = documentOf([
    created({ title: "Locks" }),
    joined("claude", { spec: { name: "claude", kind: "claude", model: "opus" } }),
    said("m1", ["claude"], { text: "Look *here*", attachments: [{ name: "a.png", mime: "image/png", blob }] }),
    started("t1", "claude", { messageIds: ["m1"] }),
    { type: "thinking_done", ...turn, segmentId: "s0", text: "Hm." },
    text("I look."),
    { type: "tool_call_start", ...turn, toolCallId: "c1", name: "bash", args: { command: "ls" }, title: "ls" },
    { type: "tool_result", ...turn, toolCallId: "c1", ok: true, result: "```\nend", durationMs: 1200 },
    { type: "subagent_spawned", ...turn, subagentTurnId: "t2", name: "helper", task: "Count", depth: 1 },
    started("t2", "claude", { cause: "subagent", parentTurnId: "t1", depth: 1 }),
    { type: "text_done", turnId: "t2", member: "claude", segmentId: "s9", text: "Two." },
    ended("t2", "claude"),
    { type: "subagent_result", ...turn, subagentTurnId: "t2", outcome: "completed", text: "Two." },
    ended("t1", "claude", { outcome: "interrupted", reason: "by the user" }),
    { type: "message_pinned", messageId: "t1", pinned: true },
    { type: "compaction", member: "claude", summary: "They looked.", before: 900, after: 90, firstKeptSeq: 3 },
  ]);
  expect(made).toBe(`# Locks

- Session: session
- Directory: /project
- Members: claude (claude, opus)
- Began: 2023-11-14 22:13 UTC
- Last event: 2023-11-14 22:13 UTC
- Turns: 2
- Tokens: 0 in, 0 out

> A remark.

## You → claude · 2023-11-14 22:13

Look *here*

- attached: \`a.png\` (image/png, 12 bytes)

## claude · ★ pinned · 2023-11-14 22:13 · 1.0 s

<details>
<summary>Thinking</summary>

> Hm.

</details>

I look.

<details>
<summary>bash: ls · done · 1.2 s</summary>

called with:

\`\`\`json
{
  "command": "ls"
}
\`\`\`

result:

\`\`\`\`
\`\`\`
end
\`\`\`\`

</details>

> **Subagent helper** (completed): Count
>
> Result:
>
> Two.

> ### claude · subagent of claude · 2023-11-14 22:13 · 1.0 s
>
> Two.

> *interrupted: by the user*

<details>
<summary>the context of claude was compacted from 900 to 90 tokens</summary>

> They looked.

Kept in full: everything from event 3 on.

</details>

`);
});

/** Top-level headings like ours, and tags that are not ours. */
function strange(markdown: string): string[] {
  const tokens = new Lexer({ gfm: true }).lex(markdown);
  return walk(tokens).flatMap((token) => {
    if (token.type !== "html") return [];
    const isOurs = /^(?:<details>\n<summary>[^<>]*<\/summary>\s*|<\/details>\s*)+$/.test(token.raw);
    return isOurs ? [] : [token.raw];
  });
}

function walk(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) => {
    const { tokens: inner = [], items = [] } = token as { tokens?: Token[]; items?: Token[] };
    return [token, ...walk(inner), ...walk(items)];
  });
}

function headings(markdown: string): string[] {
  return new Lexer({ gfm: true })
    .lex(markdown)
    .flatMap((token) => (token.type === "heading" && (token as { depth: number }).depth < 4 ? [token.raw.trim()] : []));
}

const fragments = fc.constantFrom(
  ..."# You,## You · now,You\\n===,You\\n---,```,````,~~~,> ```,- ```,1. ~~~,    ```,</details>,<details>,<!--,-->,<b>".split(
    ",",
  ),
  "`",
  "``",
  "<script>",
  "[x]: http://e",
  "\n\n",
  "\n",
  " ",
  "    ",
  "> ",
  "- ",
  "text",
  "*",
  "_",
  "|a|\n|-|\n|b|",
  "\\",
  "<",
);

test("no heading, tag or fence of a text reaches what follows it", () => {
  fc.assert(
    fc.property(fc.array(fragments, { maxLength: 12 }), (parts) => {
      const hostile = parts.join("\n").replaceAll("\\n", "\n");
      const made = documentOf([
        created(),
        joined("claude"),
        said("m1", ["claude"], { text: hostile }),
        started("t1", "claude"),
        { type: "thinking_done", ...turn, segmentId: "s0", text: hostile },
        text(hostile),
        { type: "tool_call_start", ...turn, toolCallId: "c", name: hostile, args: { hostile }, title: hostile },
        { type: "tool_result", ...turn, toolCallId: "c", ok: true, result: hostile, diff: hostile },
        ended("t1", "claude", { outcome: "errored", reason: hostile }),
        said("m2", ["claude"], { text: "The end" }),
      ]);
      expect(headings(made).map((heading) => heading.replace(/ ·.*/s, ""))).toStrictEqual([
        "# A session",
        "## You → claude",
        "## claude",
        "## You → claude",
      ]);
      expect(strange(made)).toStrictEqual([]);
    }),
    { numRuns: rounds(60, 5_000) },
  );
});

test("[R198] no hostile text becomes a tag or an escape sequence", () => {
  for (const { name, text: hostile } of attacksOn("http://sink.invalid")) {
    const made = documentOf([created({ title: hostile }), joined("claude"), started("t1", "claude"), text(hostile)]);
    expect([name, strange(made)]).toStrictEqual([name, []]);
  }
  expect(documentOf([created({ title: "\u001B[2Jx" }), said("m", [], { text: "\u001B]0;x\u0007y" })])).not.toContain(
    "\u001B",
  );
});

test("intended Markdown stays; a fence is longer than any inside it", () => {
  const meant = "# Plan\n\n1. **do** `x < y`\n2. see <https://e.invalid>\n\n```ts\nif (a<b) c();\n```\n\na < b\n";
  expect(contained(meant)).toBe(
    "#### Plan\n\n1. **do** `x < y`\n2. see \\<https://e.invalid>\n\n```ts\nif (a<b) c();\n```\n\na < b",
  );
  expect(contained("open\n```js\nx")).toBe("open\n```js\nx\n```");
  expect(fenced("a ````` b")).toBe("``````\na ````` b\n``````");
  expect(coded("a`b")).toBe("``a`b``");
  expect(coded("`a")).toBe("`` `a ``");
});

test("an image in an exported text is a link that is not fetched on opening the document", () => {
  expect(contained("![p](https://e.invalid/p.png) [![b](https://e.invalid/b.png)](https://e.invalid)")).toBe(
    String.raw`\![p](https://e.invalid/p.png) [\![b](https://e.invalid/b.png)](https://e.invalid)`,
  );
  const kept = String.raw`wow\![p](x) and` + " `![code](x)` !";
  expect(contained(kept)).toBe(kept);
  const sly = String.raw`a \\![p](https://e.invalid) b \\\![p](https://e.invalid)`;
  expect(contained(sly)).toBe(String.raw`a \\\![p](https://e.invalid) b \\\![p](https://e.invalid)`);
  // A code span across lines hides it from us, but not from a Markdown renderer.
  const across = "a ` b\n` ![p](https://e.invalid) `";
  const images = Lexer.lex(contained(across)).flatMap((token) => ("tokens" in token ? (token.tokens ?? []) : []));
  expect(images.filter(({ type }) => type === "image")).toEqual([]);
});

test("a message that steered a turn and a summary made in it are shown where they belong", () => {
  const made = documentOf([
    created(),
    joined("claude"),
    said("m1", ["claude"], { text: "Go" }),
    started("t1", "claude", { messageIds: ["m1"] }),
    said("m2", ["claude"], { text: "Use b" }),
    { type: "steering", messageId: "m2", ...turn },
    { type: "compaction", ...turn, summary: "Half done.", before: 0, after: 0, firstKeptSeq: 3, native: true },
    ended("t1", "claude"),
  ]);
  expect(made).toContain("> **You, during this turn:** Use b\n");
  expect(made).toContain("<summary>claude compacted its context</summary>\n\n> Half done.\n\n</details>");
});
