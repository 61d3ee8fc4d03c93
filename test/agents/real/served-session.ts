/**
 * `roundtable serve` in a home of its own, and one session at it as a client sees it: events come over the wire out of
 * the log, wishes go down as commands. A restart keeps home and session.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  connectSocket,
  connectWebSocket,
  createClient,
  type Client,
  type CommandBody,
} from "../../../src/client/index.ts";
import type { EventOf, EventType, Json, MemberSpec, SessionEvent, Settings } from "../../../src/protocol/index.ts";
import { readServerRecord } from "../../../src/server/server-record.ts";
import type { Subject } from "./subjects.ts";

const START_MS = 90_000;
const STOP_MS = 20_000;

export interface ServedSession {
  readonly home: string;
  readonly project: string;
  readonly dataDir: string;
  readonly events: SessionEvent[];
  readonly members: readonly string[];
  readonly serverPid: number;
  /** The first event of the type that fits, from `from` on, now or when it comes. */
  next<Type extends EventType>(
    type: Type,
    options?: { from?: number; fits?: (event: EventOf<Type>) => boolean },
  ): Promise<EventOf<Type>>;
  all<Type extends EventType>(type: Type, from?: number): EventOf<Type>[];
  command(body: CommandBody): Promise<void>;
  /** Sends a message, to the first member unless others are named, and resolves with where its events begin. */
  send(text: string, to?: readonly string[]): Promise<number>;
  /** Sends a message to the first member and waits for the end of the turn that answers it. */
  run(text: string): Promise<{ end: EventOf<"turn_end">; from: number }>;
  /** The turn that answers the message said there. */
  answerTo(sentAt: number): Promise<{ end: EventOf<"turn_end">; from: number }>;
  /** What a member has said from `from` on, as a reader of the log has it in the end. */
  textSince(from: number, member?: string): string;
  restart(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** This client hears no more; the session goes on for others. */
  leave(): void;
  /** A further session at the same server, by the same client, with its own agents. It ends with this table. */
  another(more?: Pick<ServedSessionOptions, "isWritable">): Promise<ServedSession>;
  stop(): Promise<void>;
  remove(): void;
}

export interface ServedSessionOptions {
  /** What starts Roundtable: a program and its first arguments. */
  readonly roundtable: readonly string[];
  readonly subject: Subject;
  readonly members: readonly MemberSpec[];
  readonly isWritable?: boolean;
  /** Of Roundtable, beside what every trial has. */
  readonly config?: Readonly<Record<string, Json>>;
  /** The user's own files, before anything is started. */
  readonly prepare?: (home: string) => void;
  /** Where root runs the trials, everything is started as a user without rights. */
  readonly isUnprivileged?: boolean;
  /** By the local socket, as the terminal app and scripts on this machine do. */
  readonly isLocal?: boolean;
}

const SETTINGS: Omit<Settings, "writable" | "order"> = {
  mode: "broadcast",
  auto_rounds: 1,
  timeout: 150,
  request_timeout: 100,
  limits: { turns: 200, minutes: 60, tokens: 100_000_000, usd: 1_000 },
  preamble: "Advise.",
};

export async function openServedSession(options: ServedSessionOptions): Promise<ServedSession> {
  const paths = makeHome(options);
  const remove = () => rmSync(paths.home, { recursive: true, force: true, maxRetries: 5 });
  const served = await serve(options, paths).catch((error: unknown) => {
    remove();
    throw error;
  });
  return { ...(await openSession(options, paths, served)), remove };
}

async function openSession(options: ServedSessionOptions, paths: HomePaths, at: Served): Promise<ServedSession> {
  const feed = createFeed();
  let served = at;
  const members = options.members.map(({ name }) => name);
  const settings = { ...SETTINGS, order: members, writable: options.isWritable ?? true };
  const creating = { cwd: paths.project, title: "real agents", settings, members: [...options.members] };
  const { sessionId } = await served.client.create(creating);
  await served.client.subscribe(sessionId, { epoch: 0, seq: 0 }, feed.receive);

  const session: ServedSession = {
    ...paths,
    ...feed,
    members,
    get serverPid(): number {
      return served.child.pid ?? 0;
    },
    async command(body) {
      const ack = await served.client.command(sessionId, body);
      if (!ack.ok) throw new Error(`${body.type} was refused: ${ack.error.message}`);
    },
    async send(text, to = members.slice(0, 1)) {
      const from = feed.events.length;
      await session.command({ type: "send", text, clientMessageId: `m${from}-${Date.now()}`, to: [...to] });
      return from;
    },
    run: async (text) => session.answerTo(await session.send(text)),
    async answerTo(sentAt) {
      const isIt = ({ clientMessageId = "" }: EventOf<"user_message">) => clientMessageId.startsWith(`m${sentAt}-`);
      const { messageId } = await session.next("user_message", { from: sentAt, fits: isIt });
      const fits = ({ messageIds }: EventOf<"turn_start">) => messageIds.includes(messageId);
      const start = await session.next("turn_start", { from: sentAt, fits });
      const from = feed.events.indexOf(start);
      return { end: await session.next("turn_end", { from, fits: ({ turnId }) => turnId === start.turnId }), from };
    },
    textSince: (from, member = members[0]) =>
      sentAt(feed.events.slice(from).filter((event) => event.member === member)),
    async restart(signal) {
      served.client.close();
      await end(served.child, signal);
      const { epoch = 0, seq = 0 } = feed.events.at(-1) ?? {};
      served = await serve(options, paths);
      await served.client.subscribe(sessionId, { epoch, seq }, feed.receive);
    },
    leave: () => served.client.close(),
    async stop() {
      served.client.close();
      await end(served.child, "SIGTERM");
    },
    another: (more = {}) => openSession({ ...options, ...more }, paths, served),
    remove: () => {},
  };
  return session;
}

