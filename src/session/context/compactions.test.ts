import { expect, test } from "vitest";
import { compactionOf } from "../../transcript/index.ts";
import { settle } from "../../../test/session/fake-clock.ts";
import { startSession } from "../../../test/session/session-run.ts";
import { COMPACT_MS } from "../limits.ts";

const native = { capabilities: { compact: "native" as const } };

test("an automatic compaction, in a turn or between turns, is shown as such", async () => {
  const state = await startSession({
    ada: { ...native, script: () => [{ type: "compacted", native: true, before: 900, after: 100, summary: "short" }] },
  });
  await state.send("hello");
  state.agents.last("ada").emit({ type: "compacted", native: true });
  const turnId = state.events("turn_start")[0]?.turnId;
  expect(state.events("compaction")).toMatchObject([
    { member: "ada", turnId, native: true, automatic: true, before: 900, after: 100, summary: "short" },
    { member: "ada", native: true, automatic: true, before: 0, after: 0, summary: "" },
  ]);
  expect(state.events("compaction")[1]).not.toHaveProperty("turnId");
  expect(compactionOf(state.session.transcript.head, "ada")).toMatchObject({ native: true });
});

test("[S201] compact asks the members that can, and reports its start and its result", async () => {
  const state = await startSession({
    ada: native,
    bob: {},
    cleo: { ...native, compact: [{ type: "compact_failed", message: "too short" }] },
  });
  expect(await state.command({ type: "compact", focus: "the plan" })).toMatchObject({
    ok: true,
    result: { started: ["ada", "cleo"], refused: [{ member: "bob", why: "bob cannot compact its context" }] },
  });
  await settle();
  expect(state.agents.last("ada").compactions).toEqual(["the plan"]);
  expect(state.events("compaction_started").map(({ member, focus }) => [member, focus])).toEqual([
    ["ada", "the plan"],
    ["cleo", "the plan"],
  ]);
  expect(state.events("compaction")).toMatchObject([{ member: "ada", native: true, focus: "the plan" }]);
  expect(state.events("compaction")[0]).not.toHaveProperty("automatic");
  expect(state.events("compaction_failed")).toMatchObject([{ member: "cleo", reason: "too short" }]);
  expect(state.session.isIdle).toBe(true);
  expect(await state.command({ type: "compact", member: "bob" })).toMatchObject({ error: { code: "unsupported" } });
  expect(await state.command({ type: "compact", member: "dan" })).toMatchObject({ error: { code: "unknown_member" } });
});

test("a member in a turn is not compacted, and a turn waits for the compaction that runs", async () => {
  const state = await startSession({
    ada: { ...native, compact: "hangs", script: ({ text }) => (text === "long" ? [{ hang: true }] : []) },
  });
  await state.send("long");
  expect(await state.command({ type: "compact" })).toMatchObject({
    error: { code: "busy", message: "ada is in a turn." },
  });
  await state.command({ type: "interrupt", scope: "all" });
  await state.command({ type: "compact", member: "ada" });
  await settle();
  expect(state.session.transcript.head.members["ada"]?.compacting).toBeDefined();
  expect(await state.command({ type: "compact" })).toMatchObject({ error: { code: "busy" } });
  expect(await state.command({ type: "clear" })).toMatchObject({ error: { code: "busy" } });
  await state.send("next");
  const ada = state.agents.last("ada");
  expect(ada.inputs.map(({ text }) => text)).toEqual(["long"]);
  ada.emit({ type: "compacted", native: true, before: 10, after: 5 });
  await settle();
  expect(ada.inputs.map(({ text }) => text)).toEqual(["long", "next"]);
  expect(state.session.transcript.head.members["ada"]?.compacting).toBeUndefined();
});

test("a compaction ends on interrupt, timeout, an agent error and restart, and reports which", async () => {
  const state = await startSession({ ada: { ...native, compact: "hangs" } });
  await state.command({ type: "compact" });
  await settle();
  expect(await state.command({ type: "interrupt", scope: "own" })).toMatchObject({ result: { stopped: 1 } });
  await state.command({ type: "compact" });
  await settle();
  await state.clock.advance(COMPACT_MS);
  await settle();
  state.agents.behaviours.set("ada", { ...native, compact: "throws" });
  const thrown = await startSession({ ada: { ...native, compact: "throws" } });
  await thrown.command({ type: "compact" });
  await settle();
  expect(thrown.events("compaction_failed")).toMatchObject([{ reason: "compact threw" }]);
  await state.command({ type: "compact" });
  const later = await state.reopen();
  expect(later.events("compaction_failed").map(({ reason }) => reason)).toEqual([
    "interrupted",
    `it took longer than ${COMPACT_MS / 1000} s`,
    "restart",
  ]);
});

test("a native compaction cannot be undone here, and undo without a compaction is refused", async () => {
  const state = await startSession({ ada: native });
  await state.command({ type: "compact" });
  await settle();
  expect(await state.command({ type: "compact_undo", member: "ada" })).toMatchObject({
    error: { code: "unsupported" },
  });
  expect(await state.command({ type: "compact_undo" })).toMatchObject({ error: { code: "conflict" } });
});
