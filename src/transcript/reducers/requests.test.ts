import { expect, test } from "vitest";
import { created, ended, joined, started } from "../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../test/generate/stamped.ts";
import type { EventDraft, UiRequestBody } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import type { ToolBlock, TurnMessage } from "../messages.ts";
import { fold } from "../fold.ts";
import { openRequest } from "../selectors/head.ts";
import { loadedMessages, turnById } from "../selectors/messages.ts";
import { isDenied, keyedBlocks } from "../selectors/turn.ts";

const request: UiRequestBody = { method: "confirm", title: "Go on?", message: "Really?" };
const asks = (requestId: string, turnId?: string): EventDraft => ({
  type: "ui_request",
  requestId,
  member: "claude",
  ...(turnId === undefined ? {} : { turnId }),
  request,
  timeoutMs: 1000,
  default: false,
});
const response = (requestId: string): EventDraft => ({ type: "ui_response", requestId, result: true, error: null });
const play = (...drafts: EventDraft[]) =>
  fold(empty("session"), stamped([created(), joined("claude"), started("t1", "claude"), ...drafts]));
const block = (...drafts: EventDraft[]) => (turnById(play(...drafts), "t1") as TurnMessage).blocks[0];

test("[T32] open requests are in the head, oldest first, and each in its turn", () => {
  const { head } = play(asks("r1", "t1"), asks("r2", "t1"));
  expect(openRequest(head)).toStrictEqual({
    requestId: "r1",
    member: "claude",
    turnId: "t1",
    seq: 4,
    ts: START_TS + 4000,
    request,
    timeoutMs: 1000,
    default: false,
  });
  expect(head.requests.map((one) => one.requestId)).toStrictEqual(["r1", "r2"]);
  expect(head.openTurns["t1"]?.blocks).toStrictEqual([
    { kind: "request", requestId: "r1", member: "claude", request, state: "open" },
    { kind: "request", requestId: "r2", member: "claude", request, state: "open" },
  ]);
});

test("[T33] an answer closes the request and is shown in its turn, also when the turn has ended", () => {
  const answered = {
    kind: "request",
    requestId: "r1",
    member: "claude",
    request,
    state: "answered",
    answer: { result: true, error: null },
  };
  expect(block(asks("r1", "t1"), response("r1"))).toStrictEqual(answered);
  expect(block(asks("r1", "t1"), ended("t1", "claude"), response("r1"))).toStrictEqual(answered);
  expect(
    play(asks("r1", "t1"), asks("r2", "t1"), response("r1")).head.requests.map((one) => one.requestId),
  ).toStrictEqual(["r2"]);
});

test("[T33] an answer is shown with who gave it", () => {
  const answer = { result: true, error: null, clientId: "client-1", by: "browser 7Q2M" };
  const named: EventDraft = { type: "ui_response", requestId: "r1", ...answer };
  expect(block(asks("r1", "t1"), named)).toMatchObject({ state: "answered", answer });
});

test.each(["answered_elsewhere", "expired", "cancelled", "restart"] as const)(
  "[T33] a request can be closed as %s",
  (reason) => {
    const closed = [asks("r1", "t1"), { type: "ui_cancelled" as const, requestId: "r1", reason }];
    expect(block(...closed)).toStrictEqual({
      kind: "request",
      requestId: "r1",
      member: "claude",
      request,
      state: reason,
    });
    expect(play(...closed).head.requests).toStrictEqual([]);
  },
);

test("[T34] the first answer wins; one to a request that is not open is ignored", () => {
  const first = play(asks("r1", "t1"), response("r1"));
  const later = play(
    asks("r1", "t1"),
    response("r1"),
    { type: "ui_cancelled", requestId: "r1", reason: "expired" },
    response("r0"),
  );
  expect(later.head.openTurns).toStrictEqual(first.head.openTurns);
  expect(later.head.messageCount).toBe(first.head.messageCount);
});