const NOBODY = 65_534;

function userOf({ isUnprivileged = false }: Pick<ServedSessionOptions, "isUnprivileged">): number | undefined {
  return isUnprivileged && process.getuid?.() === 0 ? NOBODY : undefined;
}

function makeHome({ subject, config: more = {}, prepare, isUnprivileged = false }: ServedSessionOptions): HomePaths {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "roundtable-real-")));
  const paths = { home, project: path.join(home, "project"), dataDir: path.join(home, "data") };
  const config = path.join(home, ".config", "roundtable");
  mkdirSync(paths.project);
  mkdirSync(config, { recursive: true });
  mkdirSync(path.join(home, "tmp"));
  // So that a start looks for nobody.
  writeFileSync(path.join(config, "config.jsonc"), JSON.stringify({ council: { members: ["scout"] }, ...more }));
  subject.prepare(home);
  prepare?.(home);
  if (userOf({ isUnprivileged }) !== undefined) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, home]);
  return paths;
}

type Feed = Pick<ServedSession, "events" | "next" | "all"> & { receive: (batch: readonly SessionEvent[]) => void };

function createFeed(): Feed {
  const events: SessionEvent[] = [];
  const wakers: (() => void)[] = [];
  return {
    events,
    receive: (batch) => {
      events.push(...batch);
      for (const wake of wakers.splice(0)) wake();
    },
    async next(type, { from = 0, fits = () => true } = {}) {
      for (let at = from; ;) {
        for (; at < events.length; at++) {
          const event = events[at] as SessionEvent;
          if (isOf(event, type) && fits(event)) return event;
        }
        await new Promise<void>((resolve) => wakers.push(resolve));
      }
    },
    all: (type, from = 0) => events.slice(from).filter((event) => isOf(event, type)),
  };
}

function isOf<Type extends EventType>(event: SessionEvent, type: Type): event is EventOf<Type> {
  return event.type === type;
}

/** Segments in their order; what was taken back is gone, and the whole text of a segment wins over its pieces. */
function sentAt(events: readonly SessionEvent[]): string {
  const segments = new Map<string, string>();
  for (const event of events) {
    if (event.type === "text_delta") {
      segments.set(event.segmentId, (segments.get(event.segmentId) ?? "") + event.text);
    } else if (event.type === "text_done" && typeof event.text === "string") segments.set(event.segmentId, event.text);
    else if (event.type === "text_retracted") segments.delete(event.segmentId);
  }
  return [...segments.values()].join("\n");
}

interface Served {
  readonly child: ChildProcess;
  readonly client: Client;
}

interface HomePaths {
  readonly home: string;
  readonly project: string;
  readonly dataDir: string;
}

async function serve(
  { roundtable: [program = "", ...first], subject, isLocal = false, isUnprivileged = false }: ServedSessionOptions,
  { home, project, dataDir }: HomePaths,
): Promise<Served> {
  const user = userOf({ isUnprivileged });
  const child = spawn(program, [...first, "serve", "--data-dir", dataDir], {
    cwd: project,
    env: {
      PATH: process.env["PATH"] ?? "",
      LANG: "C.UTF-8",
      HOME: home,
      TMPDIR: path.join(home, "tmp"),
      ...subject.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  // Who is stopped in the middle of a trial takes the table along.
  const stop = () => child.kill("SIGTERM");
  process.once("exit", stop);
  child.once("close", () => process.off("exit", stop));
  let printed = "";
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`roundtable serve printed no link: ${printed}`));
    }, START_MS);
    const receive = (text: string): void => {
      printed += text;
      const link = /http:\/\/127\.0\.0\.1:\d+(?=\/#code=)/.exec(printed)?.[0];
      if (link === undefined) return;
      clearTimeout(late);
      resolve(link);
    };
    child.stdout.setEncoding("utf8").on("data", receive);
    child.stderr.setEncoding("utf8").on("data", receive);
    child.once("close", () => reject(new Error(`roundtable serve ended: ${printed}`)));
  });
  const socket = isLocal ? readServerRecord(dataDir)?.socket : undefined;
  if (socket !== undefined) return { child, client: await createClient(() => connectSocket(socket)) };
  const token = readFileSync(path.join(dataDir, "token"), "utf8").trim();
  return { child, client: await createClient(() => connectWebSocket(url, token)) };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.kill(signal);
  const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await ended;
  clearTimeout(late);
}
