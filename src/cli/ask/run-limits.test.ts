import { afterEach, describe, expect, test } from "vitest";
import { connect, newDataDir, openHost } from "../../../test/host/open-host.ts";
import { SETTINGS } from "../../../test/host/scripted-agent.ts";
import type { Agent, AgentEvent, TurnInput } from "../../agents/index.ts";
import type { Host } from "../../host/index.ts";
import { NO_CAPABILITIES, type MemberSpec, type Settings } from "../../protocol/index.ts";
import { createApprover } from "./approver.ts";
import type { Output } from "./output.ts";
import { Question, type Asking } from "./question.ts";
import type { ResultLine } from "./result.ts";
import type { RunLimit } from "./run-limits.ts";

/** Reports half a dollar and 300 tokens; a member called "slow" then runs until it is stopped. */
class SpendingAgent implements Agent {
  readonly capabilities = NO_CAPABILITIES;
  #up: (event: AgentEvent) => void = () => {};
  #stop = () => {};
  readonly #spec: MemberSpec;

  constructor(spec: MemberSpec) {
    this.#spec = spec;
  }

  async start(up: (event: AgentEvent) => void): Promise<void> {
    this.#up = up;
  }

  send(input: Parameters<Agent["send"]>[0]): void {
    if (input.kind === "turn") queueMicrotask(() => this.#begin(input));
  }

  interrupt(): void {
    this.#stop();
  }

  answer(): void {}

  async close(): Promise<void> {
    this.#stop();
  }

  #begin({ turnId }: TurnInput): void {
    const usage = { inputTokens: 200, outputTokens: 100, costUsd: 0.5 };
    const done = (outcome: "completed" | "interrupted") => this.#up({ type: "turn_done", turnId, outcome, usage });
    this.#up({ type: "text_delta", text: `${this.#spec.name} speaks` });
    if (this.#spec.name.startsWith("quick")) return done("completed");
    if (this.#spec.name.startsWith("slow")) this.#up({ type: "usage", usage });
    this.#stop = () => done("interrupted");
  }
}

let host: Host | undefined;
afterEach(async () => {
  await host?.close();
  host = undefined;
});

const quiet: Output = { events() {}, show() {}, end() {}, abandon() {} };

interface AskOptions {
  readonly mode?: Settings["mode"];
  /** Before the question is sent. */
  readonly isStopped?: boolean;
}

async function ask(
  names: readonly string[],
  limits: readonly RunLimit[],
  { mode = "broadcast", isStopped = false, ...asking }: Partial<Asking> & AskOptions = {},
): Promise<{ result: ResultLine; notes: string[]; hasLeftEmpty: boolean }> {
  const cwd = newDataDir();
  host = await openHost(cwd, { agentFactory: (spec) => new SpendingAgent(spec) });
  const client = await connect(host);
  const members = names.map((name): MemberSpec => ({ name, kind: "embedded" }));
  const settings = { ...SETTINGS, mode, order: [...names] };
  const { sessionId } = await client.create({ cwd, title: "t", settings, members });
  const notes: string[] = [];
  const warn = (line: string) => notes.push(line);
  const approver = await createApprover();
  const question = new Question({ client, output: quiet, startMs: performance.now(), warn, approver, limits });
  const chosen = { sessionId, isNew: true, begun: { members: names, cwd } };
  if (isStopped) question.stop("interrupted");
  const result = await question.ask(chosen, { text: "Speak.", rounds: 0, ...asking });
  return { result, notes, hasLeftEmpty: question.hasLeftEmpty };
}

const budget = { limit: "usd", max: 0.5, origin: "--max-budget-usd" } as const;

test("a run that is stopped before its question is sent leaves its new session empty and does not name it", async () => {
  const { result, hasLeftEmpty } = await ask(["quick"], [], { isStopped: true });
  expect(hasLeftEmpty).toBe(true);
  expect(result).toMatchObject({ exit_code: 130, session_id: null, members: {} });
});

describe("a run with its own limits", () => {
  test("stops running turns with a message when the reported cost reaches the limit", async () => {
    const { result, notes } = await ask(["slow"], [budget]);
    const message = "$0.5 is the limit of this run (--max-budget-usd), and $0.5 is used: running turns were stopped";
    expect(notes).toEqual([message]);
    expect(result).toMatchObject({ exit_code: 6, subtype: "error_limit", error: { code: "error_limit", message } });
    expect(result.members["slow"]).toMatchObject({ outcome: "interrupted", result: "slow speaks" });
  });

  test("also when another turn ends, whose answer is kept; token limits work the same way", async () => {
    const { result } = await ask(["quick", "hanging"], [{ limit: "tokens", max: 300, origin: "--config x" }]);
    expect(result).toMatchObject({ exit_code: 6, members: { quick: { outcome: "completed" } } });
    expect(result.error?.message).toBe(
      "300 tokens are the limit of this run (--config x), and 300 tokens are used: running turns were stopped",
    );
  });

  test("skips members whose turn would start after the limit was reached", async () => {
    const { result } = await ask(["quick", "hanging", "last"], [budget], { mode: "sequential" });
    expect(result).toMatchObject({ exit_code: 6, members: { quick: { outcome: "completed" }, last: { turns: 0 } } });
    expect(result.error?.message).toContain("--max-budget-usd");
  });

  test("succeeds when every member answered before the limit was reached", async () => {
    const { result, notes } = await ask(["quick"], [{ ...budget, max: 0.1 }]);
    expect([result.exit_code, notes]).toEqual([0, []]);
  });

  test("stops running turns when its time is up", async () => {
    const { result, notes } = await ask(["hanging"], [{ limit: "minutes", max: 0.001, origin: "--max-time" }]);
    expect(notes).toEqual(["0.06 seconds are the limit of this run (--max-time): running turns were stopped"]);
    expect(result).toMatchObject({
      exit_code: 6,
      subtype: "error_limit",
      members: { hanging: { outcome: "interrupted" } },
    });
  });

  const turns = (max: number) => [{ limit: "turns", max, origin: "--max-turns" } as const];

  test("asks only as many members as the limit allows, in order, and names the others", async () => {
    const { result, notes } = await ask(["quick-b", "quick-a", "quick-c"], turns(1));
    const message = "1 turn is the limit of this run (--max-turns), so quick-a and quick-c were not asked";
    expect([Object.keys(result.members), result.exit_code, notes]).toEqual([["quick-b"], 6, [message]]);
    expect(result.error).toEqual({ code: "error_limit", message });
  });

  test.each([
    [{ text: "@quick-c Speak." }, ["quick-c"], 0],
    [{ text: "@quick-c @quick-b Speak." }, ["quick-b"], 6],
    [{ to: ["quick-c"] }, ["quick-c"], 0],
    [{ to: ["all"] }, ["quick-b"], 6],
  ])("counts those that the question is for: %j", async (asking, asked, code) => {
    const { result } = await ask(["quick-b", "quick-a", "quick-c"], turns(1), asking);
    expect([Object.keys(result.members), result.exit_code]).toEqual([asked, code]);
  });

  test("still rejects unknown members", async () => {
    await expect(ask(["quick-b", "quick-a"], turns(1), { text: "@nobody Speak." })).rejects.toMatchObject({
      code: "unknown_member",
    });
  });
});
