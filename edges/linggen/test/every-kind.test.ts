/** The protocol's table, row by row: a session with everything has a frame of every kind and phase. */
import { expect, test } from "vitest";
import type { EventDraft } from "../../../src/protocol/index.ts";
import { empty } from "../../../src/transcript/index.ts";
import * as linggen from "../format/linggen.ts";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { frames, kindOf, problemWith, type Frame } from "./frame-schemas.ts";

const turn = { turnId: "t1", member: "ada" };
const inner = { turnId: "t2", member: "ada" };
const call = { ...turn, toolCallId: "c1" };

const everything: EventDraft[] = [
  created(),
  joined("ada"),
  said("m1", ["ada"], { origin: "idle-prompt" }),
  started("t1", "ada"),
  { type: "status", ...turn, state: "working" },
  { type: "thinking_start", ...turn, segmentId: "s1" },
  { type: "thinking_delta", ...turn, segmentId: "s1", text: "Hm." },
  { type: "thinking_done", ...turn, segmentId: "s1", text: "Hm." },
  { type: "text_delta", ...turn, segmentId: "s2", text: "I look." },
  { type: "text_done", ...turn, segmentId: "s2", text: "I look." },
  { type: "tool_call_start", ...call, name: "Bash", args: { command: "ls" }, kind: "execute" },
  { type: "tool_output_delta", ...call, text: "a.ts\n", stream: "stdout" },
  { type: "tool_result", ...call, ok: true, result: "a.ts" },
  { type: "subagent_spawned", ...turn, subagentTurnId: "t2", name: "coder", task: "fix it", depth: 1 },
  started("t2", "ada", { depth: 1, parentTurnId: "t1" }),
  { type: "text_delta", ...inner, segmentId: "s3", text: "fixed" },
  { type: "text_done", ...inner, segmentId: "s3", text: "fixed" },
  ended("t2", "ada"),
  { type: "subagent_result", ...turn, subagentTurnId: inner.turnId, outcome: "completed", text: "fixed" },
  { type: "plan_update", ...turn, planId: "p", items: [{ text: "look", status: "pending" }] },
  { type: "change_report", ...turn, files: [{ path: "a.ts", status: "modified", diff: "-a\n+b" }], truncatedCount: 0 },
  { type: "model_fallback", ...turn, preferred: "large", actual: "small", reason: "busy" },
  { type: "context_update", ...turn, used: 100, window: 1000, measured: true },
  {
    type: "ui_request",
    ...turn,
    requestId: "r1",
    request: { method: "confirm", title: "Go on?", message: "Really?" },
    timeoutMs: 1000,
    default: false,
  },
  { type: "ui_response", ...turn, requestId: "r1", result: true, error: null, by: "linggen" },
  { type: "queue_updated", items: [{ messageId: "m2", text: "later", to: ["ada"], attachments: [], ts: 1 }] },
  ended("t1", "ada"),
  { type: "damage", fromSeq: 90, toSeq: 91, offset: 1, bytes: 9 },
];

test("every kind and phase of the protocol's table is produced by some event, in the documented shape", () => {
  const mapper = new linggen.SessionMapper(empty("session"), { nextStatusId: () => "status-1" });
  const told = stamped(everything)
    .flatMap((event) => mapper.map(event))
    .map((draft, at) => JSON.parse(JSON.stringify(linggen.stamp(draft, at + 1))) as Frame);
  expect(told.flatMap((frame) => problemWith(frame) ?? [])).toEqual([]);
  expect([...new Set(told.map((frame) => kindOf(frame)))].toSorted()).toEqual(Object.keys(frames).toSorted());
  const prompted = told.filter((frame) => frame.id.startsWith("idle-trigger-ada-"));
  expect(prompted).toMatchObject([{ project_root: "/project", text: "Idle prompt triggered" }]);
});
