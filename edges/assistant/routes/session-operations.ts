/**
 * `POST /api/plugins/sessions/operations/…`: list, create, update, update-attributes, events, message, clear, delete.
 */
import type { Clock } from "../../../src/kit/clock.ts";
import { isUlid, newId } from "../../../src/kit/ids.ts";
import { Json, RoundtableError, type Command, type SessionSummary } from "../../../src/protocol/index.ts";
import * as assistant from "../format/assistant.ts";
import {
  callHost,
  CALL_ID,
  runCommand,
  type Policy,
  type Route,
  compatWriting,
  type ServedHost,
  type SessionDefaults,
} from "../../../src/server/index.ts";
import { membersFor } from "./agents.ts";
import { holdMs, READING_MS_MAX, type LoadOrder } from "./load-order.ts";
import { sendMessage, type MessageOrder } from "./message-operation.ts";
import { clearableText, neededText, operation, type Arguments } from "./operation.ts";
import { readChat } from "./read-chat.ts";
import type { ClientState, MarkStore } from "./session-marks.ts";
import { ourId, SESSION_ID, theirId } from "./session-names.ts";
import { CLIENT_ID, type SessionRooms } from "./session-room.ts";
import { slowAnswer } from "./slow-answer.ts";
import { OperationError } from "./wire-errors.ts";

const PATH = "/api/plugins/sessions/operations";
/** As long as a session accepts. */
const messageWriting: Policy = { ...compatWriting, bodyBytesMax: 8 * 1024 * 1024 };
const TIMEOUT_SECONDS = 300;
const TIMEOUT_SECONDS_MAX = 3_600;
const NAME_CHARS_MAX = 200;

export interface SessionOperationDeps {
  readonly host: ServedHost;
  readonly clock: Clock;
  readonly defaults: SessionDefaults;
  readonly rooms: SessionRooms;
  readonly loads: LoadOrder;
  readonly marks: MarkStore;
  /** To every connection. */
  readonly broadcast: (frame: assistant.ServerFrame, session: string) => void;
}

type SessionRef = { readonly name: string; readonly summary: SessionSummary };

export function createSessionOperations(deps: SessionOperationDeps): Route[] {
  return [
    operation(`${PATH}/list`, () => list(deps)),
    operation(`${PATH}/create`, (args) => create(deps, args), { status: 201 }),
    operation(`${PATH}/update`, (args) => update(deps, args)),
    operation(`${PATH}/update-attributes`, (args) => updateAttributes(deps, args)),
    operation(`${PATH}/events`, (args) => readEvents(deps, args)),
    operation(`${PATH}/message`, (args) => message(deps, args), { policy: messageWriting }),
    operation(`${PATH}/clear`, (args) => clear(deps, args)),
    operation(`${PATH}/delete`, (args) => remove(deps, args)),
  ];
}

async function list(deps: SessionOperationDeps): Promise<Json> {
  const { host, marks } = deps;
  const state = await marks.read();
  const sessions = (await host.listSessions()).filter((one) => !one.archived);
  return { sessions: sessions.map((summary) => toJson(sessionOf(deps, state, summary))) };
}

/** Model and newest text are available for subscribed sessions only, such as those that a page lists. */
function sessionOf(
  { rooms }: SessionOperationDeps,
  state: ClientState,
  summary: SessionSummary,
): assistant.AssistantSession {
  const { sessionId } = summary;
  const transcript = rooms.find(sessionId)?.transcript;
  const known =
    transcript === undefined
      ? {}
      : { model: assistant.modelsOf(transcript.head).current, lastSnippet: assistant.snippetOf(transcript) };
  return assistant.toAssistantSession(theirId(state, sessionId), summary, { ...state.sessions[sessionId], ...known });
}

async function create(deps: SessionOperationDeps, args: Arguments): Promise<Json> {
  const { host, clock, defaults, marks } = deps;
  const agentId = neededText(args, "agentId");
  const wanted = args["sessionId"] === undefined ? undefined : neededText(args, "sessionId");
  if (wanted !== undefined) await checkNewId(deps, wanted);
  const members = await membersFor(defaults, agentId);
  if (members === undefined) throw new OperationError("invalid_arguments", `Unknown agent: ${agentId}`);
  const { cwd, settings } = defaults;
  const order = members === defaults.members ? settings.order : members.map(({ name }) => name);
  const frame = { frame: "create", id: CALL_ID, cwd, title: "", settings: { ...settings, order } } as const;
  const made = await callHost({ host, clock }, CLIENT_ID, { ...frame, members: [...members] });
  const { sessionId } = made as { sessionId: string };
  if (wanted !== undefined) await marks.assignId(wanted, sessionId);
  const session = await summaryOf(deps, sessionId);
  const { sessionId: name, createdAt } = session;
  deps.broadcast({ type: "session_created", sessionId: name, agentId: session.agentId, createdAt }, name);
  return session;
}

