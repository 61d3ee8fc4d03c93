/**
 * The screen's connection to a host: the shown session and commands for it. Usable before the connection is up:
 * commands wait for it.
 */
import {
  changePlan,
  type Client,
  type CommandBody,
  type ConnectionState,
  type PlannedSession,
  planSession,
  readHead,
} from "../../../client/index.ts";
import type { Clock } from "../../../kit/clock.ts";
import { newId } from "../../../kit/ids.ts";
import {
  type Ack,
  type SearchAnswer,
  type SearchQuery,
  type SeenAs,
  type SessionSummary,
  toAnswerError,
} from "../../../protocol/index.ts";
import { addressed, isRunning, type Transcript } from "../../../transcript/index.ts";
import type { Upload } from "./attached-files.ts";
import type { ScreenOptions, ScreenConnection } from "../options.ts";
import { followSeenAs } from "./follow-seen-as.ts";
import { openSessionFeed } from "./session-feed.ts";
import { newShown, type Shown } from "./shown.ts";

export interface ConversationOptions extends Pick<ScreenOptions, "connect" | "createSession" | "introduce"> {
  readonly onChange: () => void;
  readonly onError: (message: string) => void;
  /** Clears an error that no longer applies. */
  readonly onOver?: (message: string) => void;
  /** A session was created with its first message. */
  readonly onBegun: (sessionId: string) => void;
  /** Opening another session failed, so the previous one is shown again; undefined for a new one. */
  readonly onReturned?: (sessionId: string | undefined) => void;
  /** The host is lost for good. */
  readonly onLost: (error: Error) => void;
  readonly clock?: Clock | undefined;
}

export interface SendOptions {
  readonly upload?: Upload | undefined;
  /** Undefined where the running message or the text decides. */
  readonly to?: readonly string[] | undefined;
}

const CONNECTING: ConnectionState = { state: "reconnecting", attempt: 0, nextInMs: 0, reason: "connecting" };
export const ONLINE: ConnectionState = { state: "online", attempt: 0, nextInMs: 0, reason: "" };

/** Commands that set members to work. */
const STARTING: ReadonlySet<CommandBody["type"]> = new Set(["continue", "retry", "queue_promote", "round"]);

export class Conversation {
  readonly #options: ConversationOptions;
  readonly #connected = Promise.withResolvers<ScreenConnection>();
  /** Resolves with the first opened session; earlier messages are meant for it. */
  readonly #chosen = Promise.withResolvers<void>();
  #host: ScreenConnection | undefined;
  #shown = newShown();
  /** The previous session, followed while another opens and shown again if that fails. */
  #before: Shown | undefined;
  #uploads: Promise<unknown> = Promise.resolve();
  #underWay: Promise<unknown> | undefined;
  #introduction: Promise<readonly string[]> | undefined;
  /** A new session as configured. */
  #unchanged: PlannedSession | undefined;
  #isChosen = false;
  #isClosed = false;
  #connection: ConnectionState = CONNECTING;

  constructor(options: ConversationOptions) {
    this.#options = options;
    // May reject before anyone awaits it; `connect` reports it.
    this.#connected.promise.catch(() => {});
  }

  get host(): ScreenConnection | undefined {
    return this.#host;
  }

  get sessionId(): string | undefined {
    return this.#shown.sessionId;
  }

  get transcript(): Transcript | undefined {
    return this.#shown.transcript;
  }

  get seenAs(): SeenAs | undefined {
    return this.#shown.seenAs;
  }

  /** The first session has been chosen. */
  get isChosen(): boolean {
    return this.#isChosen;
  }

  get connection(): ConnectionState {
    return this.#connection;
  }

  get isRunning(): boolean {
    const { transcript } = this.#shown;
    return transcript !== undefined && isRunning(transcript.head);
  }

  /** What runs was started by another screen, or by this one before it was closed. */
  get isElsewhere(): boolean {
    const { startedSeq, transcript } = this.#shown;
    const turns = Object.values(transcript?.head.openTurns ?? {});
    return turns.length > 0 && (startedSeq === undefined || turns.every(({ seq }) => seq <= startedSeq));
  }

  /** This screen has sent a message to the session, or set its members to work; it may not be shown yet. */
  get hasStarted(): boolean {
    return this.#shown.startedSeq !== undefined;
  }

