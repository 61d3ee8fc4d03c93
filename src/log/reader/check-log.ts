/** The full check of a log, every byte of it, for `doctor`. Changes nothing. */
import { RoundtableError } from "../../protocol/index.ts";
import type { Damage } from "../event-log.ts";
import type { FilePort } from "../files/file-port.ts";
import { endsWithWholeRecord, findHead } from "./head.ts";
import { nodeFiles } from "../files/node-files.ts";
import { openLogFile } from "./open-log-file.ts";
import { sessionPaths } from "../files/paths.ts";

export interface LogCheck {
  /** No damage and no torn tail. */
  readonly whole: boolean;
  readonly records: number;
  readonly lastSeq: number;
  readonly lastEpoch: number;
  readonly bytes: number;
  /** At most 1,000 of them; `damageCount` has all. */
  readonly damages: readonly Damage[];
  readonly damageCount: number;
  readonly tornBytes: number;
  /** The torn bytes are a whole record without its newline. */
  readonly lacksNewline: boolean;
  /** The session that the first record names, if it names one. */
  readonly ownerId: string | undefined;
}

export interface CheckLogOptions {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly files?: FilePort;
}

/** Throws `unknown_session` without a log and `version_mismatch` for another format. */
export async function checkLog({ dataDir, sessionId, files = nodeFiles }: CheckLogOptions): Promise<LogCheck> {
  const file = await openLogFile(files, sessionPaths(dataDir, sessionId), sessionId);
  try {
    const head = await findHead({ files, file });
    const tornBytes = head.size - head.end;
    return {
      whole: head.damageCount === 0 && tornBytes === 0,
      records: head.records,
      lastSeq: head.seq,
      lastEpoch: head.epoch,
      bytes: head.size,
      damages: head.damages,
      damageCount: head.damageCount,
      tornBytes,
      lacksNewline: await endsWithWholeRecord(file, head),
      ownerId: head.ownerId,
    };
  } catch (error) {
    if (error instanceof RoundtableError) throw error;
    throw new RoundtableError("store_unavailable", `The log of session ${sessionId} cannot be read.`, { cause: error });
  } finally {
    file.close();
  }
}
