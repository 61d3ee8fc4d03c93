/**
 * One question: sent, followed until every addressee has settled, and stopped on timeout or by the user. Stopping
 * interrupts our turns and waits for them to settle, so that no open turn stays in the log.
 */
import { attachFile, viewSession, type AttachedFile, type Client } from "../../client/index.ts";
import { newId } from "../../kit/ids.ts";
import { commandResult, granted, isConsent, RoundtableError, type SessionEvent } from "../../protocol/index.ts";
import {
  describeRequest,
  membersInOrder,
  messageAt,
  belongsTo,
  findQuestion,
  isAnswered,
  isLeftToOthers,
  type OpenRequest,
  type Transcript,
  type UserMessage,
} from "../../transcript/index.ts";
import { shorten, noticeLine } from "../print/block-lines.ts";
import { checkAddressees, checkMembers } from "../members/members.ts";
import { lostDirectoryMessage } from "../sessions/directory.ts";
import { answersTo } from "./answers.ts";
import { declinedHint, type Approver, type Declined } from "./approver.ts";
import type { ChosenSession } from "./choose-session.ts";
import type { Output } from "./output.ts";
import { resultOf, type Ending, type ResultLine } from "./result.ts";
import { costLimitMessage, heldBackMessage, timeLimitMessage, type RunLimit } from "./run-limits.ts";

/** Time for interrupted turns to settle before exiting anyway; the next writer closes them. */
const SETTLE_MS = 10_000;
/** Time for a failing store to recover. */
const STORE_PATIENCE_MS = 5000;

/** Longer timers fire immediately in Node. */
const TIMER_MS_MAX = 2_000_000_000;

/** Events after which cost limits are checked. */
const WEIGHED: ReadonlySet<string> = new Set(["usage", "turn_start", "turn_end"]);

/** Limit of the result; stderr lists all of them. */
const DECLINED_MAX = 200;

export interface QuestionOptions {
  client: Client;
  output: Output;
  startMs: number;
  warn: (line: string) => void;
  approver: Approver;
  /** Members allowed in a read-only session without a guard. */
  allowUnguarded?: readonly string[] | undefined;
  /** Limits of this run. */
  limits?: readonly RunLimit[];
}

export interface Asking {
  text: string;
  files?: readonly AttachedFile[];
  to?: string[];
  /** Discussion rounds after the first answers; the session's setting when absent. */
  rounds?: number;
  timeoutMs?: number;
}

export class Question {
  readonly #options: QuestionOptions;
  readonly #clientMessageId = newId();
  readonly #over = Promise.withResolvers<void>();
  #sessionId: string | undefined;
  #transcript: Transcript | undefined;
  #question: UserMessage | undefined;
  #ending: Ending = "answered";
  #pauseMessage: string | undefined;
  /** Members not asked because of the turn limit. */
  #heldBack: readonly string[] = [];
  /** Requests answered or being answered. */
  readonly #answered = new Set<string>();
  readonly #declined = new Set<Declined>();
  /** Turns stopped by our interrupt; their ends arrive before `output_cancelled`. */
  #stoppedTurns: number | undefined;
  #isCancelled = false;
  #isNew = false;
  #isSent = false;
  #isRefused = false;
  #timeoutMs: number | undefined;
  #timers: NodeJS.Timeout[] = [];
  #storeTimer: NodeJS.Timeout | undefined;

  constructor(options: QuestionOptions) {
    this.#options = options;
    // It may reject before `ask` awaits it; the error is reported then.
    this.#over.promise.catch(() => {});
  }

