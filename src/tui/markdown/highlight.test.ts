import xterm from "@xterm/headless";
import { expect, test } from "vitest";
import { runsOf } from "../../../test/tui/cell-styles.ts";
import { createTheme } from "../theme/create-theme.ts";
import { codeRows } from "./code-rows.ts";
import { highlightLines, loadHighlighter } from "./highlight.ts";

test("colours add nothing to the code and drop nothing, also where one language stands in another", async () => {
  await loadHighlighter();
  const theme = createTheme({ name: "dark", depth: "truecolor" });
  const samples = {
    markdown: "logs/<ULID>.jsonl  the log\n\n    <b>bold</b> & more\n",
    html: "<script>const a = 1 < 2 && 'x';</script>\n<style>p { color: red }</style>",
    php: '<p><?php echo "a" . $b; ?></p>',
    ts: "const html = `<p>${name}</p>`;",
  };
  for (const [language, code] of Object.entries(samples)) {
    const lines = highlightLines(code, language, theme) ?? [];
    // oxlint-disable-next-line no-control-regex -- our own styles begin with one.
    expect([language, lines.join("\n").replaceAll(/\u001b\[[0-9;]*m/g, "")]).toEqual([language, code]);
  }
});

test("the background of code fills its rows, also behind coloured words, a cut line and the block's number", async () => {
  await loadHighlighter();
  const theme = createTheme({ name: "dark", depth: "truecolor" });
  const text = "const a = 1;\n// a comment that is too long for its column\nplain";
  const token = { type: "code", raw: `\`\`\`ts\n${text}\n\`\`\``, lang: "ts", text } as const;
  const screen = new xterm.Terminal({ cols: 30, rows: 3, allowProposedApi: true });
  const rows = codeRows(token, { theme, width: 24, isOpen: false, number: 1, isCut: true });
  await new Promise<void>((resolve) => screen.write(rows.join("\r\n"), resolve));
  const shaded = rows.map((_, at) =>
    runsOf(screen.buffer.active.getLine(at), 24).every(({ style }) => style.background === 0x1d2027),
  );
  expect(shaded).toEqual([true, true, true]);
});
