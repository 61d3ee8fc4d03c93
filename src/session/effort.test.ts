import { expect, test } from "vitest";
import { createFakeClock } from "../../test/session/fake-clock.ts";
import { createDisk, MemoryLog } from "../../test/session/memory-log.ts";
import { createScriptedAgents } from "../../test/session/scripted-agent.ts";
import { startSession, SETTINGS } from "../../test/session/session-run.ts";
import type { MemberSpec } from "../protocol/index.ts";
import { createSession } from "./session.ts";

test("a member's effort is switched for its next turn, shown, restored after a restart and passed to the agent", async () => {
  const behaviours = { ada: { capabilities: { effort: ["low", "high"] } } };
  const state = await startSession(behaviours);
  expect(await state.command({ type: "switch_effort", member: "ada", effort: "high" })).toMatchObject({ ok: true });
  expect(await state.command({ type: "switch_effort", member: "ada", effort: "high" })).toMatchObject({ ok: true });
  expect(state.events("effort_switched")).toMatchObject([{ member: "ada", effort: "high" }]);
  expect(state.session.transcript.head.members["ada"]?.effort).toBe("high");
  await state.send("one");
  expect(state.agents.last("ada").spec.effort).toBe("high");
  const later = await state.reopen();
  await later.send("two");
  expect(later.agents.last("ada").spec.effort).toBe("high");
  await later.command({ type: "switch_effort", member: "ada" });
  expect(later.events("effort_switched").at(-1)).toMatchObject({ member: "ada", from: "high" });
  await later.send("three");
  expect(later.agents.last("ada").spec.effort).toBeUndefined();
});

test("an unsupported effort is refused with the supported ones, or with the fact that there are none", async () => {
  const state = await startSession({ ada: { capabilities: { effort: ["low", "high"] } }, bob: {} });
  const refusal = async (member: string) => {
    const ack = await state.command({ type: "switch_effort", member, effort: "huge" });
    return ack.ok ? "taken" : [ack.error.code, ack.error.message, ack.error.hint];
  };
  expect(await refusal("ada")).toEqual([
    "bad_command",
    'ada does not support the reasoning effort "huge".',
    "It supports low, high.",
  ]);
  expect((await refusal("bob")).slice(0, 2)).toEqual(["unsupported", "bob does not support a reasoning effort."]);
  const joining = await state.command({
    type: "add_member",
    spec: { name: "cyd", kind: "embedded", effort: "high" },
  });
  expect(joining).toMatchObject({ ok: false, error: { code: "unsupported" } });
  expect(state.events("effort_switched")).toEqual([]);
});

test("a new session starts with the configured efforts, and not at all with an unsupported one", async () => {
  const begin = async (spec: MemberSpec) => {
    const clock = createFakeClock();
    const log = new MemoryLog(createDisk(), { now: () => clock.now() });
    const agents = createScriptedAgents(clock, { ada: { capabilities: { effort: ["high"] } } });
    const about = { cwd: "/project", title: "", settings: SETTINGS, members: [spec] };
    const session = await createSession({ log, agentFactory: agents.factory, clock, ...about }).catch(String);
    return typeof session === "string"
      ? [session, log.committedSeq]
      : session.transcript.head.members[spec.name]?.effort;
  };
  expect(await begin({ name: "ada", kind: "claude", effort: "high" })).toBe("high");
  expect(await begin({ name: "bob", kind: "acp", effort: "high" })).toEqual([
    expect.stringContaining("bob does not support a reasoning effort"),
    0,
  ]);
});
