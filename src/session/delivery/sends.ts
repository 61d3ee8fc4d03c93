/**
 * Idempotent sends: maps clientMessageId to its message. A repeat gets the first result; the same id with another body
 * is a conflict. A fold of the log, saved in the snapshot.
 */
import { createHash } from "node:crypto";
import * as z from "zod";
import {
  RoundtableError,
  type Attachment,
  type BlobRef,
  type EventOf,
  type Json,
  type QueueItem,
  type SessionEvent,
} from "../../protocol/index.ts";
import { EVERYONE, type Address } from "./addressing.ts";
import { SENDS_REMEMBERED_MAX } from "../limits.ts";

/** Reason of a pending delivery: steered into the running turn, or waiting for its end. */
export const STEERING = "steering";
export const WAITING = "waiting";

const SendRecord = z.object({
  messageId: z.string(),
  seq: z.number(),
  hash: z.string(),
  to: z.array(z.string()),
  placed: z.enum(["sent", "queued"]),
  /** True once the message has left the queue. */
  left: z.boolean(),
  waiting: z.array(z.string()),
  steering: z.array(z.string()),
});
export type SendRecord = z.infer<typeof SendRecord>;

export const SendsJson = z.array(z.tuple([z.string(), SendRecord]));

export class Sends {
  readonly #records: Map<string, SendRecord>;
  readonly #messageIds: Set<string>;
  /** The message whose first deliveries are being written, so that the first result can name them. */
  #newest: SendRecord | undefined;

  constructor(saved: z.infer<typeof SendsJson> = []) {
    this.#records = new Map(saved);
    this.#messageIds = new Set(saved.map(([, record]) => record.messageId));
  }

  apply(event: SessionEvent): void {
    if (event.type === "user_message") this.#noteMessage(event);
    else if (event.type === "queue_updated") this.#noteQueue(event);
    else if (event.type === "message_delivery" && event.state === "pending") this.#notePending(event);
  }

  /** The first send of this id, or undefined; throws `conflict` for another body. */
  repeated(clientMessageId: string, address: Address, attachments: readonly Attachment[]): SendRecord | undefined {
    const record = this.#records.get(clientMessageId);
    if (record === undefined) return undefined;
    // Members muted at the first send were left out of `to`, so the stored address may name fewer, never others.
    const isSameAddress = address.toAll
      ? record.to.includes(EVERYONE)
      : record.to.every((name) => address.names.includes(name));
    if (isSameAddress && record.hash === bodyHash({ text: address.text, attachments })) return record;
    throw new RoundtableError(
      "conflict",
      `The id "${clientMessageId}" was already used for message ${record.messageId} with another body.`,
      { hint: "Give every message an id of its own; repeat an id only with the same body." },
    );
  }

  find(clientMessageId: string): SendRecord | undefined {
    return this.#records.get(clientMessageId);
  }

  hasLeftQueue(item: QueueItem): boolean {
    return item.clientMessageId !== undefined && (this.#records.get(item.clientMessageId)?.left ?? false);
  }

  /** Covers the newest messages since the session was opened; older ones are in the pages. */
  knowsMessage(messageId: string): boolean {
    return this.#messageIds.has(messageId);
  }

  toJson(): Json {
    return structuredClone([...this.#records]);
  }

  #noteMessage(event: EventOf<"user_message">): void {
    this.#noteId(event.messageId);
    if (event.clientMessageId === undefined || event.copiedFrom !== undefined) return;
    const queued = this.#records.get(event.clientMessageId);
    if (queued !== undefined) {
      queued.left = true;
      return;
    }
    const { messageId, seq } = event;
    const to = event.toAll ? [EVERYONE] : event.to;
    const record = { messageId, seq, hash: bodyHash(event), to, placed: "sent" as const, left: true };
    this.#remember(event.clientMessageId, { ...record, waiting: [], steering: [] });
  }

  #noteQueue({ items, seq }: EventOf<"queue_updated">): void {
    for (const item of items) {
      if (item.clientMessageId === undefined || this.#records.has(item.clientMessageId)) continue;
      const { messageId, to } = item;
      const record = { messageId, seq, hash: bodyHash(item), to, placed: "queued" as const, left: false };
      this.#remember(item.clientMessageId, { ...record, waiting: [], steering: [] });
    }
  }

  #notePending({ messageId, member, reason }: EventOf<"message_delivery">): void {
    const record = this.#newest;
    if (record?.messageId !== messageId || record.placed !== "sent") return;
    if (record.waiting.includes(member) || record.steering.includes(member)) return;
    if (reason === STEERING) record.steering.push(member);
    else if (reason === WAITING) record.waiting.push(member);
  }

  #noteId(messageId: string): void {
    this.#messageIds.add(messageId);
    if (this.#messageIds.size <= SENDS_REMEMBERED_MAX) return;
    const [oldest] = this.#messageIds;
    if (oldest !== undefined) this.#messageIds.delete(oldest);
  }

  #remember(clientMessageId: string, record: SendRecord): void {
    this.#records.set(clientMessageId, record);
    this.#noteId(record.messageId);
    this.#newest = record;
    if (this.#records.size <= SENDS_REMEMBERED_MAX) return;
    const [oldest] = this.#records.keys();
    if (oldest !== undefined) this.#records.delete(oldest);
  }
}

function bodyHash(body: {
  readonly text: string;
  readonly textBlob?: BlobRef | undefined;
  readonly attachments: readonly Attachment[];
}): string {
  const text = body.textBlob?.sha256 ?? createHash("sha256").update(body.text).digest("hex");
  const fields = [text, ...body.attachments.map((one) => `${one.name}\0${one.blob.sha256}`)];
  return createHash("sha256").update(fields.join("\n")).digest("base64url").slice(0, 22);
}
