import { hostname } from "node:os";
import { stripTerminalSequences } from "@earendil-works/pi-tui";
import { beforeAll, describe, expect, test } from "vitest";
import { createTerminalSafe } from "../../kit/text/terminal-safe.ts";
import { createTheme } from "../theme/create-theme.ts";
import { lexBlocks } from "../../kit/text/markdown-blocks.ts";
import { closeOpenInline } from "../../kit/text/open-inline.ts";
import { blockRows, isTight } from "./block-rows.ts";
import { loadHighlighter } from "./highlight.ts";
import { createIncrementalMarkdown, MARKDOWN_CHARS_MAX } from "./incremental-markdown.ts";
import { rowFaults } from "../../../test/tui/row-checks.ts";
import { mulberry32, randomMarkdown } from "../../../test/tui/random-markdown.ts";

const plain = createTheme({ name: "none", depth: "none" });
const dark = createTheme({ name: "dark", depth: "truecolor", hasLinks: true });

/** Everything lexed at once, with nothing kept from before. */
function wholeRows(text: string, width: number, theme = dark): string[] {
  const safe = createTerminalSafe().push(text).replaceAll("\t", "    ");
  const last = lexBlocks(safe, Object.create(null)).tokens.at(-1);
  const isInline = last !== undefined && last.type !== "code" && last.type !== "html";
  const open = isInline ? safe.slice(safe.length - last.raw.length) : "";
  const closed = safe.slice(0, safe.length - open.length) + closeOpenInline(open);
  const { tokens } = lexBlocks(closed, Object.create(null));
  const rows: string[] = [];
  const codes = { next: 1 };
  tokens.forEach((token, index) => {
    const made = blockRows(token, { theme, width, codes, isDone: index < tokens.length - 1 });
    if (made.length > 0 && rows.length > 0 && !isTight(tokens[index - 1], token)) rows.push("");
    rows.push(...made);
  });
  return rows;
}

function shown(text: string, width: number): string {
  const markdown = createIncrementalMarkdown({ theme: plain });
  markdown.setText(text, { isDone: true });
  return `\n${markdown.render(width).map(stripTerminalSequences).join("\n")}\n`;
}

beforeAll(loadHighlighter);

test("what is begun in bold, as code or as a link is shown so while it is written, and as it was written at the end", () => {
  const markdown = createIncrementalMarkdown({ theme: dark });
  const drawn = () => markdown.render(60).map(stripTerminalSequences);
  const text = "See **the `lock` in [its note](https://a.example/no";
  markdown.setText(text);
  expect(drawn()).toEqual(["See the lock in its note"]);
  markdown.setText(text, { isDone: true });
  expect(drawn()).toEqual(["See **the lock in [its note](https://a.example/no"]);
});

