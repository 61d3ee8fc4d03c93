import { expect, test } from "vitest";
import { KEYS, openPrompt, paste, ctrl } from "../../../test/tui/prompt-on-screen.ts";
import { PASTE_SILENCE_MS, UNDO_STEPS_MAX } from "./prompt-editor.ts";
import { PASTE_CHARS_MAX, PasteCollector } from "./paste-reader.ts";
import { PASTE_LIMITS, PastedBlocks } from "./pasted-blocks.ts";

const RULE = "─".repeat(60);

test("a long paste is one mark with its lines, and is sent in full", async () => {
  using box = await openPrompt();
  const text = Array.from({ length: 12_345 }, (_, line) => `line ${line}`).join("\n");
  await box.type("see ", paste(text), " please");
  expect(await box.rows()).toEqual([RULE, " ❯ see [pasted 12,345 lines] please", RULE]);
  await box.type(KEYS.enter);
  expect(box.sent).toEqual([{ text: `see ${text} please`, how: "send" }]);
});

test("a mark moves and is deleted as one character, and undo brings it back whole", async () => {
  using box = await openPrompt();
  const text = "x".repeat(2_000);
  await box.type("a", paste(text), KEYS.left, "b", KEYS.right, "c", KEYS.backspace, KEYS.backspace);
  expect(box.prompt.text).toBe("ab");
  await box.type("\u001f");
  expect(box.prompt.text).toBe(`ab${text}`);
});

test("Ctrl+W cuts a mark alone, and Ctrl+Y puts it back", async () => {
  using box = await openPrompt();
  const text = "y\n".repeat(50);
  await box.type("word ", paste(text), ctrl("w"));
  expect(box.prompt.text).toBe("word ");
  await box.type(ctrl("y"));
  expect(box.prompt.text).toBe(`word ${text}`);
});

test("two pastes of one size have two marks, the same paste has one", () => {
  const blocks = new PastedBlocks();
  const shown = ["a\n", "b\n", "a\n"].map((line) => blocks.show(line.repeat(20), PASTE_LIMITS));
  expect(shown[0]).toBe(shown[2]);
  expect(shown[0]).not.toBe(shown[1]);
  expect(blocks.expand(shown.join("|"))).toBe(["a\n".repeat(20), "b\n".repeat(20), "a\n".repeat(20)].join("|"));
});

test("a mark that stands inside a pasted text is part of that text", () => {
  const blocks = new PastedBlocks();
  const inner = blocks.show("i\n".repeat(20), PASTE_LIMITS);
  const outer = `${inner}\n`.repeat(20);
  expect(blocks.expand(blocks.show(outer, PASTE_LIMITS))).toBe(outer);
});

test("a short paste stands in the box, tabs and all, and is sent as pasted", async () => {
  using box = await openPrompt();
  await box.type(paste("if x:\r\n\treturn\r\n"), KEYS.enter);
  expect(box.sent).toEqual([{ text: "if x:\n\treturn\n", how: "send" }]);
});

test("control and hidden characters of a paste are shown as numbers and sent as they are, without NUL", async () => {
  using box = await openPrompt();
  box.screen.terminal.takeWritten();
  const evil = "a\u0000b\u001b]52;c;ZXZpbA==\u0007\u009b31m\u202ec\u200b";
  await box.type(paste(evil));
  expect(await box.rows()).toEqual([
    RULE,
    " ❯ ab⟨U+001B⟩]52;c;ZXZpbA==⟨U+0007⟩⟨U+009B⟩31m⟨U+202E⟩c",
    "   ⟨U+200B⟩",
    RULE,
  ]);
  const written = box.screen.terminal.takeWritten();
  expect(["\u001b]52", "\u009b", "\u0000", "\u202e", "\u200b"].filter((bytes) => written.includes(bytes))).toEqual([]);
  await box.type(KEYS.enter);
  expect(box.sent).toEqual([{ text: evil.replace("\u0000", ""), how: "send" }]);
});

test("typed control and hidden characters never reach the screen", async () => {
  using box = await openPrompt();
  box.screen.terminal.takeWritten();
  for (const data of ["\u0000", "\u0001x", "\u009b", "\u001b[8238u", "ok\u001b[2Jok", "\ud800", "z"]) {
    box.prompt.component.handleInput?.(data);
  }
  const [, row] = await box.rows();
  expect(row).toBe(" ❯ ⟨U+009B⟩⟨U+202E⟩ok⟨U+001B⟩[2Jok�z");
  expect(box.prompt.text).toBe("\u009b\u202eok\u001b[2Jok\ufffdz");
});

test("pasted line feeds that a terminal wrote as the key Ctrl+J are line feeds", async () => {
  using box = await openPrompt();
  await box.type(paste("a\u001b[106;5ub"));
  expect(box.prompt.text).toBe("a\nb");
});

test("a paste in pieces of any size is the same paste, and keys around it are keys", () => {
  const text = "\u001b[20 not an end \u001b[201 nor this\n".repeat(3);
  const whole = `k\u001b[200~${text}\u001b[201~l`;
  for (let size = 1; size <= whole.length; size++) {
    const collector = new PasteCollector();
    const segments = [];
    // The opening mark comes whole: a terminal reader gives a sequence as one.
    for (const part of [whole.slice(0, 7), ...chunks(whole.slice(7), size)]) segments.push(...collector.push(part));
    expect(segments, `pieces of ${size}`).toEqual([{ keys: "k" }, { paste: text, isCut: false }, { keys: "l" }]);
  }
});

test("a paste whose end is lost is taken after a silence", async () => {
  using box = await openPrompt();
  await box.type("\u001b[200~lost");
  expect(box.prompt.text).toBe("");
  box.clock.advance(PASTE_SILENCE_MS);
  expect(box.prompt.text).toBe("lost");
});

test("a paste beyond the limit is truncated with a notice", async () => {
  using box = await openPrompt();
  await box.type(paste("x".repeat(PASTE_CHARS_MAX + 1)), KEYS.enter);
  expect({ lengths: box.sent.map(({ text }) => text.length), said: box.messages }).toEqual({
    lengths: [PASTE_CHARS_MAX],
    said: ["The paste was too long and has been cut. Send the rest as a file."],
  });
});

test("5 MB in one paste become one mark that is sent in full, and typing on goes on", async () => {
  using box = await openPrompt();
  const text = `${"x".repeat(79)}\n`.repeat(65_536);
  await box.type(paste(text), " and more", KEYS.enter);
  expect(box.sent.map((it) => it.text === `${text} and more`)).toEqual([true]);
});

test("a very long draft or entry comes back as a mark, so that keys stay quick", async () => {
  using box = await openPrompt();
  const text = "z\n".repeat(100_000);
  box.prompt.setText(text);
  expect(await box.rows()).toEqual([RULE, " ❯ [pasted 100,001 lines]", RULE]);
  expect(box.prompt.text).toBe(text);
});

test("undo goes back a bounded number of steps", async () => {
  using box = await openPrompt();
  for (let step = 0; step < UNDO_STEPS_MAX + 50; step++) await box.type("w ");
  for (let step = 0; step < UNDO_STEPS_MAX * 4; step++) await box.type("\u001f");
  expect(box.prompt.text.length).toBeGreaterThan(0);
});

function chunks(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}
