/**
 * The three promises that are easiest to lose, each as a check that names what it found broken.
 * The suite runs them on the real supervisor and, to show that they would notice, on deliberately broken ones.
 */
import type { ProcessList } from "../../../src/agents/process/list/process-list.ts";
import type { Defect } from "../../../src/agents/process/supervised-process.ts";
import { killMarked, makeDataDir, removeDataDir, startFake, survivors } from "./start-fake.ts";
import { patient } from "../../patience.ts";

export interface Broken {
  readonly defect?: Defect;
  readonly processes?: ProcessList;
}

const DRAIN_MS = 600;
/** Far longer than the drain, on a machine however busy; far shorter than the pipe is held. */
const PATIENCE_MS = patient(30_000);
/** Somebody who was left stays; this long is looked again whether everybody goes. */
const LEFT_MS = 1_000;

/** A turn ends soon after its program, whoever holds the program's pipe. */
export async function turnEndsWithItsProgram(broken: Broken): Promise<string[]> {
  const limits = { drainMs: DRAIN_MS, idleMs: 60_000 };
  const fake = await startFake({ fake: "own-session-grandchild", limits, ...broken });
  try {
    fake.ask("hello");
    await fake.next("text_delta");
    const startMs = performance.now();
    const patienceMs = broken.defect === undefined ? PATIENCE_MS : 2 * DRAIN_MS;
    const timeout = new Promise<null>((resolve) => setTimeout(() => resolve(null), patienceMs));
    const end = await Promise.race([fake.next("turn_done"), timeout]);
    const tookMs = Math.round(performance.now() - startMs);
    return end === null ? [`the turn still ran ${tookMs} ms after its program had left`] : [];
  } finally {
    killMarked(fake.dataDir);
    await fake.leave();
  }
}

/** One second after a member has left, nothing that it started runs. */
export async function nobodyIsLeft(broken: Broken): Promise<string[]> {
  const found = ["forks-a-daemon", "own-session-grandchild", "ignores-signals"].map(async (name) => {
    const dataDir = makeDataDir();
    const fake = await startFake({ fake: name, dataDir, ...broken });
    fake.ask("with result");
    await fake.next("text_delta");
    if (name === "ignores-signals") fake.agent.interrupt();
    await fake.next("turn_done");
    await fake.agent.close();
    const left = await survivors(dataDir, ...(broken.defect === undefined ? [] : [LEFT_MS]));
    killMarked(dataDir);
    removeDataDir(dataDir);
    return left.map(({ command }) => `${name} left: ${command}`);
  });
  return (await Promise.all(found)).flat();
}

export const CANARIES: Readonly<Record<string, string>> = Object.fromEntries(
  `AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN GITHUB_TOKEN GH_TOKEN NPM_TOKEN OPENAI_API_KEY ANTHROPIC_API_KEY
   GEMINI_API_KEY DATABASE_URL STRIPE_SECRET SSH_AUTH_SOCK KUBECONFIG ROUNDTABLE_TOKEN ROUNDTABLE_HOME
   NODE_CHANNEL_SECRET CLAUDECODE CLAUDE_CODE_ENTRYPOINT CODEX_SANDBOX CODEX_THREAD_ID MY_PRIVATE_THING`
    .split(/\s+/)
    .map((name, at) => [name, `canary-${at}-of-twenty`]),
);

/** Variables of ours that a member with a clean environment was not given by name: none of them reaches it. */
export async function nothingLeaks(broken: Broken & { env?: readonly string[] }): Promise<string[]> {
  const before = new Map(Object.keys(CANARIES).map((name) => [name, process.env[name]]));
  Object.assign(process.env, CANARIES);
  const { env = [], ...rest } = broken;
  const clean = { variables: process.env, isClean: true };
  const fake = await startFake({ fake: "shows-what-it-got", launch: { env, environment: clean }, ...rest });
  try {
    await fake.run("hello");
    const got = fake.text();
    return Object.entries(CANARIES).flatMap(([name, value]) => (got.includes(value) ? [name] : []));
  } finally {
    await fake.leave();
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
