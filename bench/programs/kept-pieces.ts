/**
 * The least that a reader does who promises what Roundtable promises of the pieces it shows: each is in a file before it is
 * shown, as a line of JSON, and on the disk at most 50 ms later; a prompt is on the disk before the agent gets it.
 */
import { closeSync, fdatasync, openSync, writeSync } from "node:fs";
import { promisify } from "node:util";

/** Leaves the sync itself some of the 50 ms. */
const SYNC_MS = 40;

export interface KeptPieces {
  keep(piece: string): void;
  keepDurably(text: string): Promise<void>;
  close(): Promise<void>;
}

export function keepPieces(file: string): KeptPieces {
  const fd = openSync(file, "a", 0o600);
  const sync = promisify(fdatasync);
  let seq = 0;
  let syncing: Promise<void> | undefined;
  const write = (text: string) => writeSync(fd, `${JSON.stringify({ seq: (seq += 1), ts: Date.now(), text })}\n`);
  return {
    keep(piece) {
      write(piece);
      syncing ??= new Promise((resolve) =>
        setTimeout(() => {
          syncing = undefined;
          resolve(sync(fd));
        }, SYNC_MS),
      );
    },
    async keepDurably(text) {
      write(text);
      await sync(fd);
    },
    async close() {
      await syncing;
      closeSync(fd);
    },
  };
}
