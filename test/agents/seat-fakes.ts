/** The fake programs of all agents that keep a conversation of their own, each behind its adapter, to be asked the same. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
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

export type SeatAgent = (options?: { nativeSessionId?: string; flags?: readonly string[] }) => Promise<SeatedAgent>;

const claude: SeatAgent = async (options = {}) => {
  const table = await seatClaude(options);
  onTestFinished(() => table.leave());
  const prompts = (): string[] =>
    table
      .got()
      .flatMap(({ line }) => (line === undefined ? [] : [JSON.parse(line) as Said]))
      .filter(({ type }) => type === "user")
      .map(({ message }) => String((message as { content: unknown }).content));
  return { table, prompts };
};

const codex: SeatAgent = async ({ nativeSessionId, flags = [] } = {}) => {
  const host = openHost();
  const table = await host.seat({ faults: flags, ...(nativeSessionId === undefined ? {} : { nativeSessionId }) });
  onTestFinished(() => host.close());
  return { table, prompts: () => host.log().flatMap(({ turn }) => (turn === undefined ? [] : [turn.text])) };
};

const pi: SeatAgent = async (options = {}) => {
  const table = await seatPi(options);
  onTestFinished(() => table.leave());
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
  return async ({ nativeSessionId, flags = ["--commands"] } = {}) => {
    const seat = nativeSessionId === undefined ? {} : { nativeSessionId };
    const table = await seatAcpFake({ kind, flags: [...flags, "--log", "prompts.log"], seat });
    onTestFinished(async () => void (await table.leave()));
    const prompts = (): string[] =>
      readFileSync(path.join(table.dataDir, "prompts.log"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as string);
    return { table, prompts };
  };
}

export const seats = { claude, codex, pi, acp: acp("acp"), opencode: acp("opencode"), cursor: acp("cursor") };
