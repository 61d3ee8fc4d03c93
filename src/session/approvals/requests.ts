/**
 * Requests of agents to the user. Every request is closed exactly once: by the first answer, by its timeout with the
 * safe default, or because its turn was stopped.
 */
import { createHash } from "node:crypto";
import { isLasting, type AnswerResult, type Approval } from "../../agents/index.ts";
import type { Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import {
  ALLOW_ONCE,
  FOR_ALWAYS,
  onceValue,
  RoundtableError,
  safeDefault,
  type CommandOf,
  type DraftOf,
  type EventDraft,
  type UiRequestBody,
} from "../../protocol/index.ts";
import type { Approvals, Decision } from "./approvals.ts";
import { checkAnswer } from "./check-answer.ts";
import { withConsent } from "./consents.ts";
import { fitEvent } from "../fit-event.ts";
import type { Ledger } from "../ledger.ts";
import { REQUESTS_OPEN_MAX, TIMER_MS_MAX } from "../limits.ts";
import { coversIn, NOT_STORED } from "./remembered-approvals.ts";
import type { Turn, UserRequest } from "../turn/turn.ts";

export interface RequestsOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly approvals: Approvals;
  readonly answerAgent: (turn: Turn, callId: string, result: AnswerResult) => void;
}

const SHOWN_CALL_CHARS_MAX = 300;

interface OpenRequest {
  readonly requestId: string;
  readonly callId: string;
  readonly turn: Turn;
  /** As shown, with our own choices. */
  readonly request: UiRequestBody;
  /** The agent's own value for allowing once. */
  readonly once: string | undefined;
  /** The call in question, where it is shown. */
  readonly toolCallId: string | undefined;
  readonly cancelTimeout: () => void;
  readonly resumeTool: () => void;
}

type Asker = Pick<OpenRequest, "turn" | "callId" | "request" | "once" | "toolCallId">;

export class Requests {
  readonly #options: RequestsOptions;
  readonly #open = new Map<string, OpenRequest>();

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  open(turn: Turn, event: UserRequest, toolCallId: string | undefined, limitMs: number): void {
    const { approvals } = this.#options;
    const { callId } = event;
    const original = withConsent(event.request, event.consent);
    const once = original.method === "approval" ? onceValue(original) : undefined;
    const request = original.method === "approval" ? approvals.offer(original, turn.identity.member) : original;
    const draft = requestDraft(turn, { ...event, request }, toolCallId, limitMs);
    const refusal = this.#refusalOf(turn, event) ?? unfitness(draft, once);
    if (refusal !== undefined) {
      this.#refuse(turn, event, refusal);
      return;
    }
    if (request.method === "approval" && this.#decide({ turn, callId, request, once, toolCallId })) return;
    this.#show({ turn, callId, once }, draft);
  }

  #show(asker: Pick<OpenRequest, "turn" | "callId" | "once">, draft: DraftOf<"ui_request">): void {
    const { ledger, clock } = this.#options;
    const { requestId, request, timeoutMs, toolCallId } = draft;
    const cancelTimeout = clock.after(timeoutMs, () => this.#expire(requestId));
    const resumeTool = toolCallId === undefined ? () => {} : asker.turn.pauseTool(toolCallId);
    this.#open.set(requestId, { ...asker, requestId, request, toolCallId, cancelTimeout, resumeTool });
    ledger.append([draft]);
  }

  /** True when a rule or grant has answered it; the log says which. */
  #decide(one: Asker & { request: Approval }): boolean {
    const { ledger, approvals } = this.#options;
    const { turn, request, toolCallId } = one;
    const ruling = approvals.judgeRequest(request, turn.identity.member);
    if (ruling === undefined || ruling.verdict === "ask") return false;
    ledger.append([fitEvent(decisionDraft(turn, request, ruling, toolCallId))]);
    const answer: AnswerResult =
      ruling.verdict === "allow" ? { result: ALLOW_ONCE, error: null } : { result: false, error: denialOf(ruling) };
    this.#answerWhenDurable(one, answer);
    return true;
  }

