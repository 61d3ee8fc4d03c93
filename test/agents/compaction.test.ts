/** Agents whose own programs compact their context: asked to, and by themselves. Against fakes that tell it as the programs do. */
import { describe, expect, test } from "vitest";
import { capabilitiesOf } from "../../src/agents/kinds.ts";
import type { MemberSpec } from "../../src/protocol/index.ts";
import type { AgentEvent } from "../../src/agents/index.ts";
import { startAcpFake } from "./acp/start-acp-fake.ts";
import { starters, type StartedFake } from "./start-fakes.ts";
import { settle } from "./agent-probe.ts";

const names = ["claude", "codex", "pi", "acp", "opencode"] as const;

/** What came of a compaction, and everything that came up with it. */
async function compact({ probe }: StartedFake, focus?: string): Promise<{ end: AgentEvent; events: AgentEvent[] }> {
  const from = probe.events.length;
  const isEnd = ({ type }: AgentEvent): boolean => type === "compacted" || type === "compact_failed";
  probe.agent.compact?.(focus);
  const end = await Promise.race([probe.next("compacted", from), probe.next("compact_failed", from)]);
  await settle();
  const events = probe.events.slice(from);
  expect(events.filter(isEnd)).toHaveLength(1);
  return { end, events };
}

const figures = {
  claude: { before: 900, after: 100, summary: "This session is being continued. The summary: all is well." },
  codex: { before: 110, after: 40 },
  pi: { before: 900, after: 100, summary: "all is well" },
  acp: { before: 1, after: 4 },
  opencode: { before: 1, after: 4 },
};

describe.concurrent.each(names)("%s", (name) => {
  test("compacts on request, reports it without an answer, and then serves a turn", async (context) => {
    const started = await starters[name]({}, context);
    const { probe } = started;
    // Of an agent whose first word is a sign of how full its context is, that is known.
    await probe.run(/acp|opencode/.test(name) ? 'tools [{"sign":true}]' : "hello", "one");
    // Codex tells its models when it is asked for them, beside its turns.
    if (name === "codex") await probe.next("member_models");
    const { end, events } = await compact(started);
    const { usage, ...facts } = end as Extract<AgentEvent, { type: "compacted" }>;
    expect(facts).toEqual({ type: "compacted", native: true, ...figures[name] });
    expect(usage === undefined).toBe(name === "acp" || name === "opencode");
    // How full the context is then is told beside it.
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(["context_update", "compacted"]));
    expect((await probe.run("hello", "two")).outcome).toBe("completed");
  });

  test("a compaction that is stopped, during a turn or without a session fails with a reason", async (context) => {
    const started = await starters[name]({ flags: ["--commands", "--compacts-for-ever"] }, context);
    const { probe } = started;
    expect((await compact(started)).end).toEqual(failed("it has no conversation yet."));
    probe.ask(BUSY[name]);
    await probe.next("text_delta");
    expect((await compact(started)).end).toEqual(failed("it is busy; wait until its turn has ended."));
    probe.agent.interrupt();
    await probe.next("turn_done");
    const from = probe.events.length;
    probe.agent.compact?.("for ever");
    setTimeout(() => probe.agent.interrupt(), 300);
    const end = await probe.next("compact_failed", from);
    expect(end.message).toMatch(/^The compaction of \w+ was stopped\.$/);
    expect((await probe.run("hello", "two")).outcome).toBe("completed");
  });
});

const BUSY = { claude: "a long one", codex: "endless", pi: "endless", acp: "long", opencode: "long" };

function failed(why: string): AgentEvent {
  return { type: "compact_failed", message: expect.stringContaining(`was not compacted: ${why}`) as string };
}

test.concurrent("compacts Claude Code by its own command with the user's focus, and reports its error text", async (context) => {
  const started = await starters.claude({}, context);
  await started.probe.run("hello", "one");
  await compact(started, "keep the names");
  expect(started.prompts()).toEqual(["hello", "/compact keep the names"]);
  expect((await compact(started, "fail")).end).toEqual(failed("Not enough messages to compact."));
  expect((await compact(started, "fail silently")).end).toEqual(failed("too_few_groups."));
});

test.concurrent("a compaction of the agent's own in a turn is emitted in order, with its figures", async (context) => {
  for (const name of ["claude", "codex"] as const) {
    const { probe } = await starters[name]({}, context);
    await probe.run("hello", "zero");
    const from = probe.events.length;
    const end = await probe.run("fills its window", "one");
    const shown = probe.events.slice(from).filter(({ type }) => /^text_done|^compacted|^turn_done/.test(type));
    expect(shown.map(({ type }) => type)).toEqual(["text_done", "compacted", "text_done", "turn_done"]);
    expect(shown[1]).toEqual({ type: "compacted", native: true, ...figures[name] });
    expect(end.outcome).toBe("completed");
  }
});

