/**
 * WebSocket of one assistant client. Frames are handled serially, in order; a bad frame is answered with an error of
 * that protocol and the connection stays open, except where the protocol closes it.
 */
import type { WebSocket } from "ws";
import type { Clock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/ids.ts";
import { toAnswerError, type Ack, type Command, type UiRequestBody } from "../../../src/protocol/index.ts";
import * as assistant from "../format/assistant.ts";
import { sendCommand } from "../../../src/server/index.ts";
import { interactionCommand } from "./interaction-command.ts";
import { MessageRate } from "./message-rate.ts";
import { CLIENT_ID, type SessionRoom } from "./session-room.ts";
import { sendTitled } from "./session-title.ts";
import { Subscriptions, type Modes, type SubscriptionDeps } from "./subscriptions.ts";
import { errorFrame, refusedFrame } from "./wire-errors.ts";

/** Queued frames of one connection. A page with many sessions sends about sixty at once. */
const WAITING_MAX = 4_096;
/** Size of all queued frames together. */
const WAITING_BYTES_MAX = 32 * 1024 * 1024;
/** A client with more unread bytes is disconnected; it reloads everything when it reconnects. */
const BACKLOG_BYTES_MAX = 16 * 1024 * 1024;
/** Longest `clientMessageId` that the core's protocol accepts. */
const CLIENT_MESSAGE_ID_MAX = 64;
/** Own messages remembered per connection until their echo arrives. */
const SENT_REMEMBERED_MAX = 256;

export interface WireSocketDeps extends SubscriptionDeps {
  readonly clock: Clock;
  /** Why this client may not answer the request; undefined when it may. */
  readonly refusalFor: (request: UiRequestBody) => Promise<string | undefined>;
}

type Of<Type extends assistant.ClientFrame["type"]> = assistant.ClientFrameOf<Type>;
type CommandBody = Command extends infer One ? (One extends Command ? Omit<One, "commandId"> : never) : never;

export class WireSocket {
  readonly #socket: WebSocket;
  readonly #deps: WireSocketDeps;
  readonly #subscriptions: Subscriptions;
  /** Messages sent by this connection: only the others get their echo. */
  readonly #sent = new Set<string>();
  readonly #rate: MessageRate;
  #modes: Modes = { inputMode: "text", outputMode: "text" };
  #isGreeted = false;
  #isClosed = false;
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;
  #waitingBytes = 0;

  constructor(socket: WebSocket, deps: WireSocketDeps, onClose: () => void) {
    this.#socket = socket;
    this.#deps = deps;
    this.#rate = new MessageRate(deps.clock);
    this.#subscriptions = new Subscriptions(deps, this);
    // "close" always follows.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#leaveAll();
      onClose();
    });
    socket.on("message", (data: Buffer, isBinary: boolean) => this.#onMessage(data, isBinary));
  }

  isSubscribed(name: string): boolean {
    return this.#subscriptions.room(name) !== undefined;
  }

  get modes(): Modes {
    return this.#modes;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(frame: assistant.ServerFrame): void {
    this.#sendText(JSON.stringify(frame));
  }

  close(code: number, reason: string): void {
    this.#leaveAll();
    this.#socket.close(code, reason);
  }

  forward({ echoOf }: assistant.MappedFrame, text: string): void {
    if (echoOf === undefined || !this.#sent.delete(echoOf)) this.#sendText(text);
  }

  #sendText(text: string): void {
    if (this.#isClosed) return;
    if (this.#socket.bufferedAmount > BACKLOG_BYTES_MAX) return this.close(1013, "the client reads too slowly");
    // The error of a send is the error of the socket, and that ends in "close".
    this.#socket.send(text, { binary: false }, () => {});
  }

  #leaveAll(): void {
    this.#isClosed = true;
    this.#subscriptions.removeAll();
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    if (this.#isClosed) return;
    if (isBinary) return this.send(errorFrame("audio_not_supported", "Audio is not supported here. Send text."));
    const read = assistant.readClientFrame(data.toString());
    if ("error" in read) return this.send(read.error);
    const { frame } = read;
    if (frame.type === "ping") return this.#answerPing(frame);
    if (frame.type === "set_modes") return this.#setModes(frame);
    // Messages between panels do not concern a session.
    if (frame.type === "panel_event") return;
    if (frame.type === "set_interaction_mode") return this.#subscriptions.showInteractions();
    const tooMany = frame.type === "text_input" ? this.#rate.tryConsume() : undefined;
    if (tooMany !== undefined) return this.send(tooMany);
    this.#enqueue(() => this.#do(frame), data.length);
  }

  #enqueue(work: () => Promise<void>, bytes: number): void {
    if (this.#waiting >= WAITING_MAX || this.#waitingBytes + bytes > WAITING_BYTES_MAX) {
      return this.send(
        errorFrame("rate_limit_messages", "Too many frames are waiting on this connection.", { retryable: true }),
      );
    }
    this.#waiting += 1;
    this.#waitingBytes += bytes;
    this.#tail = this.#tail.then(async () => {
      this.#waiting -= 1;
      this.#waitingBytes -= bytes;
      if (this.#isClosed) return;
      try {
        await work();
      } catch (error) {
        this.send(refusedFrame(toAnswerError(error), null));
      }
    });
  }

  #do(
    frame: Exclude<assistant.ClientFrame, Of<"ping" | "set_modes" | "panel_event" | "set_interaction_mode">>,
  ): Promise<void> {
    switch (frame.type) {
      case "hello":
        return this.#greet(frame);
      case "subscribe":
        return this.#subscribe(frame.sessionId.trim());
      case "unsubscribe":
        return this.#unsubscribe(frame.sessionId.trim());
      case "text_input":
        return this.#sendMessage(frame);
      case "control":
        return this.#control(frame);
      case "tool_interaction_response":
        return this.#answer(frame);
      case "cancel_queued_message":
        return this.#cancelQueued(frame.messageId.trim());
      default:
        return this.#setModel(frame);
    }
  }

  async #greet(frame: Of<"hello">): Promise<void> {
    if (this.#isGreeted) return this.send(errorFrame("duplicate_hello", "A hello frame was already received."));
    this.#isGreeted = true;
    const { protocolVersion, subscriptions, interaction } = frame;
    if (interaction?.supported === true) this.#subscriptions.knowsInteractions = true;
    if (protocolVersion !== 1 && protocolVersion !== assistant.ASSISTANT_PROTOCOL) {
      const message = `Protocol version ${protocolVersion} is not supported, only ${assistant.ASSISTANT_PROTOCOL}.`;
      this.send(errorFrame("unsupported_protocol_version", message));
      return this.close(1000, "session closed");
    }
    try {
      const given = frame.sessionId?.trim() ?? "";
      if (protocolVersion === 1 || subscriptions === undefined) return await this.#subscriptions.attach(given);
      const names = subscriptions.map((one) => one.trim()).filter((one) => one !== "");
      for (const name of new Set(given === "" ? names : [given, ...names])) await this.#subscriptions.add(name);
    } catch (error) {
      const details = { error: toAnswerError(error).message };
      this.send(
        errorFrame("internal_error", "The sessions named in hello could not be opened.", { retryable: true, details }),
      );
      this.close(1000, "session closed");
    }
  }

  async #subscribe(name: string): Promise<void> {
    if (name === "") return this.send(errorFrame("invalid_session_id", "The session id must not be empty."));
    try {
      await this.#subscriptions.add(name);
    } catch (error) {
      const details = { sessionId: name, error: toAnswerError(error).message };
      const message = "The session could not be subscribed to.";
      this.send(errorFrame("subscription_error", message, { retryable: true, details }));
    }
  }

  async #answer(frame: Of<"tool_interaction_response">): Promise<void> {
    const room = this.#findRoom(frame.sessionId);
    if (room === undefined) return;
    const meant = await interactionCommand(room, frame, this.#deps.refusalFor);
    if (meant.type === "error") return this.send(meant);
    const ack = await this.#command(room, meant);
    if (!ack.ok) this.#refuse(room, ack);
  }

  async #unsubscribe(name: string): Promise<void> {
    if (name === "") return this.send(errorFrame("invalid_session_id", "The session id must not be empty."));
    this.#subscriptions.remove(name);
    this.send({ type: "unsubscribed", sessionId: name });
  }

  async #sendMessage({ sessionId, text, clientMessageId }: Of<"text_input">): Promise<void> {
    const room = this.#findRoom(sessionId);
    if (room === undefined) return;
    const body = assistant.withoutPanelLine(text.trim()).trim();
    if (body === "") return this.send(errorFrame("empty_text", "The message is empty."));
    const isUsable = clientMessageId !== undefined && clientMessageId !== "";
    const fits = isUsable && clientMessageId.length <= CLIENT_MESSAGE_ID_MAX;
    const ack = await sendTitled(this.#deps, room, body, () =>
      this.#addMessage(room, body, fits ? clientMessageId : undefined),
    );
    if (!ack.ok) this.#refuse(room, ack);
  }

  async #addMessage(room: SessionRoom, text: string, clientMessageId: string | undefined): Promise<Ack> {
    const first = clientMessageId === undefined ? undefined : await this.#queue(room, text, clientMessageId);
    // An id already used for another text is accepted: assistant's own server does not check it.
    const needsNewId = first === undefined || (!first.ok && first.error.code === "conflict");
    return needsNewId ? this.#queue(room, text, `${assistant.OWN_MESSAGE_PREFIX}${newId()}`) : first;
  }

  async #queue(room: SessionRoom, text: string, clientMessageId: string): Promise<Ack> {
    this.#rememberSent(clientMessageId);
    const ack = await this.#command(room, { type: "queue_add", text, clientMessageId });
    if (!ack.ok) this.#sent.delete(clientMessageId);
    return ack;
  }

  #rememberSent(id: string): void {
    this.#sent.add(id);
    const [oldest] = this.#sent;
    if (this.#sent.size > SENT_REMEMBERED_MAX && oldest !== undefined) this.#sent.delete(oldest);
  }

  /**
   * Only cancelling output has an effect, the rest concerns audio. The session must be named when there are several.
   */
  async #control({ action, target, sessionId, audioEndMs }: Of<"control">): Promise<void> {
    if (action !== "cancel" || target !== "output") return;
    const [only = "", ...others] = this.#subscriptions.names;
    const room = this.#findRoom(sessionId ?? (others.length === 0 ? only : ""));
    if (room === undefined) return;
    const audio = audioEndMs === undefined ? {} : { audioTruncatedAtMs: audioEndMs };
    const own = await this.#command(room, { type: "interrupt", scope: "own", ...audio });
    if (!own.ok) return this.#refuse(room, own);
    if (countIn(own, "stopped") > 0) return countIn(own, "othersRunning") > 0 ? undefined : this.#promoteNext(room);
    // Stop covers every running turn on this screen, whichever program started it.
    if (Object.keys(room.transcript.head.openTurns).length === 0) return;
    const all = await this.#command(room, { type: "interrupt", scope: "all", ...audio });
    return all.ok ? this.#promoteNext(room) : this.#refuse(room, all);
  }

  /**
   * A cancel stops the running turn only: these clients expect the next queued message to run and cannot promote it.
   */
  async #promoteNext(room: SessionRoom): Promise<void> {
    const next = room.transcript.head.queue.find((item) => item.clientId === CLIENT_ID);
    if (next === undefined) return;
    // A refusal means that it has already left the queue.
    await this.#command(room, { type: "queue_promote", messageId: next.messageId });
  }

  async #cancelQueued(messageId: string): Promise<void> {
    if (messageId === "") {
      return this.send(errorFrame("invalid_queued_message_id", "The id of the queued message must not be empty."));
    }
    const room = this.#subscriptions.rooms.find(({ transcript }) =>
      transcript.head.queue.some((item) => item.messageId === messageId),
    );
    const ack = room === undefined ? undefined : await this.#command(room, { type: "queue_remove", messageId });
    if (ack?.ok === true) return;
    const details = { messageId };
    this.send(errorFrame("queued_message_not_found", "This message is not in the queue.", { details }));
  }

  async #setModel({ sessionId, model }: Of<"set_session_model">): Promise<void> {
    const wanted = model.trim();
    if (wanted === "") return this.send(errorFrame("invalid_model", "The model name must not be empty."));
    const room = this.#findRoom(sessionId);
    if (room === undefined) return;
    const [only, ...others] = Object.values(room.transcript.head.members).filter((member) => member.seated);
    if (only === undefined || others.length > 0) {
      const message = "The model can only be changed in a session with exactly one member.";
      return this.send(errorFrame("model_not_supported", message));
    }
    const ack = await this.#command(room, { type: "switch_model", member: only.name, model: wanted });
    if (!ack.ok) this.#refuse(room, ack);
  }

  /** Sends the reason when the connection is not subscribed to that session. */
  #findRoom(given: string): SessionRoom | undefined {
    const name = given.trim();
    const room = this.#subscriptions.room(name);
    if (room?.transcript.head.archived === true) {
      this.send(errorFrame("session_deleted", "This session has been deleted. Choose another one."));
      return undefined;
    }
    if (room !== undefined) return room;
    if (!this.#isGreeted && this.#subscriptions.names.length === 0) {
      this.send(errorFrame("session_not_ready", "Send a hello frame with the sessions you want first."));
    } else if (name === "") this.send(errorFrame("invalid_session_id", "The session id must not be empty."));
    else {
      const message = "This connection is not subscribed to that session.";
      this.send(errorFrame("invalid_session_id", message, { details: { sessionId: name } }));
    }
    return undefined;
  }

  #command({ sessionId }: SessionRoom, body: CommandBody): Promise<Ack> {
    const { host, clock } = this.#deps;
    const command: Command = { ...body, commandId: newId() };
    return sendCommand({ host, clock }, CLIENT_ID, { frame: "command", sessionId, command });
  }

  #refuse({ name }: SessionRoom, ack: Extract<Ack, { ok: false }>): void {
    this.send(refusedFrame(ack.error, { sessionId: name }));
  }

  #answerPing({ nonce }: Of<"ping">): void {
    const timestampMs = Math.trunc(this.#deps.clock.now());
    this.send({ type: "pong", ...(nonce === undefined ? {} : { nonce }), timestampMs });
  }

  #setModes({ inputMode, outputMode }: Of<"set_modes">): void {
    const had = this.#modes;
    const modes = { inputMode: inputMode ?? had.inputMode, outputMode: outputMode ?? had.outputMode };
    if (modes.inputMode === had.inputMode && modes.outputMode === had.outputMode) return;
    this.#modes = modes;
    this.send({ type: "modes_updated", ...modes });
  }
}

function countIn({ result }: Extract<Ack, { ok: true }>, name: "stopped" | "othersRunning"): number {
  const count = typeof result === "object" && result !== null && !Array.isArray(result) ? result[name] : 0;
  return typeof count === "number" ? count : 0;
}
