/** The fake programs of all agents that keep a conversation of their own, each behind its adapter, to be asked the same. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished, type TestContext } from "vitest";
import { startAcpFake, type AcpFakeOptions } from "./acp/start-acp-fake.ts";
import { startClaude } from "./claude/start-claude.ts";
import { openHost } from "./codex/codex-host.ts";
import { startPi } from "./pi/start-pi.ts";
import type { AgentProbe } from "./agent-probe.ts";

export interface StartedFake {
  readonly probe: AgentProbe;
  /** What the program was given as a prompt, in order. */
  prompts(): string[];
}

/** Of a test that runs beside others the context is given, which knows whose end is meant. */
export type StartFake = (
  options?: { nativeSessionId?: string; flags?: readonly string[] },
  context?: Pick<TestContext, "onTestFinished">,
) => Promise<StartedFake>;

const THIS_TEST = { onTestFinished };

const claude: StartFake = async (options = {}, context = THIS_TEST) => {
  const probe = await startClaude(options);
  context.onTestFinished(() => probe.leave());
  const prompts = (): string[] =>
    probe
      .got()
      .flatMap(({ line }) => (line === undefined ? [] : [JSON.parse(line) as FakeRecord]))
      .filter(({ type }) => type === "user")
      .map(({ message }) => String((message as { content: unknown }).content));
  return { probe, prompts };
};

const codex: StartFake = async ({ nativeSessionId, flags = [] } = {}, context = THIS_TEST) => {
  const host = openHost();
  const probe = await host.start({ faults: flags, ...(nativeSessionId === undefined ? {} : { nativeSessionId }) });
  context.onTestFinished(() => host.close());
  return { probe, prompts: () => host.log().flatMap(({ turn }) => (turn === undefined ? [] : [turn.text])) };
};

const pi: StartFake = async (options = {}, context = THIS_TEST) => {
  const probe = await startPi(options);
  context.onTestFinished(() => probe.leave());
  const prompts = (): string[] =>
    probe
      .got()
      .flatMap(({ line }) => (line === undefined ? [] : [JSON.parse(line) as FakeRecord]))
      .filter(({ type }) => type === "prompt")
      .map(({ message }) => String(message));
  return { probe, prompts };
};

interface FakeRecord {
  readonly type?: string;
  readonly message?: unknown;
}

function acp(kind: NonNullable<AcpFakeOptions["kind"]>): StartFake {
  return async ({ nativeSessionId, flags = ["--commands"] } = {}, context = THIS_TEST) => {
    const setup = nativeSessionId === undefined ? {} : { nativeSessionId };
    const probe = await startAcpFake({ kind, flags: [...flags, "--log", "prompts.log"], setup });
    context.onTestFinished(async () => void (await probe.leave()));
    const prompts = (): string[] =>
      readFileSync(path.join(probe.dataDir, "prompts.log"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as string);
    return { probe, prompts };
  };
}

export const starters = { claude, codex, pi, acp: acp("acp"), opencode: acp("opencode"), cursor: acp("cursor") };
