/** Which session, and which message of it, the address names: `#/s/ID` and `#/s/ID/m/SEQ`. */
export interface Place {
  readonly sessionId?: string;
  /** The message that began at this seq, or the newest before it. */
  readonly seq?: number;
}

const PLACE = /^#\/s\/([0-9A-Za-z]{1,64})(?:\/m\/(\d{1,15}))?$/;

export function readPlace(hash: string): Place {
  const [, sessionId, seq] = PLACE.exec(hash) ?? [];
  if (sessionId === undefined) return {};
  return seq === undefined ? { sessionId } : { sessionId, seq: Number(seq) };
}

export function writePlace({ sessionId, seq }: Place): string {
  if (sessionId === undefined) return "#/";
  return seq === undefined ? `#/s/${sessionId}` : `#/s/${sessionId}/m/${seq}`;
}
