/**
 * A reader's place in a session as one word: the id of a server-sent event, which the reader sends back when it comes
 * again. The epoch is in it because a power cut can take the last events of a log, and the same seqs are given out anew.
 */
import type { Cursor } from "../../protocol/index.ts";

const ID = /^(?:([1-9]\d{0,8})\.)?(\d{1,15})$/;

export function formatEventId({ epoch, seq }: Cursor): string {
  return `${epoch}.${seq}`;
}

/** Also takes a bare seq, of a reader that counts by itself; its epoch is 0, which is any. Undefined for anything else. */
export function parseEventId(text: string): Cursor | undefined {
  const [, epoch = "0", seq] = ID.exec(text) ?? [];
  return seq === undefined ? undefined : { epoch: Number(epoch), seq: Number(seq) };
}
