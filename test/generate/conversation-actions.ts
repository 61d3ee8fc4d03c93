/** The talk itself: text, tools, requests, messages, stopping and starting again. */
import type { Outcome, UiRequestBody } from "../../src/protocol/index.ts";
import { anyOpen, beside, inTurn, oneOf, type Action } from "./session-action.ts";
import {
  closeSegments,
  deliver,
  end,
  idleMembers,
  send,
  start,
  turnOf,
  type Pick,
  type Scene,
  type SceneTurn,
} from "./session-scene.ts";

const WORDS = ["Yes", " and", " no.", "\n\n", "```ts\n", "π 👍🏽", ""];

function newSegment(scene: Scene, turn: SceneTurn): string {
  turn.segments += 1;
  return `${turn.turnId}-${turn.segments}`;
}

const talking: Action[] = [
  inTurn(14, (scene, turn, pick) => {
    const text = oneOf(WORDS, pick);
    turn.text ??= { segmentId: newSegment(scene, turn), text: "" };
    turn.text.text += text;
    const { segmentId } = turn.text;
    scene.emit({ type: "text_delta", turnId: turn.turnId, member: turn.member, segmentId, text });
  }),
  inTurn(3, (scene, turn) => closeSegments(scene, turn)),
  inTurn(1, (scene, turn) => {
    const { segmentId } = turn.text ?? { segmentId: "none" };
    delete turn.text;
    scene.emit({ type: "text_retracted", turnId: turn.turnId, member: turn.member, segmentId, reason: "replayed" });
  }),
  inTurn(4, (scene, turn, pick) => {
    const { turnId, member } = turn;
    if (turn.thinking === undefined) {
      turn.thinking = { segmentId: newSegment(scene, turn), text: "" };
      if (pick(2) === 0) {
        scene.emit({ type: "thinking_start", turnId, member, segmentId: turn.thinking.segmentId });
        return;
      }
    }
    turn.thinking.text += "Hm. ";
    scene.emit({ type: "thinking_delta", turnId, member, segmentId: turn.thinking.segmentId, text: "Hm. " });
  }),
  inTurn(2, (scene, turn, pick) => {
    const state = oneOf(["model_loading", "thinking", "calling_tool", "working", "idle"] as const, pick);
    const detail = pick(2) === 0 ? {} : { detail: oneOf(["Thinking…", "Reading file.ts"], pick) };
    scene.emit({ type: "status", turnId: turn.turnId, member: turn.member, state, ...detail });
  }),
  inTurn(1, (scene, { turnId, member }) =>
    scene.emit({ type: "retrying", turnId, member, attempt: 1, of: 3, delayMs: 1000, reason: "rate limit" }),
  ),
  inTurn(1, (scene, { turnId, member }, pick) =>
    scene.emit({ type: "usage", turnId, member, usage: { inputTokens: pick(1000), outputTokens: pick(100) } }),
  ),
  inTurn(6, (scene, turn, pick) =>
    end(scene, turn, oneOf<Outcome>(["completed", "completed", "errored", "timed_out"], pick)),
  ),
];

const tools: Action[] = [
  inTurn(5, (scene, turn, pick) => {
    closeSegments(scene, turn);
    const toolCallId = scene.newName("tool");
    turn.tools.push(toolCallId);
    const exchange = pick(4) === 0 ? { agentExchangeId: scene.newName("exchange") } : {};
    const kind = oneOf(["read", "search", "edit", "execute", "agent", "other"] as const, pick);
    const { turnId, member } = turn;
    scene.emit({
      type: "tool_call_start",
      turnId,
      member,
      toolCallId,
      name: kind,
      args: { path: "a.ts" },
      kind,
      ...exchange,
    });
  }),
  inTurn(4, (scene, { turnId, member, tools }, pick) => {
    const toolCallId = oneOf([...tools, "unknown-tool"], pick);
    const text = oneOf(["line\n", "x".repeat(50_000), "👍🏽".repeat(20_000)], pick);
    scene.emit({ type: "tool_output_delta", turnId, member, toolCallId, text, stream: "stdout" });
  }),
  inTurn(1, (scene, { turnId, member, tools }, pick) =>
    scene.emit({
      type: "tool_call_update",
      turnId,
      member,
      toolCallId: oneOf([...tools, "unknown-tool"], pick),
      title: "Read a.ts",
      detail: "1 of 2",
    }),
  ),
  inTurn(4, (scene, turn, pick) => {
    const { turnId, member } = turn;
    const toolCallId = oneOf([...turn.tools, "unknown-tool"], pick);
    turn.tools = turn.tools.filter((one) => one !== toolCallId);
    const how = oneOf(["ok", "cut", "failed", "denied"] as const, pick);
    const settled = { type: "tool_result" as const, turnId, member, toolCallId, durationMs: pick(2000) };
    if (how === "ok") scene.emit({ ...settled, ok: true, result: "line\n" });
    if (how === "cut")
      scene.emit({ ...settled, ok: true, result: "li", truncated: { totalBytes: 500_000, shownBytes: 2 } });
    if (how === "failed")
      scene.emit({ ...settled, ok: false, error: { code: "tool_error", message: "No such file." } });
    if (how === "denied") scene.emit({ ...settled, ok: false, error: { code: "tool_denied", message: "Denied." } });
  }),
];

