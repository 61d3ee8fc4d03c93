/** The page: which session is open, what is sent where. Everything drawn is the fold of the session's events. */
import {
  followSession,
  type CommandBody,
  type CreateRequest,
  type FollowedSession,
  type LastingClient,
} from "../client/index.ts";
import { newId } from "../kit/ids.ts";
import type { Json, SessionSummary } from "../protocol/index.ts";
import {
  empty,
  fold,
  fromSnapshot,
  isRunning,
  membersInOrder,
  withPage,
  type Transcript,
} from "../transcript/index.ts";
import { createComposer } from "./composer.ts";
import { createConnectionBanner } from "./connection-banner.ts";
import { createConversation, type Conversation } from "./conversation.ts";
import { element } from "./element.ts";
import { createPendingSends } from "./pending-sends.ts";
import type { GivenAnswer } from "./request-card.ts";
import { createRequestDeck, type RequestDeck } from "./request-deck.ts";
import { nameClient } from "./request-words.ts";
import { createSessionList } from "./session-list.ts";

export type Defaults = Omit<CreateRequest, "title">;

const TITLE_CHARS_MAX = 80;
/** Sessions that others start show up in the list within this time. */
const LIST_REFRESH_MS = 10_000;
const SESSION_KEY = "session";

const transcriptFold = {
  empty,
  fromSnapshot,
  fold,
  cursorOf: ({ head }: Transcript) => ({ epoch: head.epoch, seq: head.seq }),
};

