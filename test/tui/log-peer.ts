/**
 * The far end of a connection that plays one given log: it answers as a host does, from the events it has said so far,
 * so that a screen can be shown sessions that no member of ours would make.
 */
import {
  createClient,
  createConnectionPair,
  createLastingClient,
  type Client,
  type LastingClient,
} from "../../src/client/index.ts";
import {
  PROTOCOL_VERSION,
  type ClientFrame,
  type HostConnection,
  type Json,
  type SearchHit,
  type SessionEvent,
  type SessionSummary,
} from "../../src/protocol/index.ts";
import { empty, fold, toSnapshot, type Transcript } from "../../src/transcript/index.ts";

type Command = Extract<ClientFrame, { frame: "command" }>["command"];

export interface LogPeer {
  readonly client: Client | LastingClient;
  readonly transcript: Transcript;
  /** Says these events to whoever listens. */
  play(events: readonly SessionEvent[]): void;
  /** Every wish so far. */
  readonly commands: readonly Command[];
  /** What every search is answered with. */
  found: readonly SearchHit[];
  /** What a wish is answered with, by its type. */
  readonly results: Map<string, Json>;
  /** From now on wishes wait for their answers, until the result is called. */
  holdAcks(): () => void;
  /** Every wish so far, by its type and the message it is about. */
  readonly wishes: readonly string[];
  /** Of these sessions there is no picture for now. */
  readonly unreadable: Set<string>;
  /** Who asks for the picture of one of these gets no answer. */
  readonly unanswered: Set<string>;
  /** All sessions there are, and those whose picture is another than that of the log. */
  sessions: readonly SessionSummary[];
  readonly others: Map<string, Transcript>;
  /** The connection is lost, and there will be no other one. */
  disconnect(): void;
}

/** Who `isLasting` waits for another connection once this one is lost. */
export async function createLogPeer(
  sessionId: string,
  begun: readonly SessionEvent[],
  { isLasting = false }: { readonly isLasting?: boolean } = {},
): Promise<LogPeer> {
  const [near, far] = createConnectionPair();
  const peer = new Peer(sessionId, far);
  peer.play(begun);
  let isGone = false;
  const connect = async () => {
    if (isGone) throw new Error("nobody is there");
    return near;
  };
  return {
    client: await (isLasting ? createLastingClient(connect) : createClient(connect)),
    disconnect() {
      isGone = true;
      far.close("gone");
    },
    get transcript() {
      return peer.transcript;
    },
    play: (events) => peer.play(events),
    commands: peer.commands,
    wishes: peer.wishes,
    results: peer.results,
    holdAcks: () => peer.holdAcks(),
    unreadable: peer.unreadable,
    unanswered: peer.unanswered,
    others: peer.others,
    get sessions() {
      return peer.sessions;
    },
    set sessions(sessions) {
      peer.sessions = sessions;
    },
    get found() {
      return peer.found;
    },
    set found(hits) {
      peer.found = hits;
    },
  };
}

class Peer {
  readonly #sessionId: string;
  readonly #connection: HostConnection;
  readonly #events: SessionEvent[] = [];
  #isFollowed = false;
  found: readonly SearchHit[] = [];
  readonly commands: Command[] = [];
  readonly wishes: string[] = [];
  readonly results = new Map<string, Json>();
  #held: (() => void)[] | undefined;
  readonly unreadable = new Set<string>();
  readonly unanswered = new Set<string>();
  sessions: readonly SessionSummary[] = [];
  readonly others = new Map<string, Transcript>();
  transcript: Transcript;

  holdAcks(): () => void {
    const held: (() => void)[] = [];
    this.#held = held;
    return () => {
      this.#held = undefined;
      for (const say of held) say();
    };
  }

  constructor(sessionId: string, connection: HostConnection) {
    this.#sessionId = sessionId;
    this.#connection = connection;
    this.transcript = empty(sessionId);
    connection.onFrame((frame) => this.#answer(frame));
  }

  play(events: readonly SessionEvent[]): void {
    this.#events.push(...events);
    this.transcript = fold(this.transcript, events);
    if (this.#isFollowed) this.#connection.send({ frame: "events", sessionId: this.#sessionId, events });
  }

  #reply(id: string, result: unknown): void {
    this.#connection.send({ frame: "reply", id, ok: true, result: result as Json });
  }

  #answerSnapshot(id: string, sessionId: string): void {
    if (this.unanswered.has(sessionId)) return;
    if (this.unreadable.has(sessionId)) {
      const error = { code: "internal" as const, message: "it cannot be read now" };
      return this.#connection.send({ frame: "reply", id, ok: false, error });
    }
    const { pages: _, ...snapshot } = toSnapshot(this.others.get(sessionId) ?? this.transcript);
    return this.#reply(id, snapshot);
  }

  #answer(frame: ClientFrame): void {
    switch (frame.frame) {
      case "hello":
        return this.#connection.send({
          frame: "welcome",
          protocol: PROTOCOL_VERSION,
          version: "0.0.0",
          hostId: "peer",
        });
      case "list":
        return this.#reply(frame.id, this.sessions);
      case "search":
        return this.#reply(frame.id, { hits: this.found, hasMore: false, isComplete: true, sessionsLeft: 0 });
      case "follow_list":
      case "delete":
      case "restore":
      case "trash":
      case "compress":
        return this.#reply(frame.id, null);
      case "put_blob":
        return this.#reply(frame.id, { received: frame.bytes, blob: { sha256: frame.sha256, bytes: frame.bytes } });
      case "create":
        return this.#reply(frame.id, { sessionId: this.#sessionId });
      case "snapshot":
        return this.#answerSnapshot(frame.id, frame.sessionId);
      case "page":
        return this.#reply(
          frame.id,
          toSnapshot(this.transcript).pages.find(({ index }) => index === frame.page)?.page ?? null,
        );
      case "subscribe": {
        const { epoch, seq } = this.transcript.head;
        this.#isFollowed = true;
        this.#reply(frame.id, { epoch, seq });
        const missed = this.#events.filter((event) => event.seq > frame.cursor.seq);
        return this.#connection.send({ frame: "events", sessionId: this.#sessionId, events: missed });
      }
      case "unsubscribe":
        this.#isFollowed = false;
        return;
      case "command": {
        this.commands.push(frame.command);
        const { commandId, type } = frame.command;
        this.wishes.push("messageId" in frame.command ? `${type} ${frame.command.messageId}` : type);
        const ack = {
          commandId,
          ok: true as const,
          seq: this.transcript.head.seq,
          result: this.results.get(type) ?? {},
        };
        const say = () => this.#connection.send({ frame: "ack", sessionId: this.#sessionId, ack: ack as never });
        if (this.#held === undefined) say();
        else this.#held.push(say);
        return;
      }
    }
  }
}
