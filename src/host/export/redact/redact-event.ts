/**
 * Redacts events. Ids, order and shape stay, so redacted events fold like the originals. Deltas join to the redacted
 * text; a delta that belongs to no open turn, which no view shows, is emptied.
 */
import { isKnownEvent, type BlobRef, type EventOf, type SessionEvent } from "../../../protocol/index.ts";
import { redactExcerpt, type WholeText } from "./excerpts.ts";
import { FREE_FIELDS, PRESERVED_FIELDS, MEMBER_FIELDS, deltaKey } from "./event-fields.ts";
import { applyToChunk, type Range } from "./ranges.ts";
import type { Redactor } from "./redactor.ts";

/** Replacement of a blob. */
export interface RedactedBlob {
  readonly ref: BlobRef;
  /** Its text, to redact excerpts of it; absent when it is no text. */
  readonly whole?: WholeText;
}

export interface EventRedactorOptions {
  readonly redactor: Redactor;
  /** From a survey of the same events. */
  readonly streamed: ReadonlyMap<string, readonly Range[]>;
  /** Replacements of member names, shared by all passes over a session. */
  readonly names: Map<string, string>;
}

export interface EventRedactor {
  /** `blobs` by hash: all that the event refers to. */
  redact(event: SessionEvent, blobs: ReadonlyMap<string, RedactedBlob>): SessionEvent;
}

export function createEventRedactor({ redactor, streamed, names }: EventRedactorOptions): EventRedactor {
  const open = new Set<string>();
  const offsets = new Map<string, number>();

  function memberName(name: string): string {
    if (redactor.find(name).length === 0) return name;
    const known = names.get(name) ?? `member-${names.size + 1}`;
    names.set(name, known);
    return known;
  }

  function redactDelta(event: DeltaEvent, key: string): DeltaEvent {
    if (!open.has(event.turnId)) return { ...event, text: "" };
    const ranges = streamed.get(key);
    if (ranges === undefined) return event;
    const at = offsets.get(key) ?? 0;
    offsets.set(key, at + event.text.length);
    redactor.note(ranges.filter(({ start }) => start >= at && start < at + event.text.length));
    return { ...event, text: applyToChunk(event.text, at, ranges) };
  }

  function walk(value: unknown, key: string, context: WalkContext): unknown {
    if (typeof value === "string") return walkText(value, key, context);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => walk(one, key, context));
    const blob = isBlobRef(value) ? context.blobs.get(value.sha256) : undefined;
    if (blob !== undefined) return blob.ref;
    const whole = context.isFree ? undefined : wholeOf(value, context.blobs);
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => {
        if (whole !== undefined && isExcerpt(name) && typeof one === "string") return [name, excerpt(one, whole)];
        const isFree = context.isFree || isFreeField(name, context);
        return [context.isFree ? redactor.redact(name) : name, walk(one, name, { ...context, isFree, parent: key })];
      }),
    );
  }

  function walkText(text: string, key: string, context: WalkContext): string {
    if (context.isFree) return redactor.redactValue(key, text);
    if (PRESERVED_FIELDS.has(key) || (context.type === "ui_cancelled" && key === "reason")) return text;
    return isMemberField(key, context) ? memberName(text) : redactor.redact(text);
  }

  function excerpt(text: string, whole: WholeText): string {
    redactor.note(whole.ranges.filter(({ start }) => start < text.length));
    return redactExcerpt(text, whole, (part) => redactor.redact(part));
  }

  return {
    redact(event, blobs) {
      if (event.type === "turn_start") open.add(event.turnId);
      if (event.type === "turn_end") open.delete(event.turnId);
      const key = deltaKey(event);
      const named = event.member === undefined ? event : { ...event, member: memberName(event.member) };
      if (key !== undefined && "text" in event) {
        return redactDelta(named as DeltaEvent, key);
      }
      const context: WalkContext = { blobs, isFree: false, parent: "", type: event.type, isKnown: isKnownEvent(event) };
      return walk(event, "", context) as SessionEvent;
    },
  };
}

type DeltaEvent = EventOf<"text_delta"> | EventOf<"thinking_delta"> | EventOf<"tool_output_delta">;

interface WalkContext {
  readonly blobs: ReadonlyMap<string, RedactedBlob>;
  readonly isFree: boolean;
  readonly parent: string;
  readonly type: string;
  readonly isKnown: boolean;
}

/** Of an unknown event type only the envelope is known to be free of text. */
function isFreeField(name: string, { type, isKnown }: WalkContext): boolean {
  if (!isKnown) return !PRESERVED_FIELDS.has(name) && name !== "member";
  return FREE_FIELDS.has(name) || (type === "ui_response" && name === "result");
}

function isMemberField(key: string, { parent, type }: WalkContext): boolean {
  return MEMBER_FIELDS.has(key) || (parent === "spec" && key === "name") || (type === "minutes" && key === "by");
}

/** Fields that are excerpts of the text beside them. */
function isExcerpt(name: string): boolean {
  return name === "text" || name === "result";
}

function wholeOf(value: object, blobs: ReadonlyMap<string, RedactedBlob>): WholeText | undefined {
  const { textBlob, truncated } = value as { textBlob?: unknown; truncated?: { blob?: unknown } };
  const ref = textBlob ?? truncated?.blob;
  return isBlobRef(ref) ? blobs.get(ref.sha256)?.whole : undefined;
}

function isBlobRef(value: unknown): value is BlobRef {
  if (typeof value !== "object" || value === null) return false;
  const { sha256, bytes } = value as Partial<Record<keyof BlobRef, unknown>>;
  return typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256) && typeof bytes === "number";
}

/** All blobs that an event refers to, also of an unknown type. */
export function blobsIn(event: unknown): BlobRef[] {
  if (isBlobRef(event)) return [event];
  if (typeof event !== "object" || event === null) return [];
  return Object.values(event).flatMap(blobsIn);
}

/** The user in whose home a session was created, which may have been on another machine. */
export function userIn(event: SessionEvent): string | undefined {
  if (event.type !== "session_created") return undefined;
  return /^(?:\/home\/|\/Users\/|[A-Za-z]:\\Users\\)([^/\\]+)/.exec(event.cwd)?.[1];
}
