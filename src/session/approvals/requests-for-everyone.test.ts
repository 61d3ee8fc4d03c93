import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Json, RequestMethod, UiRequestBody } from "../../protocol/index.ts";
import { settle } from "../../../test/session/fake-clock.ts";
import { startSession, type SessionRun } from "../../../test/session/session-run.ts";
import type { Behaviour, Step } from "../../../test/session/scripted-agent.ts";

const options = [
  { label: "Allow", value: "allow" },
  { label: "Deny", value: "deny" },
];
const CALL = "rm -rf build";
const approval: UiRequestBody = {
  method: "approval",
  title: "Run?",
  tool: "shell",
  call: CALL,
  callHash: createHash("sha256").update(CALL).digest("hex"),
  options,
};
const asks = (callId: string, request: UiRequestBody = approval): Step => ({ type: "request", callId, request });
const asking = (...steps: Step[]): Behaviour => ({ script: () => [...steps, { hang: true }] });

function requestIds(state: SessionRun): string[] {
  return state.session.transcript.head.requests.map((one) => one.requestId);
}

test("requests of several members wait in the order they were asked", async () => {
  const state = await startSession({
    ada: { script: () => [{ wait: 20 }, asks("late"), { hang: true }] },
    bob: asking(asks("first"), asks("second")),
  });
  await state.send("go");
  await state.clock.advance(20);
  expect(state.session.transcript.head.requests.map((one) => [one.member, one.requestId])).toEqual(
    state.events("ui_request").map((one) => [one.member, one.requestId]),
  );
  expect(state.events("ui_request").map((one) => one.member)).toEqual(["bob", "bob", "ada"]);
});

test("the event that settles a request names the client that answered, and so does the refusal of a later answer", async () => {
  const state = await startSession({ ada: asking(asks("q")) });
  await state.send("go");
  const requestId = requestIds(state)[0]!;
  await state.command({ type: "answer", requestId, result: "allow", by: "browser 7Q2M" }, "client-1");
  expect(state.events("ui_response")).toMatchObject([{ requestId, clientId: "client-1", by: "browser 7Q2M" }]);
  expect(await state.command({ type: "answer", requestId, result: "deny" }, "client-2")).toMatchObject({
    error: { code: "conflict", message: `Request "${requestId}" is already closed: answered by browser 7Q2M.` },
  });
  const later = await state.reopen();
  expect(await later.command({ type: "answer", requestId, result: "deny" }, "client-2")).toMatchObject({
    error: { code: "conflict", message: `Request "${requestId}" is already closed: answered by browser 7Q2M.` },
  });
});

test("[S62] an approval that is not yet on disk when its turn is stopped never reaches the agent", async () => {
  const state = await startSession({ ada: { ...asking(asks("q")), interrupt: "deaf" } });
  await state.send("go");
  const requestId = requestIds(state)[0]!;
  state.log.holdCommits();
  const answered = state.command({ type: "answer", requestId, result: "allow" }, "desk");
  const stopped = state.command({ type: "interrupt", scope: "all" });
  state.log.releaseCommits();
  await Promise.all([answered, stopped]);
  await settle();
  expect(state.agents.last("ada").answers).toEqual([{ callId: "q", result: { result: false, error: "cancelled" } }]);
  expect(state.events("ui_response")).toMatchObject([{ requestId, result: "allow" }]);
});

test.each<[string, (state: SessionRun) => unknown]>([
  ["an interrupt", (state) => state.command({ type: "interrupt", scope: "all" })],
  ["the removal of its member", (state) => state.command({ type: "remove_member", member: "ada" })],
  [
    "the death of its agent",
    (state) => {
      const { turnId } = state.events("turn_start")[0]!;
      state.agents.last("ada").emit({ type: "turn_done", turnId, outcome: "errored", reason: "crashed" });
    },
  ],
  ["the time limit of its turn", (state) => state.clock.advance(600_000)],
])("[S63] %s takes its requests away everywhere, and an answer then hears that", async (_how, stop) => {
  const state = await startSession({ ada: asking(asks("q")), bob: {} }, { settings: { request_timeout: 10_000 } });
  await state.send("@ada go");
  const requestId = requestIds(state)[0]!;
  await stop(state);
  await settle();
  expect(requestIds(state)).toEqual([]);
  expect(state.events("ui_cancelled")).toMatchObject([{ requestId, reason: "cancelled" }]);
  expect(await state.command({ type: "answer", requestId, result: "allow" })).toMatchObject({
    error: { code: "conflict", message: `Request "${requestId}" is already closed: cancelled.` },
  });
  expect(state.events("ui_response")).toEqual([]);
  // An agent closed with its member gets nothing at all.
  const told = state.agents.of("ada").flatMap((agent) => agent.answers);
  expect(told.filter(({ result }) => result.result !== false || result.error !== "cancelled")).toEqual([]);
});

const EXPIRING: Record<RequestMethod, { request: UiRequestBody; taken: Json }> = {
  approval: { request: approval, taken: false },
  confirm: { request: { method: "confirm", title: "Sure?", message: "Really?" }, taken: false },
  select: { request: { method: "select", title: "Which?", options }, taken: null },
  input: { request: { method: "input", title: "Name?" }, taken: null },
  editor: { request: { method: "editor", title: "Text?", prefill: "as it was" }, taken: null },
  question: {
    request: {
      method: "question",
      title: "Two",
      questions: [{ id: "a", text: "A?", options, multiple: true, freeText: true }],
    },
    taken: null,
  },
};

