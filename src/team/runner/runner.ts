/**
 * A runner: ships the shared sessions of its host to a team's server over one outward connection, and runs the commands
 * that come back. It lasts: a lost connection is made again, with growing pauses, on whichever node answers.
 */
import { createClient, createConnectionPair, retryDelayMs, type Client } from "../../client/index.ts";
import { createLiveRedaction, type Host } from "../../host/index.ts";
import { systemClock, type Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import {
  fromAnswerError,
  RoundtableError,
  toAnswerError,
  type Ack,
  type Cursor,
  type Json,
  type SessionEvent,
} from "../../protocol/index.ts";
import type { SessionNews, SessionSummary } from "../../protocol/index.ts";
import { ALIVE_MS, NodeFrame, readFrame, RUNNER_PROTOCOL } from "../frames.ts";
import type { Answer, Offer, Question, RunnerFrame, StartSession } from "../frames.ts";
import { isWithin } from "../people/may.ts";
import type { CommandJournal } from "./command-journal.ts";
import { CommandRunner } from "./run-commands.ts";
import type { NodeLink } from "./node-link.ts";
import { checkCommand, checkStart, type CheckedStart, type OwnerRules } from "./owner-rules.ts";
import { RedactedSession } from "./redacted-session.ts";
import { Shipment } from "./shipment.ts";
import { startHere } from "./start-session.ts";
import { Turns } from "./turns.ts";

export interface RunnerOptions {
  readonly host: Pick<Host, "serve" | "readBlob" | "putBlob" | "hostId" | "socketPath">;
  readonly dataDir: string;
  readonly connect: () => Promise<NodeLink>;
  readonly name: string;
  /** A secret by which the server knows this machine again. */
  readonly machine?: string;
  readonly version: string;
  readonly journal: CommandJournal;
  /** Nothing of any other session leaves the machine. */
  readonly isShared: (session: SessionSummary) => boolean;
  /** Sessions whose copies the server must not keep. */
  readonly unshared: () => readonly string[];
  /** Read again at every connection. */
  readonly offers: () => Promise<readonly Offer[]>;
  readonly rules: Omit<OwnerRules, "owner" | "offerFor">;
  /** Keys, tokens and home paths do not leave this machine. */
  readonly isRedacted?: boolean;
  readonly onState: (state: RunnerState) => void;
  readonly warn: (sentence: string) => void;
  readonly clock?: Clock;
}

export type RunnerState =
  | { readonly state: "connected"; readonly person: string }
  | { readonly state: "offline"; readonly reason: string }
  /** The server does not want it; trying again would not help. */
  | { readonly state: "refused"; readonly reason: string };

const FETCH_MS = 30_000;
/** Sessions that catch up at a time. */
const CATCHING_UP_MAX = 32;

export class Runner {
  readonly #options: RunnerOptions;
  readonly #clock: Clock;
  readonly #instance = newId();
  readonly #commands: CommandRunner;
  readonly #shared = new Map<string, SessionSummary>();
  readonly #shipments = new Map<string, Shipment>();
  readonly #turns = new Turns(CATCHING_UP_MAX);
  readonly #redacted = new Map<string, RedactedSession>();
  /** Called once, with undefined when the connection ends before the answer. */
  readonly #waiting = new Map<number, (answer: Answer | undefined) => void>();
  #lastId = 0;
  #offers: readonly Offer[] = [];
  #owner = "";
  #client: Client | undefined;
  #link: NodeLink | undefined;
  #attempt = 0;
  #receivedMs = 0;
  #farewell: Extract<NodeFrame, { frame: "goodbye" }> | undefined;
  #cancel = (): void => {};
  #isClosed = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const { host, journal } = options;
    this.#commands = new CommandRunner({
      host,
      journal,
      fetchBlob: (sessionId, sha256) => this.#fetchBlob(sessionId, sha256),
      check: ({ sessionId, sender, command }) => {
        const session = this.#shared.get(sessionId);
        if (session !== undefined) return checkCommand(this.#rules, { sender, command, session });
        throw new RoundtableError("unknown_session", "This session's machine no longer shares it.");
      },
      start: ({ sender, command }) => this.#startSession(command, checkStart(this.#rules, { sender, command })),
    });
  }

  async start(): Promise<void> {
    const [mine, theirs] = createConnectionPair();
    this.#options.host.serve(theirs);
    this.#client = await createClient(async () => mine, { clientId: "runner" });
    await this.#client.followList((news) => this.#onNews(news));
    void this.#connect();
  }

  /** Looks again at what is shared: what no longer is loses its copy on the server. */
  async reconsider(): Promise<void> {
    const sessions = (await this.#client?.list()) ?? [];
    this.#onNews({ isWhole: true, changed: sessions, gone: [] });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
    this.#link?.close("the runner is stopping");
    this.#commands.close();
    this.#client?.close();
  }

  #onNews({ changed }: SessionNews): void {
    for (const summary of changed) {
      const { sessionId, seq } = summary;
      if (this.#options.isShared(summary)) {
        this.#shared.set(sessionId, summary);
        this.#shipmentOf(sessionId)?.touch(seq);
      } else if (this.#shared.delete(sessionId)) {
        this.#shipments.get(sessionId)?.close();
        this.#shipments.delete(sessionId);
        this.#redacted.delete(sessionId);
        this.#send({ frame: "forget", sessionId });
      }
    }
  }

  /** Undefined while there is no connection. */
  #shipmentOf(sessionId: string): Shipment | undefined {
    const known = this.#shipments.get(sessionId);
    if (known !== undefined || this.#link === undefined || this.#client === undefined) return known;
    const { host, warn } = this.#options;
    const redacted = this.#redactedSession(sessionId, this.#client);
    const shipment = new Shipment(sessionId, {
      source: redacted ?? this.#client,
      turns: this.#turns,
      send: (question, onAnswer) => void this.#ask(question, (answer) => answer && onAnswer(answer)),
      readBlob: (id, sha256) => redacted?.readBlob(sha256) ?? host.readBlob(id, sha256),
      clock: this.#clock,
      warn,
    });
    this.#shipments.set(sessionId, shipment);
    return shipment;
  }

  /** Kept over connections: it has read the session from its beginning. Undefined where nothing is redacted. */
  #redactedSession(sessionId: string, client: Client): RedactedSession | undefined {
    const { isRedacted = false, host } = this.#options;
    if (!isRedacted) return undefined;
    const readBlob = (id: string, sha256: string) => host.readBlob(id, sha256);
    const redacted = this.#redacted.get(sessionId) ?? new RedactedSession(client, sessionId, readBlob);
    this.#redacted.set(sessionId, redacted);
    return redacted;
  }

  async #connect(): Promise<void> {
    if (this.#isClosed) return;
    this.#farewell = undefined;
    try {
      // Before there is a connection: a configuration that cannot be read must not leave one behind.
      this.#offers = await this.#options.offers();
      const offers = this.#offers.map((offer) => this.#shown(offer));
      const link = await this.#options.connect();
      if (this.#isClosed) return link.close("the runner is stopping");
      link.onFrame((frame) => this.#onFrame(frame, link));
      link.onClose((reason) => this.#onClose(link, reason));
      const { name, version, machine } = this.#options;
      const own = { name, instance: this.#instance, ...(machine === undefined ? {} : { machine }) };
      link.send({ frame: "hello", protocol: RUNNER_PROTOCOL, version, ...own, offers });
      this.#receivedMs = this.#clock.monotonic();
      this.#pulse(link);
    } catch (error) {
      const { message, hint } = toAnswerError(error);
      this.#retry(hint === undefined ? message : `${message} ${hint}`);
    }
  }

  #onFrame(value: unknown, link: NodeLink): void {
    this.#receivedMs = this.#clock.monotonic();
    const frame = readFrame(NodeFrame, value);
    if (frame === undefined)
      return link.close(
        "the server sent a message that this version does not understand; update Roundtable on this machine",
      );
    switch (frame.frame) {
      case "welcome":
        return this.#onWelcome(frame, link);
      case "alive":
        return undefined;
      case "goodbye":
        this.#farewell = frame;
        return undefined;
      case "command":
        return void this.#run(frame);
      case "head":
      case "blob":
      case "page":
      case "refused":
        return this.#onAnswer(frame.id, frame);
    }
  }

  #onAnswer(id: number, answer: Answer | undefined): void {
    const onAnswer = this.#waiting.get(id);
    this.#waiting.delete(id);
    onAnswer?.(answer);
  }

  #onWelcome({ person, personId }: Extract<NodeFrame, { frame: "welcome" }>, link: NodeLink): void {
    this.#link = link;
    this.#attempt = 0;
    this.#owner = personId;
    this.#options.onState({ state: "connected", person });
    for (const sessionId of this.#options.unshared()) this.#send({ frame: "forget", sessionId });
    for (const { sessionId, seq } of this.#shared.values()) this.#shipmentOf(sessionId)?.touch(seq);
  }

  async #run({ sessionId, sender, command }: Extract<NodeFrame, { frame: "command" }>): Promise<void> {
    const ack = await this.#commands.run({ sessionId, sender, command });
    // Lost with its connection: the server delivers the command again, and the journal knows the answer.
    this.#send({ frame: "done", sessionId, sender, command, ack: this.#withoutSecrets(sessionId, ack) });
  }

  /** Prompts, commands and addresses of members may hold secrets. */
  #shown(offer: Offer): Offer {
    if (this.#options.isRedacted !== true) return offer;
    const redaction = createLiveRedaction(async () => undefined);
    const { members, settings } = redaction.redactValue(offer as unknown as Json) as unknown as Offer;
    const named = members.map((one, at) => Object.assign(one, { name: offer.members[at]?.name ?? one.name }));
    return { folder: offer.folder, settings, members: named };
  }

  /** What a command found here leaves as the session does; why one did not begin leaves like what is offered. */
  #withoutSecrets(sessionId: string, ack: Ack): Ack {
    if (this.#options.isRedacted !== true) return ack;
    const redacted = this.#redacted.get(sessionId) ?? createLiveRedaction(async () => undefined);
    const { commandId, ...rest } = ack;
    return { ...(redacted.redactValue(rest as unknown as Json) as unknown as Ack), commandId };
  }

  get #rules(): OwnerRules {
    const offerFor = (cwd: string) => this.#offers.find(({ folder }) => isWithin(cwd, folder));
    return { ...this.#options.rules, owner: this.#owner, offerFor };
  }

  async #startSession(command: StartSession, checked: CheckedStart): Promise<string> {
    const { host, dataDir } = this.#options;
    if (this.#client === undefined) throw new RoundtableError("closed", "The runner is stopping.");
    const readEvents = (sessionId: string, after: Cursor) => this.#readEvents(sessionId, after);
    const fetchBlob = (sessionId: string, sha256: string) => this.#fetchBlob(sessionId, sha256);
    return await startHere({ host, dataDir, client: this.#client, readEvents, fetchBlob }, command, checked);
  }

  /** A page that does not come ends the copy with an error: what it has is not all. */
  async #readEvents(sessionId: string, after: Cursor): Promise<readonly SessionEvent[]> {
    const answer = await this.#fetch({ frame: "read", sessionId, after });
    if (answer?.frame === "page") return answer.events as unknown as SessionEvent[];
    throw fromAnswerError(answer?.frame === "refused" ? answer.error : NOT_SENT);
  }

  async #fetchBlob(sessionId: string, sha256: string): Promise<Uint8Array | undefined> {
    const answer = await this.#fetch({ frame: "want", sessionId, sha256 });
    const data = answer?.frame === "blob" ? answer.data : undefined;
    return data === undefined ? undefined : Buffer.from(data, "base64");
  }

  async #fetch(question: Question): Promise<Answer | undefined> {
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
    const id = this.#ask(question, resolve);
    const cancel = this.#clock.after(FETCH_MS, () => this.#onAnswer(id, undefined));
    return await promise.finally(cancel);
  }

  #ask(question: Question, onAnswer: (answer: Answer | undefined) => void): number {
    this.#lastId += 1;
    this.#waiting.set(this.#lastId, onAnswer);
    this.#send({ ...question, id: this.#lastId });
    return this.#lastId;
  }

  #pulse(link: NodeLink): void {
    const cancel = this.#clock.after(ALIVE_MS, () => {
      if (this.#clock.monotonic() - this.#receivedMs > 3 * ALIVE_MS) return link.close("the server stopped responding");
      link.send({ frame: "alive" });
      return this.#pulse(link);
    });
    link.onClose(cancel);
  }

  #onClose(link: NodeLink, reason: string): void {
    if (this.#link === link) this.#link = undefined;
    for (const shipment of this.#shipments.values()) shipment.close();
    this.#shipments.clear();
    for (const id of this.#waiting.keys()) this.#onAnswer(id, undefined);
    if (this.#isClosed) return;
    if (this.#farewell?.isFinal === true) {
      return this.#options.onState({ state: "refused", reason: this.#farewell.reason });
    }
    this.#retry(this.#farewell?.reason ?? reason);
  }

  #retry(reason: string): void {
    if (this.#isClosed) return;
    this.#attempt += 1;
    this.#options.onState({ state: "offline", reason });
    this.#cancel = this.#clock.after(retryDelayMs(this.#attempt, Math.random()), () => void this.#connect());
  }

  #send(frame: RunnerFrame): void {
    this.#link?.send(frame);
  }
}

const NOT_SENT = { code: "closed", message: "The server did not send the session." } as const;
