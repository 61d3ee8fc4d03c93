/**
 * Events as they go over a wire. A lot that many clients get is encoded once for each kind of wire; it is known by the
 * array itself, and forgotten with it.
 */
import type { SessionEvent } from "../../protocol/index.ts";
import { formatEventId } from "./event-cursor.ts";

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

/** A frame "events" as a JSON text in one WebSocket message. */
export function encodeMessage(sessionId: string, events: readonly SessionEvent[]): Buffer {
  const encodings = encoded(events);
  return (encodings.message ??= joinBytes(frameTexts(sessionId, events)));
}

function frameTexts(sessionId: string, events: readonly SessionEvent[]): string[] {
  const texts = events.map((event, at) => (at === 0 ? JSON.stringify(event) : `,${JSON.stringify(event)}`));
  return [`{"frame":"events","sessionId":${JSON.stringify(sessionId)},"events":[`, ...texts, "]}"];
}

/** Server-sent events: the id says where a reader that comes back was. */
export function encodeStream(events: readonly SessionEvent[]): Buffer {
  const encodings = encoded(events);
  return (encodings.stream ??= joinBytes(
    events.map((event) => `id: ${formatEventId(event)}\ndata: ${JSON.stringify(event)}\n\n`),
  ));
}

/** Piece by piece: a long text that is made only to be copied would outlive the collection of young garbage. */
function joinBytes(texts: readonly string[]): Buffer {
  let length = 0;
  for (const text of texts) length += Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const text of texts) at += bytes.write(text, at);
  return bytes;
}

/** Something that is no event of the log: it has a name and no id. */
export function encodeNotice(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
