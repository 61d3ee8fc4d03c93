/** Description of a turn for every renderer: what started it, what it is doing, how it ended. Names are unsanitised. */
import type { Outcome } from "../../protocol/index.ts";
import type { Transcript } from "../model.ts";
import type { TurnMessage } from "../messages.ts";
import { loadedMessagesBackward } from "../selectors/messages.ts";
import { isTransient } from "../selectors/turn.ts";

export interface TurnDescription {
  /** What started the turn, where that is not obvious: "asked by codex", "round 2". */
  readonly origin: readonly string[];
  /** Undefined once the turn has ended. */
  readonly activity: TurnActivity | undefined;
  /** Undefined while it runs, and for a completed turn. */
  readonly end: TurnEnd | undefined;
}

export interface TurnActivity {
  readonly kind:
    | "retrying"
    | "asking"
    | "writing"
    | "thinking"
    | "waiting"
    | "calling"
    | "status"
    | "loading"
    | "starting"
    | "working";
  readonly text: string;
}

export interface TurnEnd {
  /** An outcome of a later version is its own label. */
  readonly label: string;
  /** Empty when unknown, or when it only repeats the label. */
  readonly why: string;
}

const END_LABELS: Readonly<Record<Outcome, string>> = {
  completed: "done",
  interrupted: "interrupted",
  errored: "failed",
  timed_out: "timed out",
};

/** Reason codes of the log as text. A map: codes of other versions can have any name. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["closed", "the server stopped"],
  ["restart", "the server was restarted"],
  ["member_left", "it left the session"],
  ["muted", "it was muted"],
  ["cleared", "the conversation was cleared"],
  ["forked", "the session was forked before it ended"],
  ["timeout", "it took too long"],
  ["interrupted", "it was stopped"],
  ["output_limit", "it wrote too much"],
]);

/** Messages searched backwards for the turn that asked, which is shortly before. */
const PARENT_LOOKBACK = 1000;

/** `parent` is the turn of `parentTurnId`, where it is known. */
export function describeTurn(turn: TurnMessage, parent?: TurnMessage): TurnDescription {
  return { origin: originOf(turn, parent), activity: activityOf(turn), end: endOf(turn) };
}

/** True for a turn of a member that was asked by another, at any depth; subagents are no members. */
export function isOfExchange({ cause, agentExchangeId }: TurnMessage): boolean {
  return cause === "exchange" || agentExchangeId !== undefined;
}

/** Why a turn of an exchange runs: it was asked, or gets the answer. */
export function formatExchange(turn: TurnMessage, parent: TurnMessage | undefined): string {
  if (parent === undefined) return "asked by another member";
  if (parent.member !== turn.member) return `asked by ${parent.member}`;
  const question = parent.blocks.find(
    (block) => block.kind === "exchange" && block.agentExchangeId === turn.agentExchangeId,
  );
  return question?.kind === "exchange" ? `reads ${question.to}'s answer` : "reads the answer";
}

/** The turn that asked or sent this one; undefined when its page is not loaded. */
export function parentTurn({ parentTurnId }: TurnMessage, transcript: Transcript): TurnMessage | undefined {
  if (parentTurnId === undefined) return undefined;
  const { openTurns } = transcript.head;
  if (Object.hasOwn(openTurns, parentTurnId)) return openTurns[parentTurnId];
  let searched = 0;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "turn" && message.turnId === parentTurnId) return message;
    searched += 1;
    if (searched >= PARENT_LOOKBACK) return undefined;
  }
  return undefined;
}

/** Text of a reason; a sentence is returned as it is, an unknown code as nothing. */
export function formatReason(reason: string): string {
  return REASONS.get(reason) ?? (/^[a-z0-9_]*$/.test(reason) ? "" : reason);
}

export function outcomeLabel(outcome: Outcome): string {
  return Object.hasOwn(END_LABELS, outcome) ? END_LABELS[outcome] : outcome;
}

function originOf(turn: TurnMessage, parent: TurnMessage | undefined): string[] {
  const origin: string[] = [];
  if (isOfExchange(turn)) origin.push(formatExchange(turn, parent));
  else if (turn.depth > 0) origin.push(parent === undefined ? "subagent" : `subagent of ${parent.member}`);
  if (turn.cause === "idle") origin.push("by itself");
  if (turn.cause === "minutes") origin.push("writes the minutes");
  if (turn.origin !== undefined) origin.push(`from ${turn.origin}`);
  else if (turn.cause === "imported") origin.push("imported");
  if (turn.round !== undefined && turn.round > 1) origin.push(`round ${turn.round}`);
  if (turn.replaced.length > 0) origin.push(`attempt ${turn.replaced.length + 1}`);
  return origin;
}

function activityOf(turn: TurnMessage): TurnActivity | undefined {
  const { blocks, status } = turn;
  if (turn.end !== undefined) return undefined;
  if (turn.retrying !== undefined) return { kind: "retrying", text: "retrying" };
  if (blocks.some((block) => block.kind === "request" && block.state === "open"))
    return { kind: "asking", text: "waits for your answer" };
  const last = blocks.at(-1);
  if (last?.kind === "text" && !last.done) return { kind: "writing", text: "writing" };
  if (turn.isThinking) return { kind: "thinking", text: "thinking" };
  const question = blocks.findLast((block) => block.kind === "exchange");
  if (question?.wait === true && question.answer === undefined)
    return { kind: "waiting", text: `waits for ${question.to}` };
  const [call, ...others] = blocks.filter((block) => block.kind === "tool" && block.state === "pending");
  if (call?.kind === "tool")
    return { kind: "calling", text: `calling ${others.length === 0 ? call.name : `${others.length + 1} tools`}` };
  if (status?.detail !== undefined && !isTransient(status.detail)) return { kind: "status", text: status.detail };
  if (status?.state === "model_loading") return { kind: "loading", text: "loading the model" };
  return blocks.length === 0 ? { kind: "starting", text: "starting" } : { kind: "working", text: "working" };
}

function endOf({ end }: TurnMessage): TurnEnd | undefined {
  if (end === undefined || end.outcome === "completed") return undefined;
  const label = outcomeLabel(end.outcome);
  const why = end.error?.message ?? (end.reason === end.outcome ? "" : formatReason(end.reason ?? ""));
  return { label, why: why === label ? "" : why };
}
