/**
 * A desk that speaks the frames of a host to pages and gives them whatever events a test has, live or from the beginning:
 * sessions that never happened, texts that no member would write. The page is the real one; its policy can be left off.
 */
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import {
  PROTOCOL_VERSION,
  toAnswerError,
  type ClientFrame,
  type Command,
  type HostFrame,
  type Json,
  type SearchAnswer,
  type SessionEvent,
  type SessionSummary,
  type StoreState,
} from "../../src/protocol/index.ts";
import { empty, fold, pageAt, pageToJson, summaryOf, toSnapshot, type Transcript } from "../../src/transcript/index.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { createWorkspaceQueries } from "../../src/host/workspace/workspace.ts";
import { statusOf } from "../../src/server/http/answer.ts";
import { answerHeaders } from "../../src/server/http/refuse.ts";
import { DeviceSignIn } from "../../src/server/sign-in/device-sign-in.ts";
import { createDeviceStore } from "../../src/server/sign-in/device-store.ts";
import { readPageFiles } from "../../src/cli/page-files.ts";
import { SETTINGS } from "../generate/drafts.ts";
import type { Behind } from "./open-page.ts";

/** Who could be seated on the machine of the desk. */
const here = { kind: "embedded", foundBy: "built-in", where: "built in", canBeSeated: true, sitsDown: false };
const AGENTS = [
  { ...here, name: "claude" },
  { ...here, name: "local", kind: "openai", baseUrl: "http://127.0.0.1:9/v1", model: "small" },
  { ...here, name: "gemini", canBeSeated: false, whyNot: "it is too old" },
];

const CONFIGURATION = {
  cwd: "/project",
  file: "/home/config.jsonc",
  dataDir: "/home/data",
  sandbox: { mode: "auto", from: "default" },
  rules: [{ verdict: "deny", rule: "read: .env*", from: "/home/config.jsonc:3:5", isOwn: true }],
  grants: [],
  fixed: [{ key: "agents.local.baseUrl", value: "http://127.0.0.1:9/v1", from: "/home/config.jsonc:9:5" }],
};

export interface FakeHost extends Behind {
  /** What pages have asked for, in the order it came. */
  readonly commands: Command[];
  /** What was put aside, by its sha256. */
  readonly blobs: Map<string, string>;
  /** Of the directory of every session; a page is told those that hold what it asks for. */
  readonly files: string[];
  /** Requests of pages for anything but the page itself. */
  readonly strange: string[];
  /** Commands of these types are refused, with these words. */
  readonly refused: Map<Command["type"], string>;
  /** Other answers than the usual ones, by path. */
  readonly answers: Map<string, unknown>;
  /** The machine that all sessions are on, as on a team's server. */
  readonly place: { at?: SessionSummary["at"] };
  /** From now on frames of this kind wait. */
  hold(kind: ClientFrame["frame"]): Held;
  /** Told to every page that follows the session. */
  reportStore(sessionId: string, state: StoreState, message: string): void;
  /** Every connection is lost; the next one is taken. */
  cut(): void;
  /** Appended, and told to every page that follows the session. */
  append(sessionId: string, events: readonly SessionEvent[]): void;
  transcript(sessionId: string): Transcript;
  close(): Promise<void>;
}

export interface Held {
  /** How many wait. */
  count(): number;
  /** They are taken now, in the order they came, and so are all later ones. */
  release(): void;
}

interface HostState {
  readonly sessions: Map<string, { events: SessionEvent[]; transcript: Transcript }>;
  readonly followers: Map<string, Set<WebSocket>>;
  /** Those that follow the list of sessions. */
  readonly listeners: Set<WebSocket>;
  readonly blobs: Map<string, string>;
  readonly files: string[];
  readonly commands: Command[];
  readonly refused: Map<Command["type"], string>;
  readonly held: Map<ClientFrame["frame"], (() => void)[]>;
  readonly found: SearchAnswer | undefined;
  readonly answers: Map<string, unknown>;
  readonly place: FakeHost["place"];
}

