import { expect, test } from "vitest";
import { contextOf, SETTINGS, shownMessages, transcriptOf } from "../../../test/tui/draw-panels.ts";
import { hostileSession } from "../../../test/tui/hostile-session.ts";
import { mulberry32, pickOne, type Random } from "../../../test/tui/random-markdown.ts";
import { rowFaults } from "../../../test/tui/row-checks.ts";
import { terminalPayloads } from "../../../test/tui/terminal-payloads.ts";
import { loadHighlighter } from "../markdown/highlight.ts";
import { createTheme } from "../theme/create-theme.ts";
import { createPanel } from "./create-panel.ts";

const MUTATIONS = Number(process.env["MUTATIONS"] ?? 100_000);
const CHARS_MAX = 400;
const theme = createTheme({ name: "dark", depth: "truecolor", hasLinks: true });

/** Cut, doubled, mixed with another one, and with single characters put in or changed. */
function mutate(random: Random): string {
  let text = pickOne(random, terminalPayloads).bytes.slice(0, CHARS_MAX);
  const at = () => Math.floor(random() * (text.length + 1));
  const changes: readonly (() => string)[] = [
    () => text.slice(at()),
    () => text.slice(0, at()),
    () => text + text,
    () => text.slice(0, at()) + pickOne(random, terminalPayloads).bytes.slice(0, CHARS_MAX) + text.slice(at()),
    () => text.slice(0, at()) + String.fromCharCode(Math.floor(random() * 0xa0)) + text.slice(at()),
    () => text.slice(0, at()) + String.fromCharCode(Math.floor(random() * 0x10000)) + text.slice(at()),
    () =>
      text.slice(0, at()) +
      pickOne(random, ["\n", "`", "[", "](", "|", "> ", "- ", "\u001b", "\u009d"]) +
      text.slice(at()),
  ];
  for (let count = 1 + Math.floor(random() * 4); count > 0; count -= 1)
    text = pickOne(random, changes)().slice(0, CHARS_MAX * 2);
  return text;
}

test(`${MUTATIONS} mutations of the payloads in every field leave no control of theirs in a row`, async () => {
  await loadHighlighter();
  for (let seed = 1; seed <= MUTATIONS; seed += 1) {
    const random = mulberry32(seed);
    const transcript = transcriptOf(hostileSession(mutate(random)));
    const width = 20 + Math.floor(random() * 100);
    const settings = { ...SETTINGS, isExpanded: random() < 0.5, isRaw: random() < 0.2, hasTimes: random() < 0.5 };
    const context = contextOf(transcript, { theme, settings, isSelected: random() < 0.2, liveRowsMax: 12 });
    const faults = shownMessages(transcript).flatMap((message) =>
      rowFaults(createPanel(message, context).render(width), width),
    );
    if (faults.length > 0) expect({ seed, faults }).toEqual({ seed, faults: [] });
  }
});
