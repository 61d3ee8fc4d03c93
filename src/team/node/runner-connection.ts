/**
 * A runner's connection at its node: stores shipped events, delivers commands from the inbox, and closes the connection
 * after a silence. Frames of one session are handled in order.
 */
import type { Clock } from "../../kit/clock.ts";
import { senderOf, toAnswerError, type Connection } from "../../protocol/index.ts";
import { ALIVE_MS, readFrame, RUNNER_PROTOCOL, RunnerFrame, type NodeFrame } from "../frames.ts";
import type { LivePeople } from "../people/live-people.ts";
import type { TeamDevicePrincipal } from "../people/team-sign-in.ts";
import type { PostgresStore } from "../store/postgres/open-store.ts";
import { isOfDatabase, START, TeamStoreError, toAnswer, type PostedCommand } from "../store/team-store.ts";
import { databaseFailure, type NodeLog } from "./node-log.ts";
import { Rights } from "./rights.ts";
import type { SessionDirectory } from "./session-directory.ts";

/** Senders of older commands have already got an error. */
const COMMAND_AGE_MS = 60_000;
/** A runner has at most one blob or two batches per session in flight. */
const PENDING_MAX = 2_048;
/** Bytes of frames waiting for the database: twice what a runner sends while it catches up in 32 sessions. */
const PENDING_BYTES_MAX = 256 * 1024 * 1024;

/** Every node holds the folder settings of all runners. */
const OFFERS_CHARS_MAX = 256 * 1024;

export type RunnerLink = Connection<NodeFrame, unknown>;

export interface RunnerConnectionDeps {
  readonly store: PostgresStore;
  readonly people: LivePeople;
  readonly directory: SessionDirectory;
  readonly clock: Clock;
  readonly log: NodeLog;
  readonly version: string;
  readonly counts: { events: number; commands: number; refused: number };
}

type Hello = Extract<RunnerFrame, { frame: "hello" }>;
type SessionFrame = Extract<RunnerFrame, { sessionId: string }>;

export class RunnerConnection {
  readonly #link: RunnerLink;
  readonly #principal: TeamDevicePrincipal;
  readonly #deps: RunnerConnectionDeps;
  readonly #over = new AbortController();
  readonly #tails = new Map<string, Promise<void>>();
  #pending = 0;
  #pendingBytes = 0;
  #runnerId: string | undefined;
  #instance = "";
  #version: string | undefined;
  #hasGreeted = false;
  #receivedMs: number;

