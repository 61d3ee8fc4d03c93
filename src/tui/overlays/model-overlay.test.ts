import { expect, onTestFinished, test } from "vitest";
import { KEY, showOverlay } from "../../../test/tui/shown-overlay.ts";
import { createModelOverlay, type ModelMember } from "./model-overlay.ts";

const MEMBERS: ModelMember[] = [
  { name: "claude", model: "opus-4.8", effort: "high", models: [{ id: "opus-4.8" }], efforts: ["low", "high"] },
  {
    name: "codex",
    model: "gpt-5.6",
    models: [{ id: "gpt-5.6" }, { id: "gpt-5.6-mini", description: "faster, smaller" }],
    efforts: ["low", "medium", "high"],
  },
  { name: "gemini", models: [] },
];

function open(member: string, columns = 100) {
  const log: unknown[] = [];
  const shown = showOverlay(
    (surface) =>
      createModelOverlay(surface, {
        members: MEMBERS,
        member,
        onUse: (choice) => log.push(choice),
        onClose: () => log.push("closed"),
      }),
    { columns, rows: 30 },
  );
  onTestFinished(() => shown.close());
  return { ...shown, log };
}

test("members stand beside what the chosen one offers; on a narrow screen one at a time", async () => {
  expect(await open("codex").text()).toMatchInlineSnapshot(`
    "─ Models ────────────────────────────────────────────────────── takes effect with the next message ─

       Member                   │  Model of codex
       claude  opus-4.8 high    │❯ gpt-5.6         current
       codex   gpt-5.6  default │  gpt-5.6-mini    faster, smaller
       gemini  default  —       │  Other …         type a name
                                │
                                │  Effort  low    medium    high    default
                                │
                                │  gemini takes no effort setting.

    ────────────────────────────────────────────────────────────────────────────────────────────────────
     Enter use it · ↑ ↓ model · ← → effort · Tab next member · Esc cancel"
  `);
  expect(await open("codex", 60).text()).toMatchInlineSnapshot(`
    "─ Models ────────────── takes effect with the next message ─

      Model of codex
    ❯ gpt-5.6         current
      gpt-5.6-mini    faster, smaller
      Other …         type a name

      Effort  low    medium    high    default

      gemini takes no effort setting.

    ────────────────────────────────────────────────────────────
     Enter use it · ↑ ↓ model · ← → effort · Esc cancel"
  `);
});

test("Enter uses model and effort, Tab goes to the next member, letters filter, Escape changes nothing", () => {
  const shown = open("codex");
  shown.press(KEY.down, KEY.left, KEY.enter);
  shown.press(KEY.tab, KEY.enter);
  shown.press(KEY.tab, KEY.enter);
  shown.press(KEY.shiftTab, KEY.shiftTab);
  shown.write("mini");
  shown.press(KEY.enter, KEY.escape);
  expect(shown.log).toEqual([
    { member: "codex", model: "gpt-5.6-mini", effort: "high" },
    { member: "gemini", model: undefined, effort: undefined },
    { member: "claude", model: "opus-4.8", effort: undefined },
    { member: "codex", model: "gpt-5.6-mini", effort: undefined },
    "closed",
  ]);
});
