/**
 * Events as they go over a wire. A lot that many clients get is encoded once for each kind of wire; it is known by the
 * array itself, and forgotten with it.
 */
import type { SessionEvent } from "../protocol/index.ts";

interface Encoded {
  readonly texts: readonly string[];
  frame?: Buffer;
  stream?: Buffer;
}

const known = new WeakMap<readonly SessionEvent[], Encoded>();
/** Readers that catch up get the same events in lots of their own. */
const knownTexts = new WeakMap<SessionEvent, string>();

function textOf(event: SessionEvent): string {
  const found = knownTexts.get(event);
  if (found !== undefined) return found;
  const text = JSON.stringify(event);
  knownTexts.set(event, text);
  return text;
}

function encoded(events: readonly SessionEvent[]): Encoded {
  const found = known.get(events);
  if (found !== undefined) return found;
  const fresh: Encoded = { texts: events.map(textOf) };
  known.set(events, fresh);
  return fresh;
}

/** A frame "events", as JSON. */
export function encodeFrame(sessionId: string, events: readonly SessionEvent[]): Buffer {
  const lot = encoded(events);
  const head = `{"frame":"events","sessionId":${JSON.stringify(sessionId)},"events":[`;
  return (lot.frame ??= Buffer.from(`${head}${lot.texts.join(",")}]}`));
}

/** Server-sent events: the id is the seq, so that a reader that comes back can say where it was. */
export function encodeStream(events: readonly SessionEvent[]): Buffer {
  const lot = encoded(events);
  return (lot.stream ??= Buffer.from(
    lot.texts.map((text, at) => `id: ${events[at]?.seq}\ndata: ${text}\n\n`).join(""),
  ));
}

/** Something that is no event of the log: it has a name and no id. */
export function encodeNotice(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
