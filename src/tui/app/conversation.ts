/**
 * The screen's side of the talk: the seat at a host, the session that is shown, and wishes for it. Works before the seat
 * is there: what is sent meanwhile goes out as soon as it is.
 */
import type { Client, CommandBody, ConnectionState } from "../../client/index.ts";
import { newId } from "../../kit/ids.ts";
import type { Ack, SearchAnswer, SearchQuery, SessionSummary } from "../../protocol/index.ts";
import { isRunning, type Transcript } from "../../transcript/index.ts";
import { UsageError } from "../commands/command.ts";
import type { ScreenOptions, Seat } from "./screen-options.ts";
import { openSessionFeed, type SessionFeed } from "./session-feed.ts";

export interface ConversationOptions extends Pick<ScreenOptions, "connect" | "createSession"> {
  readonly onChange: () => void;
  readonly onTrouble: (message: string) => void;
  /** A session has begun with its first message. */
  readonly onBegun: (sessionId: string) => void;
  /** The host is gone for good. */
  readonly onLost: (error: Error) => void;
}

const CONNECTING: ConnectionState = { state: "reconnecting", attempt: 0, nextInMs: 0, reason: "connecting" };
export const ONLINE: ConnectionState = { state: "online", attempt: 0, nextInMs: 0, reason: "" };

export class Conversation {
  readonly #options: ConversationOptions;
  readonly #seated = Promise.withResolvers<Seat>();
  /** Resolves with the first session that is opened: what is sent before is meant for that one. */
  readonly #chosen = Promise.withResolvers<void>();
  #seat: Seat | undefined;
  #feed: SessionFeed | undefined;
  #transcript: Transcript | undefined;
  #sessionId: string | undefined;
  #creating: Promise<string> | undefined;
  /** Raised with every session that is opened, so that a late answer for the one before is not shown. */
  #opened = 0;
  #connection: ConnectionState = CONNECTING;

  constructor(options: ConversationOptions) {
    this.#options = options;
    // It may fail while nobody waits for it; `sitDown` reports it.
    this.#seated.promise.catch(() => {});
  }

  get seat(): Seat | undefined {
    return this.#seat;
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  get transcript(): Transcript | undefined {
    return this.#transcript;
  }

  get connection(): ConnectionState {
    return this.#connection;
  }

  get isRunning(): boolean {
    return this.#transcript !== undefined && isRunning(this.#transcript.head);
  }

  async sitDown(): Promise<Client> {
    try {
      const seat = await this.#options.connect();
      this.#seat = seat;
      this.#watch(seat.client);
      this.#seated.resolve(seat);
      this.#options.onChange();
      return seat.client;
    } catch (error) {
      this.#seated.reject(error);
      throw error;
    }
  }

  #watch(client: Seat["client"]): void {
    const { onChange, onLost, onTrouble } = this.#options;
    client.onClose((reason) => onLost(new Error(`the host went away: ${reason}`)));
    client.onStore(({ sessionId, state, message }) => {
      if (state !== "ok" && sessionId === this.#sessionId) onTrouble(message);
    });
    if (!("onState" in client)) {
      this.#connection = ONLINE;
      return;
    }
    this.#connection = client.state;
    client.onState((state) => {
      this.#connection = state;
      onChange();
    });
  }

  async open(sessionId: string | undefined): Promise<void> {
    const mine = ++this.#opened;
    this.#feed?.close();
    this.#feed = undefined;
    this.#transcript = undefined;
    this.#creating = undefined;
    this.#sessionId = sessionId;
    this.#options.onChange();
    this.#chosen.resolve();
    if (sessionId !== undefined) await this.#follow(sessionId, mine);
  }

  async #follow(sessionId: string, mine: number): Promise<void> {
    const { client } = await this.#seated.promise;
    const feed = await openSessionFeed(client, sessionId, {
      onChange: (transcript) => {
        if (this.#opened !== mine) return;
        this.#transcript = transcript;
        this.#options.onChange();
      },
      onTrouble: this.#options.onTrouble,
    });
    if (this.#opened === mine) this.#feed = feed;
    else feed.close();
  }

  loadPage(page: number): void {
    this.#feed?.loadPage(page);
  }

  async loadAll(): Promise<Transcript | undefined> {
    return (await this.#feed?.loadAll()) ?? this.#transcript;
  }

  /** Where the message of a seq is, in the session that is shown. */
  async positionOf(seq: number): Promise<number | undefined> {
    return await this.#feed?.positionOf(seq);
  }

  async search(query: SearchQuery): Promise<SearchAnswer> {
    const { client } = await this.#seated.promise;
    return await client.search(query);
  }

  async sessions(): Promise<readonly SessionSummary[]> {
    const { client } = await this.#seated.promise;
    return await client.list();
  }

  async deleteSession(sessionId: string): Promise<void> {
    const { client } = await this.#seated.promise;
    await client.deleteSession(sessionId);
  }

  async command(body: CommandBody): Promise<Ack> {
    const sessionId = this.#sessionId;
    if (sessionId === undefined) throw new UsageError("There is no session yet; it begins with your first message.");
    const { client } = await this.#seated.promise;
    return await client.command(sessionId, body);
  }

  /** While members run a message is steered into their turns; the acknowledgement says what became of it. */
  async send(text: string, how: "send" | "queue"): Promise<Ack> {
    const clientMessageId = newId();
    await this.#chosen.promise;
    const type = how === "queue" ? "queue_add" : this.isRunning ? "steer" : "send";
    const sessionId = await this.#sessionFor(text);
    const { client } = await this.#seated.promise;
    return await client.command(sessionId, { type, text, clientMessageId });
  }

  /** Two messages in a row before the first is through must not make two sessions. */
  async #sessionFor(text: string): Promise<string> {
    if (this.#sessionId !== undefined) return this.#sessionId;
    this.#creating ??= this.#create(text);
    try {
      return await this.#creating;
    } catch (error) {
      this.#creating = undefined;
      throw error;
    }
  }

  async #create(text: string): Promise<string> {
    const mine = this.#opened;
    const { client } = await this.#seated.promise;
    const sessionId = await this.#options.createSession(client, text);
    if (this.#opened !== mine) return sessionId;
    this.#sessionId = sessionId;
    this.#options.onBegun(sessionId);
    await this.#follow(sessionId, mine);
    return sessionId;
  }

  /** Milliseconds there and back. */
  async ping(): Promise<number> {
    const { client } = await this.#seated.promise;
    const begun = performance.now();
    await client.list();
    return performance.now() - begun;
  }

  close(): void {
    this.#opened += 1;
    this.#feed?.close();
  }
}
