/** One session of an editor: prompts become messages or commands, events become updates, requests are forwarded. */
import type { AgentContext, PromptResponse, SessionUpdate, StopReason } from "@agentclientprotocol/sdk";
import { type Client, AttachedSession } from "../../src/client/index.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import {
  belongsTo,
  findQuestion,
  isAnswered,
  isCutOff,
  isQuiet,
  isRunning,
  loadedMessages,
  namedTitle,
  type OpenRequest,
  type Transcript,
} from "../../src/transcript/index.ts";
import * as acpAgent from "./format/acp-agent.ts";
import { askEditor, ownCallOf, type EditorAbilities } from "./ask-editor.ts";
import { runRoundtableCommand } from "./roundtable-command.ts";

const SETTLE_MS = 10_000;
/** Limit of unread updates; later changes are sent once the editor has read them. */
const UNREAD_MAX = 512;
/** Refusals of an answer to a request that nobody needs to answer any more. */
const CLOSED: ReadonlySet<string> = new Set(["conflict", "unknown_request"]);

export interface AcpSessionOptions {
  readonly client: Client;
  readonly editor: AgentContext;
  readonly abilities: EditorAbilities;
  readonly sessionId: string;
  readonly isNew: boolean;
  readonly onLost: (error: Error) => void;
}

export class AcpSession {
  readonly attached: AttachedSession;
  readonly #options: AcpSessionOptions;
  readonly #pending = new Map<string, AbortController>();
  /** Requests that the editor shows as calls of their own. */
  readonly #ownCalls = new Set<string>();
  #updates: acpAgent.SessionUpdates | undefined;
  #alone: string | undefined;
  #isPausedByLimit = false;
  #cancels = 0;
  /** The last update being sent; a prompt is answered only after it. */
  #sent: Promise<unknown> = Promise.resolve();
  #unread = 0;

  private constructor(options: AcpSessionOptions, attached: AttachedSession) {
    this.#options = options;
    this.attached = attached;
  }

