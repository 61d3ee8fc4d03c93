/**
 * Snapshots of the fold beside the log. Each file has a checksum and the log position it was made at; one that the log
 * does not know, or of another fold version, is ignored.
 */
import { RoundtableError, type Cursor, type Json } from "../../protocol/index.ts";
import { join } from "node:path";
import type { Snapshot, SnapshotStore } from "../event-log.ts";
import type { FilePort } from "./file-port.ts";
import { readSealed, writeSealed } from "./sealed-json.ts";

export interface SnapshotOptions {
  readonly files: FilePort;
  readonly directory: string;
  readonly knows: (cursor: Cursor) => Promise<boolean>;
  /** Called before the first file is written; rejects for a store that is open for reading only. */
  readonly prepare: () => Promise<void>;
  readonly onSaved: () => Promise<void>;
}

interface StoredPage {
  foldVersion: number;
  epoch: number;
  seq: number;
  page: Json;
}

export function createSnapshots({ files, directory, knows, prepare, onSaved }: SnapshotOptions): SnapshotStore {
  const headPath = join(directory, "head.json");
  const pagePath = (index: number): string => join(directory, `page-${String(index).padStart(6, "0")}.json`);
  let current: Snapshot | undefined;
  let saving: Promise<void> = Promise.resolve();

  async function load(): Promise<Snapshot | undefined> {
    const stored = (await readSealed(files, headPath)) as Snapshot | undefined;
    if (stored === undefined || !(await knows({ epoch: stored.epoch, seq: stored.seq }))) return undefined;
    current = stored;
    return stored;
  }

  async function saveNow(snapshot: Snapshot, newPages: readonly { index: number; page: Json }[]): Promise<void> {
    const { foldVersion, epoch, seq } = snapshot;
    try {
      await prepare();
      for (const { index, page } of newPages) {
        const stored: StoredPage = { foldVersion, epoch, seq, page };
        await writeSealed(files, pagePath(index), stored);
      }
      await writeSealed(files, headPath, snapshot);
      current = snapshot;
      await onSaved();
    } catch (error) {
      if (error instanceof RoundtableError) throw error;
      throw new RoundtableError("store_unavailable", `The snapshot in ${directory} could not be saved.`, {
        cause: error,
      });
    }
  }

  return {
    load,
    save(snapshot, newPages) {
      const run = saving.then(() => saveNow(snapshot, newPages));
      saving = run.catch(() => undefined);
      return run;
    },
    async page(index) {
      const head = current ?? (await load());
      if (head === undefined || index >= head.frozenPages) return undefined;
      const stored = (await readSealed(files, pagePath(index))) as StoredPage | undefined;
      if (stored === undefined || stored.foldVersion !== head.foldVersion || stored.seq > head.seq) return undefined;
      return (await knows({ epoch: stored.epoch, seq: stored.seq })) ? stored.page : undefined;
    },
  };
}
