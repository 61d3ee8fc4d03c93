/**
 * One WebSocket of a client of assistant. What it says is taken one after the other, in order; each bad frame is
 * answered with an error of that protocol and the connection lives, except where the protocol closes it.
 * Longer than other files: every frame of the protocol is handled here, on the state of one connection.
 */
import type { WebSocket } from "ws";
import type { Clock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/ids.ts";
import { toAnswerError, type Ack, type Command, type UiRequestBody } from "../../../src/protocol/index.ts";
import * as assistant from "../format/assistant.ts";
import { sendCommand, type ServedHost } from "../../../src/server/index.ts";
import { interactionCommand } from "./interaction-command.ts";
import type { LoadOrder } from "./load-order.ts";
import { MessageRate } from "./message-rate.ts";
import type { MarkStore } from "./session-marks.ts";
import { nameOrNewest, ourId } from "./session-names.ts";
import { CLIENT_ID, type RoomListener, type SessionRoom, type SessionRooms } from "./session-room.ts";
import { titleSession } from "./session-title.ts";
import { errorFrame, refusedFrame } from "./wire-errors.ts";

/** Frames of one connection that wait for the one before them. A page with many sessions sends about sixty at once. */
const WAITING_MAX = 4_096;
/** All of them together. */
const WAITING_BYTES_MAX = 32 * 1024 * 1024;
/** A client with more than this unread is let go; it loads everything anew when it comes back. */
const BACKLOG_BYTES_MAX = 16 * 1024 * 1024;
/** The longest id that a send of ours may carry. */
const CLIENT_MESSAGE_ID_MAX = 64;
/** How many of its own messages a connection remembers until they come back. */
const SENT_REMEMBERED_MAX = 256;

export interface WireSocketDeps {
  readonly host: ServedHost;
  readonly clock: Clock;
  readonly rooms: SessionRooms;
  readonly loads: LoadOrder;
  readonly marks: MarkStore;
  /** Why this client may not answer it. */
  readonly refusalFor: (request: UiRequestBody) => Promise<string | undefined>;
}

type SessionSubscription = { readonly room: SessionRoom; readonly listener: RoomListener };
type Of<Type extends assistant.ClientFrame["type"]> = assistant.ClientFrameOf<Type>;
type CommandBody = Command extends infer One ? (One extends Command ? Omit<One, "commandId"> : never) : never;

export class WireSocket {
  readonly #socket: WebSocket;
  readonly #deps: WireSocketDeps;
  readonly #subscriptions = new Map<string, SessionSubscription>();
  readonly #ready = new Set<string>();
  /** Messages that came from here: their echo is for the others. */
  readonly #sent = new Set<string>();
  readonly #rate: MessageRate;
  #modes: { inputMode: assistant.IoMode; outputMode: assistant.IoMode } = { inputMode: "text", outputMode: "text" };
  #hasInteractions = false;
  #isGreeted = false;
  #isClosed = false;
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;
  #waitingBytes = 0;

  constructor(socket: WebSocket, deps: WireSocketDeps, onClose: () => void) {
    this.#socket = socket;
    this.#deps = deps;
    this.#rate = new MessageRate(deps.clock);
    // "close" always follows.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#leaveAll();
      onClose();
    });
    socket.on("message", (data: Buffer, isBinary: boolean) => this.#onMessage(data, isBinary));
  }

  isSubscribed(name: string): boolean {
    return this.#subscriptions.has(name);
  }

  send(frame: assistant.ServerFrame): void {
    this.#sendText(JSON.stringify(frame));
  }

  close(code: number, reason: string): void {
    this.#leaveAll();
    this.#socket.close(code, reason);
  }

  #sendText(text: string): void {
    if (this.#isClosed) return;
    if (this.#socket.bufferedAmount > BACKLOG_BYTES_MAX) return this.close(1013, "the client reads too slowly");
    // The error of a send is the error of the socket, and that ends in "close".
    this.#socket.send(text, { binary: false }, () => {});
  }

  #leaveAll(): void {
    this.#isClosed = true;
    const subscriptions = [...this.#subscriptions.values()];
    this.#subscriptions.clear();
    for (const { room, listener } of subscriptions) room.leave(listener);
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    if (this.#isClosed) return;
    if (isBinary) return this.send(errorFrame("audio_not_supported", "Sound is not taken here, only text."));
    const read = assistant.readClientFrame(data.toString());
    if ("error" in read) return this.send(read.error);
    const { frame } = read;
    if (frame.type === "ping") return this.#answerPing(frame);
    if (frame.type === "set_modes") return this.#setModes(frame);
    // What panels tell each other is nothing that a session knows.
    if (frame.type === "panel_event") return;
    if (frame.type === "set_interaction_mode") return this.#showInteractions();
    const tooMany = frame.type === "text_input" ? this.#rate.tryConsume() : undefined;
    if (tooMany !== undefined) return this.send(tooMany);
    this.#enqueue(() => this.#do(frame), data.length);
  }

  #enqueue(work: () => Promise<void>, bytes: number): void {
    if (this.#waiting >= WAITING_MAX || this.#waitingBytes + bytes > WAITING_BYTES_MAX) {
      return this.send(errorFrame("rate_limit_messages", "Too much is under way here.", { retryable: true }));
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
    if (interaction?.supported === true) this.#hasInteractions = true;
    if (protocolVersion !== 1 && protocolVersion !== assistant.ASSISTANT_PROTOCOL) {
      const message = `Protocol version ${protocolVersion} is not spoken here, only ${assistant.ASSISTANT_PROTOCOL}.`;
      this.send(errorFrame("unsupported_protocol_version", message));
      return this.close(1000, "session closed");
    }
    try {
      const given = frame.sessionId?.trim() ?? "";
      if (protocolVersion === 1 || subscriptions === undefined) return await this.#attach(given);
      const names = subscriptions.map((one) => one.trim()).filter((one) => one !== "");
      for (const name of new Set(given === "" ? names : [given, ...names])) await this.#subscribeTo(name);
    } catch (error) {
      const details = { error: toAnswerError(error).message };
      this.send(
        errorFrame("internal_error", "The sessions of hello could not be opened.", { retryable: true, details }),
      );
      this.close(1000, "session closed");
    }
  }

  /** As version 1 has it: one session, the given one or the newest, without a word about the subscription. */
  async #attach(given: string): Promise<void> {
    const { host, marks } = this.#deps;
    const name = nameOrNewest(await marks.read(), await host.listSessions(), given);
    await this.#enter(name);
    this.#sendReady(name);
  }

  async #subscribe(name: string): Promise<void> {
    if (name === "") return this.send(errorFrame("invalid_session_id", "The id of a session must not be empty."));
    try {
      await this.#subscribeTo(name);
    } catch (error) {
      const details = { sessionId: name, error: toAnswerError(error).message };
      const message = "The session could not be subscribed to.";
      this.send(errorFrame("subscription_error", message, { retryable: true, details }));
    }
  }

  async #subscribeTo(name: string): Promise<void> {
    await this.#enter(name);
    const subscription = this.#subscriptions.get(name);
    if (subscription === undefined) return;
    this.#deps.loads.noteSubscribed(subscription.room.sessionId);
    this.send({ type: "subscribed", sessionId: name });
    this.#sendReady(name);
  }

  /** Asking again costs nothing: a page does that dozens of times. */
  async #enter(name: string): Promise<void> {
    if (this.#subscriptions.get(name)?.room.transcript.head.archived === false) return;
    const { rooms, marks } = this.#deps;
    const sessionId = ourId(await marks.read(), name);
    if (sessionId === undefined) throw new Error(`There is no session ${name}.`);
    const room = await rooms.open(sessionId, name);
    const listener = this.#listenerOf(name);
    room.enter(listener);
    if (this.#isClosed) room.leave(listener);
    else this.#subscriptions.set(name, { room, listener });
  }

  #listenerOf(name: string): RoomListener {
    return {
      knowsInteractions: () => this.#hasInteractions,
      onFrame: ({ echoOf }, text) => {
        if (echoOf === undefined || !this.#sent.delete(echoOf)) this.#sendText(text);
      },
      // The one frame on which a client loads the whole session again.
      restart: () => {
        this.#ready.delete(name);
        this.#sendReady(name);
      },
      lost: (reason) => {
        if (this.#subscriptions.delete(name)) this.close(1012, `a session was lost: ${reason}`.slice(0, 120));
      },
    };
  }

  /** Once a session and connection; what waits in the queue and that something runs follow: nothing else would tell it. */
  #sendReady(name: string): void {
    const subscription = this.#subscriptions.get(name);
    if (subscription === undefined || this.#ready.has(name)) return;
    this.#ready.add(name);
    const { head } = subscription.room.transcript;
    const { current, available } = assistant.modelsOf(head);
    this.send({
      type: "session_ready",
      protocolVersion: assistant.ASSISTANT_PROTOCOL,
      sessionId: name,
      ...this.#modes,
      ...(available.length === 0 ? {} : { availableModels: available }),
      ...(current === undefined ? {} : { currentModel: current }),
    });
    for (const [at, item] of head.queue.entries()) this.send(assistant.queuedFrame(name, item, at + 1));
    for (const { frame } of subscription.room.busyFrames) this.send(frame);
  }

  /** Whether they can be answered or only looked at just now is the page's own affair. */
  #showInteractions(): void {
    if (this.#hasInteractions) return;
    this.#hasInteractions = true;
    for (const { room } of this.#subscriptions.values())
      for (const { frame } of room.openInteractions) this.send(frame);
  }

  async #answer(frame: Of<"tool_interaction_response">): Promise<void> {
    const subscription = this.#findSubscription(frame.sessionId);
    if (subscription === undefined) return;
    const meant = await interactionCommand(subscription.room, frame, this.#deps.refusalFor);
    if (meant.type === "error") return this.send(meant);
    const ack = await this.#command(subscription, meant);
    if (!ack.ok) this.#refuse(subscription, ack);
  }

  async #unsubscribe(name: string): Promise<void> {
    if (name === "") return this.send(errorFrame("invalid_session_id", "The id of a session must not be empty."));
    const subscription = this.#subscriptions.get(name);
    this.#subscriptions.delete(name);
    this.#ready.delete(name);
    subscription?.room.leave(subscription.listener);
    this.send({ type: "unsubscribed", sessionId: name });
  }

  async #sendMessage({ sessionId, text, clientMessageId }: Of<"text_input">): Promise<void> {
    const subscription = this.#findSubscription(sessionId);
    if (subscription === undefined) return;
    const body = assistant.withoutPanelLine(text.trim()).trim();
    if (body === "") return this.send(errorFrame("empty_text", "A message must have a text."));
    const isUsable = clientMessageId !== undefined && clientMessageId !== "";
    const fits = isUsable && clientMessageId.length <= CLIENT_MESSAGE_ID_MAX;
    titleSession(this.#deps, subscription.room, body);
    const first = fits ? await this.#addMessage(subscription, body, clientMessageId) : undefined;
    // An id that stands for another text already is no reason to refuse: assistant's server does not look at it.
    const needsNewId = first === undefined || (!first.ok && first.error.code === "conflict");
    const ack = needsNewId
      ? await this.#addMessage(subscription, body, `${assistant.OWN_MESSAGE_PREFIX}${newId()}`)
      : first;
    if (!ack.ok) this.#refuse(subscription, ack);
  }

  async #addMessage(subscription: SessionSubscription, text: string, clientMessageId: string): Promise<Ack> {
    this.#rememberSent(clientMessageId);
    const ack = await this.#command(subscription, { type: "queue_add", text, clientMessageId });
    if (!ack.ok) this.#sent.delete(clientMessageId);
    return ack;
  }

  #rememberSent(id: string): void {
    this.#sent.add(id);
    const [oldest] = this.#sent;
    if (this.#sent.size > SENT_REMEMBERED_MAX && oldest !== undefined) this.#sent.delete(oldest);
  }

  /** Only cancelling output does anything, the rest is about sound. Which session is said where there are several. */
  async #control({ action, target, sessionId, audioEndMs }: Of<"control">): Promise<void> {
    if (action !== "cancel" || target !== "output") return;
    const [only = "", ...others] = this.#subscriptions.keys();
    const subscription = this.#findSubscription(sessionId ?? (others.length === 0 ? only : ""));
    if (subscription === undefined) return;
    const audio = audioEndMs === undefined ? {} : { audioTruncatedAtMs: audioEndMs };
    const own = await this.#command(subscription, { type: "interrupt", scope: "own", ...audio });
    if (!own.ok) return this.#refuse(subscription, own);
    if (countIn(own, "stopped") > 0)
      return countIn(own, "othersRunning") > 0 ? undefined : this.#promoteNext(subscription);
    // Whoever presses stop at this screen means what runs on it, whichever program began it.
    if (Object.keys(subscription.room.transcript.head.openTurns).length === 0) return;
    const all = await this.#command(subscription, { type: "interrupt", scope: "all", ...audio });
    return all.ok ? this.#promoteNext(subscription) : this.#refuse(subscription, all);
  }

  /** A cancel is of what runs: with these clients the next message in the queue goes on, and they could not send it off. */
  async #promoteNext(subscription: SessionSubscription): Promise<void> {
    const next = subscription.room.transcript.head.queue.find((item) => item.clientId === CLIENT_ID);
    if (next === undefined) return;
    // Refused when it has left the queue meanwhile, and then it needs nobody.
    await this.#command(subscription, { type: "queue_promote", messageId: next.messageId });
  }

  async #cancelQueued(messageId: string): Promise<void> {
    if (messageId === "") {
      return this.send(errorFrame("invalid_queued_message_id", "The id of a queued message must not be empty."));
    }
    const subscription = [...this.#subscriptions.values()].find(({ room }) =>
      room.transcript.head.queue.some((item) => item.messageId === messageId),
    );
    const ack =
      subscription === undefined ? undefined : await this.#command(subscription, { type: "queue_remove", messageId });
    if (ack?.ok === true) return;
    const details = { messageId };
    this.send(errorFrame("queued_message_not_found", "This message is not in the queue, or no longer.", { details }));
  }

  async #setModel({ sessionId, model }: Of<"set_session_model">): Promise<void> {
    const wanted = model.trim();
    if (wanted === "") return this.send(errorFrame("invalid_model", "The name of a model must not be empty."));
    const subscription = this.#findSubscription(sessionId);
    if (subscription === undefined) return;
    const [only, ...others] = Object.values(subscription.room.transcript.head.members).filter(
      (member) => member.seated,
    );
    if (only === undefined || others.length > 0) {
      const message = "The model can be chosen where one member sits; here several do, each with its own.";
      return this.send(errorFrame("model_not_supported", message));
    }
    const ack = await this.#command(subscription, { type: "switch_model", member: only.name, model: wanted });
    if (!ack.ok) this.#refuse(subscription, ack);
  }

  /** Says why not, when the session is not one of this connection's. */
  #findSubscription(given: string): SessionSubscription | undefined {
    const name = given.trim();
    const subscription = this.#subscriptions.get(name);
    if (subscription?.room.transcript.head.archived === true) {
      this.send(errorFrame("session_deleted", "This session has been deleted. Choose another one."));
      return undefined;
    }
    if (subscription !== undefined) return subscription;
    if (!this.#isGreeted && this.#subscriptions.size === 0) {
      this.send(errorFrame("session_not_ready", "Say hello first, and which sessions you want."));
    } else if (name === "") this.send(errorFrame("invalid_session_id", "The id of a session must not be empty."));
    else {
      const message = "This connection is not subscribed to that session.";
      this.send(errorFrame("invalid_session_id", message, { details: { sessionId: name } }));
    }
    return undefined;
  }

  #command({ room }: SessionSubscription, body: CommandBody): Promise<Ack> {
    const { host, clock } = this.#deps;
    const command: Command = { ...body, commandId: newId() };
    return sendCommand({ host, clock }, CLIENT_ID, { frame: "command", sessionId: room.sessionId, command });
  }

  #refuse({ room }: SessionSubscription, ack: Extract<Ack, { ok: false }>): void {
    this.send(refusedFrame(ack.error, { sessionId: room.name }));
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
