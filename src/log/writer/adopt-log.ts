/**
 * Takes in events that were numbered and stamped elsewhere, as they are: a log that was exported and comes back. Goes on
 * behind what is there, so that one that was cut is finished by the next. Takes no lock; whoever calls it holds one.
 */
import { systemClock } from "../../kit/clock.ts";
import type { SessionEvent } from "../../protocol/index.ts";
import { createBlobs } from "../files/blobs.ts";
import { ensureDirectory } from "../files/directories.ts";
import { readEpoch, writeEpoch } from "./epoch.ts";
import type { BlobStore } from "../event-log.ts";
import type { FilePort } from "../files/file-port.ts";
import { findHead, indexFileOf } from "../reader/head.ts";
import { nodeFiles } from "../files/node-files.ts";
import { openOrCreate } from "./open-log.ts";
import { sessionPaths, tornPath } from "../files/paths.ts";
import { encodeRecords, RECORD_NUMBER_MAX } from "../reader/record.ts";
import { cutTornTail } from "./torn-tail.ts";

export interface AdoptedLog {
  /** The last seq that is there. */
  readonly seq: number;
  readonly blobs: BlobStore;
  /** In order, each with a seq above the last and an epoch not below it. */
  write(events: readonly SessionEvent[]): void;
  /** On disk when it resolves. */
  close(): Promise<void>;
}

export async function openAdoptedLog(options: {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly files?: FilePort;
}): Promise<AdoptedLog> {
  const { dataDir, sessionId, files = nodeFiles } = options;
  const paths = sessionPaths(dataDir, sessionId);
  const file = await openOrCreate(files, paths);
  const head = await findHead({ files, file, indexPath: indexFileOf(paths.snapshots) });
  if (head.size > head.end) {
    const copyPath = tornPath(paths, systemClock.now());
    await cutTornTail(files, { file, end: head.end, size: head.size, copyPath });
  }
  let seq = head.seq;
  let epoch = head.epoch;
  return {
    get seq() {
      return seq;
    },
    blobs: createBlobs({ files, directory: paths.blobs, prepare: () => ensureDirectory(files, paths.blobs) }),
    write(events) {
      for (const event of events) {
        const isReadable = event.seq <= RECORD_NUMBER_MAX && event.epoch <= RECORD_NUMBER_MAX;
        if (event.seq <= seq || event.epoch < epoch || !isReadable) {
          throw new Error(`Event ${event.seq} of epoch ${event.epoch} cannot follow ${seq} of epoch ${epoch}.`);
        }
        ({ seq, epoch } = event);
      }
      const texts = events.map((event) => JSON.stringify(event));
      const { bytes } = encodeRecords(
        texts,
        texts.map((text) => Buffer.byteLength(text)),
      );
      for (let done = 0; done < bytes.length;) done += file.write(bytes.subarray(done));
    },
    async close() {
      try {
        await file.datasync();
        const known = await readEpoch(files, paths.epoch);
        if (epoch > known) await writeEpoch(files, paths.epoch, epoch);
      } finally {
        file.close();
      }
    },
  };
}
