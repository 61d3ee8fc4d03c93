/** Agents whose own programs compact their context: asked to, and by themselves. Against fakes that tell it as the programs do. */
import { describe, expect, test } from "vitest";
import { capabilitiesOf } from "../../src/agents/kinds.ts";
import type { MemberSpec } from "../../src/protocol/index.ts";
import type { AgentEvent } from "../../src/agents/index.ts";
import { seatAcpFake } from "./acp/seat-acp-fake.ts";
import { seats, type SeatedAgent } from "./seat-fakes.ts";
import { settleDown } from "./table-of-one.ts";

const names = ["claude", "codex", "pi", "acp", "opencode"] as const;

/** What came of a compaction, and everything that came up with it. */
async function compact({ table }: SeatedAgent, focus?: string): Promise<{ end: AgentEvent; events: AgentEvent[] }> {
  const from = table.events.length;
  const isEnd = ({ type }: AgentEvent): boolean => type === "compacted" || type === "compact_failed";
  table.agent.compact?.(focus);
  const end = await Promise.race([table.next("compacted", from), table.next("compact_failed", from)]);
  await settleDown();
  const events = table.events.slice(from);
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
  test("compacts when it is told to, tells what it told and nothing as an answer, and then takes a turn", async (context) => {
    const seated = await seats[name]({}, context);
    const { table } = seated;
    // Of an agent whose first word is a sign of how full its context is, that is known.
    await table.run(/acp|opencode/.test(name) ? 'tools [{"sign":true}]' : "hello", "one");
    // Codex tells its models when it is asked for them, beside its turns.
    if (name === "codex") await table.next("member_models");
    const { end, events } = await compact(seated);
    const { usage, ...facts } = end as Extract<AgentEvent, { type: "compacted" }>;
    expect(facts).toEqual({ type: "compacted", native: true, ...figures[name] });
    expect(usage === undefined).toBe(name === "acp" || name === "opencode");
    // How full the context is then is told beside it.
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(["context_update", "compacted"]));
    expect((await table.run("hello", "two")).outcome).toBe("completed");
  });

  test("a compaction that is stopped, and one during a turn, are said to have failed; one without a session too", async (context) => {
    const seated = await seats[name]({ flags: ["--commands", "--compacts-for-ever"] }, context);
    const { table } = seated;
    expect((await compact(seated)).end).toEqual(failed("it has no conversation yet."));
    table.ask(BUSY[name]);
    await table.next("text_delta");
    expect((await compact(seated)).end).toEqual(failed("it is busy; wait until its turn has ended."));
    table.agent.interrupt();
    await table.next("turn_done");
    const from = table.events.length;
    table.agent.compact?.("for ever");
    setTimeout(() => table.agent.interrupt(), 300);
    const end = await table.next("compact_failed", from);
    expect(end.message).toMatch(/^The compaction of \w+ was stopped\.$/);
    expect((await table.run("hello", "two")).outcome).toBe("completed");
  });
});

const BUSY = { claude: "a long one", codex: "endless", pi: "endless", acp: "long", opencode: "long" };

function failed(why: string): AgentEvent {
  return { type: "compact_failed", message: expect.stringContaining(`was not compacted: ${why}`) as string };
}

test.concurrent("Claude Code is told by its own command, with the user's words, and a failure is told in the program's", async (context) => {
  const seated = await seats.claude({}, context);
  await seated.table.run("hello", "one");
  await compact(seated, "keep the names");
  expect(seated.prompts()).toEqual(["hello", "/compact keep the names"]);
  expect((await compact(seated, "fail")).end).toEqual(failed("Not enough messages to compact."));
  expect((await compact(seated, "fail silently")).end).toEqual(failed("too_few_groups."));
});

test.concurrent("what an agent compacts by itself in a turn comes up in its place, with its figures", async (context) => {
  for (const name of ["claude", "codex"] as const) {
    const { table } = await seats[name]({}, context);
    await table.run("hello", "zero");
    const from = table.events.length;
    const end = await table.run("fills its window", "one");
    const shown = table.events.slice(from).filter(({ type }) => /^text_done|^compacted|^turn_done/.test(type));
    expect(shown.map(({ type }) => type)).toEqual(["text_done", "compacted", "text_done", "turn_done"]);
    expect(shown[1]).toEqual({ type: "compacted", native: true, ...figures[name] });
    expect(end.outcome).toBe("completed");
  }
});

