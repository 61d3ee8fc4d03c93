import { expect, test } from "vitest";
import type { EventDraft } from "../../protocol/index.ts";
import { ended, said, started } from "../../../test/generate/drafts.ts";
import { contextOf, SETTINGS, shownMessages, sessionLog, transcriptOf } from "../../../test/tui/draw-panels.ts";
import { createPanel } from "./create-panel.ts";

const inTurn = { turnId: "t1", member: "claude" };

test("colours of tool output are removed and its text stays, while it runs and after", () => {
  const output = "\u001b[1;31mred\u001b[0m and \u001b[38;2;1;2;3mown\u001b[48;5;200m\u001b[39m words";
  const drafts: EventDraft[] = [
    said("m1", ["claude"]),
    started("t1", "claude", { messageIds: ["m1"], rootMessageId: "m1" }),
    { type: "tool_call_start", ...inTurn, toolCallId: "c1", name: "bash", args: { command: "ls --color" } },
    { type: "tool_output_delta", ...inTurn, toolCallId: "c1", text: output },
  ];
  const done: EventDraft[] = [
    { type: "tool_result", ...inTurn, toolCallId: "c1", ok: true, result: output },
    ended("t1", "claude"),
  ];
  for (const events of [drafts, [...drafts, ...done]]) {
    const transcript = transcriptOf(sessionLog(events));
    const rows = shownMessages(transcript).flatMap((message) =>
      createPanel(message, contextOf(transcript, { settings: { ...SETTINGS, isExpanded: true } })).render(80),
    );
    const text = rows.join("\n");
    expect(text).toContain("red and own words");
    expect(["\u001b[1;31m", "38;2;1;2;3", "48;5;200"].filter((theirs) => text.includes(theirs))).toEqual([]);
  }
});