  static async open(options: AcpSessionOptions): Promise<AcpSession> {
    let session: AcpSession | undefined;
    const room = () => (session === undefined || session.#unread < UNREAD_MAX ? undefined : session.#sent);
    const onGap = (message: string) => {
      if (session !== undefined) session.#sendText(`\n\n> ${message}\n\n`);
    };
    session = new AcpSession(options, await AttachedSession.open({ ...options, room, onGap }));
    return session;
  }

  get mode(): acpAgent.ChosenMode {
    const { settings } = this.attached.head;
    if (this.#alone !== undefined) return { kind: "one", member: this.#alone };
    return { kind: "table", mode: settings?.mode ?? "broadcast" };
  }

  /** Follows the session, with its history if the editor has not seen it. */
  async begin({ isRecalled }: { isRecalled: boolean }): Promise<void> {
    const transcript = await this.attached.begin((changed, events) => this.#changed(changed, events));
    this.#updates = new acpAgent.SessionUpdates(transcript, { clientId: this.#options.client.clientId });
    if (isRecalled) {
      this.#send(this.#updates.recall());
      const { state, message } = transcript.head.council;
      if (state === "paused" && message !== undefined) this.#sendText(`\n\n> ${message.replaceAll("\n", "\n> ")}\n\n`);
    }
    this.#send([{ sessionUpdate: "available_commands_update", availableCommands: [...acpAgent.roundtableCommands] }]);
    this.#followRequests(transcript);
    await this.#sent;
  }

  async prompt(text: string): Promise<PromptResponse> {
    const cancels = this.#cancels;
    this.#isPausedByLimit = false;
    this.#updates?.began();
    const command = acpAgent.parseRoundtableCommand(text);
    const stopReason = command === undefined ? await this.#ask(text, cancels) : undefined;
    if (command !== undefined) await this.#carryOut(command, cancels);
    await this.attached.flush();
    this.#send(this.#updates?.release() ?? []);
    await this.#sent;
    return { stopReason: stopReason ?? this.#stopReason(cancels) };
  }

  async cancel(): Promise<void> {
    this.#cancels += 1;
    const own = this.#options.client.clientId;
    await this.attached.command({ type: "interrupt", scope: "own" });
    for (const item of this.attached.head.queue) {
      if (item.clientId === own) await this.attached.command({ type: "queue_remove", messageId: item.messageId });
    }
    this.attached.recheck();
  }

  async setMode(chosen: acpAgent.ChosenMode): Promise<void> {
    this.#alone = chosen.kind === "one" ? chosen.member : undefined;
    if (chosen.kind === "table")
      await this.attached.commandOrThrow({ type: "set_settings", settings: { mode: chosen.mode } });
  }

  async settle(): Promise<void> {
    await this.attached.settle({ graceMs: 0, settleMs: SETTLE_MS });
    for (const controller of this.#pending.values()) controller.abort();
    this.attached.close();
  }

  /**
   * Sends the prompt and follows it until its discussion is over, or, if cancelled, until none of its turns runs. Resolves
   * with what all its turns have in common: interrupted, by whomever, or cut off at the model's output limit.
   */
  async #ask(text: string, cancels: number): Promise<StopReason | undefined> {
    const to = this.#alone === undefined ? undefined : [this.#alone];
    const clientMessageId = await this.attached.send(text, to);
    await this.attached.until((transcript) => {
      if (this.#cancels !== cancels) return !isRunning(transcript.head);
      const question = findQuestion(transcript, clientMessageId);
      return question !== undefined && isAnswered(transcript, question);
    });
    const { transcript } = this.attached;
    const question = findQuestion(transcript, clientMessageId);
    const turns =
      question === undefined ? [] : [...loadedMessages(transcript)].filter((one) => belongsTo(question, one));
    if (turns.length === 0) return undefined;
    if (turns.every((turn) => turn.end?.outcome === "interrupted")) return "cancelled";
    return this.#cancels === cancels && turns.every(isCutOff) ? "max_tokens" : undefined;
  }

  async #carryOut(command: acpAgent.RoundtableCommand, cancels: number): Promise<void> {
    const { message, isAwaited } = await runRoundtableCommand(this.attached, command);
    if (message !== "") this.#sendText(message);
    if (!isAwaited) return;
    await this.attached.until((transcript) => {
      return this.#cancels === cancels ? isQuiet(transcript.head) : !isRunning(transcript.head);
    });
  }

  #stopReason(cancels: number): StopReason {
    if (this.#cancels !== cancels) return "cancelled";
    return this.#isPausedByLimit ? "max_turn_requests" : "end_turn";
  }

  #changed(transcript: Transcript, events: readonly SessionEvent[]): void {
    if (this.#updates === undefined) return;
    this.#send(this.#updates.show(transcript, events));
    for (const event of events) {
      if (event.type === "council_paused" && event.why === "limit") this.#isPausedByLimit = true;
      if (event.type === "settings_changed" && event.settings.mode !== undefined && this.#alone === undefined) {
        this.#send([{ sessionUpdate: "current_mode_update", currentModeId: acpAgent.modeId(this.mode) }]);
      }
    }
    this.#followRequests(transcript);
  }

  #followRequests({ head }: Transcript): void {
    const open = new Set(head.requests.map((request) => request.requestId));
    for (const [requestId, controller] of this.#pending) {
      if (open.has(requestId)) continue;
      this.#pending.delete(requestId);
      controller.abort();
      if (this.#ownCalls.delete(requestId))
        this.#send([{ sessionUpdate: "tool_call_update", toolCallId: requestId, status: "completed" }]);
    }
    for (const request of head.requests) if (!this.#pending.has(request.requestId)) this.#pass(request);
  }

  #pass(request: OpenRequest): void {
    const controller = new AbortController();
    this.#pending.set(request.requestId, controller);
    const { editor, abilities, onLost } = this.#options;
    const { sessionId, head } = this.attached;
    const ownCall = ownCallOf(request, abilities);
    if (ownCall !== undefined) {
      this.#ownCalls.add(request.requestId);
      this.#send([{ sessionUpdate: "tool_call", ...ownCall, status: "pending" }]);
    }
    askEditor({ editor, abilities, sessionId, cwd: head.cwd, request, signal: controller.signal })
      .then(async (answer) => {
        // Requests of other clients' turns are theirs to answer, unless they are answered here.
        if (controller.signal.aborted || (!answer.isDecided && !this.attached.isOwnRequest(request))) return;
        const title = namedTitle(request.member, request.request.title);
        const report = (problem: string) => this.#sendText(`\n\n> ${title}: ${problem}\n\n`);
        if (answer.problem !== undefined) report(answer.problem);
        const { requestId } = request;
        const ack = await this.attached.command({ type: "answer", requestId, result: answer.result, by: "editor" });
        if (ack.ok || CLOSED.has(ack.error.code)) return;
        report(ack.error.message);
        // The editor has closed its question and cannot answer again.
        if (this.attached.isOwnRequest(request)) await this.attached.decline(request);
      })
      .catch(onLost);
  }

  #sendText(text: string): void {
    this.#send([{ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }]);
  }

  #send(updates: readonly SessionUpdate[]): void {
    const { editor, onLost } = this.#options;
    for (const update of updates) {
      this.#unread += 1;
      this.#sent = editor
        .notify("session/update", { sessionId: this.attached.sessionId, update })
        .catch(onLost)
        .finally(() => (this.#unread -= 1));
    }
  }
}
