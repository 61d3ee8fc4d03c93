/** Test phrases for what an agent may ask of the user. Each says afterwards what came back. */
import { createHash } from "node:crypto";
import type { UiRequestBody } from "../../../../src/protocol/index.ts";
import { inlineCode } from "../../markdown.ts";
import type { TryPhrase } from "./phrases.ts";

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

function overlay(name: string, does: string, request: UiRequestBody): TryPhrase {
  return {
    name,
    does,
    async run(turn) {
      await turn.write(`I ask you by ${inlineCode(name)}.\n\n`);
      const { result, error } = await turn.ask(request);
      const answer = inlineCode(JSON.stringify(result));
      await turn.write(
        error === null ? `You answered ${answer}.\n` : `No answer (${inlineCode(error)}); taken instead: ${answer}.\n`,
      );
    },
  };
}