test.concurrent("Codex compacts in a turn of its own; that it takes no words is said, and so is a refusal", async (context) => {
  const seated = await seats.codex({}, context);
  await seated.table.run("hello", "one");
  const { end, events } = await compact(seated, "keep the names");
  expect(end.type).toBe("compacted");
  expect(events.filter(({ type }) => type === "warning")).toMatchObject([{ code: "focus_unheard" }]);
  const refusing = await seats.codex({ flags: ["--no-compaction"] }, context);
  await refusing.table.run("hello", "one");
  expect((await compact(refusing)).end).toEqual(failed("codex could not compact its context: nothing to compact."));
});

test.concurrent("a known session is opened for a compaction; one that is gone is said, and the next turn begins anew", async (context) => {
  for (const [name, known, gone] of [
    ["claude", "kept", "forgotten"],
    ["codex", "known-1", "gone-1"],
    ["pi", "kept", "forgotten"],
  ] as const) {
    expect((await compact(await seats[name]({ nativeSessionId: known }, context))).end.type).toBe("compacted");
    const lost = await seats[name]({ nativeSessionId: gone }, context);
    expect((await compact(lost)).end.type).toBe("compact_failed");
    expect((await lost.table.run("hello", "one")).outcome).toBe("completed");
    expect(lost.table.all("warning").map(({ code }) => code)).toEqual(["session_lost"]);
  }
});

test.concurrent("Pi is given the user's words, and says in its own why it did not compact", async (context) => {
  const seated = await seats.pi({}, context);
  await seated.table.run("hello", "one");
  expect((await compact(seated, "nothing")).end).toEqual(failed("Nothing to compact (session too small)."));
  expect(seated.table.all("warning")).toEqual([]);
});

describe.concurrent("an agent over ACP", () => {
  test("is told by the command that it offers, with the user's words where that takes any", async (context) => {
    const offering = await seats.acp({ flags: ["--commands-late"] }, context);
    await offering.table.run("hello", "one");
    await compact(offering, "keep the names");
    expect(offering.prompts()).toEqual(["hello", "/compact keep the names"]);
    const wordless = await seats.acp({ flags: ["--commands", "--wordless"] }, context);
    await wordless.table.run("hello", "one");
    const { events } = await compact(wordless, "keep the names");
    expect(wordless.prompts()).toEqual(["hello", "/compact"]);
    expect(events.filter(({ type }) => type === "warning")).toMatchObject([{ code: "focus_unheard" }]);
    expect((await compact(offering, "too early")).end).toEqual(failed("Nothing to compact yet."));
  });

  test("is not told anything when it offers no such command", async (context) => {
    for (const flags of [["--commands", "--no-compact"], []]) {
      const seated = await seats.acp({ flags }, context);
      await seated.table.run("hello", "one");
      expect((await compact(seated)).end).toEqual(failed("it offers no command for that."));
      expect(seated.prompts()).toEqual(["hello"]);
      expect((await seated.table.run("hello", "two")).outcome).toBe("completed");
    }
  });

  test("opencode takes the command without offering it", async (context) => {
    const seated = await seats.opencode({ flags: [] }, context);
    await seated.table.run("hello", "one");
    expect((await compact(seated)).end.type).toBe("compacted");
    expect(seated.prompts()).toEqual(["hello", "/compact"]);
  });

  test("a session that is gone has nothing to compact", async () => {
    const table = await seatAcpFake({
      flags: ["--forgets", "--commands"],
      seat: { nativeSessionId: "fake-session-1" },
    });
    table.agent.compact?.();
    expect((await table.next("compact_failed")).message).toContain("its earlier session is gone");
    await table.leave();
  });
});

test.concurrent("of those that cannot be told to compact, that is known before they are started", () => {
  const able = (spec: MemberSpec) => capabilitiesOf(spec)?.compact;
  expect(able({ name: "a", kind: "acp", command: ["gemini", "--acp"] })).toBeUndefined();
  expect(able({ name: "a", kind: "cursor", command: ["cursor-agent", "-p"] })).toBeUndefined();
  for (const kind of ["claude", "codex", "pi", "opencode", "cursor"] as const)
    expect(able({ name: "a", kind })).toBe("native");
});
