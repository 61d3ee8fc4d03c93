import { expect, test } from "vitest";
import { ended, said, started } from "../../../test/generate/drafts.ts";
import {
  contextOf,
  picture,
  SETTINGS,
  shownMessages,
  sessionLog,
  transcriptOf,
} from "../../../test/tui/draw-panels.ts";
import type { DraftOf, EventDraft } from "../../protocol/index.ts";
import { createPanel } from "./create-panel.ts";

const of = { turnId: "t1", member: "claude" };

function call(kind: DraftOf<"tool_call_start">["kind"], rest: Partial<DraftOf<"tool_result">> = {}): EventDraft[] {
  return [
    { type: "tool_call_start", ...of, toolCallId: "c", name: "tool", args: {}, title: "Search for it", kind },
    { type: "tool_output_delta", ...of, toolCallId: "c", text: "a.ts: 1 match\nb.ts: 2 matches\n" },
    {
      type: "tool_result",
      ...of,
      toolCallId: "c",
      ok: true,
      result: "Matches in 2 files.\na.ts\nb.ts",
      durationMs: 5,
      ...rest,
    },
  ] as EventDraft[];
}

const turn = (...inside: EventDraft[]): EventDraft[] => [
  said("m1", ["claude"]),
  started("t1", "claude"),
  ...inside,
  ended("t1", "claude"),
];

/** The rows of the tool, without the bar. */
const toolRows = (drafts: EventDraft[], width = 60): string[] =>
  picture(drafts, { width })
    .trim()
    .split("\n")
    .slice(1)
    .map((row) => row.slice(3));

test("calls that only looked are one line once they are done", () => {
  expect(toolRows(turn(...call("search")))).toEqual(["▸ searched once"]);
  expect(toolRows(turn(...call("read")))).toEqual(["▸ read 1 file"]);
});

test("while it runs its output is shown, and when it failed its reason until the turn ends", () => {
  const running = turn(...call("search").slice(0, 2)).slice(0, -1);
  expect(toolRows(running)).toContain("  │ a.ts: 1 match");
  const error = { code: "tool_error", message: "no such file" } as const;
  const failed = turn(...call("read", { ok: false, error }));
  expect(toolRows(failed.slice(0, -1))).toContain("  │ no such file");
  expect(toolRows(failed)).toEqual(["▸ read 1 file (1 failed)"]);
});

test("it opens to all of it, by hand and with everything else", () => {
  const transcript = transcriptOf(sessionLog(turn(...call("search"))));
  const message = shownMessages(transcript).find(({ kind }) => kind === "turn");
  if (message === undefined) throw new Error("The turn is missing.");
  const panel = createPanel(message, contextOf(transcript));
  const text = (): string => panel.render(60).join("\n");
  expect(text()).not.toContain("a.ts");
  expect(panel.toggle(1)).toBe(true);
  expect(text()).toContain("Search for it");
  expect(text()).not.toContain("a.ts");
  expect(panel.toggle(2)).toBe(true);
  expect(text()).toContain("a.ts");
  panel.toggle(1);
  expect(text()).not.toContain("a.ts");
  panel.update(message, contextOf(transcript, { settings: { ...SETTINGS, isExpanded: true } }));
  expect(text()).toContain("a.ts");
});