export interface FakeHostOptions {
  readonly hasPolicy?: boolean;
  /** What every search finds. */
  readonly found?: SearchAnswer;
  /** Other answers than the usual ones, by path. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

export async function openFakeHost({ hasPolicy = true, found, answers = {} }: FakeHostOptions = {}): Promise<FakeHost> {
  const held: HostState["held"] = new Map();
  const lists = { sessions: new Map(), followers: new Map(), listeners: new Set<WebSocket>(), blobs: new Map(), held };
  const maps = { answers: new Map(Object.entries(answers)), refused: new Map<Command["type"], string>() };
  const state: HostState = { ...lists, ...maps, files: ["src/one.ts"], commands: [], found, place: {} };
  const strange: string[] = [];
  const server = await createFileServer(state, { hasPolicy, onStrange: (asked) => strange.push(asked) });
  const sockets = new WebSocketServer({ server, path: "/v1/ws", handleProtocols: () => "roundtable.v1" });
  sockets.on("connection", (socket) => {
    socket.on("message", (data) => {
      const frame = JSON.parse((data as Buffer).toString("utf8")) as ClientFrame;
      const held = state.held.get(frame.frame);
      if (held === undefined) handle(state, socket, frame);
      else held.push(() => handle(state, socket, frame));
    });
    socket.on("close", () => {
      state.listeners.delete(socket);
      state.followers.forEach((all) => all.delete(socket));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: "fake",
    commands: state.commands,
    blobs: state.blobs,
    files: state.files,
    strange,
    refused: state.refused,
    answers: state.answers,
    place: state.place,
    hold: (kind) => hold(state, kind),
    reportStore(sessionId, store, message) {
      broadcast(state, sessionId, { frame: "store", sessionId, state: store, message });
    },
    cut() {
      for (const socket of sockets.clients) socket.terminate();
    },
    append(sessionId, events) {
      const session = sessionOf(state, sessionId);
      session.events.push(...events);
      session.transcript = fold(session.transcript, events);
      broadcast(state, sessionId, { frame: "events", sessionId, events });
      const changed = [{ ...summaryOf(session.transcript), ...state.place }];
      for (const socket of state.listeners) send(socket, { frame: "sessions", isWhole: false, changed, gone: [] });
    },
    transcript: (sessionId) => sessionOf(state, sessionId).transcript,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function broadcast({ followers }: HostState, sessionId: string, frame: HostFrame): void {
  for (const socket of followers.get(sessionId) ?? []) send(socket, frame);
}

function hold({ held }: HostState, kind: ClientFrame["frame"]): Held {
  const waiting: (() => void)[] = [];
  held.set(kind, waiting);
  return {
    count: () => waiting.length,
    release() {
      held.delete(kind);
      for (const go of waiting.splice(0)) go();
    },
  };
}

interface FileServerOptions {
  readonly hasPolicy: boolean;
  readonly onStrange: (asked: string) => void;
}

interface Answer {
  readonly status?: number;
  readonly type: string;
  readonly text: string | Uint8Array;
}

async function createFileServer(state: HostState, { hasPolicy, onStrange }: FileServerOptions): Promise<Server> {
  const files = new Map(
    (await readPageFiles()).map(({ path, contentType, body }) => [path, { type: contentType, text: body }]),
  );
  const { "content-security-policy": policy = "", ...others } = answerHeaders;
  const headers = { ...others, ...(hasPolicy ? { "content-security-policy": policy } : {}) };
  const devices = new DeviceSignIn(createDeviceStore(undefined), EVERY_CODE, systemClock);
  const respond = async (asked: IncomingMessage, answer: ServerResponse) => {
    const path = (asked.url ?? "/").split("?")[0] ?? "/";
    const file = files.get(path);
    const found: Answer | undefined =
      file ?? (await signInAnswer(devices, asked, path)) ?? answerOf(state, path) ?? (await folderAnswer(state, asked));
    if (found === undefined) onStrange(`${asked.method} ${asked.url}`);
    const { status = 200, type, text } = found ?? { status: 404, type: "text/plain", text: "" };
    answer.writeHead(status, { ...headers, "content-type": type });
    answer.end(text);
  };
  return createServer((asked, answer) => void respond(asked, answer));
}

const EVERY_CODE = { issue: () => "code", issueTyped: () => "code", redeem: () => ({ scope: "manage" as const }) };

/** Signs in everyone, as the real server does whoever has a code. */
async function signInAnswer(devices: DeviceSignIn, asked: IncomingMessage, path: string): Promise<Answer | undefined> {
  const json = (value: unknown) => ({ type: "application/json", text: JSON.stringify(value) });
  if (path === "/v1/codes") return json({ code: "code" });
  if (path === "/v1/devices" && asked.method === "GET") return json([]);
  if (!path.startsWith("/v1/devices")) return undefined;
  let text = "";
  for await (const part of asked) text += String(part);
  const body = JSON.parse(text) as {
    device: string;
    nonce: string;
    signature: string;
    name: string;
    key: never;
    code: string;
  };
  const origin = `http://${asked.headers.host ?? ""}`;
  if (path === "/v1/devices") return json(await devices.register({ ...body, origin }));
  const { device, nonce, signature } = body;
  if (path === "/v1/devices/challenge") return json(await devices.challenge(device, origin, nonce));
  return json(await devices.redeem(device, origin, nonce, signature));
}

function answerOf(state: HostState, path: string): Answer | undefined {
  const json = (value: unknown) => ({ type: "application/json", text: JSON.stringify(value) });
  if (state.answers.has(path)) return json(state.answers.get(path));
  if (path === "/v1/sign-in") return json({ isTeam: false });
  if (path === "/v1/requests") return json([...state.sessions].flatMap(requestsOf));
  if (path === "/v1/defaults")
    return json({ cwd: "/project", settings: SETTINGS, members: [{ name: "claude", kind: "embedded" }] });
  if (path === "/v1/agents") return json(AGENTS);
  if (path === "/v1/configuration") return json(CONFIGURATION);
  if (path === "/v1/suggestions") return json({ branch: "main", suggestions: [] });
  if (path === "/v1/files") return json({ files: state.files });
  const [, sessionId = "", route] = /^\/v1\/sessions\/(\w+)\/(usage|events)$/.exec(path) ?? [];
  const session = state.sessions.get(sessionId);
  const used = session?.transcript.head;
  if (used !== undefined && route === "usage")
    return json({
      totals: used.totals,
      members: Object.values(used.members).map(({ name, totals }) => ({ name, totals })),
    });
  if (session !== undefined && route === "events")
    return { type: "text/event-stream", text: session.events.map(streamed).join("") };
  const blob = state.blobs.get(path.split("/blobs/")[1] ?? "");
  return blob === undefined ? undefined : { type: "application/octet-stream", text: blob };
}

/** About a folder that is not there: every page with an answer or a panel asks these. */
const NOWHERE: Readonly<Record<string, unknown>> = {
  named: { paths: [] },
  touched: { files: [], turns: [] },
  changes: { repository: false, files: [], truncated: false },
};

/** About the folder of a session, which is a real one in tests that ask. */
async function folderAnswer(state: HostState, asked: IncomingMessage): Promise<Answer | undefined> {
  const { pathname, searchParams } = new URL(asked.url ?? "/", "http://127.0.0.1");
  const [, sessionId = "", route = ""] =
    /^\/v1\/sessions\/(\w+)\/(changes|patch|touched|tree|file|named)$/.exec(pathname) ?? [];
  if (!state.sessions.has(sessionId)) return undefined;
  const { transcript } = sessionOf(state, sessionId);
  const type = "application/json";
  if (!existsSync(transcript.head.cwd) && route in NOWHERE) return { type, text: JSON.stringify(NOWHERE[route]) };
  const folder = createWorkspaceQueries(async () => ({ transcript, page: async () => ({ index: 0, messages: [] }) }));
  const text = (name: string) => searchParams.get(name) ?? "";
  const scope = searchParams.has("turn")
    ? { turnId: text("turn") }
    : { against: text("against") === "head" ? ("head" as const) : ("start" as const) };
  const oldPath = searchParams.get("oldPath");
  const file = { path: text("path"), ...(oldPath === null ? {} : { oldPath }) };
  const answers: Readonly<Record<string, () => Promise<unknown>>> = {
    changes: () => folder.readChanges(sessionId, scope),
    patch: () => folder.readPatch(sessionId, scope, file),
    touched: () => folder.readTouched(sessionId),
    tree: () => folder.readTree(sessionId, text("directory")),
    file: () => folder.readFile(sessionId, text("path")),
    named: () => folder.findNamed(sessionId, searchParams.getAll("path")),
  };
  try {
    return { status: 200, type, text: JSON.stringify(await answers[route]?.()) };
  } catch (thrown) {
    const error = toAnswerError(thrown);
    return { status: statusOf(error.code), type, text: JSON.stringify({ error }) };
  }
}

function streamed(event: SessionEvent): string {
  return `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
}

function sessionOf({ sessions }: HostState, sessionId: string): { events: SessionEvent[]; transcript: Transcript } {
  const known = sessions.get(sessionId) ?? { events: [], transcript: empty(sessionId) };
  sessions.set(sessionId, known);
  return known;
}

function requestsOf([sessionId, { transcript }]: [string, { transcript: Transcript }]): object[] {
  return transcript.head.requests.map(({ requestId, member, request }) => ({ sessionId, requestId, member, request }));
}

function summariesOf({ sessions, place }: HostState): SessionSummary[] {
  // One that was only asked for does not exist.
  const told = [...sessions.values()].filter(({ events }) => events.length > 0);
  return told.map(({ transcript }) => Object.assign(summaryOf(transcript), place));
}

function send(socket: WebSocket, frame: HostFrame): void {
  socket.send(JSON.stringify(frame));
}

function handle(state: HostState, socket: WebSocket, frame: ClientFrame): void {
  switch (frame.frame) {
    case "hello":
      return send(socket, { frame: "welcome", protocol: PROTOCOL_VERSION, version: "0", hostId: "desk" });
    case "follow_list":
      state.listeners.add(socket);
      send(socket, { frame: "reply", id: frame.id, ok: true, result: null });
      return send(socket, { frame: "sessions", isWhole: true, changed: summariesOf(state), gone: [] });
    case "unsubscribe":
      return void state.followers.get(frame.sessionId)?.delete(socket);
    case "command": {
      state.commands.push(frame.command);
      const { seq } = sessionOf(state, frame.sessionId).transcript.head;
      const { commandId, type } = frame.command;
      const message = state.refused.get(type);
      if (message !== undefined) {
        const error = { code: "conflict" as const, message };
        return send(socket, { frame: "ack", sessionId: frame.sessionId, ack: { commandId, ok: false, error } });
      }
      const query = frame.command.type === "list_files" ? frame.command.query.toLowerCase() : "";
      const files = state.files.filter((name) => name.toLowerCase().includes(query));
      const ack = { commandId, ok: true as const, seq, result: { files, stopped: 1, othersRunning: 0 } };
      return send(socket, { frame: "ack", sessionId: frame.sessionId, ack });
    }
    case "subscribe": {
      const { transcript, events } = sessionOf(state, frame.sessionId);
      const followers = state.followers.get(frame.sessionId) ?? new Set();
      state.followers.set(frame.sessionId, followers.add(socket));
      send(socket, {
        frame: "reply",
        id: frame.id,
        ok: true,
        result: { epoch: transcript.head.epoch, seq: transcript.head.seq },
      });
      const missed = events.filter((event) => event.seq > frame.cursor.seq);
      if (missed.length > 0) send(socket, { frame: "events", sessionId: frame.sessionId, events: missed });
      return undefined;
    }
    default:
      return send(socket, { frame: "reply", id: frame.id, ok: true, result: answerTo(state, frame) });
  }
}

type Delivery = "hello" | "follow_list" | "subscribe" | "unsubscribe" | "command";

function answerTo(state: HostState, frame: Exclude<ClientFrame, { frame: Delivery }>): Json {
  switch (frame.frame) {
    case "list":
      return summariesOf(state) as unknown as Json;
    case "create":
      return { sessionId: "new" };
    case "snapshot": {
      const { pages: _pages, ...snapshot } = toSnapshot(sessionOf(state, frame.sessionId).transcript);
      return snapshot;
    }
    case "page": {
      const page = pageAt(sessionOf(state, frame.sessionId).transcript, frame.page);
      return page === undefined ? null : pageToJson(page);
    }
    case "search":
      return (state.found ?? null) as Json;
    default:
      // Nothing that the pages of these tests ask for.
      return null;
  }
}