test.concurrent("Codex compacts in a turn of its own; an unsupported focus and a refusal are reported", async (context) => {
  const started = await starters.codex({}, context);
  await started.probe.run("hello", "one");
  const { end, events } = await compact(started, "keep the names");
  expect(end.type).toBe("compacted");
  expect(events.filter(({ type }) => type === "warning")).toMatchObject([{ code: "focus_unheard" }]);
  const refusing = await starters.codex({ flags: ["--no-compaction"] }, context);
  await refusing.probe.run("hello", "one");
  expect((await compact(refusing)).end).toEqual(failed("codex could not compact its context: nothing to compact."));
});

test.concurrent("opens a known session to compact; a lost one is reported, and the next turn starts a new one", async (context) => {
  for (const [name, known, gone] of [
    ["claude", "kept", "forgotten"],
    ["codex", "known-1", "gone-1"],
    ["pi", "kept", "forgotten"],
  ] as const) {
    expect((await compact(await starters[name]({ nativeSessionId: known }, context))).end.type).toBe("compacted");
    const lost = await starters[name]({ nativeSessionId: gone }, context);
    expect((await compact(lost)).end.type).toBe("compact_failed");
    expect((await lost.probe.run("hello", "one")).outcome).toBe("completed");
    expect(lost.probe.all("warning").map(({ code }) => code)).toEqual(["session_lost"]);
  }
});

test.concurrent("Pi gets the user's focus, and its reason for not compacting is reported", async (context) => {
  const started = await starters.pi({}, context);
  await started.probe.run("hello", "one");
  expect((await compact(started, "nothing")).end).toEqual(failed("Nothing to compact (session too small)."));
  expect(started.probe.all("warning")).toEqual([]);
});

describe.concurrent("an agent over ACP", () => {
  test("compacts by the command it offers, with the user's focus where that takes any", async (context) => {
    const offering = await starters.acp({ flags: ["--commands-late"] }, context);
    await offering.probe.run("hello", "one");
    await compact(offering, "keep the names");
    expect(offering.prompts()).toEqual(["hello", "/compact keep the names"]);
    const wordless = await starters.acp({ flags: ["--commands", "--wordless"] }, context);
    await wordless.probe.run("hello", "one");
    const { events } = await compact(wordless, "keep the names");
    expect(wordless.prompts()).toEqual(["hello", "/compact"]);
    expect(events.filter(({ type }) => type === "warning")).toMatchObject([{ code: "focus_unheard" }]);
    expect((await compact(offering, "too early")).end).toEqual(failed("Nothing to compact yet."));
  });

  test("sends nothing when no such command is offered", async (context) => {
    for (const flags of [["--commands", "--no-compact"], []]) {
      const started = await starters.acp({ flags }, context);
      await started.probe.run("hello", "one");
      expect((await compact(started)).end).toEqual(failed("it offers no command for that."));
      expect(started.prompts()).toEqual(["hello"]);
      expect((await started.probe.run("hello", "two")).outcome).toBe("completed");
    }
  });

  test("opencode takes the command without offering it", async (context) => {
    const started = await starters.opencode({ flags: [] }, context);
    await started.probe.run("hello", "one");
    expect((await compact(started)).end.type).toBe("compacted");
    expect(started.prompts()).toEqual(["hello", "/compact"]);
  });

  test("a lost session has nothing to compact", async () => {
    const probe = await startAcpFake({
      flags: ["--forgets", "--commands"],
      setup: { nativeSessionId: "fake-session-1" },
    });
    probe.agent.compact?.();
    expect((await probe.next("compact_failed")).message).toContain("its earlier session is lost");
    await probe.leave();
  });
});

test.concurrent("members that cannot compact are known before they start", () => {
  const able = (spec: MemberSpec) => capabilitiesOf(spec)?.compact;
  expect(able({ name: "a", kind: "acp", command: ["gemini", "--acp"] })).toBeUndefined();
  expect(able({ name: "a", kind: "cursor", command: ["cursor-agent", "-p"] })).toBeUndefined();
  for (const kind of ["claude", "codex", "pi", "opencode", "cursor"] as const)
    expect(able({ name: "a", kind })).toBe("native");
});
