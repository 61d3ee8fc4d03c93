import { expect, test } from "vitest";
import { cutExcerpt } from "./excerpt.ts";
import { excerptBlock, inlineCode } from "../markdown.ts";

const CODE = `import x from "x";

/** Opens it. */
export function openLog(
  path: string,
): Log {
  return new Log(path);
}

export const other = 1;
`;

test("a definition is shown with its comment and to the end of its body", () => {
  expect(cutExcerpt("a.ts", CODE, 4)).toEqual({
    path: "a.ts",
    line: 4,
    firstLine: 3,
    lastLine: 8,
    lines: CODE.split("\n").slice(2, 8),
  });
  expect(cutExcerpt("a.ts", CODE, 10).lines).toEqual(["export const other = 1;"]);
});

test("a heading is shown with its section, any other line with those around it", () => {
  const text = "# One\n\ntext\n\n## Two\n\nmore\n";
  expect(cutExcerpt("a.md", text, 1).lines).toEqual(["# One", "", "text"]);
  expect(cutExcerpt("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", 5).lines).toEqual(["2", "3", "4", "5", "6", "7", "8"]);
});

test("a line beyond the end of a file that has become shorter is its last line", () => {
  expect(cutExcerpt("a.txt", "one\ntwo\n", 99).line).toBe(2);
  expect(cutExcerpt("a.txt", "", 5).lines).toEqual([]);
});

test("file content cannot move the cursor, close the code fence or become a very long line", () => {
  const escape = String.fromCharCode(27);
  const text = `a${escape}[2Jb\r\n\`\`\`\n${"x".repeat(300)}\n`;
  expect(excerptBlock(cutExcerpt("a.ts", text, 1))).toBe(
    `\`a.ts:1\`\n\n\`\`\`\`ts\na\uFFFD[2Jb\n\`\`\`\n${"x".repeat(200)} …\n\`\`\`\`\n\n`,
  );
  expect(inlineCode("a`b\n``c`")).toBe("``` a`b\uFFFD``c` ```");
});
