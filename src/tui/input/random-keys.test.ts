import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { alt, ctrl, KEYS, memoryHistory, openPrompt, paste } from "../../../test/tui/prompt-on-screen.ts";
import { SAVE_AFTER_MS } from "./draft-autosave.ts";
import type { CompletionSource } from "./prompt.ts";
import { rounds } from "../../../test/rounds.ts";

const STEPS = 150;
const SEEDS = Array.from({ length: rounds(3, 300) }, (_, at) => at + 1);

const completions: CompletionSource = {
  members: () => [{ value: "claude", label: "claude" }],
  files: (query) => Promise.resolve([`${query}.ts`, "evil\u001b[2J.txt"]),
  commands: () => [{ name: "mute", usage: "/mute NAME", summary: "x" }],
  commandArguments: () => Promise.resolve([{ value: "claude", label: "claude" }]),
};

test.each(SEEDS)(
  "random keys, seed %i: nothing throws, no control reaches the screen, the draft is kept",
  async (seed) => {
    const random = createRandom(seed);
    using box = await openPrompt({
      columns: 20 + random(60),
      rows: 10 + random(30),
      completions,
      history: memoryHistory("a", "b\nc", "d".repeat(30_000)),
    });
    for (let step = 0; step < STEPS; step++) {
      const where = `seed ${seed}, step ${step}`;
      box.isRunning = random(2) === 0;
      if (random(20) === 0) box.screen.terminal.resize(20 + random(80), 8 + random(40));
      if (random(60) === 0) await box.prompt.openSession(random(2) === 0 ? "s1" : "s2");
      if (random(60) === 0) box.prompt.setText("from an agent \u001b[31m");
      await box.type(randomKey(random));
      const width = box.screen.terminal.columns;
      for (const row of box.prompt.component.render(width)) {
        expect(visibleWidth(row), where).toBeLessThanOrEqual(width);
        expect(withoutStyle(row), where).not.toMatch(/\p{Cc}|[\u202a-\u202e]/u);
      }
      expect(box.prompt.text, where).not.toMatch(/[\0\r]|\p{Cs}/u);
    }
    box.prompt.closePopup();
    await box.type(...Array.from({ length: 10 }, () => KEYS.down), "!");
    box.clock.advance(SAVE_AFTER_MS * 20);
    await box.type("", KEYS.end, "!");
    box.clock.advance(SAVE_AFTER_MS);
    expect([...box.drafts.drafts.values()], `seed ${seed}`).toContain(box.prompt.text);
  },
);

/** Our own marks: look, and the place of the cursor. */
function withoutStyle(row: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the sequences the box may write.
  return row.replaceAll(/\u001b\[[\d;]*m|\u001b_pi:c\u0007/g, "");
}

function randomKey(random: (max: number) => number): string {
  const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
  switch (random(9)) {
    case 0:
      return pick(Object.values(KEYS));
    case 1:
      return ctrl(pick("abcdefghijklmnopqrstuvwxyz_]".split("")));
    case 2:
      return alt(pick("bdfyp\u007f".split("")));
    case 3:
      return paste(pick(["x", "two\nlines", "\t\u0000\u001b]0;t\u0007", "long\n".repeat(30), "日本\u202e", "\ud83d"]));
    case 4:
      return `\u001b[${random(300)};${1 + random(16)}${pick(["u", "~", "A", "H", ":3u", ":2u"])}`;
    case 5:
      return String.fromCharCode(random(0x100));
    case 6:
      return String.fromCodePoint(random(0x11_0000));
    case 7:
      return Array.from({ length: random(8) }, () => String.fromCharCode(random(0x80))).join("");
    default:
      return pick(["hello ", "@", "@cl", "/mu", "/", "👩‍💻", "日本", "\\", "a b c"]);
  }
}

function createRandom(seed: number): (max: number) => number {
  let state = seed * 2_654_435_761;
  return (max) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
}