export class App {
  readonly #client: LastingClient;
  readonly #defaults: Defaults;
  readonly #banner = createConnectionBanner({ onTryNow: () => this.#client.hint("online") });
  readonly #conversation: Conversation;
  readonly #deck: RequestDeck;
  readonly #pending = createPendingSends();
  readonly #composer = createComposer({ onSend: (text) => this.#send(text) });
  readonly #sessionList = createSessionList({
    onOpen: (sessionId) => void this.#guarded(() => this.#open(sessionId)),
    onNew: () => this.#startNew(),
  });
  #sessions: readonly SessionSummary[] = [];
  #sessionId: string | undefined;
  #session: FollowedSession<Transcript> | undefined;
  #transcript: Transcript | undefined;
  #hasEnded = false;
  #isListing = false;
  /** Which opening is the newest: a slow one that comes late must not win. */
  #openings = 0;
  /** The session that the first message of a new one makes; a second message must not make another. */
  #creating: Promise<string> | undefined;

  constructor(client: LastingClient, defaults: Defaults) {
    this.#client = client;
    this.#defaults = defaults;
    this.#deck = createRequestDeck({
      clientId: client.clientId,
      onAnswer: (answer) => this.#answer(answer),
      onLeave: () => this.#composer.focus(),
    });
    const names = defaults.members.map((member) => member.name).join(", ");
    this.#conversation = createConversation({
      onOlder: () => void this.#guarded(() => this.#loadOlder()),
      hintText: `Nothing was said yet. At the table: ${names}. Everyone answers what you write; @name asks one.`,
    });
  }

  async start(root: HTMLElement): Promise<void> {
    const { node } = this.#conversation;
    const below = [this.#pending.node, this.#deck.node, this.#composer.node];
    root.replaceChildren(this.#sessionList.node, element("main", {}, this.#banner.node, node, ...below));
    this.#client.onState((state) => {
      this.#banner.showState(state);
      if (state.state === "online") void this.#refreshList();
    });
    this.#client.onStore(({ sessionId, state, message }) => {
      if (sessionId === this.#sessionId) this.#banner.showStore(state === "ok" ? "" : message);
    });
    this.#client.onClose((reason) => this.end(`The connection has ended: ${reason}`));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.isComposing) void this.#guarded(() => this.#interrupt());
    });
    setInterval(() => void this.#refreshList(), LIST_REFRESH_MS);
    this.#composer.focus();
    await this.#refreshList();
    const wanted = new URLSearchParams(location.hash.slice(1)).get(SESSION_KEY);
    if (wanted === null) this.#startNew();
    else await this.#guarded(() => this.#open(wanted));
  }

  /** Nothing comes any more and nothing can be sent; the first reason is the one that is said. */
  end(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#banner.showEnd(reason);
    this.#composer.setEnabled(false);
    this.#client.close();
  }

  async #open(sessionId: string): Promise<void> {
    const opening = this.#leave();
    this.#sessionId = sessionId;
    history.replaceState(null, "", `#${SESSION_KEY}=${sessionId}`);
    this.#showList();
    const session = await followSession(this.#client, sessionId, {
      fold: transcriptFold,
      onChange: (transcript) => {
        if (opening === this.#openings) this.#show(transcript);
      },
      onLost: (error) => {
        if (opening === this.#openings) this.end(`The session cannot be followed any more: ${error.message}`);
      },
    });
    if (opening === this.#openings) this.#session = session;
    else session.close();
  }

  #startNew(): void {
    this.#leave();
    history.replaceState(null, "", location.pathname);
    this.#showList();
    this.#conversation.show(undefined);
    this.#deck.show(undefined);
    this.#composer.setStatus(`New session in ${this.#defaults.cwd}`);
    this.#composer.focus();
  }

  #leave(): number {
    this.#session?.close();
    this.#session = undefined;
    this.#sessionId = undefined;
    this.#transcript = undefined;
    this.#banner.showStore("");
    this.#openings += 1;
    return this.#openings;
  }

  #show(transcript: Transcript): void {
    const before = this.#transcript;
    this.#transcript = transcript;
    this.#conversation.show(transcript);
    this.#deck.show(transcript);
    this.#composer.setStatus(statusOf(transcript));
    document.title = titleOf(transcript);
    const isNews = before === undefined || isRunning(before.head) !== isRunning(transcript.head);
    if (isNews || before.head.title !== transcript.head.title) void this.#refreshList();
  }

  async #send(text: string): Promise<boolean> {
    return await this.#guarded(async () => {
      const sent = this.#sendTo(this.#sessionId ?? this.#createFor(text), text);
      this.#pending.add(text, sent);
      await sent;
    });
  }

  async #sendTo(session: string | Promise<string>, text: string): Promise<void> {
    await this.#command(await session, { type: "send", text, clientMessageId: newId() });
  }

  #createFor(text: string): Promise<string> {
    this.#creating ??= this.#create(text).finally(() => (this.#creating = undefined));
    return this.#creating;
  }

  async #create(text: string): Promise<string> {
    const opening = this.#openings;
    const title = text.replaceAll(/\s+/g, " ").slice(0, TITLE_CHARS_MAX);
    const { sessionId } = await this.#client.create({ ...this.#defaults, title });
    if (opening === this.#openings) void this.#guarded(() => this.#open(sessionId));
    return sessionId;
  }

  async #answer({ requestId, result, error }: GivenAnswer): Promise<void> {
    const by = nameClient("browser", this.#client.clientId);
    const declined = error === undefined ? {} : { error };
    await this.#command(this.#sessionId ?? "", { type: "answer", requestId, result, by, ...declined });
  }

  async #interrupt(): Promise<void> {
    if (this.#sessionId === undefined || this.#transcript === undefined || !isRunning(this.#transcript.head)) return;
    const result = await this.#command(this.#sessionId, { type: "interrupt", scope: "own" });
    const { stopped, othersRunning } = result as { stopped: number; othersRunning: number };
    if (stopped === 0 && othersRunning > 0) throw new Error("What runs was started elsewhere; stop it there.");
  }

  /** Rejects with the host's own words when it refuses. */
  async #command(sessionId: string, body: CommandBody): Promise<Json> {
    const ack = await this.#client.command(sessionId, body);
    if (ack.ok) return ack.result ?? null;
    throw new Error([ack.error.message, ack.error.hint].filter(Boolean).join(" "));
  }

  async #loadOlder(): Promise<void> {
    const session = this.#session;
    const page = session?.state.frozen.findLastIndex((one) => one === undefined) ?? -1;
    if (session === undefined || this.#sessionId === undefined || page < 0) return;
    const found = await this.#client.page(this.#sessionId, page);
    session.update((transcript) => withPage(transcript, page, found));
  }

  async #refreshList(): Promise<void> {
    // Offline, every question waits for the connection: one is enough, and thousands would crowd out what is sent.
    if (this.#isListing) return;
    this.#isListing = true;
    try {
      this.#sessions = await this.#client.list();
      this.#showList();
    } catch {
      // The connection has ended for good; the banner says so.
    }
    this.#isListing = false;
  }

  #showList(): void {
    this.#sessionList.show(this.#sessions, this.#sessionId);
  }

  /** Says what went wrong where the person looks; true when all went well. */
  async #guarded(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#composer.setProblem("");
      return true;
    } catch (error) {
      this.#composer.setProblem(error instanceof Error ? error.message : String(error));
      return false;
    }
  }
}

function titleOf({ head }: Transcript): string {
  const mark = head.requests.length > 0 ? "? " : isRunning(head) ? "● " : "";
  return `${mark}${head.title} · Roundtable`;
}

function statusOf({ head }: Transcript): string {
  const busy = membersInOrder(head)
    .filter((member) => member.state === "running")
    .map((member) => member.name);
  const parts = [
    ...(busy.length > 0 ? [`${busy.join(", ")} ${busy.length > 1 ? "speak" : "speaks"}`, "Escape interrupts"] : []),
    ...(head.requests.length > 0 ? ["Shift+Tab leads to the request"] : []),
    ...(head.queue.length > 0 ? [`${head.queue.length} queued`] : []),
    ...(head.council.state === "paused" && head.council.message !== undefined ? [head.council.message] : []),
  ];
  return parts.length > 0 ? parts.join(" · ") : "Enter sends · Shift+Enter makes a line";
}
