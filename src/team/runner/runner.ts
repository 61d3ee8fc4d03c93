/**
 * A runner: ships the shared sessions of its host to a team's server over one outward connection, and runs the commands
 * that come back. It lasts: a lost connection is made again, with growing pauses, on whichever node answers.
 */
import { createClient, createConnectionPair, retryDelayMs, type Client } from "../../client/index.ts";
import type { Host } from "../../host/index.ts";
import { systemClock, type Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import { RoundtableError, type Cursor, type SessionEvent } from "../../protocol/index.ts";
import type { SessionNews, SessionSummary } from "../../protocol/index.ts";
import { ALIVE_MS, NodeFrame, RUNNER_PROTOCOL, type Offer, type RunnerFrame, type StartSession } from "../frames.ts";
import { isWithin } from "../people/may.ts";
import type { CommandJournal } from "./command-journal.ts";
import { CommandRunner } from "./run-commands.ts";
import type { NodeLink } from "./node-link.ts";
import { checkCommand, checkStart, type CheckedStart, type OwnerRules } from "./owner-rules.ts";
import { Shipment } from "./shipment.ts";
import { startHere } from "./start-session.ts";

export interface RunnerOptions {
  readonly host: Pick<Host, "serve" | "readBlob" | "putBlob" | "hostId" | "socketPath">;
  readonly dataDir: string;
  readonly connect: () => Promise<NodeLink>;
  readonly name: string;
  readonly version: string;
  readonly journal: CommandJournal;
  /** Nothing of any other session leaves the machine. */
  readonly isShared: (session: SessionSummary) => boolean;
  /** Sessions whose copies the server must not keep. */
  readonly unshared: () => readonly string[];
  /** Read again at every connection. */
  readonly offers: () => Promise<readonly Offer[]>;
  readonly rules: Omit<OwnerRules, "owner" | "offerFor">;
  readonly onState: (state: RunnerState) => void;
  readonly warn: (sentence: string) => void;
  readonly clock?: Clock;
}

export type RunnerState =
  | { readonly state: "connected"; readonly person: string }
  | { readonly state: "offline"; readonly reason: string; readonly nextInMs: number }
  /** The server does not want it; trying again would not help. */
  | { readonly state: "refused"; readonly reason: string };

const FETCH_MS = 30_000;

export class Runner {
  readonly #options: RunnerOptions;
  readonly #clock: Clock;
  readonly #instance = newId();
  readonly #commands: CommandRunner;
  readonly #shared = new Map<string, SessionSummary>();
  readonly #shipments = new Map<string, Shipment>();
  readonly #fetches = new Map<string, (bytes: Uint8Array | undefined) => void>();
  readonly #pages = new Map<string, (events: readonly SessionEvent[]) => void>();
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
        throw new RoundtableError("unknown_session", "This session is not shared by its machine any more.");
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
    this.#link?.close("the runner stops");
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
        this.#send({ frame: "forget", sessionId });
      }
    }
  }

  /** Undefined while there is no connection. */
  #shipmentOf(sessionId: string): Shipment | undefined {
    const known = this.#shipments.get(sessionId);
    if (known !== undefined || this.#link === undefined || this.#client === undefined) return known;
    const { host, warn } = this.#options;
    const shipment = new Shipment(sessionId, {
      client: this.#client,
      send: (frame) => this.#send(frame),
      readBlob: (id, sha256) => host.readBlob(id, sha256),
      clock: this.#clock,
      warn,
    });
    this.#shipments.set(sessionId, shipment);
    return shipment;
  }

  async #connect(): Promise<void> {
    if (this.#isClosed) return;
    this.#farewell = undefined;
    try {
      const link = await this.#options.connect();
      if (this.#isClosed) return link.close("the runner stops");
      link.onFrame((frame) => this.#onFrame(frame, link));
      link.onClose((reason) => this.#onClose(link, reason));
      const { name, version } = this.#options;
      this.#offers = await this.#options.offers();
      const offers = [...this.#offers];
      link.send({ frame: "hello", protocol: RUNNER_PROTOCOL, version, name, instance: this.#instance, offers });
      this.#receivedMs = this.#clock.monotonic();
      this.#pulse(link);
    } catch (error) {
      this.#retry(error instanceof Error ? error.message : String(error));
    }
  }

  #onFrame(value: unknown, link: NodeLink): void {
    this.#receivedMs = this.#clock.monotonic();
    const parsed = NodeFrame.safeParse(value);
    if (!parsed.success) return link.close("the server sent a frame that this version does not know");
    const frame = parsed.data;
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
      case "blob": {
        const key = `${frame.sessionId} ${frame.sha256}`;
        const resolve = this.#fetches.get(key);
        if (resolve === undefined) return this.#shipments.get(frame.sessionId)?.onFrame(frame);
        return resolve(frame.data === undefined ? undefined : Buffer.from(frame.data, "base64"));
      }
      case "page":
        return this.#pages.get(frame.sessionId)?.(frame.events as unknown as SessionEvent[]);
      case "head":
      case "refused":
        return this.#shipments.get(frame.sessionId)?.onFrame(frame);
    }
  }

  #onWelcome({ person }: Extract<NodeFrame, { frame: "welcome" }>, link: NodeLink): void {
    this.#link = link;
    this.#attempt = 0;
    this.#owner = person;
    this.#options.onState({ state: "connected", person });
    for (const sessionId of this.#options.unshared()) this.#send({ frame: "forget", sessionId });
    for (const { sessionId, seq } of this.#shared.values()) this.#shipmentOf(sessionId)?.touch(seq);
  }

  async #run({ sessionId, sender, command }: Extract<NodeFrame, { frame: "command" }>): Promise<void> {
    const ack = await this.#commands.run({ sessionId, sender, command });
    // Lost with its connection: the server delivers the command again, and the journal knows the answer.
    this.#send({ frame: "done", sessionId, sender, command, ack });
  }

  get #rules(): OwnerRules {
    const offerFor = (cwd: string) => this.#offers.find(({ folder }) => isWithin(cwd, folder));
    return { ...this.#options.rules, owner: this.#owner, offerFor };
  }

  async #startSession(command: StartSession, checked: CheckedStart): Promise<string> {
    const { host, dataDir } = this.#options;
    if (this.#client === undefined) throw new RoundtableError("closed", "The runner stops.");
    const readEvents = (sessionId: string, after: Cursor) => this.#readEvents(sessionId, after);
    const fetchBlob = (sessionId: string, sha256: string) => this.#fetchBlob(sessionId, sha256);
    return await startHere({ host, dataDir, client: this.#client, readEvents, fetchBlob }, command, checked);
  }

  /** A page that does not come ends the copy with an error: what it has is not all. */
  async #readEvents(sessionId: string, after: Cursor): Promise<readonly SessionEvent[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly SessionEvent[]>();
    const fail = (): void => reject(new RoundtableError("closed", "The server did not send the session."));
    const cancel = this.#clock.after(FETCH_MS, fail);
    this.#pages.set(sessionId, resolve);
    this.#send({ frame: "read", sessionId, after });
    return await promise.finally(() => {
      cancel();
      this.#pages.delete(sessionId);
    });
  }

  async #fetchBlob(sessionId: string, sha256: string): Promise<Uint8Array | undefined> {
    const key = `${sessionId} ${sha256}`;
    const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>();
    const cancel = this.#clock.after(FETCH_MS, () => resolve(undefined));
    this.#fetches.set(key, resolve);
    this.#send({ frame: "want", sessionId, sha256 });
    return await promise.finally(() => {
      cancel();
      this.#fetches.delete(key);
    });
  }

  #pulse(link: NodeLink): void {
    const cancel = this.#clock.after(ALIVE_MS, () => {
      if (this.#clock.monotonic() - this.#receivedMs > 3 * ALIVE_MS) return link.close("the server is silent");
      link.send({ frame: "alive" });
      return this.#pulse(link);
    });
    link.onClose(cancel);
  }

  #onClose(link: NodeLink, reason: string): void {
    if (this.#link === link) this.#link = undefined;
    for (const shipment of this.#shipments.values()) shipment.close();
    this.#shipments.clear();
    if (this.#isClosed) return;
    if (this.#farewell?.isFinal === true) {
      return this.#options.onState({ state: "refused", reason: this.#farewell.reason });
    }
    this.#retry(this.#farewell?.reason ?? reason);
  }

  #retry(reason: string): void {
    if (this.#isClosed) return;
    this.#attempt += 1;
    const nextInMs = retryDelayMs(this.#attempt, Math.random());
    this.#options.onState({ state: "offline", reason, nextInMs });
    this.#cancel = this.#clock.after(nextInMs, () => void this.#connect());
  }

  #send(frame: RunnerFrame): void {
    this.#link?.send(frame);
  }
}
