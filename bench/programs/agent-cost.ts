/**
 * What a long answer costs with all that runs for it: agent and bare reader beside agent, our server and our client.
 * How much CPU an agent needs for the same answer differs by a fifth from one of its processes to the next, so several
 * are asked on each side, turn by turn and first the one side, then the other: all of them have one reader, and one server
 * and one client, as on a user's machine. Those of a side that wait for their turn are counted, too.
 */
import { openServedTable, type ServedTable, type TableOptions } from "../../test/agents/real/served-table.ts";
import { openBareAgent, type BareAgent, type MeasuredAgent } from "./bare-agent.ts";
import { cpuMs, treeCpuMs } from "./process-cost.ts";

const PAIRS = 4;
/** Not counted. */
const LONG_WARM_UP = 3;
const ANSWERS = 5;

export interface Asked {
  readonly agent: MeasuredAgent;
  readonly short: string;
  readonly shortTurns: number;
  readonly long: string;
}

interface Side {
  readonly turn: (text: string) => Promise<unknown>;
  /** Who runs this program comes first: to look at the others costs it something, which is no part of the answer. */
  readonly costsMs: readonly (readonly [who: string, () => number])[];
}

export async function agentCost(asked: Asked, seating: TableOptions): Promise<Record<string, number>> {
  const table = await openServedTable(seating);
  const alone: BareAgent[] = [];
  const pairs: Side[][] = [];
  for (let count = 0; count < PAIRS; count++) {
    alone.push(await openBareAgent(asked.agent, seating.subject, { isKeeping: false }));
    const ours = count === 0 ? table : await table.another();
    pairs.push([bareSide(alone, count), ourSide(ours)]);
  }
  for (const side of pairs.flat()) {
    for (let count = 0; count < asked.shortTurns; count++) await side.turn(asked.short);
  }
  const spent: Record<string, number>[][] = [[], []];
  for (let count = 0; count < LONG_WARM_UP + ANSWERS; count++) {
    for (const [at, pair] of pairs.entries()) {
      for (const which of (at + count) % 2 === 0 ? [0, 1] : [1, 0]) {
        const costs = await spentOn(pair[which] as Side, asked.long);
        if (count >= LONG_WARM_UP) spent[which]?.push(costs);
      }
    }
  }
  await Promise.all([table.stop(), ...alone.map((one) => one.close())]);
  table.remove();
  const [bare = {}, ours = {}] = spent.map(means);
  return { bareCpuMs: sum(Object.values(bare)), oursCpuMs: sum(Object.values(ours)), ...bare, ...ours };
}

const ownMs = () => cpuMs(process.pid);

function bareSide(alone: readonly BareAgent[], at: number): Side {
  return {
    turn: async (text) => alone[at]?.turn(text),
    costsMs: [
      ["bareReaderMs", ownMs],
      ["bareAgentMs", () => sum(alone.map(({ pid }) => treeCpuMs(pid)))],
    ],
  };
}

function ourSide(table: ServedTable): Side {
  const serverMs = () => cpuMs(table.serverPid);
  return {
    turn: (text) => table.run(text),
    costsMs: [
      ["clientMs", ownMs],
      ["serverMs", serverMs],
      ["agentMs", () => treeCpuMs(table.serverPid) - serverMs()],
    ],
  };
}

async function spentOn({ turn, costsMs }: Side, text: string): Promise<Record<string, number>> {
  const before = new Map(costsMs.toReversed().map(([who, costMs]) => [who, costMs()]));
  await turn(text);
  return Object.fromEntries(costsMs.map(([who, costMs]) => [who, costMs() - (before.get(who) ?? 0)]));
}

function means(answers: readonly Record<string, number>[]): Record<string, number> {
  const parts = Object.keys(answers[0] ?? {});
  return Object.fromEntries(parts.map((part) => [part, sum(answers.map((one) => one[part] ?? 0)) / answers.length]));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