const REQUESTS: UiRequestBody[] = [
  { method: "confirm", title: "Go on?", message: "Really?" },
  { method: "input", title: "Name" },
  {
    method: "approval",
    title: "Run?",
    tool: "bash",
    call: "ls",
    callHash: "ab",
    options: [{ label: "Yes", value: "yes" }],
  },
];

const requests: Action[] = [
  inTurn(2, (scene, turn, pick) => {
    closeSegments(scene, turn);
    const requestId = scene.newName("request");
    turn.requests.push(requestId);
    const { turnId, member } = turn;
    scene.emit({
      type: "ui_request",
      turnId,
      requestId,
      member,
      request: oneOf(REQUESTS, pick),
      timeoutMs: 300_000,
      default: false,
    });
  }),
  inTurn(2, (scene, turn, pick) => {
    const requestId = oneOf([...turn.requests, "unknown-request"], pick);
    turn.requests = turn.requests.filter((one) => one !== requestId);
    if (pick(3) === 0) scene.emit({ type: "ui_cancelled", requestId, reason: "expired" });
    else scene.emit({ type: "ui_response", requestId, result: true, error: null, clientId: "client" });
  }),
];

const sending: Action[] = [
  {
    weight: 5,
    when: (scene) => idleMembers(scene).length > 0,
    run: (scene) => void send(scene, [...scene.members.keys()], true),
  },
  {
    weight: 2,
    when: (scene) => idleMembers(scene).length > 0,
    run: (scene, pick) => void send(scene, [oneOf(idleMembers(scene), pick)], false),
  },
  inTurn(1, (scene, turn) => {
    const messageId = scene.newName("message");
    scene.messages.push(messageId);
    scene.emit({ type: "user_message", messageId, text: "Wait.", to: [turn.member], toAll: false, attachments: [] });
    closeSegments(scene, turn);
    scene.emit({ type: "steering", messageId, member: turn.member, turnId: turn.turnId });
    deliver(scene, messageId, turn.member, "answered");
  }),
  beside(1, (scene, pick) => {
    const items = Array.from({ length: pick(3) }, () => ({
      messageId: scene.newName("message"),
      text: "Later.",
      to: ["codex"],
      attachments: [],
      ts: 5,
    }));
    scene.emit({ type: "queue_updated", items });
  }),
  { weight: 2, when: (scene) => scene.members.size > 0, run: fillPages },
];

/** A list of its own: what is done to them ends some and opens others. */
function openTurns(scene: Scene): SceneTurn[] {
  return [...scene.open.values()];
}

/** Many short answers at once, so that a log of a few hundred steps has pages to freeze. */
function fillPages(scene: Scene, pick: Pick): void {
  for (const turn of openTurns(scene)) end(scene, turn, "completed");
  for (let count = 1 + pick(12); count > 0; count -= 1) {
    send(scene, [...scene.members.keys()], true);
    for (const turn of openTurns(scene)) {
      turn.text = { segmentId: newSegment(scene, turn), text: "Done." };
      end(scene, turn, "completed");
    }
  }
}

const stopping: Action[] = [
  { weight: 2, when: anyOpen, run: cancel },
  { weight: 2, run: crash },
  {
    weight: 3,
    when: (scene) => retriable(scene).length > 0,
    run: (scene, pick) => {
      const old = oneOf(retriable(scene), pick);
      const { messageIds, rootMessageId, round } = old;
      start(scene, old.member, {
        cause: "retry",
        messageIds,
        rootMessageId,
        replaces: old.turnId,
        ...(round === undefined ? {} : { round }),
      });
      for (const messageId of messageIds) deliver(scene, messageId, old.member, "answering");
    },
  },
];

function retriable(scene: Scene): SceneTurn[] {
  const latest = scene.messages.at(-1);
  return scene.ended
    .slice(-6)
    .filter(
      (turn) =>
        turn.depth === 0 &&
        turn.rootMessageId === latest &&
        scene.members.has(turn.member) &&
        turnOf(scene, turn.member) === undefined,
    );
}

function cancel(scene: Scene, pick: Pick): void {
  const stopped = pick(2) === 0 ? [...scene.open.values()] : [oneOf([...scene.open.values()], pick)];
  for (const turn of stopped) end(scene, turn, "interrupted");
  scene.emit({ type: "output_cancelled", by: "client", scope: "all", turnIds: stopped.map((turn) => turn.turnId) });
}

/** Recovery may itself be cut anywhere; the next one goes on from there. */
function crash(scene: Scene, pick: Pick): void {
  const left = [...scene.open.values()];
  const cutAfter = pick(left.length + 2);
  scene.epoch += 1;
  for (const [index, turn] of left.entries()) {
    if (index === cutAfter) scene.epoch += 1;
    end(scene, turn, "interrupted", "restart");
  }
  if (left.length > 0) {
    scene.emit({ type: "recovered", turnIds: left.map((turn) => turn.turnId), tornBytes: pick(200) });
    scene.emit({ type: "council_paused", why: "restart", message: "Restarted." });
  }
  scene.emit({ type: "session_resume", afterSeq: scene.events.length });
}

export const conversationActions: readonly Action[] = [...talking, ...tools, ...requests, ...sending, ...stopping];