  /** Throws when the request is unknown, already closed, or the answer does not fit. */
  answer({ requestId, result, error, reason: given, by }: CommandOf<"answer">, clientId: string): void {
    const { ledger } = this.#options;
    const one = this.#find(requestId);
    const isDeclined = error !== undefined && error !== null;
    const reason = given?.trim() ?? "";
    const answered: AnswerResult = {
      ...(isDeclined ? { result: safeDefault(one.request.method), error } : { result, error: null }),
      ...(reason === "" ? {} : { reason }),
    };
    checkAnswer(one.request, answered.result, answered.reason);
    this.#close(one);
    const who = { clientId, ...(by === undefined ? {} : { by }) };
    ledger.append([fitEvent({ type: "ui_response", ...stampOf(one.turn), requestId, ...answered, ...who })]);
    if (answered.result === FOR_ALWAYS) this.#persistAlways(one);
    this.#answerWhenDurable(one, answered);
    if (isLasting(answered.result)) this.#answerCovered(who);
  }

  /** A new grant also answers open requests that it covers. */
  #answerCovered(who: { clientId: string; by?: string }): void {
    const { ledger, approvals } = this.#options;
    for (const one of this.#open.values()) {
      const { request, requestId, turn } = one;
      if (request.method !== "approval") continue;
      if (approvals.judgeRequest(request, turn.identity.member)?.verdict !== "allow") continue;
      const answered = { result: ALLOW_ONCE, error: null };
      this.#close(one);
      ledger.append([fitEvent({ type: "ui_response", ...stampOf(turn), requestId, ...answered, ...who })]);
      this.#answerWhenDurable(one, answered);
    }
  }

  /** The agent may act at once, so the answer is durable first. A turn stopped meanwhile does not act. */
  #answerWhenDurable(one: Asker, answer: AnswerResult): void {
    const { ledger, answerAgent } = this.#options;
    markCall(one, answer);
    ledger.committed().then(
      () => answerAgent(one.turn, one.callId, one.turn.isSettled ? cancelled(one) : forAgent(one, answer)),
      () => undefined, // The log was closed, and so is the agent.
    );
  }

  #persistAlways({ request, requestId, turn }: OpenRequest): void {
    const { ledger, approvals } = this.#options;
    approvals.persistAlways(coversIn(request) ?? []).catch((thrown: unknown) => {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      const message = `The approval applies to this session only, because it could not be saved: ${why}`;
      ledger.append([fitEvent({ type: "warning", ...stampOf(turn), code: NOT_STORED, message, requestId })]);
    });
  }

  /** Closes the turn's requests in the log; the agent is told after the turn has settled. */
  cancelOf(turn: Turn): void {
    const { ledger, answerAgent } = this.#options;
    for (const one of [...this.#open.values()].filter((each) => each.turn === turn)) {
      this.#close(one);
      ledger.append([{ type: "ui_cancelled", ...stampOf(turn), requestId: one.requestId, reason: "cancelled" }]);
      queueMicrotask(() => answerAgent(turn, one.callId, cancelled(one)));
    }
  }

  /** The agent withdrew it and is told nothing. Closed requests stay as they are. */
  withdraw(turn: Turn, callId: string): void {
    const one = [...this.#open.values()].find((each) => each.turn === turn && each.callId === callId);
    if (one === undefined) return;
    this.#close(one);
    this.#options.ledger.append([
      { type: "ui_cancelled", ...stampOf(turn), requestId: one.requestId, reason: "cancelled" },
    ]);
  }

  #find(requestId: string): OpenRequest {
    const one = this.#open.get(requestId);
    if (one !== undefined) return one;
    const how = this.#options.ledger.memory.requests.closedHow(requestId);
    if (how === undefined) throw new RoundtableError("unknown_request", `There is no request "${requestId}".`);
    throw new RoundtableError("conflict", `Request "${requestId}" is already closed: ${how}.`);
  }

  #close(one: OpenRequest): void {
    one.cancelTimeout();
    one.resumeTool();
    this.#open.delete(one.requestId);
  }

  #expire(requestId: string): void {
    const one = this.#open.get(requestId);
    if (one === undefined) return;
    this.#close(one);
    const { ledger, answerAgent } = this.#options;
    ledger.append([{ type: "ui_cancelled", ...stampOf(one.turn), requestId, reason: "expired" }]);
    const answer = { result: safeDefault(one.request.method), error: "expired" };
    markCall(one, answer);
    answerAgent(one.turn, one.callId, answer);
  }

  #refusalOf(turn: Turn, event: UserRequest): string | undefined {
    if (this.#open.size >= REQUESTS_OPEN_MAX) return `${REQUESTS_OPEN_MAX} requests are already open`;
    const isRepeat = [...this.#open.values()].some((one) => one.turn === turn && one.callId === event.callId);
    return isRepeat ? `its call "${event.callId}" is already open` : undefined;
  }

  #refuse(turn: Turn, { request, callId }: UserRequest, why: string): void {
    const stamp = stampOf(turn);
    const message = `A request from ${stamp.member} ("${request.title}") was not shown: ${why}.`;
    this.#options.ledger.append([fitEvent({ type: "warning", ...stamp, code: "request_refused", message })]);
    this.#options.answerAgent(turn, callId, { result: safeDefault(request.method), error: why });
  }
}

