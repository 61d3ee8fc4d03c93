/**
 * Reads the lines of an exported session. The file is untrusted: every line is validated, errors have line numbers, and
 * none stops the reading.
 */
import * as z from "zod";
import {
  BlobRef,
  definitionOf,
  EVENT_BYTES_MAX,
  syncClassOf,
  type SessionEvent,
} from "../../../../src/protocol/index.ts";
import { isUlid } from "../../../../src/kit/ids.ts";
import { FORMAT, type Header } from "./write-lines.ts";

const DEPTH_MAX = 200;
/** Bytes of an event's size limit that the log's envelope takes. */
const RECORD_BYTES = 64;
/**
 * Of a seq and of an epoch. The log reads back numbers a thousand times as great, so that there is always a next one: a
 * file that ends with the highest number would make everything written after it unreadable.
 */
const NUMBER_MAX = 1_000_000_000_000;

const HeaderLine = z.object({
  roundtable: z.literal("session"),
  format: z.number(),
  sessionId: z.string().refine(isUlid),
  title: z.string(),
  messages: z.int().nonnegative(),
  lastSeq: z.int().nonnegative(),
  redacted: z.boolean().optional(),
});

const { sha256, bytes } = BlobRef.shape;
const BlobChunk = z.object({ sha256, bytes, at: z.int().nonnegative(), base64: z.base64() });
const LeftOut = z.object({ sha256, leftOut: z.string() });
const End = z.object({ events: z.int().nonnegative() });

const Envelope = z.looseObject({
  seq: z.int().positive(),
  epoch: z.int().positive(),
  id: z.string().max(128),
  ts: z.number(),
  sessionId: z.string(),
  type: z.string(),
  turnId: z.string().optional(),
  member: z.string().optional(),
});

export type ReadLine =
  | { readonly kind: "header"; readonly header: Header }
  | { readonly kind: "event"; readonly event: SessionEvent }
  | {
      readonly kind: "blob";
      readonly sha256: string;
      readonly bytes: number;
      readonly at: number;
      readonly chunk: Buffer;
    }
  | { readonly kind: "left-out"; readonly sha256: string; readonly why: string }
  | { readonly kind: "end"; readonly events: number }
  /** Events that the exported log had already lost; its reader reports them again. */
  | { readonly kind: "damage" }
  | { readonly kind: "bad"; readonly what: string };

export interface LineReader {
  /** Takes the parsed lines in order. */
  read(value: unknown): ReadLine;
}

export function createLineReader(): LineReader {
  let header: Header | undefined;
  let lastSeq = 0;
  let lastEpoch = 1;

  function readHeader(value: unknown): ReadLine {
    const parsed = HeaderLine.safeParse(value);
    if (!parsed.success) return bad("the first line is not the header of a Roundtable session");
    const { sessionId, title, messages, lastSeq: last, redacted, format } = parsed.data;
    if (format !== FORMAT) return bad(`the file has format ${format}; this version reads ${FORMAT}`);
    header = { sessionId, title, messages, lastSeq: last, ...(redacted === true ? { redacted } : {}) };
    return { kind: "header", header };
  }

  function readEvent(value: object): ReadLine {
    const envelope = Envelope.safeParse(value);
    if (!envelope.success) return bad(`it is not an event: ${issueOf(envelope.error)}`);
    const { seq, epoch, type, sessionId } = envelope.data;
    if (sessionId !== header?.sessionId) return bad("it is an event of another session");
    if (seq > NUMBER_MAX || epoch > NUMBER_MAX) {
      return bad(`event ${seq} of epoch ${epoch} has a number above ${NUMBER_MAX}, which no session reaches`);
    }
    if (seq <= lastSeq) return bad(`event ${seq} comes after event ${lastSeq}`);
    if (epoch < lastEpoch) return bad(`event ${seq} comes from an older writer than the one before it`);
    if (syncClassOf(type) === "derived") return { kind: "damage" };
    const checked = definitionOf(type)?.schema.safeParse(value);
    if (checked?.success === false) return bad(`event ${seq} (${type}) is not valid: ${issueOf(checked.error)}`);
    const size = Buffer.byteLength(JSON.stringify(value)) + RECORD_BYTES;
    if (size > EVENT_BYTES_MAX) return bad(`event ${seq} has ${size} bytes; at most ${EVENT_BYTES_MAX} are accepted`);
    const event = ordered(value as SessionEvent);
    // Integer-like names come first in every object, and log records must start with their seq.
    if (Object.keys(event)[0] !== "seq") return bad(`event ${seq} (${type}) has a field whose name is a number`);
    lastSeq = seq;
    lastEpoch = epoch;
    return { kind: "event", event };
  }

  function readBlob(value: unknown): ReadLine {
    const left = LeftOut.safeParse(value);
    if (left.success) return { kind: "left-out", sha256: left.data.sha256, why: left.data.leftOut };
    const parsed = BlobChunk.safeParse(value);
    if (!parsed.success) return bad(`it is not part of a blob: ${issueOf(parsed.error)}`);
    const { base64, ...rest } = parsed.data;
    return { kind: "blob", ...rest, chunk: Buffer.from(base64, "base64") };
  }

  return {
    read(value) {
      if (typeof value !== "object" || value === null) return bad("it is not an object");
      if (isDeeper(value, DEPTH_MAX)) return bad(`it is nested deeper than ${DEPTH_MAX}`);
      if (header === undefined) return readHeader(value);
      if ("blob" in value && !("seq" in value)) return readBlob(value.blob);
      if ("end" in value && !("seq" in value)) {
        const end = End.safeParse(value.end);
        return end.success ? { kind: "end", events: end.data.events } : bad("it is not an end line");
      }
      return readEvent(value);
    },
  };
}

/** As the log writes it, the envelope first. */
function ordered(event: SessionEvent): SessionEvent {
  const { seq, epoch, id, ts, sessionId, ...rest } = event;
  // Unknown fields of known events are preserved, as in the log.
  return { seq, epoch, id, ts, sessionId, ...rest };
}

function bad(what: string): ReadLine {
  return { kind: "bad", what };
}

function issueOf({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return "unknown reason";
  return `${issue.path.length === 0 ? "" : `${issue.path.join(".")}: `}${issue.message}`;
}

/** Without recursion: the depth is untrusted. */
function isDeeper(value: object, max: number): boolean {
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > max) return true;
    level = level.flatMap((one) => Object.values(one).filter((child) => typeof child === "object" && child !== null));
  }
  return false;
}
