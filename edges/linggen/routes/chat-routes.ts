/** User actions: send, stop a run, answer a question, clear. */
import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod";
import { newId } from "../../../src/kit/ids.ts";
import { RoundtableError, type Attachment, type CommandOf } from "../../../src/protocol/index.ts";
import { isRunning, turnById, type Head, type Transcript } from "../../../src/transcript/index.ts";
import * as linggen from "../format/linggen.ts";
import {
  answer,
  readBody,
  callHost,
  CALL_ID,
  runCommand,
  type Route,
  compatWriting,
} from "../../../src/server/index.ts";
import type { LinggenDeps } from "./linggen-deps.ts";
import { OptionalText, Text, writes, writesOrText } from "./linggen-route.ts";
import { CLIENT_ID } from "./session-reading.ts";

/** Images are in the body, as base64. */
const CHAT_BYTES_MAX = 16 * 1024 * 1024;
const IMAGES_MAX = 8;
const ANSWERS_MAX = 64;
const EVERYONE = "all";

const Chat = z.object({
  project_root: Text,
  agent_id: Text,
  message: z.string(),
  session_id: OptionalText,
  mode: OptionalText,
  images: z.array(z.string()).max(IMAGES_MAX).nullish(),
});
const Cancel = z.object({ run_id: Text });
const Clear = z.object({ project_root: Text, session_id: OptionalText });
const Answers = z.object({
  question_id: Text,
  answers: z
    .array(
      z.object({
        question_index: z.int().nonnegative(),
        selected: z.array(z.string()).max(ANSWERS_MAX),
        custom_text: z.string().nullish(),
      }),
    )
    .max(ANSWERS_MAX),
});

export function createChatRoutes(deps: LinggenDeps): Route[] {
  return [
    writesOrText("/api/chat", async (c) => chat(deps, await readBody(c.req, Chat), c.env.outgoing), {
      ...compatWriting,
      bodyBytesMax: CHAT_BYTES_MAX,
    }),
    writes("POST", "/api/chat/clear", async (c) => {
      const { project_root, session_id } = await readBody(c.req, Clear);
      const sessionId = await deps.reading.named(session_id ?? "default", project_root);
      if (sessionId === undefined) throw new RoundtableError("unknown_session", "Unknown session_id");
      const { head } = await deps.reading.transcript(sessionId);
      await runCommand(deps, CLIENT_ID, sessionId, { type: "clear", commandId: newId() });
      return answer(200, { removed: head.messageCount });
    }),
    writes("POST", "/api/agent-cancel", async (c) => cancel(deps, (await readBody(c.req, Cancel)).run_id)),
    writes("POST", "/api/ask-user-response", async (c) =>
      respond(deps, await readBody(c.req, Answers), c.env.incoming.socket),
    ),
  ];
}

async function chat(deps: LinggenDeps, body: z.infer<typeof Chat>, response: ServerResponse): Promise<Response> {
  const { reading, bus, defaults, settings } = deps;
  const directory = await reading.directory(body.project_root);
  const named = await reading.named(body.session_id, directory);
  const before = named === undefined ? undefined : await reading.transcript(named);
  const agents = before === undefined ? defaults.members.map(({ name }) => name) : memberNames(before.head);
  const target = linggen.targetOf(body.message, [...agents, EVERYONE]) ?? {
    agent: body.agent_id === EVERYONE ? EVERYONE : linggen.resolveAgent(body.agent_id, agents),
    text: body.message,
  };
  if (target.agent === undefined) {
    throw new RoundtableError("unknown_member", `Unknown agent_id; there are: ${agents.join(", ")}`);
  }
  if (before !== undefined) await settings.bringUpToDate(before.head);
  const sessionId = named ?? (await createSession(deps, directory, linggen.titleOf(body.message)));
  await bus.follow(sessionId);
  const isBusy = before !== undefined && isBusyWith(before.head, target.agent);
  try {
    await send(deps, sessionId, { ...body, agent: target.agent, text: target.text, response });
  } catch (error) {
    // Its client never learns its id, and would find an empty session in the list.
    if (named === undefined) await removeSession(deps, sessionId).catch(() => undefined);
    throw error;
  }
  return answer(200, { status: isBusy ? "queued" : "started", session_id: sessionId });
}

interface Message {
  readonly agent: string;
  readonly text: string;
  readonly mode?: string | null | undefined;
  readonly images?: string[] | null | undefined;
  readonly response: ServerResponse;
}

async function send(deps: LinggenDeps, sessionId: string, message: Message): Promise<void> {
  const { agent, text, mode, images, response } = message;
  const attachments = await attach(deps, sessionId, images ?? []);
  const command: CommandOf<"send"> = {
    type: "send",
    commandId: newId(),
    clientMessageId: newId(),
    text,
    to: [agent],
    ...(attachments.length === 0 ? {} : { attachments }),
    ...linggen.planRequest(text, mode),
  };
  deps.bus.holdUntilSent(sessionId, response);
  await runCommand(deps, CLIENT_ID, sessionId, command);
}

/** Archived: nothing is thrown away over this wire. */
export async function removeSession(deps: LinggenDeps, sessionId: string): Promise<void> {
  await runCommand(deps, CLIENT_ID, sessionId, { type: "archive", commandId: newId(), archived: true });
  deps.bus.sync();
}