function denialOf({ by, reason }: Decision): string {
  return `a user rule denies it (${by})${reason === undefined ? "" : `: ${reason}`}`;
}

function stampOf(turn: Turn): { turnId: string; member: string } {
  return { turnId: turn.identity.turnId, member: turn.identity.member };
}

function cancelled({ request }: Pick<OpenRequest, "request">): AnswerResult {
  return { result: safeDefault(request.method), error: "cancelled" };
}

/** The agent is told its own "once" or `false`, whatever was chosen: nothing wider is ever granted to it. */
function forAgent({ request, once }: Asker, answer: AnswerResult): AnswerResult {
  if (request.method !== "approval") return answer;
  const { result } = answer;
  const isYes = answer.error === null && (result === ALLOW_ONCE || isLasting(result));
  return { ...answer, result: isYes ? (once ?? false) : false };
}

/** A denied call ends as denied, whatever the agent reports. */
function markCall(one: Asker, answer: AnswerResult): void {
  const { request, toolCallId, turn } = one;
  if (request.method !== "approval" || toolCallId === undefined) return;
  turn.denyTool(toolCallId, forAgent(one, answer).result === false ? denialReason(answer) : undefined);
}

function denialReason({ error, reason }: AnswerResult): string {
  if (reason !== undefined) return reason;
  if (error === null) return "the user denied it";
  return error === "expired" ? "nobody answered in time" : error;
}

/** On the call itself where it is shown; otherwise as a notice. */
function decisionDraft(
  turn: Turn,
  request: Approval,
  { verdict, by, grant }: Decision,
  toolCallId: string | undefined,
): EventDraft {
  const what = `${verdict === "allow" ? "Allowed" : "Denied"} without asking: ${by}`;
  if (toolCallId !== undefined) {
    const decided = { verdict: verdict === "allow" ? "allow" : "deny", by: grant ?? "rule" } as const;
    return { type: "tool_call_update", ...stampOf(turn), toolCallId, detail: what, decided };
  }
  const call =
    request.call.length > SHOWN_CALL_CHARS_MAX ? `${request.call.slice(0, SHOWN_CALL_CHARS_MAX)}…` : request.call;
  return { type: "ui_notify", ...stampOf(turn), notifyType: "info", message: `${request.tool} ${call}\n${what}` };
}

function requestDraft(
  turn: Turn,
  { request, timeoutMs = Infinity }: UserRequest,
  toolCallId: string | undefined,
  limitMs: number,
): DraftOf<"ui_request"> {
  return {
    type: "ui_request",
    ...stampOf(turn),
    requestId: newId(),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    request,
    timeoutMs: Math.max(1, Math.min(timeoutMs, limitMs, TIMER_MS_MAX)),
    default: safeDefault(request.method),
  };
}

/** Why a request cannot be shown in full: a user must not approve, choose or edit something shown in part. */
function unfitness(draft: DraftOf<"ui_request">, once: string | undefined): string | undefined {
  if (fitEvent(draft) !== draft) return "it exceeds the size limit of an event";
  const { request } = draft;
  if (request.method !== "approval") return undefined;
  if (once === undefined) return "it offers no way to allow it once";
  if (request.callHash === hashOf(request.call)) return undefined;
  return "its hash is not the SHA-256 of the call that it shows";
}

function hashOf(call: string): string {
  return createHash("sha256").update(call).digest("hex");
}
