/**
 * Test phrases for what an agent may ask of the user, show beside the conversation, and report of its work. Answers are
 * repeated, what is shown for a while is removed again, and everything reported is made up.
 */
import { createHash } from "node:crypto";
import type { EmbeddedTurn, PlainEvent } from "../../../../src/agents/index.ts";
import type { UiRequestBody } from "../../../../src/protocol/index.ts";
import { inlineCode } from "../../markdown.ts";
import type { TryPhrase } from "./phrase.ts";

const COLOURS = [
  { label: "Red", value: "red", description: "the first of three" },
  { label: "Green", value: "green" },
  { label: "Blue", value: "blue" },
];

const CALL = "rm -rf build && npm run build";

export const overlayPhrases: readonly TryPhrase[] = [
  overlay("select", "asks you to pick one of three", {
    method: "select",
    title: "Which colour?",
    options: COLOURS,
  }),
  overlay("confirm", "asks yes or no", { method: "confirm", title: "Go on?", message: "Nothing happens either way." }),
  overlay("input", "asks for one line", { method: "input", title: "Your name?", placeholder: "any word" }),
  overlay("editor", "asks for several lines", {
    method: "editor",
    title: "Edit this note",
    prefill: "First line\nSecond line\n",
  }),
  overlay("approval", "asks to approve a command; nothing is run, whatever you answer", {
    method: "approval",
    title: "Run this command?",
    tool: "shell",
    call: CALL,
    callHash: createHash("sha256").update(CALL).digest("hex"),
    diff: "--- a/build/old.js\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n",
    options: [
      { label: "Allow once", value: "allow" },
      { label: "Deny", value: "deny" },
    ],
  }),
  overlay("question", "asks two questions at once", {
    method: "question",
    title: "Two questions",
    questions: [
      { id: "colours", text: "Which colours?", options: COLOURS, multiple: true, freeText: false },
      { id: "why", text: "Why?", options: [], multiple: false, freeText: true },
    ],
  }),
];

const SHOWN_MS = 3_000;

export const signalPhrases: readonly TryPhrase[] = [
  {
    name: "notify",
    does: "shows a notice of each kind",
    async run(turn) {
      for (const notifyType of ["info", "success", "warn", "error"] as const) {
        turn.show({ type: "ui_notify", message: `A notice of the kind ${notifyType}.`, notifyType });
      }
      await turn.write("Four notices: info, success, warn, error.\n");
    },
  },
  passing("status", "a status text in the footer", {
    on: { type: "ui_status", key: "scout", text: "scout: trying the status" },
    off: { type: "ui_status", key: "scout", text: null },
  }),
  passing("widget", "a widget of three lines", {
    on: { type: "ui_widget", key: "scout", content: ["scout", "a widget", "of three lines"], opts: {} },
    off: { type: "ui_widget", key: "scout", content: null, opts: {} },
  }),
  passing("working", "a working message", {
    on: { type: "ui_working", message: "Trying the working message" },
    off: { type: "ui_working", message: null },
  }),
  shown("title", "sets the title of the window", { type: "ui_set_title", title: "scout was here" }),
  shown("editor-text", "puts text into your editor", {
    type: "ui_set_editor_text",
    text: "where is createAgent defined",
  }),
];

const PLAN = ["Look at what is there", "Change it", "Check that it holds"];
const STEP_MS = 1_000;

export const workPhrases: readonly TryPhrase[] = [
  {
    name: "plan",
    does: "shows a plan and goes through it",
    async run(turn) {
      await turn.write("A plan of three steps:\n\n");
      for (let done = 0; done <= PLAN.length; done++) {
        const items = PLAN.map((text, index) => ({
          text,
          status:
            index < done ? ("completed" as const) : index === done ? ("in_progress" as const) : ("pending" as const),
        }));
        turn.show({ type: "plan_update", planId: "try-plan", items, explanation: "A plan made up by scout." });
        if (done < PLAN.length) await turn.delay(STEP_MS);
      }
      await turn.write("All three are done; nothing was changed.\n");
    },
  },
  shown("changes", "reports changed files (made up: nothing is changed)", {
    type: "change_report",
    files: [
      {
        path: "src/example.ts",
        status: "modified",
        added: 2,
        removed: 1,
        diff: "--- a/src/example.ts\n+++ b/src/example.ts\n@@ -1,2 +1,3 @@\n-const a = 1;\n+const a = 2;\n+const b = 3;\n export { a };\n",
      },
      { path: "src/new.ts", status: "added", added: 10, removed: 0 },
      { path: "src/old.ts", status: "deleted", added: 0, removed: 7 },
    ],
    truncatedCount: 4,
  }),
  {
    name: "retrying",
    does: "retries twice before it answers",
    async run(turn) {
      for (const attempt of [1, 2]) {
        turn.show({ type: "retrying", attempt, of: 3, delayMs: STEP_MS, reason: "This failure is made up." });
        await turn.delay(STEP_MS);
      }
      await turn.write("The third attempt succeeded.\n");
    },
  },
  shown("fallback", "says that another model answers", {
    type: "model_fallback",
    preferred: "scout-large",
    actual: "scout",
    reason: "There is no larger scout.",
  }),
  shown("usage", "shows the usage of the running turn (made up: it ends with zero)", {
    type: "usage",
    usage: { inputTokens: 1_200, outputTokens: 340, cacheReadTokens: 800, costUsd: 0.0123 },
  }),
  shown("context", "shows how full the context is (made up)", {
    type: "context_update",
    used: 150_000,
    window: 200_000,
    compactAt: 180_000,
    measured: false,
  }),
];

function overlay(name: string, does: string, request: UiRequestBody): TryPhrase {
  return {
    name,
    does,
    async run(turn) {
      await turn.write(`Trying ${inlineCode(name)}.\n\n`);
      const { result, error } = await turn.ask(request);
      const answer = inlineCode(JSON.stringify(result));
      await turn.write(
        error === null
          ? `You answered ${answer}.\n`
          : `No answer (${inlineCode(error)}); the default was used: ${answer}.\n`,
      );
    },
  };
}

function passing(name: string, what: string, { on, off }: { on: PlainEvent; off: PlainEvent }): TryPhrase {
  return {
    name,
    does: `shows ${what} for ${SHOWN_MS / 1_000} seconds`,
    async run(turn: EmbeddedTurn) {
      turn.show(on);
      await turn.write(`Showing ${what} for ${SHOWN_MS / 1_000} seconds. `);
      await turn.delay(SHOWN_MS);
      turn.show(off);
      await turn.write("Gone again.\n");
    },
  };
}

function shown(name: string, does: string, event: PlainEvent): TryPhrase {
  return {
    name,
    does,
    async run(turn) {
      turn.show(event);
      await turn.write(`Done: ${does}.\n`);
    },
  };
}
