/** Sessions for tests of the log: folded from events as they would come, or made at once when they are very long. */
import type { EventDraft } from "../../src/protocol/index.ts";
import { empty, PAGE_SIZE, reduce, type Message, type Transcript } from "../../src/transcript/index.ts";
import { created, ended, joined, said, started } from "../generate/drafts.ts";
import { stamped } from "../generate/stamped.ts";

export class LogScene {
  transcript: Transcript = empty("session");
  #made = 0;
  readonly #memberOf = new Map<string, string>();

  constructor(members: readonly string[] = ["ann", "bob", "cleo"]) {
    this.add(created());
    const { head } = this.transcript;
    this.add(...members.map((member) => joined(member)));
    // Joining is told by notices, which tests of the log would have to count.
    const joinedHead = this.transcript.head;
    this.transcript = { head: { ...joinedHead, messageCount: head.messageCount }, frozen: [], live: [] };
  }

  add(...drafts: EventDraft[]): void {
    const events = stamped(drafts, this.transcript.head.seq);
    this.transcript = events.reduce((before, event) => reduce(before, event), this.transcript);
  }

  user(text: string): void {
    this.#made += 1;
    this.add(said(`message-${this.#made}`, [], { text }));
  }

  start(member = "ann"): string {
    this.#made += 1;
    const turnId = `turn-${this.#made}`;
    this.#memberOf.set(turnId, member);
    this.add(started(turnId, member));
    return turnId;
  }

  delta(turnId: string, text: string): void {
    const member = this.#memberOf.get(turnId) ?? "ann";
    this.add({ type: "text_delta", turnId, member, segmentId: `${turnId}-text`, text });
  }

  end(turnId: string): void {
    this.add(ended(turnId, this.#memberOf.get(turnId) ?? "ann"));
  }

  /** A whole turn. */
  answer(text: string, member = "ann"): void {
    const turnId = this.start(member);
    this.delta(turnId, text);
    this.end(turnId);
  }

  clear(): void {
    this.add({ type: "session_clear" });
  }

  get openTurns(): string[] {
    return Object.keys(this.transcript.head.openTurns);
  }
}

/** A question and two answers of two rows, over and over. */
export function talk(count: number): LogScene {
  const scene = new LogScene();
  for (let made = 0; made < count; made += 1) {
    if (made % 3 === 0) scene.user(`question ${made}`);
    else scene.answer(`answer ${made}\nwith a second row`);
  }
  return scene;
}

export function lines(count: number, word = "row"): string {
  return Array.from({ length: count }, (_, row) => `${word} ${row}`).join("\n");
}

/**
 * A session of `count` messages, all but the last page frozen; `textOf` says what stands in each. Those that are not
 * the user's are notices.
 */
export function longTranscript(
  count: number,
  textOf: (position: number) => string,
  isUser: (position: number) => boolean = () => true,
): Transcript {
  const { head } = new LogScene().transcript;
  const pages = Array.from({ length: Math.ceil(count / PAGE_SIZE) }, (_, index) => ({
    index,
    messages: Array.from({ length: Math.min(PAGE_SIZE, count - index * PAGE_SIZE) }, (__, offset) =>
      madeMessage(index * PAGE_SIZE + offset, textOf, isUser),
    ),
  }));
  return { head: { ...head, messageCount: count }, frozen: pages.slice(0, -1), live: pages.slice(-1) };
}

/** The same without the frozen pages that `isKept` refuses. */
export function withoutPages(transcript: Transcript, isKept: (page: number) => boolean): Transcript {
  return { ...transcript, frozen: transcript.frozen.map((page, index) => (isKept(index) ? page : undefined)) };
}

function madeMessage(
  position: number,
  textOf: (position: number) => string,
  isUser: (position: number) => boolean,
): Message {
  const place = { position, seq: position + 1, ts: 1_700_000_000_000 + position };
  const text = textOf(position);
  if (!isUser(position)) {
    const event = { ...place, epoch: 1, id: `event-${position}`, sessionId: "session", type: "warning" } as const;
    return { kind: "notice", ...place, event: { ...event, code: "made", message: text } };
  }
  const messageId = `message-${position}`;
  return { kind: "user", ...place, messageId, text, to: [], toAll: true, attachments: [], deliveries: {} };
}
