import { expect, test } from "vitest";
import { created, joined, said } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { createRecordingScreen } from "../../../test/tui/command-screen.ts";
import { empty, fold, loadedMessages, type ShownMessage } from "../../transcript/index.ts";
import { runCommandLine } from "./run-command.ts";

const transcript = fold(
  empty("session"),
  stamped([
    created(),
    joined("ada"),
    joined("bob"),
    said("m1", ["ada"]),
    said("m2", ["ada"]),
    { type: "message_pinned", messageId: "m1", pinned: true },
  ]),
);

async function wishOf(line: string, selected?: ShownMessage): Promise<unknown> {
  const screen = createRecordingScreen({ transcript, ...(selected === undefined ? {} : { selected }) });
  const wishes: unknown[] = [];
  screen.command = (body) => {
    wishes.push(body);
    return Promise.resolve({ commandId: "c", ok: true, seq: 1 });
  };
  await runCommandLine(screen, line);
  return wishes[0] ?? screen.messages.at(-1);
}

test.each([
  ["/compact", { type: "compact" }],
  ["/compact the plan and its dates", { type: "compact", focus: "the plan and its dates" }],
  ["/compact @ada the plan", { type: "compact", member: "ada", focus: "the plan" }],
  ["/compact bob", { type: "compact", member: "bob" }],
  ["/compact undo", { type: "compact_undo" }],
  ["/compact undo @bob", { type: "compact_undo", member: "bob" }],
  ["/compact undo it all", "/compact undo takes only a member. Usage: /compact [undo] [@NAME] [FOCUS]"],
  ["/compact @eve", 'There is no member "eve". Usage: /compact [undo] [@NAME] [FOCUS]'],
  ["/pin", { type: "pin", messageId: "m2", pinned: true }],
  ["/unpin", { type: "pin", messageId: "m1", pinned: false }],
])("in the terminal %s is that wish, or says what it takes", async (line, wish) => {
  expect(await wishOf(line)).toEqual(wish);
});

test("a compaction is reported in the conversation alone", async () => {
  const screen = createRecordingScreen({ transcript });
  screen.command = () =>
    Promise.resolve({ commandId: "c", ok: true, seq: 1, result: { started: ["ada"], refused: [] } });
  await runCommandLine(screen, "/compact");
  expect(screen.calls).toEqual([]);
});

test("the marked message is the one that is pinned", async () => {
  const marked = [...loadedMessages(transcript)].find((message) => message.kind === "user");
  expect(await wishOf("/pin", marked)).toEqual({ type: "pin", messageId: "m1", pinned: true });
});
