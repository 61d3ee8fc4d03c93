/**
 * Pending deliveries and retryable turns: a fold of the log beside the transcript, because a pending message may be on
 * a page that is no longer in memory.
 */
import * as z from "zod";
import { Attachment, BlobRef, Outcome, type EventOf, type Json, type SessionEvent } from "../../protocol/index.ts";

/** `answered` and `dropped` say how the turn ended; `settled` that the log has an event for it. */
const MailMember = z.object({
  state: z.enum(["pending", "given", "answered", "dropped", "settled"]),
  turnId: z.string().optional(),
  reason: z.string().optional(),
});
type MailMember = z.infer<typeof MailMember>;

const Mail = z.object({
  messageId: z.string(),
  seq: z.number(),
  text: z.string(),
  textBlob: BlobRef.optional(),
  attachments: z.array(Attachment),
  clientId: z.string().optional(),
  toAll: z.boolean(),
  members: z.array(z.tuple([z.string(), MailMember])),
});

/** A turn that answers the latest user message and can still be retried. */
const Answering = z.object({
  turnId: z.string(),
  member: z.string(),
  messageIds: z.array(z.string()),
  rootMessageId: z.string().optional(),
  round: z.number().optional(),
  outcome: Outcome.optional(),
  reason: z.string().optional(),
  replaced: z.boolean(),
});
export type Answering = z.infer<typeof Answering>;

export const MailboxJson = z.object({
  latest: z.string().optional(),
  mails: z.array(Mail),
  answering: z.array(Answering),
});

/** A user message while a member has not settled it or a turn that answers it can be retried. */
export interface Message {
  readonly messageId: string;
  readonly seq: number;
  readonly text: string;
  readonly textBlob?: BlobRef | undefined;
  readonly attachments: readonly Attachment[];
  readonly clientId?: string | undefined;
  readonly toAll: boolean;
}

export interface Unsettled {
  readonly messageId: string;
  readonly member: string;
  readonly state: "pending" | "given" | "answered" | "dropped";
  readonly reason: string | undefined;
}

type Held = Message & { readonly members: Map<string, MailMember> };

export class Mailbox {
  readonly #mails = new Map<string, Held>();
  #latest: string | undefined;
  #answering: Answering[];

  constructor(saved?: z.infer<typeof MailboxJson>) {
    this.#latest = saved?.latest;
    this.#answering = saved?.answering ?? [];
    for (const { members, ...mail } of saved?.mails ?? []) {
      this.#mails.set(mail.messageId, { ...mail, members: new Map(members) });
    }
  }

  apply(event: SessionEvent): void {
    switch (event.type) {
      case "user_message":
        this.#receive(event);
        return;
      case "turn_start":
        this.#startTurn(event);
        return;
      case "steering":
        this.#set(event.messageId, event.member, { state: "given", turnId: event.turnId });
        return;
      case "turn_end":
        this.#endTurn(event);
        return;
      case "message_delivery":
        if (event.state !== "dropped" && event.state !== "answered") return;
        this.#set(event.messageId, event.member, { state: "settled" });
        this.#forgetSettled();
        return;
      case "session_clear":
        this.#mails.clear();
        this.#answering = [];
        this.#latest = undefined;
        return;
      default:
    }
  }

  /** Oldest first. */
  pendingOf(member: string): Message[] {
    return [...this.#mails.values()].filter((mail) => mail.members.get(member)?.state === "pending");
  }

  hasPending(): boolean {
    return this.unsettled().some((one) => one.state === "pending");
  }

  /** Deliveries without a settling event. */
  unsettled(): Unsettled[] {
    return [...this.#mails.values()].flatMap(({ messageId, members }) =>
      [...members].flatMap(([member, { state, reason }]) =>
        state === "settled" ? [] : [{ messageId, member, state, reason }],
      ),
    );
  }

  find(messageId: string): Message | undefined {
    return this.#mails.get(messageId);
  }

  /** Turns that answer the latest user message, oldest first, without replaced ones. */
  answering(): readonly Answering[] {
    return this.#answering.filter((turn) => !turn.replaced);
  }

  toJson(): Json {
    const mails = [...this.#mails.values()].map((mail) => Object.assign({}, mail, { members: [...mail.members] }));
    const latest = this.#latest === undefined ? {} : { latest: this.#latest };
    return structuredClone({ ...latest, mails, answering: this.#answering }) as unknown as Json;
  }

  #receive(event: EventOf<"user_message">): void {
    if (event.copiedFrom !== undefined) return;
    this.#latest = event.messageId;
    this.#answering = [];
    this.#mails.set(event.messageId, {
      messageId: event.messageId,
      seq: event.seq,
      text: event.text,
      ...(event.textBlob === undefined ? {} : { textBlob: event.textBlob }),
      attachments: event.attachments,
      ...(event.clientId === undefined ? {} : { clientId: event.clientId }),
      toAll: event.toAll,
      members: new Map(event.to.map((member) => [member, { state: "pending" }])),
    });
    this.#forgetSettled();
  }

  #startTurn(event: EventOf<"turn_start">): void {
    if (event.copiedFrom !== undefined) return;
    const { turnId, member, messageIds, rootMessageId, round } = event;
    for (const messageId of messageIds) this.#set(messageId, member, { state: "given", turnId });
    const isOfLatest =
      this.#latest !== undefined && (messageIds.includes(this.#latest) || this.#isRoundOfLatest(event));
    if (!isOfLatest) return;
    for (const turn of this.#answering) if (turn.turnId === event.replaces) turn.replaced = true;
    this.#answering.push({
      turnId,
      member,
      messageIds,
      ...(rootMessageId === undefined ? {} : { rootMessageId }),
      ...(round === undefined ? {} : { round }),
      replaced: false,
    });
  }

  #isRoundOfLatest({ rootMessageId, round }: EventOf<"turn_start">): boolean {
    return rootMessageId === this.#latest && round !== undefined && round > 1;
  }

  #endTurn(event: EventOf<"turn_end">): void {
    for (const turn of this.#answering) {
      if (turn.turnId !== event.turnId) continue;
      turn.outcome = event.outcome;
      if (event.reason !== undefined) turn.reason = event.reason;
    }
    for (const mail of this.#mails.values()) {
      for (const [member, one] of mail.members) {
        if (one.state !== "given" || one.turnId !== event.turnId) continue;
        const isAnswered = event.outcome === "completed";
        const reason = event.reason ?? event.outcome;
        mail.members.set(member, isAnswered ? { state: "answered" } : { state: "dropped", reason });
      }
    }
  }

  #set(messageId: string, member: string, state: MailMember): void {
    this.#mails.get(messageId)?.members.set(member, state);
  }

  #forgetSettled(): void {
    for (const mail of this.#mails.values()) {
      const isOpen = [...mail.members.values()].some((one) => one.state !== "settled");
      if (!isOpen && !this.#canBeRetried(mail.messageId)) this.#mails.delete(mail.messageId);
    }
  }

  #canBeRetried(messageId: string): boolean {
    return messageId === this.#latest || this.#answering.some((turn) => turn.messageIds.includes(messageId));
  }
}