describe("text in pieces", () => {
  const traps: Record<string, string> = {
    "a definition that comes later":
      "see [this][a] and [b]\n\nmore\n\nand more\n\n[a]: https://a.example\n[b]: <https://b.example> 'B'\n\nend\n",
    "a definition with a title that never ends":
      '[a]: https://a.example\n"title\n\nwords [a]\n\nmore words\n\nend" of it\n\nx\n',
    "a definition with its title below": "[a]\n\nx\n\n[a]:\nhttps://a.example\n'two\nlines'\n\nend\n",
    "the first of two definitions": "[a]\n\nx\n\n[a]: https://one.example\n\ny\n\n[a]: https://two.example\n\nend\n",
    "a definition in a quote": "[q] here\n\nand\n\n> [q]: https://q.example\n\nend\n",
    "setext headings": "One\n===\n\nTwo\nlines\n---\n\n- a\n---\ntext\n\nend\n",
    "an open fence": "before\n\n```ts\nconst a = 1;\n\n\nconst b = 2;\n",
    "a fence in a fence": "````md\n```js\nx\n```\n\nstill\n````\n\nafter\n\n~~~\n```\n~~~\n\nend\n",
    "a loose list": "- a\n\n- b\n\n  more of b\n\n      code\n\n- c\n\nend\n\n1. x\n2. y\n\n10) z\n\nend\n",
    "a list that goes on after empty lines":
      "1. one\n\n\n2. two\n   - in\n\n     text\n\n3. three\nlazy\n\n* other\n\nend\n",
    "a table that begins":
      "words\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n| `x` | **y** |\n\nend | no\n\ntext\nc | d\n--- | ---\n1 | 2\n\nend\n",
    "indented code": "a\n\n    code\n\n    more\n\n   not\n\nend\n",
    "raw HTML": "<div>\n**x**\n\n</div>\n\n<!-- never\n\nended\n\n<script>\n\nalert(1)\n\n</script>\n",
    quotes: "> a\nlazy\n\n> b\n> > c\n\n> - d\n>\n> e\n\nend\n",
    "rules and bullets": "- a\n\n* * *\n\n- b\n\n-\n\n- c\n\n--\n\nend\n",
    "marks that look like more": "a\n\n-\n\n+ b\n\n1\n\n1.\n\n1. c\n\n#\n\n# d #\n\n|\n\n||\n",
  };
  for (const [name, text] of Object.entries(traps)) {
    test(`${name}: every prefix gives the rows of the whole prefix`, () => {
      const markdown = createIncrementalMarkdown({ theme: dark });
      for (let length = 1; length <= text.length; length += 1) {
        const prefix = text.slice(0, length);
        markdown.setText(prefix);
        expect({ prefix, rows: [...markdown.render(38)] }).toEqual({ prefix, rows: wholeRows(prefix, 38) });
      }
    });
  }

  test("Markdown made at random and cut at random gives the rows of the whole text", () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const random = mulberry32(seed);
      const text = randomMarkdown(random);
      const width = 20 + Math.floor(random() * 80);
      const markdown = createIncrementalMarkdown({ theme: dark });
      for (let at = 0; at < text.length;) {
        at = Math.min(text.length, at + 1 + Math.floor(random() * 24));
        markdown.setText(text.slice(0, at));
        if (random() < 0.3) markdown.render(random() < 0.2 ? 30 : width);
        if (random() < 0.1) {
          const rows = wholeRows(text.slice(0, at), width);
          expect({ seed, at, rows: [...markdown.render(width)] }).toEqual({ seed, at, rows });
        }
      }
      expect({ seed, rows: [...markdown.render(width)] }).toEqual({ seed, rows: wholeRows(text, width) });
    }
  });

  test("a text that changes instead of growing is rendered again", () => {
    const markdown = createIncrementalMarkdown({ theme: dark });
    for (const text of ["# a\n\nb\n\nc\n\n", "# a\n\nx", "", "# a\n\nx\n\n- y\n"]) {
      markdown.setText(text);
      expect([...markdown.render(40)]).toEqual(wholeRows(text, 40));
    }
  });

  test("finished blocks are not drawn again when the tail grows", () => {
    const markdown = createIncrementalMarkdown({ theme: countingTheme() });
    let text = "**first**\n\n";
    for (let index = 0; index < 50; index += 1) {
      text += `paragraph **${index}**\n\n`;
      markdown.setText(text);
      markdown.render(60);
    }
    // Each paragraph is drawn while it is the tail, and once when it has become a finished part.
    expect(decorated).toBeLessThan(51 * 4);
  });
});

let decorated = 0;
function countingTheme() {
  decorated = 0;
  return {
    ...plain,
    decorate: (_: string, text: string) => {
      decorated += 1;
      return text;
    },
  };
}

