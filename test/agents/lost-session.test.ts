/** Members that get their own session back after a restart, or are told everything again when it is gone. */
import { expect, test } from "vitest";
import type { TurnInput } from "../../src/agents/index.ts";
import { startOpenAi } from "./openai/start-openai.ts";
import { starters } from "./start-fakes.ts";

const turn: TurnInput = {
  kind: "turn",
  turnId: "one",
  text: "hello",
  attachments: [],
  self: "ada",
  missed: [{ speaker: { kind: "user" }, text: "only the news" }],
  coldStart: () => ({
    systemPrompt: "You sit at a table.",
    missed: [
      { speaker: { kind: "user" }, text: "the first words" },
      { speaker: { kind: "member", name: "ada" }, text: "the first answer" },
    ],
  }),
};

/** Makes the fakes that go by the words of a prompt answer whatever stands in it. */
const PLAIN = ["--digest"];

test.each([
  ["claude", "kept", "forgotten", []],
  ["codex", "known-1", "gone-1", []],
  ["pi", "kept", "forgotten", []],
  ["acp", "fake-session-1", "fake-session-1", ["--forgets"]],
  ["opencode", "fake-session-1", "fake-session-1", ["--forgets"]],
  ["cursor", "fake-session-1", "fake-session-1", ["--no-load"]],
] as const)(
  "%s gets only new messages in its session, and everything with a warning when that is lost",
  async (name, known, gone, flags) => {
    const kept = await starters[name]({ nativeSessionId: known, flags: PLAIN });
    kept.probe.agent.send(turn);
    expect((await kept.probe.next("turn_done")).outcome).toBe("completed");
    expect(kept.probe.all("warning")).toEqual([]);
    expect(kept.prompts()).toHaveLength(1);
    expect(kept.prompts()[0]).toContain("> only the news");
    expect(kept.prompts()[0]).not.toContain("the first words");

    const lost = await starters[name]({ nativeSessionId: gone, flags: [...PLAIN, ...flags] });
    lost.probe.agent.send(turn);
    expect((await lost.probe.next("turn_done")).outcome).toBe("completed");
    expect(lost.probe.all("warning")).toEqual([
      { type: "warning", code: "session_lost", message: expect.stringContaining("started a new one") },
    ]);
    const [prompt = "", ...more] = lost.prompts();
    expect(more).toEqual([]);
    expect(prompt).toMatch(/^You sit at a table\.[^]*> the first words[^]*\(you\)\][^]*> the first answer[^]*hello$/);
    expect(prompt).not.toContain("only the news");

    const from = lost.probe.events.length;
    lost.probe.agent.send({ ...turn, turnId: "two" });
    await lost.probe.next("turn_done", from);
    expect(lost.prompts()[1]).toContain("> only the news");
  },
);

test("emits each program's models with its session", async () => {
  const models = {
    claude: [
      { id: "default", name: "Default", description: "What the account has" },
      { id: "haiku", name: "Haiku" },
    ],
    codex: [{ id: "gpt-one", name: "GPT One", description: "The first." }, { id: "gpt-two" }],
    pi: [{ id: "fake/fake-text" }, { id: "fake/fake-echo" }],
    acp: [{ id: "small" }, { id: "large" }, { id: "broken" }],
  };
  for (const name of ["claude", "codex", "pi", "acp"] as const) {
    const { probe } = await starters[name]();
    await probe.run("hello");
    expect(await probe.next("member_models")).toEqual({ type: "member_models", models: models[name] });
    await probe.run("hello", "two");
    expect(probe.all("member_models")).toHaveLength(1);
  }
});

test("a model server's list comes up without what cannot talk, with the second turn at the latest", async () => {
  const probe = await startOpenAi();
  probe.server.models({ data: [{ id: "nomic-embed-text" }, { id: "m1" }, { id: "m2" }] });
  await probe.run("hello", "one");
  await probe.run("hello", "two");
  expect(await probe.next("member_models")).toEqual({ type: "member_models", models: [{ id: "m1" }, { id: "m2" }] });
});
