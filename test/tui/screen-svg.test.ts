import { expect, test } from "vitest";
import { screenSvg } from "../../tooling/screen-svg.ts";
import { createEmulator } from "./emulator.ts";

test("an SVG of a screen has its text in colour and width, and nothing that is not text", async () => {
  const emulator = createEmulator({ columns: 20, rows: 2, hasKitty: true, background: undefined, answer: () => {} });
  const written = "\u001b[1;38;2;255;0;16mred\u001b[0m <a&b>\r\n\u001b[7m 日本 \u001b[0m";
  await new Promise<void>((resolve) => emulator.write(written, resolve));
  const svg = screenSvg({ rows: emulator.runs(), columns: 20, cursor: { column: 3, row: 1 }, label: 'a "screen"' });
  emulator.dispose();
  expect(svg.split("\n").slice(1)).toEqual([
    '<rect width="100%" height="100%" rx="8" fill="#1e1e1e"/>',
    '<text x="14" y="27" fill="#ff0010" xml:space="preserve" textLength="25.2" font-weight="bold">red</text><text x="39.2" y="27" fill="#d4d4d4" xml:space="preserve" textLength="50.4"> &lt;a&amp;b&gt;</text>',
    '<rect x="14" y="32" width="50.4" height="18" fill="#d4d4d4"/><text x="14" y="45" fill="#1e1e1e" xml:space="preserve" textLength="42"> 日本</text>',
    '<rect x="39.2" y="32" width="8.4" height="18" fill="#d4d4d4"/>',
    "</svg>",
    "",
  ]);
  expect(svg).toContain('aria-label="a &quot;screen&quot;"');
});
