import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFakeClock } from "../../../test/session/fake-clock.ts";
import type { SessionEvent, SessionSummary } from "../../protocol/index.ts";
import { empty, fold, type Transcript } from "../../transcript/index.ts";
import { startIdlePrompts } from "./scheduler.ts";

const DIRECTORY = "/src/app";
const START_MS = 1_700_000_000_000;
const capabilities = {
  steer: false,
  keepsContext: true,
  tools: false,
  requests: false,
  images: false,
  switchModel: false,
};

function memberTranscript(more: readonly object[] = []): Transcript {
  const spec = { name: "ling", kind: "embedded" };
  const facts = [{ type: "member_joined", member: "ling", spec, capabilities }, ...more];
  const events = facts.map((fact, at) =>
    Object.assign({ seq: at + 1, epoch: 1, id: `e${at}`, ts: START_MS, sessionId: "s" }, fact),
  );
  return fold(empty("s"), events as unknown as SessionEvent[]);
}

function summary(sessionId: string, updatedTs: number, more: Partial<SessionSummary> = {}): SessionSummary {
  const counts = { messages: 0, turns: 0, createdTs: 0, updatedTs, seq: 1 };
  return {
    sessionId,
    title: "",
    cwd: DIRECTORY,
    members: ["ling"],
    archived: false,
    status: "idle",
    ...counts,
    ...more,
  };
}

async function open(options: { sessions?: SessionSummary[]; transcript?: Transcript; dataDir?: string } = {}) {
  const { sessions = [summary("s", 1)], transcript = memberTranscript() } = options;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "rt-idle-"));
  const clock = createFakeClock(START_MS);
  const wall = { shiftMs: 0 };
  const sent: { sessionId: string; text: string; to: string[]; origin: string }[] = [];
  const warned: string[] = [];
  const scheduler = await startIdlePrompts({
    dataDir,
    clock: { ...clock, now: () => clock.now() + wall.shiftMs },
    listSessions: async () => sessions,
    transcriptOf: async () => transcript,
    send: async (sessionId, message) => void sent.push({ sessionId, ...message }),
    warn: (sentence) => warned.push(sentence),
  });
  return { scheduler, prompts: scheduler.prompts, clock, wall, sent, warned, dataDir };
}

const ling = (intervalSecs: number | null = 60) => ({ name: "ling", prompt: "Look around", intervalSecs });

test("a member that has been idle for its interval gets its prompt in the newest session of the directory", async () => {
  const sessions = [
    summary("old", 1),
    summary("new", 2),
    summary("away", 3, { archived: true }),
    summary("else", 4, { cwd: "/b" }),
  ];
  const { prompts, clock, sent, scheduler } = await open({ sessions });
  expect(scheduler.isWaiting).toBe(false);
  await prompts.setMission(DIRECTORY, { text: "Keep it green", members: [ling()] });
  expect(scheduler.isWaiting).toBe(true);
  await clock.advance(59_000);
  expect(sent).toEqual([]);
  await clock.advance(15_000);
  const text = "Mission: Keep it green\n\nLook around";
  expect(sent).toEqual([{ sessionId: "new", text, to: ["ling"], origin: "idle-prompt" }]);
  await clock.advance(75_000);
  expect(sent).toHaveLength(2);
  await prompts.clearMission(DIRECTORY);
  await clock.advance(600_000);
  expect(sent).toHaveLength(2);
  expect(prompts.missions(DIRECTORY)).toMatchObject([{ text: "Keep it green", isActive: false }]);
  scheduler.close();
});

test("a member is not prompted while it works, is muted, waits for an answer or is held back", async () => {
  const turn = { type: "turn_start", turnId: "t", member: "ling", cause: "user", messageIds: [], depth: 0 };
  const busy: Record<string, object[]> = {
    working: [turn],
    muted: [{ type: "member_muted", member: "ling" }],
    left: [{ type: "member_left", member: "ling" }],
    paused: [{ type: "council_paused", why: "limit", message: "enough" }],
  };
  for (const [why, facts] of Object.entries(busy)) {
    const { prompts, clock, sent, scheduler } = await open({ transcript: memberTranscript(facts) });
    await prompts.setMission(DIRECTORY, { text: "", members: [ling(1)] });
    await clock.advance(30_000);
    expect({ why, sent }).toEqual({ why, sent: [] });
    scheduler.close();
  }
});

test("changes of the wall clock neither delay nor hurry a mission", async () => {
  const done = [
    { type: "turn_start", turnId: "t", member: "ling", cause: "user", messageIds: [], depth: 0 },
    { type: "turn_end", turnId: "t", member: "ling", outcome: "completed", durationMs: 1 },
  ];
  for (const shiftMs of [-86_400_000, 86_400_000]) {
    const { prompts, clock, wall, sent, scheduler } = await open({ transcript: memberTranscript(done) });
    await prompts.setMission(DIRECTORY, { text: "", members: [ling()] });
    await clock.advance(30_000);
    wall.shiftMs = shiftMs;
    await clock.advance(29_000);
    expect(sent).toEqual([]);
    await clock.advance(15_000);
    expect(sent).toHaveLength(1);
    scheduler.close();
  }
});

test("a mission survives a restart and stops after 100 prompts; an unreadable file prompts no member", async () => {
  const first = await open();
  await first.prompts.setMission(DIRECTORY, {
    text: "",
    members: [{ name: "ling", prompt: null, intervalSecs: null }],
  });
  await first.prompts.setOverride(DIRECTORY, ling(1));
  first.scheduler.close();
  const { clock, sent, warned, scheduler, dataDir } = await open({ dataDir: first.dataDir });
  await clock.advance(200_000);
  expect(sent).toHaveLength(100);
  expect(warned).toHaveLength(1);
  scheduler.close();
  writeFileSync(join(dataDir, "missions.json"), '{"missions":[{"directory":');
  const damaged = await open({ dataDir });
  expect(damaged.scheduler.isWaiting).toBe(false);
  damaged.scheduler.close();
});

test("a mission of a closed wire sleeps, and resumes only for sessions that the wire reaches", async () => {
  const sessions = [summary("inside", 1), summary("outside", 2)];
  const { prompts, clock, sent, scheduler, dataDir } = await open({ sessions });
  await prompts.scoped("compat", (id) => id === "inside").setMission(DIRECTORY, { text: "", members: [ling(1)] });
  await clock.advance(1_400);
  expect(sent.map((one) => one.sessionId)).toEqual(["inside"]);
  expect(prompts.missions(DIRECTORY)).toEqual([]);
  scheduler.close();
  const later = await open({ sessions, dataDir });
  await later.clock.advance(60_000);
  expect(later.sent).toEqual([]);
  later.scheduler.close();
});
