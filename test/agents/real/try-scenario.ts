/** One scenario with one agent, at a table of its own, to the end: also what was started must be gone. */
import type { AgentName } from "./pins.ts";
import { leftProcesses } from "./processes.ts";
import type { Scenario } from "./scenario.ts";
import { openServedSession, type ServedSession } from "./served-session.ts";
import type { Subject } from "./subjects.ts";

/** The attacks are several hundred commands. */
const SCENARIO_MS = 1_800_000;
const GONE_MS = 3_000;
const EVENTS_SHOWN = 25;
const NAMES = ["ann", "bob", "cid", "dot", "eve", "fay", "gus", "hal"];

export type Result =
  | { readonly outcome: "pass"; readonly ms: number; readonly note?: string }
  | { readonly outcome: "fail"; readonly ms: number; readonly why: string; readonly events: string[] }
  | { readonly outcome: "not offered"; readonly why: string };

export interface Trial {
  readonly agent: AgentName;
  readonly subject: Subject;
  readonly scenario: Scenario;
  readonly roundtable: readonly string[];
}

export async function tryScenario({ agent, subject, scenario, roundtable }: Trial): Promise<Result> {
  const why = scenario.notOffered?.(agent);
  if (why !== undefined) return { outcome: "not offered", why };
  const startedMs = performance.now();
  const agentCount = NAMES.slice(0, scenario.agentCount ?? 1).map((name) => Object.assign({ name }, subject.spec));
  let session: ServedSession | undefined;
  try {
    const { isReadOnly = false, isAttack = false, config, prepare, others = [] } = scenario;
    session = await openServedSession({
      roundtable,
      subject,
      members: [...agentCount, ...others],
      isWritable: !isReadOnly,
      isUnprivileged: isAttack,
      ...(config === undefined ? {} : { config }),
      ...(prepare === undefined ? {} : { prepare }),
    });
    const note = await inTime(scenario.run(session, agent));
    await session.stop();
    const left = await leftProcesses(session, GONE_MS);
    if (left.length > 0) throw new Error(`left running: ${left.map(({ command }) => command).join("; ")}`);
    const ms = Math.round(performance.now() - startedMs);
    return { outcome: "pass", ms, ...(typeof note === "string" ? { note } : {}) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const ms = Math.round(performance.now() - startedMs);
    return { outcome: "fail", ms, why: reason, events: session === undefined ? [] : lastEvents(session) };
  } finally {
    await cleanUp(session);
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`not done after ${SCENARIO_MS / 1000} s`)), SCENARIO_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/** What a failed trial left is ended here, after it was counted. */
async function cleanUp(session: ServedSession | undefined): Promise<void> {
  if (session === undefined) return;
  await session.stop();
  for (const { pid } of await leftProcesses(session, 0)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It was faster.
    }
  }
  session.remove();
}

function lastEvents(session: ServedSession): string[] {
  return session.events.slice(-EVENTS_SHOWN).map(({ seq, type, ...rest }) => {
    const { epoch: _e, id: _i, ts: _t, sessionId: _s, turnId: _u, ...payload } = rest as Record<string, unknown>;
    return `${seq} ${type} ${JSON.stringify(payload).slice(0, 300)}`;
  });
}
