import { expect, test } from "vitest";
import { started } from "../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../test/generate/stamped.ts";
import type { DraftOf, EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { OUTPUT_SHOWN_MAX } from "../model.ts";
import type { Block, ToolBlock } from "../messages.ts";
import { fold } from "../fold.ts";
import { shownOutput } from "../selectors/turn.ts";

const turn = { turnId: "t1", member: "claude" };
const call = (toolCallId: string, rest: Partial<DraftOf<"tool_call_start">> = {}): EventDraft => ({
  type: "tool_call_start",
  ...turn,
  toolCallId,
  name: "read",
  args: { path: "a.ts" },
  ...rest,
});
const output = (text: string, toolCallId = "c1"): EventDraft => ({
  type: "tool_output_delta",
  ...turn,
  toolCallId,
  text,
});
const result = (rest: Partial<DraftOf<"tool_result">>, toolCallId = "c1"): EventDraft => ({
  type: "tool_result",
  ...turn,
  toolCallId,
  ok: true,
  ...rest,
});

function blocksAfter(...drafts: EventDraft[]): readonly Block[] {
  return fold(empty("session"), stamped([started("t1", "claude"), ...drafts])).head.openTurns["t1"]?.blocks ?? [];
}

const toolAfter = (...drafts: EventDraft[]) => blocksAfter(...drafts)[0] as ToolBlock;

test("[T15] a tool call is pending from its start, with its arguments", () => {
  expect(blocksAfter(call("c1", { nativeId: "n1", title: "Read a.ts", kind: "read" }))).toStrictEqual([
    {
      kind: "tool",
      toolCallId: "c1",
      name: "read",
      args: { path: "a.ts" },
      nativeId: "n1",
      title: "Read a.ts",
      toolKind: "read",
      state: "pending",
      output: "",
      outputDropped: 0,
      startTs: START_TS + 2000,
    },
  ]);
});

test.each<[ToolBlock["state"], Partial<DraftOf<"tool_result">>, Partial<DraftOf<"tool_call_start">>]>([
  ["success", { result: "text" }, {}],
  ["error", { ok: false, error: { code: "tool_error", message: "No." } }, {}],
  ["error", { ok: false, error: { code: "tool_denied", message: "No." } }, {}],
  ["error", { ok: false }, {}],
  ["interrupted", { ok: false, error: { code: "tool_interrupted", message: "Stopped." } }, {}],
  ["truncated", { result: "te", truncated: { totalBytes: 4, shownBytes: 2 } }, {}],
  ["agent-callback", { result: "text" }, { agentExchangeId: "x1" }],
  ["error", { ok: false, error: { code: "tool_error", message: "No." } }, { agentExchangeId: "x1" }],
])("[T15] a result makes the call %s: %j", (state, settled, begun) => {
  const { endSeq, ...tool } = toolAfter(call("c1", begun), result({ ...settled, durationMs: 7 }));
  expect(endSeq).toBe(3);
  expect(tool).toStrictEqual({
    ...toolAfter(call("c1", begun)),
    ...Object.fromEntries(Object.entries(settled).filter(([key]) => key !== "ok")),
    durationMs: 7,
    state,
  });
});

test("output that the result repeats is stored once, whatever happens to its last newline", () => {
  const kept = (text: string, whole: string) => toolAfter(call("c1"), output(text), result({ result: whole })).output;
  expect(kept("one\ntwo\n", "one\ntwo")).toBe("");
  expect(kept(`${"x".repeat(9_000)}end\n`, "xxx … xxxend\n(exit code 1)")).not.toBe("");
  expect(kept(`${"x".repeat(9_000)}\nend\n`, `xx\n… left out …\n${"x".repeat(600)}\nend`)).toBe("");
  expect(kept("one\ntwo\n", "2 lines")).toBe("one\ntwo\n");
});

test("[T16] parallel calls are matched by id, in any order of results", () => {
  const states = blocksAfter(call("c1"), call("c2"), call("c3"), result({}, "c3"), output("x", "c2"), result({}, "c1"));
  expect(states.map((block) => block.kind === "tool" && [block.state, block.output])).toStrictEqual([
    ["success", ""],
    ["pending", "x"],
    ["success", ""],
  ]);
});

test("[T16] the first result wins; a second one, one without its call and a repeated call are kept as events", () => {
  const kinds = blocksAfter(
    call("c1"),
    result({ result: "one" }),
    result({ result: "two" }),
    result({}, "c9"),
    call("c1"),
  );
  expect(kinds.map((block) => (block.kind === "event" ? block.event.seq : block.kind))).toStrictEqual([
    "tool",
    4,
    5,
    6,
  ]);
  expect((kinds[0] as ToolBlock).result).toBe("one");
});

test("[T16] updates and output without a pending call are ignored", () => {
  const update: EventDraft = { type: "tool_call_update", ...turn, toolCallId: "c1", title: "Late" };
  expect(blocksAfter(update, output("early"))).toStrictEqual([]);
  expect(toolAfter(call("c1"), result({}), update, output("late"))).toStrictEqual(toolAfter(call("c1"), result({})));
});

test("[T16] an update changes what it names and nothing else", () => {
  const update: EventDraft = {
    type: "tool_call_update",
    ...turn,
    toolCallId: "c1",
    args: { path: "b.ts" },
    detail: "1 of 2",
  };
  expect(toolAfter(call("c1", { title: "Read" }), update)).toStrictEqual({
    ...toolAfter(call("c1", { title: "Read" })),
    args: { path: "b.ts" },
    detail: "1 of 2",
  });
});

test("[T17] streamed output keeps between OUTPUT_SHOWN_MAX and twice as many of its newest characters, and counts the rest", () => {
  const chunk = "0123456789".repeat(1000);
  for (let chunks = 1; chunks <= 40; chunks += 1) {
    const tool = toolAfter(call("c1"), ...Array.from({ length: chunks }, () => output(chunk)));
    const whole = chunk.repeat(chunks);
    expect(tool.output.length + tool.outputDropped).toBe(whole.length);
    expect(tool.output.length).toBeLessThanOrEqual(2 * OUTPUT_SHOWN_MAX);
    expect(tool.output.length).toBeGreaterThanOrEqual(Math.min(whole.length, OUTPUT_SHOWN_MAX));
    expect(whole.endsWith(tool.output)).toBe(true);
    expect(shownOutput(tool)).toStrictEqual({
      text: whole.slice(-OUTPUT_SHOWN_MAX),
      dropped: Math.max(0, whole.length - OUTPUT_SHOWN_MAX),
    });
  }
});

test("[T17] output is never cut inside a character", () => {
  const tool = toolAfter(call("c1"), output(`x${"👍".repeat(OUTPUT_SHOWN_MAX)}y`));
  expect(tool.output).toBe(`${"👍".repeat(OUTPUT_SHOWN_MAX / 2 - 1)}y`);
  expect(tool.outputDropped).toBe(OUTPUT_SHOWN_MAX + 3);
});

test("output that the result repeats is dropped; other output keeps its newest OUTPUT_SHOWN_MAX characters", () => {
  expect(toolAfter(call("c1"), output("a\n"), result({ result: "a\nb\n" })).output).toBe("");
  expect(toolAfter(call("c1"), output("a\n"), result({ result: "exit 0" })).output).toBe("a\n");
  const long = "x".repeat(OUTPUT_SHOWN_MAX + 10);
  const { output: kept, outputDropped } = toolAfter(call("c1"), output(long), result({ ok: false }));
  expect([kept.length, outputDropped]).toStrictEqual([OUTPUT_SHOWN_MAX, 10]);
});
