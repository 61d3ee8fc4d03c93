/** The page: which session is open, what is sent where. Everything drawn is the fold of the session's events. */
import { followSession, type Client, type CreateRequest, type FollowedSession } from "../client/index.ts";
import { newId } from "../kit/ids.ts";
import type { SessionSummary } from "../protocol/index.ts";
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
import { createConversation, type Conversation } from "./conversation.ts";
import { element, setShown, setText } from "./element.ts";
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
  readonly #client: Client;
  readonly #defaults: Defaults;
  readonly #banner = element("p", { class: "banner", role: "alert" });
  readonly #conversation: Conversation;
  readonly #composer = createComposer({ onSend: (text) => this.#send(text) });
  readonly #sessionList = createSessionList({
    onOpen: (sessionId) => void this.#guarded(() => this.#open(sessionId)),
    onNew: () => this.#startNew(),
  });
  #sessions: readonly SessionSummary[] = [];
  #sessionId: string | undefined;
  #session: FollowedSession<Transcript> | undefined;
  #transcript: Transcript | undefined;
  /** Which opening is the newest: a slow one that comes late must not win. */
  #openings = 0;

  constructor(client: Client, defaults: Defaults) {
    this.#client = client;
    this.#defaults = defaults;
    const names = defaults.members.map((member) => member.name).join(", ");
    this.#conversation = createConversation({
      onOlder: () => void this.#guarded(() => this.#loadOlder()),
      hintText: `Nothing was said yet. At the table: ${names}. Everyone answers what you write; @name asks one.`,
    });
  }

  async start(root: HTMLElement): Promise<void> {
    setShown(this.#banner, false);
    const main = element("main", {}, this.#banner, this.#conversation.node, this.#composer.node);
    root.replaceChildren(this.#sessionList.node, main);
    this.#client.onClose((reason) => this.#lose(`The connection is lost: ${reason}.`));
    this.#client.onShutdown((reason) => this.#lose(`${reason}.`));
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
      onLost: (error) => this.#lose(`The session cannot be followed any more: ${error.message}`),
    });
    if (opening === this.#openings) this.#session = session;
    else session.close();
  }

  #startNew(): void {
    this.#leave();
    history.replaceState(null, "", location.pathname);
    this.#showList();
    this.#conversation.show(undefined);
    this.#composer.setStatus(`New session in ${this.#defaults.cwd}`);
    this.#composer.focus();
  }

  #leave(): number {
    this.#session?.close();
    this.#session = undefined;
    this.#sessionId = undefined;
    this.#transcript = undefined;
    this.#openings += 1;
    return this.#openings;
  }

  #show(transcript: Transcript): void {
    const before = this.#transcript;
    this.#transcript = transcript;
    this.#conversation.show(transcript);
    this.#composer.setStatus(statusOf(transcript));
    document.title = `${isRunning(transcript.head) ? "● " : ""}${transcript.head.title} · Roundtable`;
    const isNews = before === undefined || isRunning(before.head) !== isRunning(transcript.head);
    if (isNews || before.head.title !== transcript.head.title) void this.#refreshList();
  }

  async #send(text: string): Promise<boolean> {
    return await this.#guarded(async () => {
      if (this.#sessionId === undefined) {
        const title = text.replaceAll(/\s+/g, " ").slice(0, TITLE_CHARS_MAX);
        const { sessionId } = await this.#client.create({ ...this.#defaults, title });
        await this.#open(sessionId);
      }
      const ack = await this.#client.command(this.#sessionId ?? "", { type: "send", text, clientMessageId: newId() });
      if (!ack.ok) throw new Error([ack.error.message, ack.error.hint].filter(Boolean).join(" "));
    });
  }

  async #interrupt(): Promise<void> {
    if (this.#sessionId === undefined || this.#transcript === undefined || !isRunning(this.#transcript.head)) return;
    const ack = await this.#client.command(this.#sessionId, { type: "interrupt", scope: "own" });
    if (!ack.ok) throw new Error(ack.error.message);
    const { stopped, othersRunning } = ack.result as { stopped: number; othersRunning: number };
    if (stopped === 0 && othersRunning > 0) throw new Error("What runs was started elsewhere; stop it there.");
  }

  async #loadOlder(): Promise<void> {
    const session = this.#session;
    const page = session?.state.frozen.findLastIndex((one) => one === undefined) ?? -1;
    if (session === undefined || this.#sessionId === undefined || page < 0) return;
    const found = await this.#client.page(this.#sessionId, page);
    session.update((transcript) => withPage(transcript, page, found));
  }

  async #refreshList(): Promise<void> {
    try {
      this.#sessions = await this.#client.list();
      this.#showList();
    } catch {
      // The connection is gone, and the banner says so already.
    }
  }

  #showList(): void {
    this.#sessionList.show(this.#sessions, this.#sessionId);
  }

  /** Says what went wrong where the person looks; true when all went well. */
  async #guarded(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#composer.setStatus(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  #lose(text: string): void {
    if (!this.#banner.hidden) return;
    const again = element("button", { type: "button" }, "Reload");
    again.addEventListener("click", () => location.reload());
    setText(this.#banner, `${text} `);
    this.#banner.append(again);
    setShown(this.#banner, true);
    this.#composer.setEnabled(false);
  }
}

function statusOf({ head }: Transcript): string {
  const busy = membersInOrder(head)
    .filter((member) => member.state === "running")
    .map((member) => member.name);
  const parts = [
    ...(busy.length > 0 ? [`${busy.join(", ")} ${busy.length > 1 ? "speak" : "speaks"}`, "Escape interrupts"] : []),
    ...(head.queue.length > 0 ? [`${head.queue.length} queued`] : []),
    ...(head.council.state === "paused" && head.council.message !== undefined ? [head.council.message] : []),
  ];
  return parts.length > 0 ? parts.join(" · ") : "Enter sends · Shift+Enter makes a line";
}