  /** Names of members with running turns. */
  get working(): readonly string[] {
    const turns = Object.values(this.#shown.transcript?.head.openTurns ?? {});
    return [...new Set(turns.filter(({ depth }) => depth === 0).map(({ member }) => member))];
  }

  async connect(): Promise<Client> {
    try {
      const host = await this.#options.connect();
      this.#host = host;
      this.#watch(host.client);
      this.#connected.resolve(host);
      this.#options.onChange();
      return host.client;
    } catch (error) {
      this.#connected.reject(error);
      throw error;
    }
  }

  #watch(client: ScreenConnection["client"]): void {
    const { onChange, onLost, onError, onOver } = this.#options;
    const problems = new Map<string, string>();
    // One that reconnects ends for a reason that says what to do.
    client.onClose((reason) => onLost(new Error("onState" in client ? reason : `the host went away: ${reason}`)));
    client.onStore(({ sessionId, state, message }) => {
      const problem = problems.get(sessionId);
      if (problem !== undefined) onOver?.(problem);
      problems.delete(sessionId);
      if (state === "ok" || sessionId !== this.sessionId) return;
      problems.set(sessionId, message);
      onError(message);
    });
    if (!("onState" in client)) return void (this.#connection = ONLINE);
    this.#connection = client.state;
    client.onState((state) => {
      this.#connection = state;
      onChange();
    });
  }

  /** Later messages go to this session. Rejects when it cannot be opened; then the previous one is shown again. */
  async open(sessionId: string | undefined): Promise<void> {
    const { feed, opening } = this.#shown;
    if (sessionId !== undefined && sessionId === this.sessionId && (feed ?? opening) !== undefined)
      return await opening;
    const before = this.#before;
    // A session is followed once, and this one still is.
    if (sessionId !== undefined && before?.feed !== undefined && before.sessionId === sessionId) {
      return this.#goBackTo(before);
    }
    const next = newShown(sessionId);
    if (this.#before === undefined) this.#before = this.#shown;
    // Overtaken by another open: if it were followed, it could not be followed again when picked later.
    else this.#shown.left.abort();
    this.#shown = next;
    this.#options.onChange();
    this.#isChosen = true;
    this.#chosen.resolve();
    try {
      if (sessionId !== undefined) await this.#follow(next, sessionId);
    } catch (error) {
      if (this.#shown === next && this.#before !== undefined) {
        this.#goBackTo(this.#before);
        this.#options.onReturned?.(this.sessionId);
      }
      throw error;
    }
    if (this.#shown !== next) return;
    this.#before?.left.abort();
    this.#before = undefined;
  }

  #goBackTo(before: Shown): void {
    this.#shown.left.abort();
    this.#shown = before;
    this.#before = undefined;
    this.#options.onChange();
  }

  #follow(shown: Shown, sessionId: string): Promise<void> {
    const following = this.#openFeed(shown, sessionId).finally(() => (shown.opening = undefined));
    return (shown.opening = following);
  }

  async #openFeed(shown: Shown, sessionId: string): Promise<void> {
    const { client, seenAs } = await this.#connected.promise;
    const { clock, onChange, onError } = this.#options;
    const { signal } = shown.left;
    const update = (news: Partial<Pick<Shown, "transcript" | "seenAs">>): void => {
      Object.assign(shown, news);
      if (this.#shown === shown && !this.#isClosed) onChange();
    };
    if (seenAs !== undefined && shown.seenAs === undefined) {
      const onRead = (read: SeenAs): void => update({ seenAs: read });
      // Names can be missing, the session cannot.
      await followSeenAs(() => seenAs(sessionId), { onRead, signal, clock }).catch(() => {});
    }
    try {
      shown.feed = await openSessionFeed(client, sessionId, {
        onChange: (transcript) => update({ transcript }),
        onError,
        signal,
      });
    } catch (error) {
      if (shown.left.signal.aborted) return;
      // A stale transcript would look as if it were live.
      shown.transcript = undefined;
      throw error;
    }
  }

  loadPage(page: number): void {
    this.#shown.feed?.loadPage(page);
  }

  async loadAll(): Promise<Transcript | undefined> {
    return (await this.#shown.feed?.loadAll()) ?? this.transcript;
  }

  /** Position of the message with this seq in the shown session. */
  async positionOf(seq: number): Promise<number | undefined> {
    return await this.#shown.feed?.positionOf(seq);
  }

  async search(query: string, rest: Omit<SearchQuery, "words"> = {}): Promise<SearchAnswer> {
    const { client } = await this.#connected.promise;
    return await client.search({ words: query, ...rest });
  }

  async sessions(): Promise<readonly SessionSummary[]> {
    const { client } = await this.#connected.promise;
    return await client.list();
  }

  /** Another session as it is now, without its older pages. */
  async read(sessionId: string): Promise<Transcript> {
    const { client } = await this.#connected.promise;
    return await readHead(client, sessionId);
  }

  async commandTo(sessionId: string, body: CommandBody): Promise<Ack> {
    const { client } = await this.#connected.promise;
    return await client.command(sessionId, body);
  }

  async deleteSession(sessionId: string): Promise<void> {
    const { client } = await this.#connected.promise;
    await client.deleteSession(sessionId);
  }

  async command(body: CommandBody): Promise<Ack> {
    const { sessionId } = this;
    if (sessionId === undefined) return await this.#plan(body);
    const { client } = await this.#connected.promise;
    if (STARTING.has(body.type)) this.#shown.startedSeq = this.transcript?.head.seq ?? 0;
    return await client.command(sessionId, body);
  }

  /** The session that starts with the next message; undefined until the configuration has been read. */
  get planned(): PlannedSession | undefined {
    return this.#shown.planned ?? this.#unchanged;
  }

  /** Reads the configuration once. Resolves with lines for the user. */
  introduce(): Promise<readonly string[]> {
    this.#introduction ??= this.#options.introduce().then(({ defaults, lines }) => {
      this.#unchanged = planSession(defaults);
      this.#options.onChange();
      return lines;
    });
    return this.#introduction;
  }

