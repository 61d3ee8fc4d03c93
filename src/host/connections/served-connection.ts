/** One client of this host, over any transport. Frames are validated here; an invalid one gets an error reply. */
import type { CarriedEnvironment } from "../../kit/carried-environment.ts";
import type { Clock } from "../../kit/clock.ts";
import { heldBytes } from "../../kit/text/encoded-size.ts";
import { excessOf } from "../../kit/nesting.ts";
import {
  ClientFrame,
  PROTOCOL_VERSION,
  toAnswerError,
  type AnswerError,
  type BlobPartAnswer,
  type BlobRef,
  type HostConnection,
  type HostFrame,
  type Json,
  type SearchAnswer,
  type SearchQuery,
  type SessionNews,
} from "../../protocol/index.ts";
import type { CreateFrame } from "../sessions/open-sessions.ts";
import type { SessionMaintenance } from "../maintenance/session-maintenance.ts";
import type { Reachable } from "./find-endpoint.ts";
import { SessionLink } from "./session-link.ts";
import { Upload } from "./upload.ts";

/** A client that sends but does not read is disconnected at this backlog. The largest snapshot fits twice. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024;
const PENDING_MAX = 1024;
/** Approximate size of pending requests. The largest frame fits twice. */
export const PENDING_BYTES_MAX = 64 * 1024 * 1024;
const LINKS_MAX = 256;

/** What a connection needs of its host. */
export interface ServingHost {
  readonly hostId: string;
  readonly version: string;
  readonly clock: Clock;
  enter(sessionId: string): Promise<Reachable>;
  create(frame: CreateFrame, environment: CarriedEnvironment | undefined): Promise<string>;
  list(): Promise<Json>;
  search(query: SearchQuery): Promise<SearchAnswer>;
  followSessions(listener: (news: SessionNews) => void): () => void;
  snapshot(sessionId: string): Promise<Json>;
  page(sessionId: string, page: number): Promise<Json>;
  readonly maintenance: SessionMaintenance;
  putBlob(sessionId: string, bytes: Uint8Array): Promise<BlobRef>;
  /** Environment of the terminal at the other end, when it is known before the hello frame. */
  readonly environment?: CarriedEnvironment | undefined;
  readonly mayBringEnvironment?: boolean;
}

type Answered = Extract<ClientFrame, { id: string }>;

export class ServedConnection {
  readonly #connection: HostConnection;
  readonly #host: ServingHost;
  readonly #links = new Map<string, SessionLink>();
  readonly #upload = new Upload();
  #stopNews: (() => void) | undefined;
  #clientId: string | undefined;
  #environment: CarriedEnvironment | undefined;
  #pendingCalls = 0;
  #pendingBytes = 0;