  constructor(link: RunnerLink, principal: TeamDevicePrincipal, deps: RunnerConnectionDeps, onClose: () => void) {
    this.#link = link;
    this.#principal = principal;
    this.#deps = deps;
    this.#receivedMs = deps.clock.monotonic();
    link.onClose((reason) => {
      this.#over.abort();
      onClose();
      void this.#leave(reason);
    });
    link.onFrame((frame, bytes = 0) => this.#onFrame(frame, bytes));
    this.#pulse();
  }

  /** The runner connects again, here or to another node. */
  drain(): void {
    this.#link.send({ frame: "goodbye", reason: "this node of the server is stopping", isFinal: false });
    this.#link.close("the node is stopping");
  }

  #onFrame(value: unknown, bytes: number): void {
    this.#receivedMs = this.#deps.clock.monotonic();
    const frame = readFrame(RunnerFrame, value) as RunnerFrame | undefined;
    if (frame === undefined) return this.#refuse(this.#versions(value), true);
    if (frame.frame === "hello" && this.#hasGreeted) return this.#refuse('"hello" was already sent.', true);
    if (frame.frame === "hello") return void this.#greet(frame).catch((error: unknown) => this.#fail(error));
    if (this.#runnerId === undefined) return this.#refuse('The first frame must be "hello".', true);
    if (frame.frame === "alive") return undefined;
    if (this.#pending >= PENDING_MAX || this.#pendingBytes + bytes > PENDING_BYTES_MAX) {
      this.#deps.log("runner_refused", { runner: this.#runnerId, reason: "backlog", bytes: this.#pendingBytes });
      return this.#refuse("This machine sent more than the server could store in time. It will reconnect.", false);
    }
    return this.#inTurn(frame, bytes, () => this.#handle(frame, this.#runnerId ?? ""));
  }

  /** For an invalid frame: most likely one side is newer. */
  #versions(frame: unknown): string {
    const { version = this.#version } = (frame ?? {}) as { version?: unknown };
    const here = ["Roundtable", ...(typeof version === "string" ? [version] : []), "on this machine"].join(" ");
    const there = `the server, version ${this.#deps.version},`;
    return `${here} sent something that ${there} does not understand. Install the same version on both.`;
  }

  async #greet({ protocol, version, name, instance, offers = [], machine }: Hello): Promise<void> {
    const { store, people, log } = this.#deps;
    this.#hasGreeted = true;
    this.#version = version;
    if (protocol !== RUNNER_PROTOCOL) {
      const which = protocol < RUNNER_PROTOCOL ? "Update Roundtable on this machine" : "Update the server";
      const versions = `Roundtable ${version} on this machine and ${this.#deps.version} on the server`;
      return this.#refuse(`${versions} are not compatible. ${which}.`, true);
    }
    if (JSON.stringify(offers).length > OFFERS_CHARS_MAX) {
      const rule = `The settings of its folders are larger than ${OFFERS_CHARS_MAX / 1024} KiB.`;
      return this.#refuse(`${rule} Share fewer folders, or shorten the prompts of members.`, true);
    }
    const { id } = await store.people.runner(this.#principal.person, name, machine);
    if (!(await store.people.noteRunner(id, instance))) {
      const reason = `Another process is connected as ${name}. Stop it, or join under another name.`;
      log("runner_refused", { runner: id, reason: "instance" });
      return this.#refuse(reason, false);
    }
    if (this.#over.signal.aborted) return await store.people.releaseRunner(id, instance);
    this.#runnerId = id;
    this.#instance = instance;
    await store.people.noteOffers(id, offers);
    await store.inbox.expire(id, COMMAND_AGE_MS, EXPIRED);
    await people.changed();
    const { person: personId } = this.#principal;
    const person = people.nameOf(personId) ?? "";
    this.#link.send({ frame: "welcome", runnerId: id, person, personId, version: this.#deps.version });
    log("runner_connected", { runner: id, version });
    await this.#passCommands(id);
  }

  async #passCommands(runnerId: string): Promise<void> {
    for await (const { sessionId, sender, command } of this.#deps.store.inbox.receive(runnerId, this.#over.signal))
      this.#link.send({ frame: "command", sessionId, sender, command });
  }

  async #handle(frame: SessionFrame, runnerId: string): Promise<void> {
    const { store, counts } = this.#deps;
    const { sessionId } = frame;
    switch (frame.frame) {
      case "where": {
        const stored = await store.head(sessionId);
        if (stored !== undefined && stored.runnerId !== runnerId)
          throw await this.#belongsTo(sessionId, stored.runnerId);
        return this.#link.send({ frame: "head", id: frame.id, head: stored?.head ?? START });
      }
      case "batch": {
        const { id, epoch, events } = frame;
        const head = await store.ingest({ sessionId, runnerId, epoch }, events);
        counts.events += events.length;
        return this.#link.send({ frame: "head", id, head });
      }
      case "blob":
        return await this.#storeBlob(frame, runnerId);
      case "forget":
        return await store.forget({ sessionId, runnerId });
      case "want": {
        await this.#expectReadable(sessionId, runnerId);
        const bytes = await store.blobs.get(sessionId, frame.sha256);
        const data = bytes === undefined ? {} : { data: Buffer.from(bytes).toString("base64") };
        return this.#link.send({ frame: "blob", id: frame.id, ...data });
      }
      case "read": {
        await this.#expectReadable(sessionId, runnerId);
        const { value: events } = await store.read(sessionId, frame.after).next();
        return this.#link.send({ frame: "page", id: frame.id, events: [...(events ?? [])] });
      }
      case "done": {
        const posted: PostedCommand = { runnerId, sessionId, sender: frame.sender, command: frame.command };
        await store.inbox.acknowledge(posted, frame.ack);
        counts.commands += 1;
        return undefined;
      }
    }
  }

  async #storeBlob(frame: Extract<RunnerFrame, { frame: "blob" }>, runnerId: string): Promise<void> {
    const { id, sessionId, blob, data } = frame;
    const stored = await this.#deps.store.head(sessionId);
    if (stored !== undefined && stored.runnerId !== runnerId) throw await this.#belongsTo(sessionId, stored.runnerId);
    await this.#deps.store.blobs.put(sessionId, blob, Buffer.from(data, "base64"));
    this.#link.send({ frame: "blob", id });
  }

  /** A session being copied here can be read as long as somebody who asked for the copy may read it. */
  async #expectReadable(sessionId: string, runnerId: string): Promise<void> {
    const { store, directory } = this.#deps;
    const stored = await store.head(sessionId);
    if (stored === undefined || stored.runnerId === runnerId) return;
    const senders = await store.inbox.continuing(runnerId, sessionId);
    await directory.find(sessionId);
    if (!senders.some((sender) => this.#mayRead(sender, sessionId)))
      throw await this.#belongsTo(sessionId, stored.runnerId);
  }

  #mayRead(sender: string, sessionId: string): boolean {
    const { people, directory } = this.#deps;
    const person = senderOf(sender)?.id ?? "";
    if (!people.records.people.has(person)) return false;
    return new Rights({ person, device: "", scopes: ["read"] }, people, directory).mayStillRead(sessionId);
  }

  /** The name of another machine is given only to its owner. */
  async #belongsTo(sessionId: string, runnerId: string): Promise<TeamStoreError> {
    const { people } = this.#deps;
    await people.refresh();
    const other = people.records.runners.get(runnerId);
    if (other?.person === undefined)
      return new TeamStoreError(
        "conflict",
        `Session ${sessionId} was shared by somebody who has been removed from the team.`,
        {
          hint: "Its copy on the server stays as it was. To share it again, fork it and share the fork.",
        },
      );
    if (other.person !== this.#principal.person)
      return new TeamStoreError("conflict", `Session ${sessionId} belongs to somebody else's machine.`);
    return new TeamStoreError("conflict", `Session ${sessionId} belongs to your machine ${other.name}.`, {
      hint: `If that is this machine, join with --name ${other.name}. If not, unshare the session there first.`,
    });
  }

  #inTurn(frame: SessionFrame, bytes: number, work: () => Promise<void>): void {
    const { sessionId } = frame;
    this.#pending += 1;
    this.#pendingBytes += bytes;
    const before = this.#tails.get(sessionId) ?? Promise.resolve();
    const mine = before
      .then(work)
      .catch((error: unknown) => this.#refuseFrame(frame, error))
      .finally(() => {
        this.#pending -= 1;
        this.#pendingBytes -= bytes;
        if (this.#tails.get(sessionId) === mine) this.#tails.delete(sessionId);
      });
    this.#tails.set(sessionId, mine);
  }

  #refuseFrame(frame: SessionFrame, thrown: unknown): void {
    const { log, counts } = this.#deps;
    const code = thrown instanceof TeamStoreError ? thrown.code : "internal";
    const facts = { runner: this.#runnerId ?? "", session: frame.sessionId, frame: frame.frame, code };
    counts.refused += 1;
    log("frame_refused", { ...facts, ...databaseFailure(thrown) });
    if ("id" in frame)
      return this.#link.send({ frame: "refused", id: frame.id, code, error: toAnswerError(shownError(thrown)) });
    // No caller waits for the answer, so the frame is sent again over the next connection.
    if (code !== "internal" && isOfDatabase(code)) this.#fail(thrown);
  }

  /**
   * Sends a heartbeat, records that the runner is alive, and closes the connection when the runner stopped responding.
   */
  #pulse(): void {
    const { clock, store } = this.#deps;
    if (this.#over.signal.aborted) return;
    if (clock.monotonic() - this.#receivedMs > 3 * ALIVE_MS) return this.#link.close("the runner stopped responding");
    this.#link.send({ frame: "alive" });
    if (this.#runnerId !== undefined) {
      store.people.noteRunner(this.#runnerId, this.#instance).then(
        (isMine) => isMine || this.#refuse("Another process has connected as this runner.", false),
        // While the database is unavailable, the next heartbeat tries again.
        () => {},
      );
    }
    const cancel = clock.after(ALIVE_MS, () => this.#pulse());
    this.#over.signal.addEventListener("abort", cancel, { once: true });
  }

  #refuse(reason: string, isFinal: boolean): void {
    this.#link.send({ frame: "goodbye", reason, isFinal });
    this.#link.close(reason);
  }

  #fail(error: unknown): void {
    if (this.#over.signal.aborted) return;
    const shown = shownError(error);
    this.#refuse(shown instanceof Error ? shown.message : String(shown), false);
  }

  async #leave(reason: string): Promise<void> {
    const { store, log } = this.#deps;
    if (this.#runnerId === undefined) return;
    log("runner_gone", { runner: this.#runnerId, reason });
    // If the database is unavailable, the runner's last-seen time expires instead.
    await store.people.releaseRunner(this.#runnerId, this.#instance).then(
      () => store.people.announce(),
      () => {},
    );
  }
}

function shownError(thrown: unknown): unknown {
  return thrown instanceof TeamStoreError ? toAnswer(thrown) : thrown;
}

const EXPIRED = {
  code: "locked",
  message: "The machine reconnected too late, so this was not done.",
  hint: "Send it again.",
} as const;