describe("what it looks like", () => {
  test("every row of random Markdown fits its width and ends its styles", () => {
    for (let seed = 1000; seed < 1020; seed += 1) {
      const random = mulberry32(seed);
      const markdown = createIncrementalMarkdown({ theme: dark });
      markdown.setText(randomMarkdown(random), { isDone: true });
      const width = 16 + Math.floor(random() * 60);
      expect({ seed, faults: rowFaults(markdown.render(width), width) }).toEqual({ seed, faults: [] });
    }
  });

  test("blocks of every kind at 40 columns", () => {
    expect(
      shown(
        "# Title\n\nWords that are *long* enough to be **wrapped** at forty columns, with `code`.\nA line.\n\nItems:\n- one\n  - nested\n- [x] done\n- [ ] open\n\n3. three\n4. four\n\n> quoted\n> words\n\n---\n\n```ts\nconst x = 1;\n```\n\n<b>raw</b> $x^2$\n",
        40,
      ),
    ).toMatchInlineSnapshot(`
      "
      Title

      Words that are long enough to be wrapped
      at forty columns, with \`code\`.
      A line.

      Items:
      • one
        • nested
      • [x] done
      • [ ] open

      3. three
      4. four

      │ quoted
      │ words

      ────────────────────────────────────────

        const x = 1;                        1 

      <b>raw</b> $x^2$
      "
    `);
  });

  test("a table has no lines; its widest column shrinks first, and below 24 columns it is a list", () => {
    const table = "| name | what it does |\n|:--|--:|\n| alpha | reads the whole file |\n| beta | writes |\n";
    expect(shown(table, 60)).toMatchInlineSnapshot(`
      "
      name               what it does
      alpha      reads the whole file
      beta                     writes
      "
    `);
    expect(shown(table, 28)).toMatchInlineSnapshot(`
      "
      name            what it does
      alpha   reads the whole file
      beta                  writes
      "
    `);
    expect(shown(table, 18)).toMatchInlineSnapshot(`
      "
      name: alpha
      what it does:
      reads the whole
      file
      ────────
      name: beta
      what it does:
      writes
      "
    `);
  });

  test("a link shows where it leads and is clickable only for http, https and mailto", () => {
    const rows = (text: string) => {
      const markdown = createIncrementalMarkdown({ theme: dark });
      markdown.setText(text, { isDone: true });
      return markdown.render(200).join("\n");
    };
    const visible = (text: string) => stripTerminalSequences(rows(text));
    expect(rows("[docs](https://example.org/a)")).toContain("\u001b]8;;https://example.org/a\u001b\\");
    expect(visible("[docs](https://example.org/a)")).toBe("docs (https://example.org/a)");
    expect(visible("<https://example.org/a>")).toBe("https://example.org/a");
    expect(visible("[https://good.example](https://evil.example)")).toBe("https://good.example (https://evil.example)");
    expect(rows("<me@example.org>")).toContain("\u001b]8;;mailto:me@example.org\u001b\\");
    for (const href of ["javascript:alert(1)", "file:///etc/passwd", "vscode://x", "data:text/html,x", "../up"]) {
      expect(rows(`[x](${href})`)).not.toContain("\u001b]8");
      expect(visible(`[x](${href})`)).toBe(`x (${href})`);
    }
    expect(visible("![a cat](https://example.org/cat.png)")).toBe("[image: a cat] (https://example.org/cat.png)");
  });

  test("code is coloured by its language, long code and unknown languages are not", () => {
    const rows = (code: string, language: string) => {
      const markdown = createIncrementalMarkdown({ theme: dark });
      markdown.setText(`\`\`\`${language}\n${code}\n\`\`\`\n`, { isDone: true });
      return markdown.render(80);
    };
    const keyword = dark.paint("keyword", "const");
    expect(rows("const a = 1;", "ts")[0]).toContain(keyword);
    expect(rows("const a = 1;", "nolanguage")[0]).not.toContain(keyword);
    expect(rows("const a = 1;\n".repeat(4000), "ts")[0]).not.toContain(keyword);
  });

  test("a number and its unit, inline code and path:line stay in one row; the latter is a link below the directory", () => {
    expect(shown("It waits for 30 s in `a b c` and then in src/worker.ts:88 again", 19)).toMatchInlineSnapshot(`
      "
      It waits for 30 s
      in \`a b c\` and then
      in src/worker.ts:88
      again
      "
    `);
    const markdown = createIncrementalMarkdown({ theme: dark, cwd: "/w" });
    markdown.setText("See src/a.ts:7, `b.ts:2`, ../c.ts:1 and http://x.example:80.", { isDone: true });
    const row = markdown.render(200)[0] ?? "";
    expect([...row.matchAll(/\]8;;(file:[\w/.:-]+)/g)].map(([, href]) => href)).toStrictEqual([
      `file://${hostname()}/w/src/a.ts`,
      `file://${hostname()}/w/b.ts`,
    ]);
  });

  test("code blocks are numbered over the whole text, from any number on", () => {
    const markdown = createIncrementalMarkdown({ theme: plain, firstCode: 3 });
    markdown.setText("```\na\n```\n\n- x\n  ```\n  b\n  ```\n\n    indented\n\n```\nc", { isDone: true });
    const numbered = markdown.render(20).map((row) => stripTerminalSequences(row).trim());
    expect(numbered.filter((row) => /\d$/.test(row)).map((row) => row.replace(/ +/, " "))).toStrictEqual([
      "a 3",
      "b 4",
      "c 5",
    ]);
  });

  test("in a column long lines of code are cut, elsewhere they break", () => {
    const rows = (isCut: boolean) => {
      const markdown = createIncrementalMarkdown({ theme: plain, isCut });
      markdown.setText("```\n0123456789\n```", { isDone: true });
      return markdown.render(10).map((row) => stripTerminalSequences(row).trimEnd());
    };
    expect(rows(true)).toStrictEqual(["  0123456…"]);
    expect(rows(false)).toStrictEqual(["  01234567", "  89"]);
  });

  test("what is nested or marked beyond reason is shown as it was written", () => {
    const rows = (text: string) => shown(text, 60).trim();
    expect(rows(`${"> ".repeat(3000)}deep`)).toContain("deep");
    expect(rows(`${"- ".repeat(3000)}deep`)).toContain("deep");
    expect(rows("*a ".repeat(700))).toContain("*a *a");
    expect(rows("x".repeat(MARKDOWN_CHARS_MAX + 1)).split("\n")).toHaveLength(Math.ceil((MARKDOWN_CHARS_MAX + 1) / 60));
  });
});
