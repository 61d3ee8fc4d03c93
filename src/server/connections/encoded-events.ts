/**
 * Encoding of events for WebSocket and server-sent events. A batch that several clients share is encoded once per
 * transport; the cache is keyed by the array itself and dropped with it.
 */
import type { Cursor, SessionEvent } from "../../protocol/index.ts";

interface Encoded {
  message?: Buffer;
  stream?: Buffer;
}

const known = new WeakMap<readonly SessionEvent[], Encoded>();

function encoded(events: readonly SessionEvent[]): Encoded {
  const cached = known.get(events);
  if (cached !== undefined) return cached;
  const fresh: Encoded = {};
  known.set(events, fresh);
  return fresh;
}

/** A frame "events" as one WebSocket message. */
export function encodeMessage(sessionId: string, events: readonly SessionEvent[]): Buffer {
  const encodings = encoded(events);
  return (encodings.message ??= joinBytes(frameTexts(sessionId, events)));
}

function frameTexts(sessionId: string, events: readonly SessionEvent[]): string[] {
  const texts = events.map((event, at) => (at === 0 ? JSON.stringify(event) : `,${JSON.stringify(event)}`));
  return [`{"frame":"events","sessionId":${JSON.stringify(sessionId)},"events":[`, ...texts, "]}"];
}

/** Server-sent events; a reader that reconnects sends back the last id. */
export function encodeStream(events: readonly SessionEvent[]): Buffer {
  const encodings = encoded(events);
  return (encodings.stream ??= joinBytes(
    events.map((event) => `id: ${formatEventId(event)}\ndata: ${JSON.stringify(event)}\n\n`),
  ));
}

/** Copies text by text: one long concatenated string would be promoted to the old generation. */
function joinBytes(texts: readonly string[]): Buffer {
  let length = 0;
  for (const text of texts) length += Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const text of texts) at += bytes.write(text, at);
  return bytes;
}

/** A server-sent event that is not in the log: it has a name and no id. */
export function encodeNotice(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

const ID = /^(?:([1-9]\d{0,8})\.)?(\d{1,15})$/;

export function formatEventId({ epoch, seq }: Cursor): string {
  return `${epoch}.${seq}`;
}

/**
 * Parses the id of a server-sent event, `epoch.seq`. The epoch is needed because a power cut can lose the last events of a
 * log, and their seqs are used again. A bare seq has epoch 0, which matches any. Undefined for anything else.
 */
export function parseEventId(text: string): Cursor | undefined {
  const [, epoch = "0", seq] = ID.exec(text) ?? [];
  return seq === undefined ? undefined : { epoch: Number(epoch), seq: Number(seq) };
}
