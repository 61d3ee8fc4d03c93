/** What a generated session knows of itself while it is being played, and the moves that keep its promises. */
import type { DeliveryState, DraftOf, EventDraft, Outcome, SessionEvent } from "../../src/protocol/index.ts";
import { created, joined, SETTINGS } from "./drafts.ts";

/** A choice among `count`. */
export type Pick = (count: number) => number;

export interface SceneTurn {
  turnId: string;
  member: string;
  messageIds: string[];
  rootMessageId: string;
  round?: number;
  depth: number;
  text?: { segmentId: string; text: string };
  thinking?: { segmentId: string; text: string };
  tools: string[];
  requests: string[];
  segments: number;
}

export interface Scene {
  readonly events: SessionEvent[];
  /** Seated, in join order. */
  readonly members: Map<string, { muted: boolean; pending: string[] }>;
  readonly open: Map<string, SceneTurn>;
  readonly ended: SceneTurn[];
  readonly messages: string[];
  readonly exchanges: string[];
  readonly subagents: { parent: string; child: string }[];
  round: number;
  epoch: number;
  emit(draft: EventDraft): void;
  /** Something of a type, or with a payload, that this version does not know. */
  emitUnknown(draft: { type: string; [key: string]: unknown }): void;
  newName(prefix: string): string;
}

export function createScene(): Scene {
  const events: SessionEvent[] = [];
  let names = 0;
  const emitUnknown: Scene["emitUnknown"] = (draft) => {
    const seq = events.length + 1;
    const envelope = {
      seq,
      epoch: scene.epoch,
      id: `event-${seq}`,
      ts: 1_700_000_000_000 + seq * 7,
      sessionId: "session",
    };
    events.push({ ...envelope, ...draft } as unknown as SessionEvent);
  };
  const scene: Scene = {
    events,
    members: new Map(),
    open: new Map(),
    ended: [],
    messages: [],
    exchanges: [],
    subagents: [],
    round: 0,
    epoch: 1,
    emit: (draft) => emitUnknown(draft),
    emitUnknown,
    newName: (prefix) => `${prefix}-${(names += 1)}`,
  };
  scene.emit(created({ settings: { ...SETTINGS, order: ["codex"] } }));
  for (const name of ["claude", "codex", "constructor"]) join(scene, name);
  return scene;
}

export function join(scene: Scene, name: string): void {
  scene.members.set(name, { muted: false, pending: [] });
  scene.emit(joined(name, { spec: { name, kind: "embedded", model: "small" } }));
}

export function turnOf(scene: Scene, member: string): SceneTurn | undefined {
  return [...scene.open.values()].find((turn) => turn.member === member && turn.depth === 0);
}

export function idleMembers(scene: Scene): string[] {
  return [...scene.members]
    .filter(([name, { muted }]) => !muted && turnOf(scene, name) === undefined)
    .map(([name]) => name);
}

export function deliver(scene: Scene, messageId: string, member: string, state: DeliveryState): void {
  scene.emit({ type: "message_delivery", messageId, member, state });
}

type Start = Omit<DraftOf<"turn_start">, "type" | "turnId" | "member" | "depth"> & { depth?: number };

export function start(scene: Scene, member: string, options: Start): SceneTurn {
  const turn: SceneTurn = {
    turnId: scene.newName("turn"),
    member,
    messageIds: options.messageIds,
    rootMessageId: options.rootMessageId ?? "",
    ...(options.round === undefined ? {} : { round: options.round }),
    depth: options.depth ?? 0,
    tools: [],
    requests: [],
    segments: 0,
  };
  scene.open.set(turn.turnId, turn);
  const given = { fromSeq: 0, toSeq: scene.events.length };
  scene.emit({ type: "turn_start", turnId: turn.turnId, member, depth: turn.depth, given, ...options });
  return turn;
}

/** Sends a message: idle members answer it, the others have it pending. */
export function send(scene: Scene, to: readonly string[], toAll: boolean): string {
  const messageId = scene.newName("message");
  scene.messages.push(messageId);
  scene.round = 1;
  const clientMessageId = `client-${messageId}`;
  scene.emit({
    type: "user_message",
    messageId,
    text: "What now?",
    to: [...to],
    toAll,
    attachments: [],
    clientMessageId,
  });
  for (const member of to) {
    if (turnOf(scene, member) === undefined) answer(scene, member, messageId, toAll);
    else {
      scene.members.get(member)?.pending.push(messageId);
      deliver(scene, messageId, member, "pending");
    }
  }
  return messageId;
}

export function answer(scene: Scene, member: string, messageId: string, inRound: boolean): void {
  start(scene, member, {
    cause: "user",
    messageIds: [messageId],
    rootMessageId: messageId,
    ...(inRound ? { round: 1 } : {}),
  });
  deliver(scene, messageId, member, "answering");
}

/** Closes the open segments, as the session does before anything else happens in a turn. */
export function closeSegments(scene: Scene, turn: SceneTurn, options: { interrupted?: boolean } = {}): void {
  const { turnId, member } = turn;
  if (turn.thinking !== undefined) scene.emit({ type: "thinking_done", turnId, member, ...turn.thinking });
  const mark = options.interrupted === true ? { interrupted: true } : {};
  if (turn.text !== undefined) scene.emit({ type: "text_done", turnId, member, ...turn.text, ...mark });
  delete turn.thinking;
  delete turn.text;
}

/** Settles a turn in the order recovery and cancellation keep: requests, text, tools, end, deliveries. */
export function end(
  scene: Scene,
  turn: SceneTurn,
  outcome: Outcome,
  reason: "cancelled" | "restart" = "cancelled",
): void {
  const { turnId, member } = turn;
  for (const requestId of turn.requests) scene.emit({ type: "ui_cancelled", requestId, reason });
  closeSegments(scene, turn, { interrupted: outcome !== "completed" });
  for (const toolCallId of turn.tools) {
    const error = { code: "tool_interrupted" as const, message: "The turn was stopped." };
    scene.emit({ type: "tool_result", turnId, member, toolCallId, ok: false, error });
  }
  turn.tools = [];
  turn.requests = [];
  scene.open.delete(turnId);
  scene.ended.push(turn);
  const usage = { inputTokens: 100, outputTokens: 20, costUsd: 0.1 };
  scene.emit({
    type: "turn_end",
    turnId,
    member,
    outcome,
    durationMs: 1200,
    ...(outcome === "errored" ? {} : { usage }),
  });
  if (turn.depth > 0) return;
  for (const messageId of turn.messageIds) deliver(scene, messageId, member, "answered");
  const [next, ...later] = scene.members.get(member)?.pending ?? [];
  if (next === undefined || outcome === "interrupted") return;
  scene.members.set(member, { muted: false, pending: later });
  answer(scene, member, next, false);
}
