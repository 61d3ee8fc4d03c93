/** The fake programs of all agents that keep a conversation of their own, each behind its adapter, to be asked the same. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished, type TestContext } from "vitest";
import { seatAcpFake, type AcpFakeOptions } from "./acp/seat-acp-fake.ts";
import { seatClaude } from "./claude/seat-claude.ts";
import { openHost } from "./codex/seat-codex.ts";
import { seatPi } from "./pi/seat-pi.ts";
import type { TableOfOne } from "./table-of-one.ts";

export interface SeatedAgent {
  readonly table: TableOfOne;
  /** What the program was given as a prompt, in order. */
  prompts(): string[];
}

/** Of a test that runs beside others the context is given, which knows whose end is meant. */
export type SeatAgent = (
  options?: { nativeSessionId?: string; flags?: readonly string[] },
  context?: Pick<TestContext, "onTestFinished">,
) => Promise<SeatedAgent>;

const THIS_TEST = { onTestFinished };

const claude: SeatAgent = async (options = {}, context = THIS_TEST) => {
  const table = await seatClaude(options);
  context.onTestFinished(() => table.leave());
  const prompts = (): string[] =>
    table
      .got()
      .flatMap(({ line }) => (line === undefined ? [] : [JSON.parse(line) as Said]))
      .filter(({ type }) => type === "user")
      .map(({ message }) => String((message as { content: unknown }).content));
  return { table, prompts };
};

const codex: SeatAgent = async ({ nativeSessionId, flags = [] } = {}, context = THIS_TEST) => {
  const host = openHost();
  const table = await host.seat({ faults: flags, ...(nativeSessionId === undefined ? {} : { nativeSessionId }) });
  context.onTestFinished(() => host.close());
  return { table, prompts: () => host.log().flatMap(({ turn }) => (turn === undefined ? [] : [turn.text])) };
};

const pi: SeatAgent = async (options = {}, context = THIS_TEST) => {
  const table = await seatPi(options);
  context.onTestFinished(() => table.leave());
  const prompts = (): string[] =>
    table
      .got()
      .flatMap(({ line }) => (line === undefined ? [] : [JSON.parse(line) as Said]))
      .filter(({ type }) => type === "prompt")
      .map(({ message }) => String(message));
  return { table, prompts };
};

interface Said {
  readonly type?: string;
  readonly message?: unknown;
}

function acp(kind: NonNullable<AcpFakeOptions["kind"]>): SeatAgent {
  return async ({ nativeSessionId, flags = ["--commands"] } = {}, context = THIS_TEST) => {
    const seat = nativeSessionId === undefined ? {} : { nativeSessionId };
    const table = await seatAcpFake({ kind, flags: [...flags, "--log", "prompts.log"], seat });
    context.onTestFinished(async () => void (await table.leave()));
    const prompts = (): string[] =>
      readFileSync(path.join(table.dataDir, "prompts.log"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as string);
    return { table, prompts };
  };
}

export const seats = { claude, codex, pi, acp: acp("acp"), opencode: acp("opencode"), cursor: acp("cursor") };