export async function createSession(deps: LinggenDeps, cwd: string, title: string): Promise<string> {
  const settings = await deps.settings.settings();
  const members = await deps.settings.members();
  const frame = { frame: "create" as const, id: CALL_ID, cwd, title, settings, members };
  const { sessionId } = (await callHost(deps, CLIENT_ID, frame)) as { sessionId: string };
  deps.settings.noteCreated(sessionId);
  return sessionId;
}

function memberNames(head: Head): string[] {
  return Object.values(head.members).flatMap(({ name, seated }) => (seated ? [name] : []));
}

function isBusyWith(head: Head, agent: string): boolean {
  if (agent === EVERYONE) return isRunning(head);
  const isIdle = Object.hasOwn(head.members, agent) && head.members[agent]?.state === "idle";
  return !isIdle || head.queue.length > 0;
}

const DATA_URL = /^data:(image\/[\w.+-]{1,40});base64,/;

/** Pages omit the image type, and models reject a wrong one: detected from its first bytes in base64. */
const PICTURES: readonly (readonly [beginning: string, mime: string])[] = [
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

function mimeOf(base64: string): string {
  return PICTURES.find(([beginning]) => base64.startsWith(beginning))?.[1] ?? "image/png";
}

async function attach(deps: LinggenDeps, sessionId: string, images: readonly string[]): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  for (const [at, image] of images.entries()) {
    const [prefix = "", named] = DATA_URL.exec(image) ?? [];
    const base64 = image.slice(prefix.length);
    const mime = named ?? mimeOf(base64);
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new RoundtableError("bad_command", `images.${at} is not base64.`);
    const blob = await deps.host.putBlob(sessionId, Buffer.from(base64, "base64"), mime);
    attachments.push({ name: `image-${at + 1}.${mime.slice("image/".length)}`, mime, blob });
  }
  return attachments;
}

/** A subagent stops with its parent member; so does whatever the member waits for. */
async function cancel(deps: LinggenDeps, runId: string): Promise<Response> {
  const before = await deps.reading.find((one) => turnById(one, runId) !== undefined || hasOpen(one, runId));
  if (before === undefined) throw new RoundtableError("unknown_turn", "Unknown run_id");
  const turn = hasOpen(before, runId) ? before.head.openTurns[runId] : undefined;
  if (turn === undefined) return answer(200, { cancelled_run_ids: [] });
  const { sessionId } = before.head;
  const command = { type: "interrupt", commandId: newId(), scope: "member", member: turn.member } as const;
  await runCommand(deps, CLIENT_ID, sessionId, command);
  const after = await deps.reading.transcript(sessionId);
  const stopped = Object.keys(before.head.openTurns).filter(
    (id) => turnById(after, id)?.end?.outcome === "interrupted" || (id === runId && !hasOpen(after, id)),
  );
  await promoteNext(deps, after, turn.member);
  return answer(200, { cancelled_run_ids: [...new Set([runId, ...stopped])] });
}

/** Messages queued by these clients follow the cancelled run, since they could not send them otherwise. */
async function promoteNext(deps: LinggenDeps, after: Transcript, member: string): Promise<void> {
  const { sessionId, queue, openTurns } = after.head;
  const isBusy = Object.values(openTurns).some((turn) => turn.member === member);
  const next = linggen.waitingIn(after).find(({ to }) => to.includes(member) || to.includes(EVERYONE));
  if (isBusy || next === undefined) return;
  const { messageId } = next;
  const isQueued = queue.some((item) => item.messageId === messageId);
  const go = isQueued ? ({ type: "queue_promote", messageId } as const) : ({ type: "continue" } as const);
  try {
    await runCommand(deps, CLIENT_ID, sessionId, { ...go, commandId: newId() });
  } catch (error) {
    // Already sent, withdrawn or without a recipient: nothing to send.
    if (!(error instanceof RoundtableError)) throw error;
  }
}

function hasOpen({ head }: Transcript, turnId: string): boolean {
  return Object.hasOwn(head.openTurns, turnId);
}

async function respond(
  deps: LinggenDeps,
  { question_id, answers }: z.infer<typeof Answers>,
  peer: IncomingMessage["socket"],
): Promise<Response> {
  const open = (await deps.host.readRequests()).find((one) => one.requestId === question_id);
  if (open === undefined) {
    const isKnown = await deps.reading.find((one) => hasRequest(one, question_id));
    return isKnown === undefined
      ? answer(404, { error: "Unknown question_id" })
      : answer(410, { error: "Question already expired" });
  }
  const why = await deps.refusalFor(open.request, peer);
  if (why !== undefined) return answer(403, { error: why });
  const result = linggen.answerOf(open.request, answers);
  if (result === undefined) throw new RoundtableError("bad_command", "The answer is not one of the options.");
  const command = { type: "answer", commandId: newId(), requestId: question_id, result, by: CLIENT_ID } as const;
  try {
    await runCommand(deps, CLIENT_ID, open.sessionId, command);
  } catch (error) {
    const isLate = error instanceof RoundtableError && (error.code === "conflict" || error.code === "unknown_request");
    if (isLate) return answer(410, { error: "Question already expired" });
    throw error;
  }
  return answer(200, { status: "ok" });
}

function hasRequest(transcript: Transcript, requestId: string): boolean {
  const turns = transcript.live.flatMap((page) => page.messages.filter((message) => message.kind === "turn"));
  return [...turns, ...Object.values(transcript.head.openTurns)].some((turn) =>
    turn.blocks.some((block) => block.kind === "request" && block.requestId === requestId),
  );
}
