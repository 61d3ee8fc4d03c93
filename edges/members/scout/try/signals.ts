/** Test phrases for what an agent may show beside the conversation. What is set for a while is taken away again. */
import type { EmbeddedTurn, PlainEvent } from "../../../../src/agents/index.ts";
import type { TryPhrase } from "./phrases.ts";

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
  lasting("title", "sets the title of the window", { type: "ui_set_title", title: "scout was here" }),
  lasting("editor-text", "puts a text into your editor", {
    type: "ui_set_editor_text",
    text: "where is createAgent defined",
  }),
];

function passing(name: string, what: string, { on, off }: { on: PlainEvent; off: PlainEvent }): TryPhrase {
  return {
    name,
    does: `shows ${what} for ${SHOWN_MS / 1_000} seconds`,
    async run(turn: EmbeddedTurn) {
      turn.show(on);
      await turn.write(`Now there is ${what}, for ${SHOWN_MS / 1_000} seconds. `);
      await turn.delay(SHOWN_MS);
      turn.show(off);
      await turn.write("Gone again.\n");
    },
  };
}

function lasting(name: string, does: string, event: PlainEvent): TryPhrase {
  return {
    name,
    does,
    async run(turn) {
      turn.show(event);
      await turn.write(`Done: ${does}.\n`);
    },
  };
}
