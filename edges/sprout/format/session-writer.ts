/**
 * A session as one root agent's log and the nested logs of its child agents. Parallel turns are written one after the
 * other; with several members each text starts with its member's name.
 */
import { createHash } from "node:crypto";
import { isUlid } from "../../../src/kit/ids.ts";
import { isKnownEvent } from "../../../src/protocol/index.ts";
import { turnText, type Head, type Notice, type UserMessage, addressedText } from "../../../src/transcript/index.ts";
import type { FlowItem } from "../../../src/host/index.ts";
import { AgentLog, type LogPart } from "./agent-log.ts";
import { compactedItself, isNativeCompaction } from "./steps.ts";
import type { Checkpoint, SproutSurvey } from "./survey.ts";

export interface SproutWriterOptions {
  /** The session in its final state. */
  readonly head: Head;
  readonly survey: SproutSurvey;
  /** Path of the root's log, where readers find what a summary omits. */
  readonly logPath?: string;
}

export interface SproutWriter {
  /** One item of the flow, in order. A text that is too long for an event must be whole in the message. */
  item(item: FlowItem): LogPart[];
  end(): LogPart[];
  /** The file for listings; after the end. */
  meta(): string;
}

export function createSproutWriter({ head, survey, logPath }: SproutWriterOptions): SproutWriter {
  const { sessionId } = head;
  const isSeveral = survey.speakers.size > 1;
  const waiting = [...survey.checkpoints];
  const writtenIds = new Set<string>();
  /** Text of turns that outlive a summary: readers drop them, so the summary repeats it. */
  const pinned = new Map<string, string>(survey.checkpoints.flatMap((one) => one.pinned.map((turnId) => [turnId, ""])));
  let status: "idle" | "interrupted" = "idle";
  const log = new AgentLog({
    sessionId,
    agentId: "root",
    depth: 0,
    file: `${sessionId}.jsonl`,
    modelOf: (member) => modelOf(head, member),
    contextOf: (member) => own(head.members, member)?.context ?? { used: 0, window: 0 },
    steeredText,
    childIdOf: (turnId, ts) => childId(sessionId, turnId, ts),
  });

  /** Once, however many turns it was steered into. */
  function steeredText(messageId: string): string | undefined {
    const message = survey.steered.get(messageId);
    if (message === undefined || writtenIds.has(messageId)) return undefined;
    writtenIds.add(messageId);
    return goalOf(message, isSeveral);
  }

  /** Uses the time of its position, so that kept entries retain theirs. */
  function checkpoint(one: Checkpoint, ts: number): void {
    const quotes = one.pinned.flatMap((turnId) => pinned.get(turnId) ?? []);
    const path = logPath === undefined ? {} : { logPath };
    const summary = [summaryOf(one, logPath), ...quotes].join("\n\n");
    log.compaction(Math.min(one.ts, ts), { summary, ...path });
  }

  function user(message: UserMessage): void {
    // A steered turn started earlier and comes first.
    if (writtenIds.has(message.messageId)) return;
    writtenIds.add(message.messageId);
    const goal = goalOf(message, isSeveral);
    if (goal !== "") log.perceive(goal, message.ts, modelOf(head, message.to[0] ?? "").model);
  }

  return {
    item(item) {
      const { seq, ts } = item.kind === "user" ? item.message : item.kind === "turn" ? item.turn : item;
      while (waiting[0] !== undefined && waiting[0].firstKeptSeq <= seq) checkpoint(waiting.shift() as Checkpoint, ts);
      if (item.kind === "user") user(item.message);
      else if (item.kind === "notice") writeNotice(log, item);
      else {
        const { member, turnId } = item.turn;
        if (pinned.has(turnId)) pinned.set(turnId, `Pinned, by ${member}:\n\n${turnText(item.turn)}`);
        log.turn(item, isSeveral ? `**${member}**` : "");
      }
      return log.drain();
    },
    end() {
      for (const left of waiting) checkpoint(left, left.ts);
      waiting.length = 0;
      status = statusOf(log);
      log.endRun();
      return log.drain();
    },
    meta: () => metaText({ head, turns: log.turns, status, model: mainModel(head, survey) }),
  };
}

