/**
 * Many short lives of hostile programs, in a random mix that its seed repeats: each run seats a fake, asks it something,
 * does something to it, and lets the member leave. Tells every run after which somebody was left, or a turn ended not
 * exactly once, or a well-behaved member beside it did not finish.
 */
import { inParallel } from "../../in-parallel.ts";
import { markedProcesses, makeDataDir, removeDataDir, startFake, survivors } from "./start-fake.ts";
import { patient } from "../../patience.ts";

const FAKES = `
  never-exits ignores-signals forks-a-daemon own-session-grandchild floods dies-mid-line one-huge-line bad-utf8
  split-at-every-byte closes-stdout closes-stdin noise-between-lines asks-and-waits crash-loop silent slow wrong-order
  starts-a-server`
  .trim()
  .split(/\s+/);
const ACTIONS = ["wait", "interrupt", "close", "kill", "stop"] as const;
const IN_PARALLEL = 6;

const limits = {
  drainMs: 150,
  silenceWarnMs: 1_000,
  silenceMs: 1_500,
  totalMs: 4_000,
  postResultMs: 100,
  killSequence: { interruptMs: 60, sigintMs: 60, sigtermMs: 60, sigkillMs: patient(2_000) },
};

export interface HostileReport {
  readonly runs: number;
  readonly faults: string[];
}

export async function hostileRuns(count: number, seed: number): Promise<HostileReport> {
  const random = mulberry(seed);
  const plans = Array.from({ length: count }, (_, at) => planRun(at, random));
  const faults: string[] = [];
  await inParallel(plans, IN_PARALLEL, async (plan) => {
    faults.push(...(await runOnce(plan)));
  });
  return { runs: count, faults };
}

interface Plan {
  readonly name: string;
  readonly fake: string;
  readonly lifetime: "member" | "turn";
  readonly action: (typeof ACTIONS)[number];
  readonly afterMs: number;
  readonly hasNeighbour: boolean;
}

function planRun(at: number, random: () => number): Plan {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const fake = pick(FAKES);
  const lifetime = pick(["member", "turn"] as const);
  const action = pick(ACTIONS);
  const afterMs = Math.floor(random() * 250);
  const hasNeighbour = random() < 0.25;
  return {
    name: `run ${at}: ${fake}, ${lifetime}, ${action} after ${afterMs} ms`,
    fake,
    lifetime,
    action,
    afterMs,
    hasNeighbour,
  };
}

async function runOnce(plan: Plan): Promise<string[]> {
  const dataDir = makeDataDir();
  const fake = await startFake({ fake: plan.fake, lifetime: plan.lifetime, dataDir, limits });
  const neighbour = plan.hasNeighbour ? await startFake({ fake: "answers", member: "neighbour", dataDir }) : null;
  const neighbourEnd = neighbour?.run("hello");
  fake.ask("5");
  await new Promise((resolve) => setTimeout(resolve, plan.afterMs));
  await act(plan, fake.agent, dataDir);
  if (plan.action !== "close") await fake.next("turn_done");
  const neighbourOutcome = (await neighbourEnd)?.outcome;
  await Promise.all([fake.agent.close(), neighbour?.agent.close()]);
  const left = await survivors(dataDir);
  removeDataDir(dataDir);
  const ends = fake.all("turn_done").length;
  return [
    ...left.map(({ command }) => `${plan.name}: left ${command}`),
    ...(ends === 1 ? [] : [`${plan.name}: the turn ended ${ends} times`]),
    ...(neighbour === null || neighbourOutcome === "completed"
      ? []
      : [`${plan.name}: the neighbour ${neighbourOutcome}`]),
  ];
}

async function act(plan: Plan, agent: { interrupt(): void; close(): Promise<void> }, dataDir: string): Promise<void> {
  if (plan.action === "interrupt") agent.interrupt();
  if (plan.action === "close") await agent.close();
  if (plan.action !== "kill" && plan.action !== "stop") return;
  for (const { pid, command } of markedProcesses(dataDir)) {
    if (command.includes("answers.mjs")) continue;
    try {
      process.kill(pid, plan.action === "kill" ? "SIGKILL" : "SIGSTOP");
    } catch {
      // It left by itself.
    }
  }
}

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
