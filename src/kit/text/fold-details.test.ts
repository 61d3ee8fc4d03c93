import { expect, test } from "vitest";
import { foldDetails, type Fold } from "./fold-details.ts";
import { lexBlocks, NO_LINKS } from "./markdown-blocks.ts";

interface Code {
  readonly kind: "code";
  readonly code: string;
}
type Item = ReturnType<typeof foldDetails<Code>>[number];

const shown = (item: Item | Fold<Code>): unknown =>
  item.kind === "fold" ? [item.summary, ...item.items.map(shown)] : item.kind === "code" ? item.code : item.source;

function folded(text: string): unknown[] {
  const blocks = lexBlocks(text, NO_LINKS).tokens.filter(({ type }) => type !== "space");
  return foldDetails<Code>(
    blocks.map((block) =>
      block.type === "code"
        ? { kind: "code", code: String(block["text"]) }
        : { kind: "markup", source: block.raw.trimEnd() },
    ),
  ).map(shown);
}

test("content between the tags is below the summary: in blocks, on one line, nested or not closed yet", () => {
  const blocks =
    "Before\n\n<details>\n<summary>More <b>x</b></summary>\n\nInner **text**\n\n```ts\na\n```\n\n</details>\n\nAfter";
  expect(folded(blocks)).toEqual(["Before", ["More <b>x</b>", "Inner **text**", "a"], "After"]);
  expect(folded("<details><summary>S</summary>body</details>\n\nAfter")).toEqual([["S", "body"], "After"]);
  expect(folded("<details>\n\na\n\n<details open><summary>B</summary>\n\nb\n\n</details>\n\nc\n\n</details>")).toEqual([
    ["Details", "a", ["B", "b"], "c"],
  ]);
  expect(folded("<details><summary>S</summary>\n\nstill")).toEqual([["S", "still"]]);
  expect(folded("a </details> b")).toEqual(["a </details> b"]);
});
