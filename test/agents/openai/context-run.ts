/**
 * The built-in agent at a real session on a log in memory, at a model server that counts: for tests of what the model
 * is told from turn to turn, after a restart and after a compaction.
 */
import { expect, onTestFinished } from "vitest";
import { createModelAgent } from "../../../src/agents/model/model-agent.ts";
import type { ModelAgentLimits } from "../../../src/agents/model/limits.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/ids.ts";
import type { Ack, EventOf, EventType, MemberSpec } from "../../../src/protocol/index.ts";
import { createSession, openSession, type Session } from "../../../src/session/index.ts";
import { crashedDisk, createDisk, MemoryLog } from "../../session/memory-log.ts";
import { SETTINGS, type CommandBody } from "../../session/session-run.ts";
import {
  delta,
  DONE,
  startModelServer,
  usage,
  type ModelRequest,
  type ModelServer,
  type Step,
} from "../fakes/model-server.ts";
import { scratchTree } from "../scratch-tree.ts";
import { patient } from "../../patience.ts";

export interface ContextRun {
  readonly server: ModelServer;
  readonly session: Session;
  readonly log: MemoryLog;
  command(command: CommandBody): Promise<Ack>;
  /** Sends and waits until nothing runs. */
  send(text: string): Promise<void>;
  idle(): Promise<void>;
  events<Type extends EventType>(type: Type): EventOf<Type>[];
  /** What a crash leaves now, or has left after so many events, opened by another program. */
  restart(after?: { cut: number }): Promise<ContextRun>;
}

export interface ContextOptions {
  readonly window?: number;
  readonly files?: Readonly<Record<string, string>>;
  readonly limits?: Partial<ModelAgentLimits>;
  readonly members?: readonly string[];
}

interface ContextTarget extends ContextOptions {
  readonly server: ModelServer;
}

export async function startContextRun(options: ContextOptions = {}): Promise<ContextRun> {
  const target: ContextTarget = { ...options, server: await startModelServer() };
  const log = new MemoryLog(createDisk(), { now: () => Date.now() });
  const members = (options.members ?? ["local"]).map((name): MemberSpec => ({
    name,
    kind: "openai",
    baseUrl: target.server.url,
    model: "m1",
    window: options.window,
  }));
  const session = await createSession({
    log,
    agentFactory: factoryFor(target),
    clock: systemClock,
    cwd: await scratchTree(options.files ?? {}),
    title: "",
    settings: SETTINGS,
    members,
  });
  return runOf(target, session, log);
}

function factoryFor({ limits }: ContextTarget) {
  return (spec: MemberSpec, setup: Parameters<typeof createModelAgent>[1]) =>
    createModelAgent(spec, setup, {
      env: { PATH: process.env["PATH"] },
      hostTools: ["history_search"],
      limits: { retryBaseMs: 1, retryMsMax: 2, ...limits },
    });
}

function runOf(target: ContextTarget, session: Session, log: MemoryLog): ContextRun {
  onTestFinished(() => session.close());
  const command = (command: CommandBody) => session.command({ ...command, commandId: newId() }, "me");
  const idle = () => expect.poll(() => session.isIdle, { timeout: patient(20_000), interval: 2 }).toBe(true);
  return {
    server: target.server,
    session,
    log,
    command,
    idle,
    async send(text) {
      expect(await command({ type: "send", text, clientMessageId: newId() })).toMatchObject({ ok: true });
      await idle();
    },
    events: <Type extends EventType>(type: Type) =>
      log.disk.events.filter((event): event is EventOf<Type> => event.type === type),
    async restart({ cut = Number.POSITIVE_INFINITY } = { cut: Number.POSITIVE_INFINITY }) {
      const disk = crashedDisk(log, Number.POSITIVE_INFINITY);
      const { snapshot: _snapshot, ...bare } = disk;
      const isCut = cut < disk.events.length;
      const next = new MemoryLog(isCut ? { ...bare, events: disk.events.slice(0, cut) } : disk, {
        now: () => Date.now(),
      });
      const reopened = await openSession({ log: next, agentFactory: factoryFor(target), clock: systemClock });
      return runOf(target, reopened, next);
    },
  };
}

/** A summary is asked for without tools. */
export function isSummary({ tools }: ModelRequest): boolean {
  return tools.length === 0;
}

/** As a server counts: about four bytes a token of all it was sent. */
export function countOf({ body }: ModelRequest): number {
  const { messages, tools } = body;
  return Math.ceil(Buffer.byteLength(JSON.stringify([messages, tools ?? []])) / 4);
}

export function counted(asked: ModelRequest, text: string): Step[] {
  return [delta({ content: text }), delta({}, "stop"), usage(countOf(asked), Math.ceil(text.length / 4)), DONE];
}

/** The marks of quotes are new each time; everything else must be the same. */
export function plainBody({ body }: ModelRequest): unknown {
  const text = JSON.stringify(body);
  const marks = new Set(
    [...text.matchAll(/(?:the mark |\[)([\w-]{12})(?=[,;. ]| begin| end)/g)].map(([, mark = ""]) => mark),
  );
  return JSON.parse([...marks].reduce((plain, mark) => plain.replaceAll(mark, "MARK"), text));
}

/** What some server refuses: calls without results, results without calls, two messages of the user in a row. */
export function faultsOf({ messages }: ModelRequest): string[] {
  const faults: string[] = [];
  let open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    const before = messages[at - 1]?.role;
    if (message.role !== "tool" && open.size > 0) faults.push(`${at}: ${[...open].join()} without result`);
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id ?? ""))
        faults.push(`${at}: result of ${message.tool_call_id} without call`);
    } else open = new Set((message.tool_calls ?? []).map((call) => call.id));
    if (message.role === "user" && before === "user") faults.push(`${at}: user after user`);
    if (message.role === "assistant" && before === "assistant") faults.push(`${at}: assistant after assistant`);
    if (message.role === "system" && at > 0) faults.push(`${at}: system inside`);
  }
  if (messages.at(-1)?.role === "assistant") faults.push("nothing is asked");
  return faults;
}