  async ask({ sessionId, isNew, begun }: ChosenSession, asking: Asking): Promise<ResultLine> {
    const { client } = this.#options;
    const { to } = asking;
    this.#sessionId = sessionId;
    this.#isNew = isNew;
    client.onStore((notice) => this.#storeChanged(notice));
    client.onClose((reason) =>
      this.#over.reject(new RoundtableError("closed", `the host closed the connection: ${reason}`)),
    );
    const view = await viewSession(client, sessionId, {
      from: isNew ? "beginning" : "now",
      onChange: (transcript, events) => this.#changed(transcript, events),
      onLost: (error) => this.#over.reject(error),
    });
    const lost = isNew ? undefined : lostDirectoryMessage(view.transcript.head.cwd);
    if (lost !== undefined) this.#options.warn(lost);
    // Members of a new session were checked on creation, and the view may not have them yet.
    if (to !== undefined && !isNew) checkAddressees(to, memberNames(view.transcript));
    if (!isNew) checkMembers(this.#options.allowUnguarded ?? [], memberNames(view.transcript), "--allow-unguarded");
    try {
      const within = await this.#withinTurns(asking, view.transcript, begun);
      if (this.#ending === "answered") this.#send(within).catch(this.#over.reject);
      else this.#over.resolve();
      await this.#over.promise;
      if (this.#ending === "answered" && this.#heldBack.length > 0) this.#ending = "limit";
    } finally {
      for (const timer of this.#timers) clearTimeout(timer);
      view.close();
    }
    return this.result();
  }

  /** Current result; final once `ask` has resolved. */
  result(): ResultLine {
    const { startMs } = this.#options;
    const transcript = this.#transcript;
    const question = this.#question;
    return resultOf({
      sessionId: this.hasLeftEmpty ? undefined : this.#sessionId,
      durationMs: performance.now() - startMs,
      ending: this.#ending,
      answers: transcript === undefined || question === undefined ? [] : answersTo(transcript, question),
      declined: [...this.#declined],
      ...(this.#pauseMessage === undefined ? {} : { message: this.#pauseMessage }),
    });
  }

  /** The session was made for this message, and refused it or never got it. */
  get hasLeftEmpty(): boolean {
    const isUnsent = this.#ending !== "answered" && !this.#isSent;
    return this.#isNew && (this.#isRefused || isUnsent);
  }

  /** Stops the question early. The first reason wins. */
  stop(reason: Exclude<Ending, "answered">): void {
    if (this.#ending !== "answered") return;
    this.#ending = reason;
    if (this.#sessionId === undefined) return;
    void this.#interrupt(this.#sessionId);
  }

  /** Limits the addressees to the turn limit. */
  async #withinTurns(asking: Asking, { head }: Transcript, begun: ChosenSession["begun"]): Promise<Asking> {
    const limit = this.#options.limits?.find((one) => one.limit === "turns");
    if (limit === undefined) return asking;
    const { members, cwd } = begun ?? { members: memberNames({ head }), cwd: head.cwd };
    const muted = Object.values(head.members).flatMap((member) => (member.muted ? [member.name] : []));
    const { heldBack, ...within } = await addresseesWithin(limit.max, asking, { members, muted, cwd });
    this.#heldBack = heldBack;
    if (heldBack.length > 0) this.#reportLimit(heldBackMessage(limit, heldBack));
    return { ...asking, ...within };
  }

  #reportLimit(message: string): void {
    this.#pauseMessage ??= message;
    this.#options.warn(message);
  }

  /** Stops running turns, unless they are being stopped already. */
  #reach(message: string): void {
    if (this.#ending !== "answered") return;
    this.#reportLimit(message);
    this.stop("limit");
  }

  async #send({ text, files = [], to, rounds, timeoutMs }: Asking): Promise<void> {
    this.#timeoutMs = timeoutMs;
    if (timeoutMs !== undefined) this.#after(timeoutMs, () => this.stop("timeout"));
    const time = this.#options.limits?.find(({ limit }) => limit === "minutes");
    if (time !== undefined)
      this.#after(Math.min(time.max * 60_000, TIMER_MS_MAX), () => this.#reach(timeLimitMessage(time)));
    const { client } = this.#options;
    const sessionId = this.#sessionId ?? "";
    const attachments = await Promise.all(files.map((file) => attachFile(client, sessionId, file)));
    if (this.#ending !== "answered") return this.#over.resolve();
    this.#isSent = true;
    const ack = await client.command(sessionId, {
      type: "send",
      text,
      ...(attachments.length === 0 ? {} : { attachments }),
      clientMessageId: this.#clientMessageId,
      ...(to === undefined ? {} : { to }),
      ...(rounds === undefined ? {} : { rounds }),
    });
    this.#isRefused = !ack.ok;
    granted(ack);
    // Stopped while the message was being sent: interrupt what it started.
    if (this.#ending !== "answered") await this.#interrupt(sessionId);
  }

  async #interrupt(sessionId: string): Promise<void> {
    this.#after(SETTLE_MS, () => this.#over.resolve());
    try {
      const timeoutMs = this.#ending === "timeout" ? this.#timeoutMs : undefined;
      const late = timeoutMs === undefined ? {} : { timeoutMs };
      const ack = await this.#options.client.command(sessionId, { type: "interrupt", scope: "own", ...late });
      await this.#withdraw(sessionId);
      const { stopped } = ack.ok ? commandResult("interrupt", ack) : { stopped: 1 };
      this.#stoppedTurns = (this.#stoppedTurns ?? 0) + stopped;
    } catch (error) {
      this.#over.reject(error);
      return;
    }
    if (this.#question === undefined || this.#isSettled()) this.#over.resolve();
  }

  /** A message left in the queue would be answered later, for nobody. */
  async #withdraw(sessionId: string): Promise<void> {
    const waiting = this.#transcript?.head.queue.find((item) => item.clientMessageId === this.#clientMessageId);
    if (waiting !== undefined) {
      await this.#options.client.command(sessionId, { type: "queue_remove", messageId: waiting.messageId });
    }
  }

  #changed(transcript: Transcript, events: readonly SessionEvent[]): void {
    this.#transcript = transcript;
    this.#options.output.events(events);
    this.#question = this.#findQuestion(transcript);
    for (const event of events) this.#notice(event);
    if (this.#question === undefined) return;
    this.#answerAll(transcript, this.#question);
    this.#options.output.show(transcript, this.#question);
    if (this.#isSettled()) this.#over.resolve();
    else if (events.some(({ type }) => WEIGHED.has(type))) this.#weigh(transcript, this.#question);
  }

  #weigh(transcript: Transcript, question: UserMessage): void {
    const reached = costLimitMessage(this.#options.limits ?? [], transcript, question);
    if (reached !== undefined) this.#reach(reached);
  }

  #findQuestion(transcript: Transcript): UserMessage | undefined {
    if (this.#question === undefined) return findQuestion(transcript, this.#clientMessageId);
    const now = messageAt(transcript, this.#question.position);
    return now?.kind === "user" ? now : this.#question;
  }

  #isSettled(): boolean {
    const [transcript, question] = [this.#transcript, this.#question];
    if (transcript === undefined || question === undefined) return false;
    if (isAnswered(transcript, question)) return true;
    // Turns of other clients continue: our interrupt does not stop them, and they may take long.
    const isStopped = this.#stoppedTurns === 0 || (this.#stoppedTurns !== undefined && this.#isCancelled);
    return isStopped && isLeftToOthers(transcript, question);
  }

  #notice(event: SessionEvent): void {
    if (event.type === "output_cancelled" && event.scope === "own") this.#isCancelled = true;
    if (event.type === "council_paused" && event.why === "limit" && this.#ending === "answered") {
      this.#ending = "limit";
      this.#pauseMessage = withoutCommand(event.message);
    }
    // Notices of a turn are printed in it.
    const notice = event.turnId === undefined ? noticeLine(event) : undefined;
    if (notice?.isImportant === true) this.#options.warn(withoutCommand(notice.text));
  }

  /**
   * Answers requests by rule or safe default at once instead of waiting for their timeout: nobody can answer in a
   * one-shot run. Reads open requests, not events, which are not repeated after a resync. Skips requests from before.
   */
  #answerAll(transcript: Transcript, question: UserMessage): void {
    for (const one of transcript.head.requests) {
      const turn = one.turnId === undefined ? undefined : transcript.head.openTurns[one.turnId];
      if (one.seq < question.seq || turn === undefined || !belongsTo(question, turn)) continue;
      if (this.#answered.has(one.requestId)) continue;
      this.#answered.add(one.requestId);
      this.#settle(one, transcript).catch(this.#over.reject);
    }
  }

  async #settle(openRequest: OpenRequest, { head }: Transcript): Promise<void> {
    const { client, approver, allowUnguarded, warn } = this.#options;
    const { request, requestId, member } = openRequest;
    const asker = {
      member,
      kind: head.members[member]?.spec.kind,
      cwd: head.cwd,
      writable: head.settings?.writable === true,
    };
    const consent = isConsent(request) && allowUnguarded?.includes(member) === true ? { answer: true } : undefined;
    const decision = request.method === "approval" ? await approver(request, asker) : consent;
    const isAllowed = decision !== undefined && "answer" in decision;
    const result = isAllowed ? decision.answer : openRequest.default;
    const sending = client.command(this.#sessionId ?? "", { type: "answer", requestId, result });
    if (isAllowed) return void (await sending);
    const declined = decision?.declined;
    const { what } = describeRequest(openRequest);
    const outcome =
      request.method === "approval" ? "denied" : openRequest.default === false ? "answered no" : "left unanswered";
    const more = declined === undefined ? "" : declinedHint(declined);
    warn(`${member} asks: ${shorten(what)}: ${outcome}, because a one-shot run cannot ask you${more}`);
    if (declined !== undefined && this.#declined.size < DECLINED_MAX) this.#declined.add(declined);
    // Answered by another client first: then it was not declined.
    if (!(await sending).ok && declined !== undefined) this.#declined.delete(declined);
  }

  /** A full disk may recover in a moment, but a script must not wait for it forever. */
  #storeChanged({ sessionId, state, message }: Parameters<Parameters<Client["onStore"]>[0]>[0]): void {
    if (sessionId !== this.#sessionId || state === "slow") return;
    clearTimeout(this.#storeTimer);
    this.#storeTimer = undefined;
    if (state === "ok") return;
    this.#options.warn(message);
    const hint = "Acknowledged messages are saved. Free some space, then continue with --resume";
    this.#storeTimer = this.#after(STORE_PATIENCE_MS, () =>
      this.#over.reject(
        new RoundtableError("store_unavailable", `the store did not recover within ${STORE_PATIENCE_MS / 1000} s`, {
          hint,
        }),
      ),
    );
  }

  #after(ms: number, callback: () => void): NodeJS.Timeout {
    const timer = setTimeout(callback, ms);
    this.#timers.push(timer);
    return timer;
  }
}

/** Removes the slash command from a pause message: a one-shot run cannot type it. */
function withoutCommand(message: string): string {
  return message.replace(/ \/continue allows [^.]*(?:\.\d[^.]*)*\.?$/, "");
}

/** Empty for a new session whose members are not folded yet. */
function memberNames({ head }: Pick<Transcript, "head">): string[] {
  return membersInOrder(head).map((member) => member.name);
}

/** Addressees of a question under a turn limit: the first ones that fit. */
interface Addressed {
  readonly text: string;
  readonly to?: string[];
}

interface Within extends Addressed {
  /** Addressees beyond the limit. */
  readonly heldBack: readonly string[];
}

interface SessionMembers {
  /** In speaking order. */
  readonly members: readonly string[];
  readonly muted: readonly string[];
  /** Resolves a leading @name that may be a file. */
  readonly cwd: string;
}

/** Throws for an unknown member, like the session. */
async function addresseesWithin(
  turns: number,
  { text, to }: Addressed,
  { members, muted, cwd }: SessionMembers,
): Promise<Within> {
  const same = { text, ...(to === undefined ? {} : { to }), heldBack: [] };
  if (members.length <= turns) return same;
  const [{ addressOf, fileMentionIn }, { listFiles }] = await Promise.all([
    import("../../session/index.ts"),
    import("../../host/index.ts"),
  ]);
  const message = { text, to };
  const file = await fileMentionIn(message, members, (query, limit) => listFiles(cwd, query, limit));
  const address = addressOf(message, members, file);
  const isMeant = (name: string) => address.toAll || address.names.includes(name);
  const names = members.filter((name) => isMeant(name) && !muted.includes(name));
  if (names.length <= turns) return same;
  return { text: address.text, to: names.slice(0, turns), heldBack: names.slice(turns) };
}