test("[T34] a request outside any open turn, or whose id is open already, is a notice as well", () => {
  const transcript = play(asks("r1"), asks("r2", "t0"), asks("r1", "t1"));
  expect(transcript.head.requests.map((one) => one.requestId)).toStrictEqual(["r1", "r2"]);
  expect([...loadedMessages(transcript)].map((message) => message.kind)).toStrictEqual([
    "turn",
    "notice",
    "notice",
    "notice",
  ]);
});

test("[T34] an answer that was given stays, even when its request id is used again", () => {
  const reused = [
    asks("r1", "t1"),
    response("r1"),
    asks("r1"),
    { type: "ui_cancelled" as const, requestId: "r1", reason: "expired" as const },
  ];
  expect(block(...reused)).toMatchObject({ state: "answered", answer: { result: true, error: null } });
  expect(play(...reused).head.requests).toStrictEqual([]);
});

const approval: UiRequestBody = {
  method: "approval",
  title: "Run?",
  tool: "shell",
  call: "npm test",
  callHash: "h",
  options: [
    { label: "Allow once", value: "allow" },
    { label: "Deny", value: "deny" },
  ],
};
const of = { turnId: "t1", member: "claude", toolCallId: "c1" };
const call: EventDraft = { type: "tool_call_start", ...of, name: "shell", args: {} };
const asksAboutCall: EventDraft = {
  type: "ui_request",
  ...of,
  requestId: "r1",
  request: approval,
  timeoutMs: 1000,
  default: false,
};
const answered = (result: string, reason?: string): EventDraft => ({
  type: "ui_response",
  requestId: "r1",
  result,
  error: null,
  ...(reason === undefined ? {} : { reason }),
});
const decided = (verdict: "allow" | "deny", by: "rule" | "session" | "always"): EventDraft => ({
  type: "tool_call_update",
  ...of,
  decided: { verdict, by },
});

test.each<[string, EventDraft[], object]>([
  ["is open", [asksAboutCall], { kind: "open", text: "waits for you" }],
  ["was allowed", [asksAboutCall, answered("allow")], { kind: "allowed", text: "allowed once" }],
  ["was denied", [asksAboutCall, answered("deny", "use pnpm")], { kind: "denied", text: "denied: use pnpm" }],
  [
    "expired",
    [asksAboutCall, { type: "ui_cancelled", requestId: "r1", reason: "expired" }],
    { kind: "denied", text: "denied, nobody answered" },
  ],
  ["a rule decided", [decided("deny", "rule")], { kind: "denied", text: "denied by a rule" }],
  ["a grant decided", [decided("allow", "session")], { kind: "allowed", text: "allowed for this session" }],
  ["another grant decided", [decided("allow", "always")], { kind: "allowed", text: "always allowed in this folder" }],
])("the state of an approval that %s is shown on its call, without a row of its own", (_how, drafts, approved) => {
  const { blocks } = turnById(play(call, ...drafts), "t1") as TurnMessage;
  expect(keyedBlocks(blocks).map((one) => one.block)).toEqual([
    expect.objectContaining({ kind: "tool", approval: approved }),
  ]);
});

test("a denied call stays denied, whatever its agent reports", () => {
  const done: EventDraft = { type: "tool_result", ...of, ok: true, result: "written" };
  const { blocks } = turnById(play(call, asksAboutCall, answered("deny"), done), "t1") as TurnMessage;
  expect(isDenied(blocks[0] as ToolBlock)).toBe(true);
  const allowed = turnById(play(call, asksAboutCall, answered("allow"), done), "t1") as TurnMessage;
  expect(isDenied(allowed.blocks[0] as ToolBlock)).toBe(false);
});

test("a call that was asked about runs from the moment it was allowed", () => {
  const startOf = (...drafts: EventDraft[]) => {
    const { blocks } = turnById(play(call, asksAboutCall, ...drafts), "t1") as TurnMessage;
    return (blocks[0] as ToolBlock).startTs;
  };
  expect(startOf()).toBe(START_TS + 4000);
  expect(startOf(answered("allow"))).toBe(START_TS + 6000);
  expect(startOf(answered("deny"))).toBe(START_TS + 4000);
});