  async #plan(body: CommandBody): Promise<Ack> {
    // Commands entered before the first session is chosen are meant for it.
    await this.#chosen.promise;
    const shown = this.#shown;
    const planned = await this.#plannedFor(shown);
    // Its error is shown with the message that was to create it.
    await shown.creating?.catch(() => undefined);
    if (shown.sessionId !== undefined) return await this.command(body);
    try {
      shown.planned = changePlan(shown.planned ?? planned, body);
    } catch (error) {
      return { commandId: newId(), ok: false, error: toAnswerError(error) };
    }
    this.#options.onChange();
    return { commandId: newId(), ok: true, seq: 0 };
  }

  async #plannedFor(shown: Shown): Promise<PlannedSession> {
    await this.introduce();
    const planned = shown.planned ?? this.#unchanged;
    if (planned === undefined) throw new Error("The configuration has not been read.");
    return planned;
  }

  /** Until every message is acknowledged or rejected: it may start a turn. */
  get underWay(): Promise<unknown> | undefined {
    return this.#underWay;
  }

  /** Steers while members run; the acknowledgement says how it was delivered. */
  async send(text: string, how: "send" | "queue", options: SendOptions = {}): Promise<Ack> {
    const acked = this.#send(text, how, options);
    const all = Promise.allSettled([this.#underWay, acked]);
    this.#underWay = all;
    void all.then(() => {
      if (this.#underWay === all) this.#underWay = undefined;
    });
    return await acked;
  }

  async #send(text: string, how: "send" | "queue", { upload, to }: SendOptions): Promise<Ack> {
    const clientMessageId = newId();
    await this.#chosen.promise;
    const type = how === "queue" ? "queue_add" : this.isRunning ? "steer" : "send";
    const message = to === undefined ? addressed(text, this.transcript) : { text, to: [...to] };
    if (!this.isRunning) this.#shown.startedSeq = this.transcript?.head.seq ?? 0;
    const sessionId = await this.#sessionFor(text);
    const { client } = await this.#connected.promise;
    const attachments = await this.#inTurn(upload === undefined ? undefined : () => upload(client, sessionId));
    const files = attachments === undefined ? {} : { attachments };
    return await client.command(sessionId, { type, ...message, clientMessageId, ...files });
  }

  /** Keeps the order: a message with slow uploads must not be overtaken. */
  async #inTurn<Value>(work: (() => Promise<Value>) | undefined): Promise<Value | undefined> {
    const before = this.#uploads;
    if (work === undefined) {
      await before;
      return undefined;
    }
    const mine = before.then(work);
    // Reported where it is awaited.
    this.#uploads = mine.catch(() => undefined);
    return await mine;
  }

  /** Two quick first messages must not create two sessions. */
  async #sessionFor(text: string): Promise<string> {
    const shown = this.#shown;
    const { sessionId, feed, opening } = shown;
    if (shown.creating === undefined && sessionId !== undefined && (feed ?? opening) !== undefined) return sessionId;
    shown.creating ??= this.#begin(shown, text).finally(() => (shown.creating = undefined));
    return await shown.creating;
  }

  /** A session that was created but could not be followed is not created again. */
  async #begin(shown: Shown, text: string): Promise<string> {
    const { client } = await this.#connected.promise;
    const create = async () => await this.#options.createSession(client, text, await this.#plannedFor(shown));
    const sessionId = shown.sessionId ?? (await create());
    const isNew = shown.sessionId === undefined;
    shown.sessionId = sessionId;
    if (this.#shown !== shown && this.#before !== shown) return sessionId;
    if (isNew && this.#shown === shown) this.#options.onBegun(sessionId);
    await this.#follow(shown, sessionId);
    return sessionId;
  }

  /** Round-trip time in milliseconds. */
  async ping(): Promise<number> {
    const { client } = await this.#connected.promise;
    const begun = performance.now();
    await client.list();
    return performance.now() - begun;
  }

  close(): void {
    this.#isClosed = true;
    this.#shown.left.abort();
    this.#before?.left.abort();
  }
}
