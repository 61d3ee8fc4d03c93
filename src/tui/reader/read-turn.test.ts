import { expect, test } from "vitest";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { empty, fold, turnById } from "../../transcript/index.ts";
import { readTurn } from "./announcer.ts";
import { createLineOutput } from "./terminal-lines.ts";

test("a turn read again is read in full, in the wording of its announcement", () => {
  const transcript = fold(
    empty("session"),
    stamped([
      created(),
      joined("ada"),
      said("m1", ["ada"]),
      started("t1", "ada", { messageIds: ["m1"] }),
      started("t2", "finder", { cause: "subagent", parentTurnId: "t1", depth: 1 }),
      { type: "tool_call_start", turnId: "t2", member: "finder", toolCallId: "c1", name: "grep", args: {} },
      {
        type: "tool_result",
        turnId: "t2",
        member: "finder",
        toolCallId: "c1",
        ok: true,
        result: "src/a.ts",
        durationMs: 40,
      },
      { type: "text_done", turnId: "t2", member: "finder", segmentId: "s1", text: "It is in a.ts." },
      ended("t2", "finder"),
    ]),
  );
  const turn = turnById(transcript, "t2");
  let heard = "";
  if (turn !== undefined) {
    readTurn(
      turn,
      transcript,
      createLineOutput((text) => (heard += text)),
    );
  }
  expect(heard).toMatchInlineSnapshot(`
    "Subagent finder is working.
    Subagent finder: grep, done.
    Subagent finder says:
      It is in a.ts.
    Subagent finder finished, 1 s.
    "
  `);
});

test("calls that ran at the same time are read in the order of their results, whatever their durations say", () => {
  const call = { turnId: "t1", member: "ada" } as const;
  const transcript = fold(
    empty("session"),
    stamped([
      created(),
      joined("ada"),
      said("m1", ["ada"]),
      started("t1", "ada", { messageIds: ["m1"] }),
      { ...call, type: "tool_call_start", toolCallId: "c1", name: "first", args: {} },
      { ...call, type: "tool_call_start", toolCallId: "c2", name: "second", args: {} },
      { ...call, type: "tool_result", toolCallId: "c2", ok: true, durationMs: 900_000 },
      { ...call, type: "tool_result", toolCallId: "c1", ok: true, durationMs: 1 },
      ended("t1", "ada"),
    ]),
  );
  const turn = turnById(transcript, "t1");
  let heard = "";
  const lines = createLineOutput((text) => (heard += text));
  if (turn !== undefined) readTurn(turn, transcript, lines);
  expect(heard.match(/first|second/g)).toEqual(["second", "first"]);
});
