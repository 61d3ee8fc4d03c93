import { expect, test } from "vitest";
import { LogScene } from "../../../test/tui/log-scene.ts";
import { messageAt, type ShownMessage } from "../../transcript/index.ts";
import { codeBlocks, copyText } from "./copy-text.ts";

function answered(text: string): ShownMessage {
  const scene = new LogScene();
  scene.answer(text);
  const message = messageAt(scene.transcript, 0);
  if (message === undefined) throw new Error("The scene has no message.");
  return message;
}

test("a message is copied as it was written: the source of its text blocks, nothing of its tools", () => {
  const scene = new LogScene();
  const turnId = scene.start("ann");
  scene.delta(turnId, "**first**");
  scene.add({ type: "tool_call_start", turnId, member: "ann", toolCallId: "call", name: "read", args: {} });
  scene.add({ type: "text_delta", turnId, member: "ann", segmentId: "second", text: "- second\n" });
  const message = messageAt(scene.transcript, 0);
  expect(message && copyText(message)).toBe("**first**\n\n- second\n");
  scene.user("as *typed*\n");
  const user = messageAt(scene.transcript, 1);
  expect(user && copyText(user)).toBe("as *typed*\n");
});

test("code blocks are copied without their fences, nested and indented ones whole, an open one to the end", () => {
  const source = [
    "before",
    "```ts",
    "const a = 1;",
    "",
    "~~~",
    "```",
    "1. item",
    "   ````md",
    "   ```",
    "     inner",
    "   ```",
    "   ````",
    "``` not `a fence",
    "~~~",
    "open",
  ].join("\n");
  expect(codeBlocks(answered(source))).toEqual(["const a = 1;\n\n~~~", "```\n  inner\n```", "open"]);
  expect(codeBlocks(answered("no code"))).toEqual([]);
});
