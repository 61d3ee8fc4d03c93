import { expect, test } from "vitest";
import { mulberry32, randomMarkdown } from "../../../test/tui/random-markdown.ts";
import { createTheme } from "../theme/create-theme.ts";
import { createIncrementalMarkdown } from "./incremental-markdown.ts";

const SEEDS = 20_000;
const theme = createTheme({ name: "dark", depth: "truecolor", hasLinks: true });

test(`${SEEDS} random texts cut at random give the rows that they give at once`, () => {
  for (let seed = 100_000; seed < 100_000 + SEEDS; seed += 1) {
    const random = mulberry32(seed);
    const text = randomMarkdown(random);
    const width = 20 + Math.floor(random() * 80);
    const markdown = createIncrementalMarkdown({ theme });
    for (let at = 0; at < text.length;) {
      at = Math.min(text.length, at + 1 + Math.floor(random() * 40));
      markdown.setText(text.slice(0, at));
      if (random() < 0.3) markdown.render(width);
    }
    const whole = createIncrementalMarkdown({ theme });
    whole.setText(text);
    expect({ seed, rows: markdown.render(width) }).toEqual({ seed, rows: whole.render(width) });
  }
});
