import { expect, test } from "vitest";
import { newId } from "../kit/ids.ts";
import { empty, fold, PAGE_SIZE } from "../transcript/index.ts";
import { createFakeClock, settle } from "../../test/session/fake-clock.ts";
import { createDisk, MemoryLog } from "../../test/session/memory-log.ts";
import { createScriptedAgents } from "../../test/session/scripted-agent.ts";
import { startSession, SETTINGS, specOf } from "../../test/session/session-run.ts";
import { PAGES_RETAINED, SNAPSHOT_EVERY_EVENTS } from "./limits.ts";
import { createSession, openSession } from "./session.ts";

test("[S5] a new session starts with its settings and members; a log with a session cannot get a second one", async () => {
  const state = await startSession({ ada: {}, bob: {} });
  expect(state.all()).toMatchObject([
    { seq: 1, type: "session_created", format: 1, cwd: "/project", title: "a test", settings: SETTINGS },
    { seq: 2, type: "member_joined", member: "ada" },
    { seq: 3, type: "member_joined", member: "bob" },
  ]);
  expect(state.log.committedSeq).toBe(3);
  const { log, clock, agents } = state;
  const options = { log, clock, agentFactory: agents.factory };
  await expect(
    createSession({ ...options, cwd: "/", title: "", settings: SETTINGS, members: [] }),
  ).rejects.toMatchObject({
    code: "conflict",
  });
  const bare = new MemoryLog(createDisk());
  await expect(openSession({ ...options, log: bare })).rejects.toMatchObject({ code: "unknown_session" });
  const tooMany = [specOf("ada"), specOf("ada")];
  await expect(
    createSession({ ...options, log: bare, cwd: "/", title: "", settings: SETTINGS, members: tooMany }),
  ).rejects.toMatchObject({ code: "conflict" });
  expect(bare.disk.events).toEqual([]);
});

test("[S8] a command never rejects: after closing it is refused, and an internal error is logged", async () => {
  const clock = createFakeClock();
  const log = new MemoryLog(createDisk());
  const { factory } = createScriptedAgents(clock, { ada: { script: () => [{ hang: true }] } });
  const options = {
    log,
    clock,
    agentFactory: factory,
    cwd: "/",
    title: "t",
    settings: SETTINGS,
    members: [specOf("ada")],
  };
  const session = await createSession({ ...options, listFiles: () => Promise.reject(new Error("no such disk")) });
  const commandId = newId();
  expect(await session.command({ type: "list_files", commandId, query: "", limit: 1 }, "me")).toEqual({
    commandId,
    ok: false,
    error: { code: "internal", message: "no such disk" },
  });
  expect(log.disk.events.at(-1)).toMatchObject({ type: "error", code: "internal" });
  await session.command({ type: "send", commandId, text: "go", clientMessageId: "1" }, "me");
  await settle();
  expect(session.isIdle).toBe(false);
  await session.close();
  await session.close();
  expect(session.isIdle).toBe(true);
  expect(log.disk.events.findLast((event) => event.type === "turn_end")).toMatchObject({
    outcome: "interrupted",
    reason: "closed",
  });
  expect(await session.command({ type: "clear", commandId }, "me")).toMatchObject({ error: { code: "closed" } });
  expect(clock.timers).toBe(0);
});

test("[S8] a command whose log is closed before it is durable is refused as closed", async () => {
  const state = await startSession({ ada: {} });
  state.log.holdCommits();
  const acked = state.command({ type: "rename", title: "new" });
  await settle();
  await state.log.close();
  expect(await acked).toMatchObject({ ok: false, error: { code: "closed" } });
});

test("a snapshot is saved when the session is idle after 2,000 events and on closing, and saved pages leave memory", async () => {
  const words = Array.from({ length: 100 }, () => [
    { type: "thinking_delta", text: "x" } as const,
    { type: "thinking_done" } as const,
  ]).flat();
  const state = await startSession({ ada: { script: () => words }, bob: {} });
  expect(state.log.disk.snapshot).toBeUndefined();
  let said = 0;
  while (state.log.disk.snapshot === undefined && said < 100) {
    await state.send(`message ${(said += 1)}`);
    expect(state.all().length < SNAPSHOT_EVERY_EVENTS - 400 && state.log.disk.snapshot !== undefined).toBe(false);
  }
  expect(state.log.disk.snapshot?.seq).toBeGreaterThanOrEqual(SNAPSHOT_EVERY_EVENTS);
  const needed = ((PAGES_RETAINED + 3) * PAGE_SIZE) / 2;
  for (let count = 0; count < needed; count += 1) await state.send("@bob more");
  await state.session.saveSnapshot();
  const { frozen } = state.session.transcript;
  expect(frozen.length).toBeGreaterThan(PAGES_RETAINED);
  expect(frozen.map((page) => page !== undefined)).toEqual(
    frozen.map((_, index) => index >= frozen.length - PAGES_RETAINED),
  );
  expect(state.log.disk.pages.size).toBe(frozen.length);
  const [first] = state.events("turn_start");
  expect(await state.command({ type: "pin", messageId: first!.turnId, pinned: true })).toMatchObject({ ok: true });

  await state.session.close();
  expect(state.log.disk.snapshot?.seq).toBe(state.all().length);
  const later = await state.reopen();
  const replayed = fold(empty(later.log.sessionId), structuredClone(later.all()));
  expect(later.session.transcript.head).toEqual(replayed.head);
  expect(later.session.transcript.live).toEqual(replayed.live);
  expect(later.session.transcript.frozen.length).toBe(replayed.frozen.length);
});

test("a snapshot of another version or without the session's memory is not used", async () => {
  const state = await startSession({ ada: {} });
  await state.send("hello", { clientMessageId: "id" });
  await state.session.close();
  const { disk } = state.log;
  for (const change of [{ foldVersion: -1 }, { state: { head: {}, live: [] } }, { seq: 10_000 }]) {
    disk.snapshot = { ...disk.snapshot!, ...change };
    const later = await state.reopen();
    expect(later.session.transcript.head.userCount).toBe(1);
    expect(await later.send("other", { clientMessageId: "id" })).toMatchObject({ error: { code: "conflict" } });
  }
});

test("a client counts as connected until all its connections have left", async () => {
  const { session } = await startSession({ ada: {} });
  for (const client of ["a", "b", "a"]) session.clientJoined(client);
  session.clientLeft("a");
  expect(session.clients).toEqual(["a", "b"]);
  session.clientLeft("a");
  session.clientLeft("a");
  expect(session.clients).toEqual(["b"]);
});