test.each(Object.entries(EXPIRING))("%s without an answer in time is declined", async (_method, one) => {
  const state = await startSession({ ada: asking(asks("q", one.request)) });
  await state.send("go");
  expect(state.events("ui_request")).toMatchObject([{ timeoutMs: 300_000, default: one.taken }]);
  await state.clock.advance(299_999);
  expect(requestIds(state)).toHaveLength(1);
  await state.clock.advance(1);
  expect(requestIds(state)).toEqual([]);
  expect(state.events("ui_cancelled")).toMatchObject([{ reason: "expired" }]);
  expect(state.agents.last("ada").answers).toEqual([{ callId: "q", result: { result: one.taken, error: "expired" } }]);
});

test.each<[string, UiRequestBody, string]>([
  ["an approval with a long diff", { ...approval, diff: "x".repeat(300_000) }, "it exceeds the size limit of an event"],
  [
    "a text to edit that would come back shorter",
    { method: "editor", title: "Edit", prefill: "x".repeat(300_000) },
    "it exceeds the size limit of an event",
  ],
  [
    "an approval whose hash is of another call",
    { ...approval, call: "rm -rf /" },
    "its hash is not the SHA-256 of the call that it shows",
  ],
])("[S65] %s is not shown but refused", async (_what, request, error) => {
  const state = await startSession({ ada: asking(asks("q", request)) });
  await state.send("go");
  expect(state.events("ui_request")).toEqual([]);
  expect(state.events("warning")).toMatchObject([{ code: "request_refused", member: "ada" }]);
  const result = request.method === "approval" ? false : null;
  expect(state.agents.last("ada").answers).toEqual([{ callId: "q", result: { result, error } }]);
});

test("a request withdrawn by its agent is closed in the log, and a later answer is refused with that reason", async () => {
  const state = await startSession({
    ada: asking(asks("q"), { wait: 10 }, { type: "request_withdrawn", callId: "q" }),
  });
  await state.send("go");
  const requestId = requestIds(state)[0]!;
  await state.clock.advance(10);
  expect(state.events("ui_cancelled")).toMatchObject([{ requestId, reason: "cancelled" }]);
  expect(requestIds(state)).toEqual([]);
  expect(await state.command({ type: "answer", requestId, result: "allow" })).toMatchObject({
    error: { code: "conflict" },
  });
  expect(state.agents.last("ada").answers).toEqual([]);
});

const OWN: [string, { label: string; value: string; description?: string }[], string][] = [
  ["the plain two", options, "allow"],
  [
    "Codex as it was",
    [
      { label: "Allow once", value: "accept" },
      { label: "Allow for this session", value: "acceptForSession" },
      { label: 'Always allow commands that begin with "npm"', value: '{"acceptWithExecpolicyAmendment":{}}' },
      { label: "Deny and stop the turn", value: "cancel" },
    ],
    "accept",
  ],
  [
    "an ACP agent whose first option is the widest",
    [
      { label: "Allow for this session", value: "proceed_always", description: "allow_always" },
      { label: "Allow", value: "proceed_once", description: "allow_once" },
      { label: "Reject", value: "cancel", description: "reject_once" },
    ],
    "proceed_once",
  ],
  [
    "one that calls its widest choice as we call ours",
    [
      { label: "Everything", value: "table_always" },
      { label: "Once", value: "once" },
    ],
    "once",
  ],
];

test.each(OWN)(
  "%s: the choices are Roundtable's, and the agent gets one approval or a denial",
  async (_whose, own, once) => {
    const request: UiRequestBody = { ...approval, options: own };
    const state = await startSession(
      { ada: asking(...["a", "b", "c", "d"].map((callId) => asks(callId, request))) },
      { settings: { writable: true }, approvals: { rulesFor: () => [] } },
    );
    await state.send("go");
    const [first, second, third] = requestIds(state);
    expect(state.events("ui_request")[0]?.request).toMatchObject({
      options: [
        { label: "Allow once", value: "allow" },
        { label: "Allow this command for this session", value: "table_session" },
        { label: "Deny", value: "deny" },
      ],
    });
    const send = (requestId: string | undefined, result: Json) =>
      state.command({ type: "answer", requestId: requestId ?? "", result });
    for (const { value } of own.filter((one) => !["allow", "deny"].includes(one.value))) {
      expect(await send(first, value)).toMatchObject({ error: { code: "bad_command" } });
    }
    await send(first, "deny");
    await send(second, "allow");
    await send(third, "table_session");
    await settle();
    const told = state.agents.last("ada").answers.map(({ callId, result }) => [callId, result.result]);
    expect(told).toEqual([
      ["a", false],
      ["b", once],
      ["c", once],
      ["d", once],
    ]);
  },
);

test("the reason of a denial is logged and reaches the agent; an approval has none", async () => {
  const state = await startSession({ ada: asking(asks("a"), asks("b")) });
  await state.send("go");
  const [first = "", second = ""] = requestIds(state);
  const reason = "use pnpm";
  expect(await state.command({ type: "answer", requestId: first, result: "allow", reason })).toMatchObject({
    error: { code: "bad_command" },
  });
  await state.command({ type: "answer", requestId: first, result: "deny", reason: ` ${reason}\n` });
  await state.command({ type: "answer", requestId: second, result: "deny", reason: " " });
  await settle();
  expect(state.events("ui_response").map((event) => [event.result, event.reason])).toEqual([
    ["deny", reason],
    ["deny", undefined],
  ]);
  expect(state.agents.last("ada").answers).toEqual([
    { callId: "a", result: { result: false, error: null, reason } },
    { callId: "b", result: { result: false, error: null } },
  ]);
});