async function checkNewId({ marks }: SessionOperationDeps, wanted: string): Promise<void> {
  if (!SESSION_ID.test(wanted)) {
    throw new OperationError("invalid_arguments", "sessionId takes up to 128 letters, digits, _ and -");
  }
  // Indistinguishable from one of our ids.
  if (isUlid(wanted)) throw new OperationError("invalid_arguments", "sessionId must not be a ULID");
  if (Object.hasOwn((await marks.read()).ids, wanted)) {
    throw new OperationError("invalid_arguments", `Session already exists: ${wanted}`);
  }
}

async function update(deps: SessionOperationDeps, args: Arguments): Promise<Json> {
  const { marks, broadcast } = deps;
  const given = neededText(args, "sessionId");
  const name = clearableText(args, "name");
  const pinnedAt = clearableText(args, "pinnedAt");
  if (name === undefined && pinnedAt === undefined) {
    throw new OperationError("invalid_arguments", "Missing name or pinnedAt");
  }
  const target = await find(deps, given);
  const { sessionId } = target.summary;
  if (name !== undefined) await rename(deps, target, name?.trim() ?? "");
  if (pinnedAt !== undefined) {
    await marks.changeMarks(sessionId, (had) => ({ ...had, pinnedAt: pinnedAt ?? undefined }));
  }
  const session = await summaryOf(deps, sessionId);
  const pin = pinnedAt === undefined ? {} : { pinnedAt };
  const newName = name === undefined ? {} : { name: session.name ?? null };
  broadcast(
    { type: "session_updated", sessionId: target.name, updatedAt: session.updatedAt, ...newName, ...pin },
    target.name,
  );
  return toJson(session);
}

/** Our titles cannot be empty, so a cleared name is only hidden on this wire. */
async function rename(deps: SessionOperationDeps, { summary }: SessionRef, name: string): Promise<void> {
  const { sessionId, title } = summary;
  if (name.length > NAME_CHARS_MAX) {
    throw new OperationError("invalid_arguments", `name must have at most ${NAME_CHARS_MAX} characters`);
  }
  if (name !== "" && name !== title)
    await command(deps, sessionId, { type: "rename", commandId: newId(), title: name });
  await deps.marks.changeMarks(sessionId, (had) => ({
    ...had,
    hiddenName: name === "" && title !== "" ? title : undefined,
  }));
}

async function updateAttributes(deps: SessionOperationDeps, args: Arguments): Promise<Json> {
  const { marks, broadcast } = deps;
  const target = await find(deps, neededText(args, "sessionId"));
  const patch = args["patch"] ?? args["attributes"];
  const isRecord = typeof patch === "object" && patch !== null && !Array.isArray(patch);
  const parsed = Json.safeParse(patch);
  if (!isRecord || !parsed.success) {
    throw new OperationError("invalid_arguments", "Session attributes patch must be an object");
  }
  const { sessionId } = target.summary;
  await marks.changeMarks(sessionId, (had) => ({
    ...had,
    attributes: assistant.mergePatch(had.attributes ?? {}, parsed.data as Record<string, Json>),
  }));
  const session = await summaryOf(deps, sessionId);
  const { updatedAt, attributes } = session;
  broadcast({ type: "session_updated", sessionId: target.name, updatedAt, attributes }, target.name);
  return toJson(session);
}

