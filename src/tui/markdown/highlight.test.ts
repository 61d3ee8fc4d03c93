import { expect, test } from "vitest";
import { createTheme } from "../theme/create-theme.ts";
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
