import { expect, test } from "vitest";
import { ended, said, started } from "../../../test/generate/drafts.ts";
import { LogScene } from "../../../test/tui/log-scene.ts";
import { messageAt, type ShownMessage } from "../../transcript/index.ts";
import { codeBlocks, codeByNumber, copyText } from "./copy-text.ts";

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

test("a code block is named by its number beside it, over all answers to a message", () => {
  const scene = new LogScene();
  scene.add(said("m1", ["ann", "bob"], { toAll: true }));
  for (const member of ["ann", "bob"]) {
    const turn = { turnId: `t-${member}`, member };
    scene.add(started(turn.turnId, member, { rootMessageId: "m1", round: 1 }));
    scene.add(
      { type: "text_done", ...turn, segmentId: member, text: `\`\`\`\n${member}\n\`\`\`` },
      ended(turn.turnId, member),
    );
  }
  const last = messageAt(scene.transcript, 2);
  const blocks = [1, 2, 3].map((number) => last && codeByNumber(scene.transcript, last, number));
  expect(blocks).toEqual(["ann", "bob", undefined]);
});
