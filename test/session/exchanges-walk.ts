/**
 * One random life of a table whose members message each other: they wait or not, fail, hang, are stopped, muted,
 * removed and crashed. Afterwards the raw log is judged by a count of its own.
 */
import { newId } from "../../src/kit/ids.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import {
  EXCHANGE_DEPTH_MAX,
  EXCHANGES_PER_MESSAGE_MAX,
  EXCHANGES_PER_PAIR_MAX,
  EXCHANGES_PER_TURN_MAX,
} from "../../src/session/limits.ts";
import { settle } from "./fake-clock.ts";
import { asks, says } from "./exchanges-scripts.ts";
import { createRandom, type Random } from "./random.ts";
import type { Behaviour, Step } from "./scripted-agent.ts";
import { startSession, specOf, type SessionRun } from "./session-run.ts";
import { checkLog } from "./session-checker.ts";

const MEMBERS = ["ada", "bob", "cyd", "dan"];
const STEPS = 24;

export interface Walked {
  readonly exchanges: number;
  readonly answered: number;
}

export async function walkExchanges(seed: number): Promise<Walked> {
  const random = createRandom(seed);
  let isWild = true;
  const behaviours = Object.fromEntries(MEMBERS.map((name) => [name, behaviourOf(name, random, () => isWild)]));
  let run = await startSession(behaviours, {
    settings: {
      timeout: 20,
      mode: random.chance(0.25) ? "sequential" : "broadcast",
      auto_rounds: 1,
      limits: { turns: 10_000, minutes: 10_000, tokens: 1e9, usd: 1e6 },
    },
  });
  try {
    for (let step = 0; step < STEPS; step += 1) {
      if (random.chance(0.05)) run = await run.reopen();
      else await act(run, random);
      await run.clock.advance(random.pick([0, 5, 50, 500, 5_000]));
      if (random.chance(0.2)) judge(run.all());
    }
    isWild = false;
    await run.clock.advance(300_000);
    if (!run.session.isIdle) throw new Error("somebody still waits: a deadlock");
    judge(run.all());
    checkLog(run.all(), { settled: true });
    mustBeSettled(run.all());
    await closeOf(run);
  } catch (cause) {
    throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  const results = run.all().filter((event) => event.type === "agent_callback_result");
  return { exchanges: results.length, answered: results.filter((event) => event.ok && event.text !== "").length };
}

async function closeOf(run: SessionRun): Promise<void> {
  const closed = run.session.close();
  await run.clock.advance(20_000);
  await closed;
}

const ACTS = [
  ...Array<"say">(10).fill("say"),
  ...(["interrupt", "interrupt", "mute", "unmute", "unmute", "remove", "add", "add", "mode"] as const),
];

async function act(run: SessionRun, random: Random): Promise<void> {
  const name = random.pick(MEMBERS);
  const clientId = random.pick(["one", "two"]);
  const kind = random.pick(ACTS);
  if (kind === "say") {
    const to = random.chance(0.2) ? MEMBERS : [name];
    await run.send(`word ${random.integer(99)}`, { to, clientId });
  } else if (kind === "interrupt") {
    const scope = random.pick(["own", "member", "all"] as const);
    await run.command({ type: kind, scope, ...(scope === "member" ? { member: name } : {}) }, clientId);
  } else if (kind === "mute" || kind === "unmute") await run.command({ type: kind, member: name });
  else if (kind === "remove") await run.command({ type: "remove_member", member: name });
  else if (kind === "add") for (const each of MEMBERS) await run.command({ type: "add_member", spec: specOf(each) });
  else
    await run.command({
      type: "set_settings",
      settings: { mode: random.pick(["broadcast", "sequential"] as const) },
    });
  await settle();
}

function behaviourOf(name: string, random: Random, isWild: () => boolean): Behaviour {
  return {
    capabilities: { steer: random.chance(0.4) },
    interrupt: random.pick(["obeys", "obeys", "deaf"] as const),
    steer: random.pick(["takes", "ignores"] as const),
    script: ({ turnId }) => [
      ...(isWild() ? wildSteps(random, turnId) : []),
      says(random.chance(0.15) ? "Thanks!" : `<${turnId}> says ${name}`),
    ],
  };
}

function wildSteps(random: Random, turnId: string): Step[] {
  const steps: Step[] = [];
  for (let count = random.integer(5); count > 0; count -= 1) {
    const kind = random.integer(10);
    const callId = `${turnId}${count}`;
    if (kind < 6) {
      const call = asks(random.pick([...MEMBERS, "zoe"]), {
        callId,
        wait: random.chance(0.6),
        text: random.chance(0.1) ? "Thanks!" : "What is it?",
      });
      steps.push(...(random.chance(0.1) ? call.slice(0, 2) : call));
    } else if (kind < 8) steps.push({ wait: random.integer(3_000) });
    else if (kind === 8 && random.chance(0.3)) steps.push({ hang: true });
    else if (kind === 9 && random.chance(0.4)) steps.push({ end: "errored", reason: "tired" });
  }
  return steps;
}

/** Counts again from the log alone, by other means than the session does. */
function judge(events: readonly SessionEvent[]): void {
  const roots = new Map<string, string | undefined>();
  const starts = new Map<string, Extract<SessionEvent, { type: "turn_start" }>>();
  const asked = { turn: new Map<string, number>(), root: new Map<string, number>(), pair: new Map<string, number>() };
  const open = new Map<string, { from: string; to: string; wait: boolean }>();
  const all = new Map<string, { from: string; to: string }>();
  for (const event of events) {
    if (event.type === "user_message") asked.pair.clear();
    if (event.type === "turn_start") {
      starts.set(event.turnId, event);
      roots.set(event.turnId, event.rootMessageId);
      judgeStart(event, starts, all);
    }
    if (event.type === "agent_message") {
      if (all.has(event.agentExchangeId)) throw new Error(`${event.agentExchangeId} was asked twice`);
      const { member: from, to, wait, turnId = "" } = event;
      if (from === to) throw new Error(`${from} asks itself`);
      all.set(event.agentExchangeId, { from, to });
      open.set(event.agentExchangeId, { from, to, wait });
      if (wait) mustBeWithoutCircle([...open.values()].filter((one) => one.wait));
      count(asked.turn, turnId, EXCHANGES_PER_TURN_MAX, "in a turn");
      count(asked.root, roots.get(turnId) ?? "", EXCHANGES_PER_MESSAGE_MAX, "for a message");
      count(asked.pair, [from, to].sort().join(), EXCHANGES_PER_PAIR_MAX, "between two");
    }
    if (event.type === "agent_callback_result" && !open.delete(event.agentExchangeId)) {
      throw new Error(`${event.agentExchangeId} was settled twice, or never asked`);
    }
    if (event.type === "turn_end") {
      const left = [...open.values()].find((one) => one.wait && one.from === event.member);
      if (left !== undefined && starts.get(event.turnId)?.cause !== "subagent") {
        throw new Error(`${event.member} ended while it waited for ${left.to}`);
      }
    }
  }
}

function judgeStart(
  event: Extract<SessionEvent, { type: "turn_start" }>,
  starts: ReadonlyMap<string, Extract<SessionEvent, { type: "turn_start" }>>,
  all: ReadonlyMap<string, { from: string; to: string }>,
): void {
  if (event.depth > EXCHANGE_DEPTH_MAX) throw new Error(`a turn is ${event.depth} members away from the user`);
  if (event.cause !== "exchange") return;
  const exchange = all.get(event.agentExchangeId ?? "");
  const parent = starts.get(event.parentTurnId ?? "");
  if (exchange === undefined || parent?.member !== exchange.from) throw new Error("a turn of no exchange");
  const isAnswer = event.member === exchange.to;
  const depth = isAnswer ? parent.depth + 1 : parent.depth;
  if (event.depth !== depth || event.rootMessageId !== parent.rootMessageId)
    throw new Error("a turn of another origin");
  if (!isAnswer && event.member !== exchange.from) throw new Error(`${event.member} was never asked`);
}

function count(counts: Map<string, number>, key: string, max: number, where: string): void {
  const next = (counts.get(key) ?? 0) + 1;
  counts.set(key, next);
  if (next > max) throw new Error(`${next} questions ${where}`);
}

/** Takes away whoever waits for nobody until nobody is left; what stays is a circle. */
function mustBeWithoutCircle(waiting: readonly { from: string; to: string }[]): void {
  let left = waiting;
  for (;;) {
    const next = left.filter(({ to }) => left.some((one) => one.from === to));
    if (next.length === 0) return;
    if (next.length === left.length) throw new Error(`a circle: ${JSON.stringify(left)}`);
    left = next;
  }
}

function mustBeSettled(events: readonly SessionEvent[]): void {
  const settled = new Set(
    events.flatMap((event) => (event.type === "agent_callback_result" ? [event.agentExchangeId] : [])),
  );
  const open = events.filter((event) => event.type === "agent_message" && !settled.has(event.agentExchangeId));
  if (open.length > 0) throw new Error(`never settled: ${JSON.stringify(open[0])}`);
}

export const newSeed = (): number => Number.parseInt(newId().slice(-5), 36) % 1_000_000;