  constructor(connection: HostConnection, host: ServingHost, onClose: () => void) {
    this.#connection = connection;
    this.#host = host;
    this.#environment = host.environment;
    connection.onClose(() => {
      for (const link of this.#links.values()) link.close();
      this.#links.clear();
      this.#stopNews?.();
      this.#upload.forget();
      onClose();
    });
    connection.onFrame((frame: unknown) => this.#onFrame(frame));
  }

  /** Announces the shutdown of this host to the client. */
  shutdown(reason: string): void {
    this.#send({ frame: "shutdown", reason });
  }

  close(reason: string): void {
    this.#connection.close(reason);
  }

  get backlogBytes(): number {
    return this.#connection.backlogBytes;
  }

  #onFrame(value: unknown): void {
    const excess = excessOf(value);
    if (excess !== undefined) {
      return this.#refuse(value, { code: "bad_command", message: `Malformed frame: ${excess}.` });
    }
    const parsed = ClientFrame.safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const where = issue === undefined || issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
      return this.#refuse(value, {
        code: "bad_command",
        message: `Malformed frame${where}: ${issue?.message ?? "unknown reason"}.`,
      });
    }
    const frame = parsed.data;
    if (frame.frame === "hello") return this.#greet(frame);
    if (this.#clientId === undefined) {
      return this.#refuse(frame, { code: "bad_command", message: 'The first frame must be "hello".' });
    }
    return this.#serve(frame, this.#clientId);
  }

  #greet(frame: Extract<ClientFrame, { frame: "hello" }>): void {
    if (this.#clientId !== undefined) {
      return this.#refuse(frame, { code: "bad_command", message: '"hello" was already sent.' });
    }
    const { hostId, version } = this.#host;
    // Also to a client with another protocol: it can tell the user which side is older.
    this.#send({ frame: "welcome", protocol: PROTOCOL_VERSION, version, hostId });
    if (this.#host.mayBringEnvironment === true) this.#environment = frame.environment;
    if (frame.protocol === PROTOCOL_VERSION) this.#clientId = frame.clientId;
    else this.close(`the client uses protocol ${frame.protocol}, this host ${PROTOCOL_VERSION}`);
  }

  #serve(frame: Exclude<ClientFrame, { frame: "hello" }>, clientId: string): void {
    switch (frame.frame) {
      case "list":
        return this.#answer(frame, () => this.#host.list());
      case "search":
        return this.#answer(frame, async () => (await this.#host.search(frame.query)) as unknown as Json);
      case "follow_list":
        this.#send({ frame: "reply", id: frame.id, ok: true, result: null });
        this.#stopNews ??= this.#host.followSessions((news) => this.#send({ frame: "sessions", ...news }));
        return undefined;
      case "create":
        return this.#answer(frame, async () => ({ sessionId: await this.#host.create(frame, this.#environment) }));
      case "snapshot":
        return this.#answer(frame, () => this.#host.snapshot(frame.sessionId));
      case "page":
        return this.#answer(frame, () => this.#host.page(frame.sessionId, frame.page));
      case "delete":
        return this.#answer(frame, async () => this.#host.maintenance.delete(frame.sessionId, frame).then(() => null));
      case "restore":
        return this.#answer(frame, async () => this.#host.maintenance.restore(frame.sessionId).then(() => null));
      case "trash":
        return this.#answer(frame, async () => (await this.#host.maintenance.trash()) as unknown as Json);
      case "compress":
        return this.#answer(frame, async () => ({ ...(await this.#host.maintenance.compress(frame.sessionId)) }));
      case "put_blob":
        return this.#answer(frame, () => this.#receivePart(frame));
      case "subscribe":
        return this.#linkFor(frame.sessionId, clientId, frame)?.subscribe(frame.id, frame.cursor);
      case "unsubscribe":
        return this.#links.get(frame.sessionId)?.unsubscribe();
      case "command": {
        const bytes = heldBytes(frame.command);
        if (!this.#hasRoomFor(bytes)) return this.#refuse(frame, BUSY);
        return this.#linkFor(frame.sessionId, clientId, frame)?.command(frame.command, bytes);
      }
    }
  }

  #answer(frame: Answered, work: () => Promise<Json>): void {
    const bytes = heldBytes(frame);
    if (this.#pendingCalls >= PENDING_MAX || !this.#hasRoomFor(bytes)) return this.#refuse(frame, BUSY);
    this.#pendingCalls += 1;
    this.#pendingBytes += bytes;
    work()
      .then(
        (result) => this.#send({ frame: "reply", id: frame.id, ok: true, result }),
        (error: unknown) => this.#send({ frame: "reply", id: frame.id, ok: false, error: toAnswerError(error) }),
      )
      .finally(() => {
        this.#pendingCalls -= 1;
        this.#pendingBytes -= bytes;
      });
  }

  async #receivePart(frame: Extract<ClientFrame, { frame: "put_blob" }>): Promise<Json> {
    const whole = this.#upload.receive(frame);
    if (whole === undefined) return { received: this.#upload.received };
    const answer: BlobPartAnswer = {
      received: whole.length,
      blob: await this.#host.putBlob(frame.sessionId, whole),
    };
    return answer as unknown as Json;
  }

  #hasRoomFor(bytes: number): boolean {
    let held = this.#pendingBytes + bytes;
    for (const link of this.#links.values()) held += link.pendingBytes;
    return held <= PENDING_BYTES_MAX;
  }

  #linkFor(sessionId: string, clientId: string, frame: ClientFrame): SessionLink | undefined {
    const existing = this.#links.get(sessionId);
    if ((existing?.pendingCount ?? 0) >= PENDING_MAX || (existing === undefined && this.#links.size >= LINKS_MAX)) {
      this.#refuse(frame, BUSY);
      return undefined;
    }
    if (existing !== undefined) return existing;
    const connection = this.#connection;
    const client = {
      clientId,
      environment: this.#environment,
      send: (frame: HostFrame) => this.#send(frame),
      get backlogBytes() {
        return connection.backlogBytes;
      },
    };
    const link = new SessionLink({
      sessionId,
      client,
      enter: (id) => this.#host.enter(id),
      clock: this.#host.clock,
      onDone: () => this.#links.get(sessionId) === link && this.#links.delete(sessionId),
    });
    this.#links.set(sessionId, link);
    return link;
  }

  /** Replies in the form that the frame calls for, as far as it can be parsed. */
  #refuse(value: unknown, error: AnswerError): void {
    const frame = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
    const command = frame["command"] as Record<string, unknown> | null | undefined;
    const commandId = typeof command === "object" ? command?.["commandId"] : undefined;
    if (frame["frame"] === "command" && typeof commandId === "string" && typeof frame["sessionId"] === "string") {
      return this.#send({ frame: "ack", sessionId: frame["sessionId"], ack: { commandId, ok: false, error } });
    }
    const id = typeof frame["id"] === "string" ? frame["id"] : "";
    return this.#send({ frame: "reply", id, ok: false, error });
  }

  #send(frame: HostFrame): void {
    if (this.#connection.backlogBytes > UNREAD_BYTES_MAX) this.#connection.close("the client does not read");
    else this.#connection.send(frame);
  }
}

const BUSY: AnswerError = {
  code: "busy",
  message: "Too many requests are pending on this connection.",
  hint: "Wait for pending requests to finish.",
};