async function readEvents(deps: SessionOperationDeps, args: Arguments): Promise<Json> {
  const { host, clock, rooms, loads } = deps;
  const { name, summary } = await find(deps, neededText(args, "sessionId"));
  const { sessionId } = summary;
  const after = typeof args["after"] === "string" && args["after"].trim() !== "" ? args["after"].trim() : undefined;
  // A client that requests the rest has the beginning.
  const isMoving = after === undefined && isRunning(deps, summary);
  if (isMoving) await loads.subscribed(sessionId);
  const room = rooms.find(sessionId);
  // A frame after the response would be shown twice if it is part of it, and lost if it comes before.
  room?.hold(READING_MS_MAX);
  let count = 0;
  try {
    // A page announces support for interactions on its connection, and a load does not name its connection.
    const hasInteractions = room?.hasInteractions === true;
    const { events, seq } = await readChat({ host, clock, sessionId, name, after, hasInteractions });
    await room?.reached(seq);
    count = events.length;
    return { sessionId: name, events: events.map((event) => toJson(event)) };
  } finally {
    room?.hold(isMoving ? holdMs(count) : 0);
  }
}

/** The list lags a little. */
function isRunning({ rooms }: SessionOperationDeps, { sessionId, status }: SessionSummary): boolean {
  const openTurns = rooms.find(sessionId)?.transcript.head.openTurns ?? {};
  return status === "running" || Object.keys(openTurns).length > 0;
}

async function message(deps: SessionOperationDeps, args: Arguments): Promise<Response | Json> {
  const { host, clock } = deps;
  const given = neededText(args, "sessionId");
  const order = messageOrder(args);
  const { name, summary } = await find(deps, given);
  const room = await deps.rooms.open(summary.sessionId, name);
  const leave = room.watch(() => {});
  const work = sendMessage({ host, clock }, room, order).finally(leave);
  if (order.mode === "async") return work;
  return slowAnswer(clock, work, (error) => ({ sessionId: name, created: false, status: "error", error }));
}

function messageOrder(args: Arguments): MessageOrder {
  const { content, mode = "async", timeout = TIMEOUT_SECONDS, webhook } = args;
  if (typeof content !== "string" || content.trim() === "") {
    throw new OperationError("invalid_arguments", "content is required and must be a string");
  }
  if (mode !== "sync" && mode !== "async") {
    throw new OperationError("invalid_arguments", 'mode must be "sync" or "async"');
  }
  if (typeof timeout !== "number" || !Number.isFinite(timeout) || timeout <= 0) {
    throw new OperationError("invalid_arguments", "timeout must be a positive number");
  }
  // A server that requests any given URL would open its networks.
  if (webhook !== undefined) throw new OperationError("invalid_arguments", "webhook is not supported");
  return { content, mode, timeoutSeconds: Math.min(Math.max(1, Math.floor(timeout)), TIMEOUT_SECONDS_MAX) };
}

async function clear(deps: SessionOperationDeps, args: Arguments): Promise<Json> {
  const { name, summary } = await find(deps, neededText(args, "sessionId"));
  await command(deps, summary.sessionId, { type: "clear", commandId: newId() });
  const { updatedAt } = await summaryOf(deps, summary.sessionId);
  return { sessionId: name, cleared: true, updatedAt };
}

/** Nothing is deleted: the session is archived and no longer listed; our own screens can restore it. */
async function remove(deps: SessionOperationDeps, args: Arguments): Promise<Json> {
  const { name, summary } = await find(deps, neededText(args, "sessionId"));
  const { sessionId } = summary;
  await command(deps, sessionId, { type: "interrupt", commandId: newId(), scope: "all" });
  await command(deps, sessionId, { type: "archive", commandId: newId(), archived: true });
  return { sessionId: name, deleted: true };
}

async function find({ host, marks }: SessionOperationDeps, given: string): Promise<SessionRef> {
  const sessionId = ourId(await marks.read(), given);
  const summary = (await host.listSessions()).find((one) => one.sessionId === sessionId && !one.archived);
  if (summary !== undefined) return { name: given, summary };
  throw new OperationError("session_not_found", "Session not found");
}

async function summaryOf(deps: SessionOperationDeps, sessionId: string): Promise<assistant.AssistantSession & Json> {
  const { host, marks } = deps;
  const state = await marks.read();
  const summary = (await host.listSessions()).find((one) => one.sessionId === sessionId);
  if (summary === undefined) throw new RoundtableError("unknown_session", `There is no session ${sessionId}.`);
  return sessionOf(deps, state, summary) as assistant.AssistantSession & Json;
}

async function command({ host, clock }: SessionOperationDeps, sessionId: string, wanted: Command): Promise<void> {
  await runCommand({ host, clock }, CLIENT_ID, sessionId, wanted);
}

/** JSON by construction; the compiler rejects its optional fields. */
function toJson(value: object): Json {
  return value as Json;
}
