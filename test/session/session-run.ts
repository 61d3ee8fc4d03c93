/** A session with scripted members on a log in memory and a clock that stands still: what most session tests start from. */
import type { ApprovalSource } from "../../src/agents/index.ts";
import { newId } from "../../src/kit/ids.ts";
import type { EventLog } from "../../src/log/index.ts";
import type {
  Ack,
  AgentKind,
  Command,
  EventOf,
  EventType,
  MemberSpec,
  SessionEvent,
  Settings,
} from "../../src/protocol/index.ts";
import { createSession, openSession, type ListFiles, type Session } from "../../src/session/index.ts";
import { createFakeClock, settle, type FakeClock } from "./fake-clock.ts";
import { createDisk, MemoryLog, type MemoryDisk } from "./memory-log.ts";
import { createScriptedAgents, type Behaviour, type ScriptedAgents } from "./scripted-agent.ts";

export const SETTINGS: Settings = {
  mode: "broadcast",
  // Tests that are about discussions say how many rounds; the others see first answers only.
  auto_rounds: 0,
  timeout: 600,
  request_timeout: 300,
  order: [],
  limits: { turns: 40, minutes: 30, tokens: 2_000_000, usd: 5 },
  writable: false,
  preamble: "You sit at a table.",
};

type Without<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;
export type CommandBody = Without<Command, "commandId">;

export interface ReopenOptions {
  disk?: MemoryDisk;
  behaviours?: Record<string, Behaviour>;
  approvals?: ApprovalSource;
}

export interface SessionRun {
  readonly session: Session;
  readonly log: MemoryLog;
  readonly clock: FakeClock;
  readonly agents: ScriptedAgents;
  command(command: CommandBody, clientId?: string): Promise<Ack>;
  /** Sends and lets everything settle that needs no time. */
  send(text: string, more?: { to?: string[]; clientMessageId?: string; clientId?: string }): Promise<Ack>;
  events<Type extends EventType>(type: Type): EventOf<Type>[];
  all(): readonly SessionEvent[];
  /** The types after this seq, in order. */
  typesAfter(seq: number): string[];
  /** What the program leaves behind, opened by a new one. */
  reopen(options?: ReopenOptions): Promise<SessionRun>;
}

export function specOf(name: string): MemberSpec {
  return { name, kind: "embedded" };
}

export async function startSession(
  behaviours: Record<string, Behaviour>,
  options: {
    settings?: Partial<Settings>;
    members?: readonly string[];
    listFiles?: ListFiles;
    approvals?: ApprovalSource;
    cwd?: string;
    /** Of members that are not embedded. */
    kinds?: Readonly<Record<string, AgentKind>>;
  } = {},
): Promise<SessionRun> {
  const clock = createFakeClock();
  const log = new MemoryLog(createDisk(), { now: () => clock.now() });
  const agents = createScriptedAgents(clock, behaviours);
  const session = await createSession({
    log,
    agentFactory: agents.factory,
    clock,
    cwd: options.cwd ?? "/project",
    title: "a test",
    settings: { ...SETTINGS, ...options.settings },
    members: (options.members ?? Object.keys(behaviours)).map((name) => ({
      name,
      kind: options.kinds?.[name] ?? "embedded",
    })),
    listFiles: options.listFiles,
    approvals: options.approvals,
  });
  return runOf(session, log, clock, agents);
}

export async function reopenOn(
  disk: MemoryDisk,
  behaviours: Record<string, Behaviour>,
  approvals?: ApprovalSource,
): Promise<SessionRun> {
  const clock = createFakeClock(1_700_001_000_000);
  const log = new MemoryLog(disk, { now: () => clock.now() });
  const agents = createScriptedAgents(clock, behaviours);
  const session = await openSession({ log, agentFactory: agents.factory, clock, approvals });
  await settle();
  return runOf(session, log, clock, agents);
}

function runOf(session: Session, log: MemoryLog, clock: FakeClock, agents: ScriptedAgents): SessionRun {
  const command = (command: CommandBody, clientId = "me"): Promise<Ack> =>
    session.command({ ...command, commandId: newId() }, clientId);
  return {
    session,
    log,
    clock,
    agents,
    command,
    async send(text, { to, clientMessageId = newId(), clientId = "me" } = {}) {
      const ack = await command({ type: "send", text, clientMessageId, ...(to === undefined ? {} : { to }) }, clientId);
      await settle();
      return ack;
    },
    events: <Type extends EventType>(type: Type) =>
      log.disk.events.filter((event): event is EventOf<Type> => event.type === type),
    all: () => log.disk.events,
    typesAfter: (seq) => log.disk.events.filter((event) => event.seq > seq).map((event) => event.type),
    reopen: ({ disk, behaviours, approvals } = {}) =>
      reopenOn(disk ?? log.disk, behaviours ?? Object.fromEntries(agents.behaviours), approvals),
  };
}

export async function readAll(log: EventLog): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const batch of log.read(0)) events.push(...batch);
  return events;
}
