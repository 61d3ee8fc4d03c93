/**
 * What a long answer costs with all that runs for it: agent and bare reader beside agent, our server and our client.
 * How much CPU an agent needs for the same answer differs by a fifth from one of its processes to the next, so several
 * are asked on each side, turn by turn: all of them have one reader, and one server and one client, as on a user's machine.
 */
import { openServedTable, type ServedTable, type TableOptions } from "../../test/agents/real/served-table.ts";
import { openBareAgent, type BareAgent, type MeasuredAgent } from "./bare-agent.ts";
import { cpuMs, treeCpuMs } from "./process-cost.ts";

const PAIRS = 5;
/** Not counted. */
const LONG_WARM_UP = 2;
const ANSWERS = 2;

export interface Asked {
  readonly agent: MeasuredAgent;
  readonly short: string;
  readonly shortTurns: number;
  readonly long: string;
}

interface Side {
  turn(text: string): Promise<unknown>;
  readonly costs: Readonly<Record<string, () => number>>;
}

export async function agentCost(asked: Asked, seating: TableOptions): Promise<Record<string, number>> {
  const table = await openServedTable(seating);
  const alone: BareAgent[] = [];
  const sides = { bare: [] as Side[], ours: [] as Side[] };
  for (let count = 0; count < PAIRS; count++) {
    const bare = await openBareAgent(asked.agent, seating.subject, { isKeeping: false });
    alone.push(bare);
    sides.bare.push(bareSide(bare));
    sides.ours.push(ourSide(count === 0 ? table : await table.another()));
  }
  const inTurns = sides.bare.flatMap((bare, at) => [bare, sides.ours[at] as Side]);
  for (const side of inTurns) {
    for (let count = 0; count < asked.shortTurns; count++) await side.turn(asked.short);
  }
  const spent = new Map<Side, Record<string, number>[]>(inTurns.map((side) => [side, []]));
  for (let count = 0; count < LONG_WARM_UP + ANSWERS; count++) {
    for (const side of inTurns) spent.get(side)?.push(await spentOn(side, asked.long));
  }
  await Promise.all([table.stop(), ...alone.map((one) => one.close())]);
  table.remove();
  const meansOf = (of: readonly Side[]) => means(of.flatMap((side) => spent.get(side)?.slice(LONG_WARM_UP) ?? []));
  const [bare, ours] = [meansOf(sides.bare), meansOf(sides.ours)];
  return { bareCpuMs: sum(Object.values(bare)), oursCpuMs: sum(Object.values(ours)), ...bare, ...ours };
}

const readerMs = () => cpuMs(process.pid);

function bareSide(bare: BareAgent): Side {
  return {
    turn: (text) => bare.turn(text),
    costs: { bareAgentMs: () => treeCpuMs(bare.pid), bareReaderMs: readerMs },
  };
}

function ourSide(table: ServedTable): Side {
  const serverMs = () => cpuMs(table.serverPid);
  return {
    turn: (text) => table.run(text),
    costs: { agentMs: () => treeCpuMs(table.serverPid) - serverMs(), serverMs, clientMs: readerMs },
  };
}

async function spentOn(side: Side, text: string): Promise<Record<string, number>> {
  const before = Object.values(side.costs).map((costMs) => costMs());
  await side.turn(text);
  return Object.fromEntries(Object.entries(side.costs).map(([who, costMs], at) => [who, costMs() - (before[at] ?? 0)]));
}

function means(answers: readonly Record<string, number>[]): Record<string, number> {
  const parts = Object.keys(answers[0] ?? {});
  return Object.fromEntries(parts.map((part) => [part, sum(answers.map((one) => one[part] ?? 0)) / answers.length]));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