/** The user's text, its recipients where needed, and attachments. */
function goalOf(message: Pick<UserMessage, "text" | "to" | "toAll" | "attachments">, isSeveral: boolean): string {
  const text = isSeveral ? addressedText(message) : message.text;
  const files = message.attachments.map(({ name, mime }) => `[attached: ${name} (${mime})]`);
  return [text, ...files].filter((part) => part !== "").join("\n");
}

function summaryOf({ member, summary }: Checkpoint, logPath: string | undefined): string {
  const where = logPath === undefined ? "" : ` All of it is in ${logPath}.`;
  return `Summary of the earlier conversation, by ${member}.${where}\n\n${summary}`;
}

function writeNotice(log: AgentLog, { event, ts }: Notice): void {
  if (!isKnownEvent(event)) return;
  if (event.type === "session_clear") {
    log.compaction(ts, { summary: "The user cleared the conversation here." });
  } else if (isNativeCompaction(event)) {
    log.write("warning", ts, compactedItself(event));
  } else if (event.type === "warning" || event.type === "error") log.write(event.type, ts, event.message);
}

function statusOf({ outcome }: AgentLog): "idle" | "interrupted" {
  return outcome === "interrupted" || outcome === "open" ? "interrupted" : "idle";
}

function modelOf(head: Head, name: string): { model: string; provider: string } {
  const member = own(head.members, name) ?? Object.values(head.members)[0];
  return { model: member?.model ?? member?.spec.model ?? "unknown", provider: member?.spec.kind ?? "unknown" };
}

/** Of the first speaker that has one; "best" is a name its readers know. */
function mainModel(head: Head, { speakers }: SproutSurvey): string {
  const models = [...speakers].map((name) => modelOf(head, name).model);
  return models.find((model) => model !== "unknown") ?? "best";
}

/** "constructor" is a legal member name. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

const BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_CHARS = 10;

/** Id of a child agent, which names its file: the turn id if it is a ULID, else derived from it. */
function childId(sessionId: string, turnId: string, ts: number): string {
  if (isUlid(turnId)) return turnId;
  let left = Math.max(0, Math.floor(ts));
  let time = "";
  for (let digit = 0; digit < TIME_CHARS; digit += 1) {
    time = `${BASE32[left % 32] ?? "0"}${time}`;
    left = Math.floor(left / 32);
  }
  const digest = createHash("sha256").update(`${sessionId}\n${turnId}`).digest();
  return time + [...digest.subarray(0, 16)].map((byte) => BASE32[byte % 32] ?? "0").join("");
}

interface MetaFacts {
  readonly head: Head;
  readonly turns: number;
  readonly status: "idle" | "interrupted";
  readonly model: string;
}

/** The file by which sprout lists a session, with the model fields of both generations of its readers. */
function metaText({ head, turns, status, model }: MetaFacts): string {
  const contexts = Object.values(head.members).flatMap(({ context }) => (context === undefined ? [] : [context]));
  const fullest = contexts.toSorted((a, b) => b.used - a.used)[0];
  const meta = {
    sessionId: head.sessionId,
    agentSpec: "root",
    model,
    selection: { kind: "inherit" },
    status,
    turns,
    contextTokens: fullest?.used ?? 0,
    contextWindowSize: fullest?.window ?? 0,
    createdAt: dateOf(head.createdTs),
    updatedAt: dateOf(head.updatedTs),
  };
  return `${JSON.stringify(meta, null, "\t")}\n`;
}

function dateOf(ts: number): string {
  return new Date(Number.isFinite(ts) && Math.abs(ts) < 8.64e15 ? ts : 0).toISOString();
}
