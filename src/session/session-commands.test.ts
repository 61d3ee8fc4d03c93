import { expect, test } from "vitest";
import { startSession } from "../../test/session/session-run.ts";

test("clear is refused while turns run; it ends native sessions, drops pending messages and keeps the queue", async () => {
  const state = await startSession({ ada: { script: (_, turn) => (turn === 1 ? [{ hang: true }] : []) } });
  await state.send("one");
  await state.send("two");
  expect(await state.command({ type: "clear" })).toMatchObject({ error: { code: "busy" } });
  await state.command({ type: "interrupt", scope: "all" });
  expect(await state.command({ type: "clear" })).toMatchObject({ ok: true });
  expect(state.events("session_clear")).toMatchObject([{ clientId: "me" }]);
  await state.clock.advance(0);
  expect(state.agents.of("ada").map((agent) => agent.isClosed)).toEqual([true]);
  expect(state.session.transcript.head.queue.map((item) => item.text)).toEqual(["two"]);
  await state.send("three");
  expect(state.agents.of("ada").map((agent) => agent.inputs.map((input) => input.text))).toEqual([
    ["one"],
    ["two\n\nthree"],
  ]);
});

test("settings are validated, and their order names members", async () => {
  const state = await startSession({ ada: {}, bob: {} });
  expect(await state.command({ type: "set_settings", settings: { timeout: 5, order: ["bob"] } })).toMatchObject({
    ok: true,
  });
  expect(state.session.transcript.head.settings).toMatchObject({ timeout: 5, order: ["bob"], mode: "broadcast" });
  expect(await state.command({ type: "set_settings", settings: { timeout: -1 } })).toMatchObject({
    error: { code: "bad_command", message: expect.stringContaining("timeout") },
  });
  expect(await state.command({ type: "set_settings", settings: { order: ["eve"] } })).toMatchObject({
    error: { code: "unknown_member" },
  });
  expect(await state.command({ type: "set_settings", settings: {} })).toMatchObject({ error: { code: "bad_command" } });
});

test("when a session becomes writable or read-only, the next turn gets a fresh agent and a note about it", async () => {
  const state = await startSession({ ada: {} });
  await state.send("one");
  await state.command({ type: "set_settings", settings: { timeout: 5 } });
  await state.send("two");
  expect(state.agents.of("ada").map((agent) => agent.inputs.length)).toEqual([2]);
  await state.command({ type: "set_settings", settings: { writable: true } });
  await state.send("three");
  expect(state.agents.of("ada").map((agent) => agent.inputs.length)).toEqual([2, 1]);
  expect(state.agents.of("ada")[1]?.inputs[0]?.systemPrompt).toContain("may change files");
});

test("only the current plan that needs a decision can be decided, once", async () => {
  const items = [{ text: "step", status: "pending" }] as const;
  const state = await startSession({
    ada: { script: () => [{ type: "plan_update", planId: "p", items: [...items], needsDecision: true }] },
  });
  const decide = (planId: string) => state.command({ type: "plan_decision", planId, decision: "approve" });
  expect(await decide("p")).toMatchObject({ error: { code: "conflict" } });
  await state.send("plan it");
  expect(await decide("other")).toMatchObject({ error: { code: "conflict" } });
  expect(await decide("p")).toMatchObject({ ok: true });
  expect(state.events("plan_decision")).toMatchObject([{ planId: "p", decision: "approve", clientId: "me" }]);
  expect(await decide("p")).toMatchObject({ error: { code: "conflict" } });
});

test("messages and turns can be pinned, unknown ones cannot", async () => {
  const state = await startSession({ ada: {} });
  await state.send("hello");
  const { messageId } = state.events("user_message")[0]!;
  const { turnId } = state.events("turn_start")[0]!;
  for (const id of [messageId, turnId]) await state.command({ type: "pin", messageId: id, pinned: true });
  await state.command({ type: "pin", messageId, pinned: true });
  expect(state.session.transcript.head.pinned).toEqual([messageId, turnId]);
  await state.command({ type: "pin", messageId, pinned: false });
  expect(state.session.transcript.head.pinned).toEqual([turnId]);
  expect(state.events("message_pinned").length).toBe(3);
  expect(await state.command({ type: "pin", messageId: "nothing", pinned: true })).toMatchObject({
    error: { code: "unknown_message" },
  });
});

test("rename, archive and list_files work; an unsupported command is refused with a reason", async () => {
  const listFiles = async (cwd: string, query: string, limit: number) => [`${cwd} ${query} ${limit}`];
  const state = await startSession({ ada: {} }, { listFiles });
  await state.command({ type: "rename", title: "better" });
  await state.command({ type: "archive", archived: true });
  expect(state.session.transcript.head).toMatchObject({ title: "better", archived: true });
  expect(await state.command({ type: "list_files", query: "src", limit: 3 })).toMatchObject({
    result: { files: ["/project src 3"] },
  });
  const bare = await startSession({ ada: {} });
  expect(await bare.command({ type: "list_files", query: "", limit: 3 })).toMatchObject({
    error: { code: "unsupported" },
  });
  expect(await state.command({ type: "fork" })).toMatchObject({ error: { code: "unsupported" } });
});
