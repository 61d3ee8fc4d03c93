/** Generated and hand-written sessions as logs on disk, under a real id. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openAdoptedLog } from "../../src/log/index.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";

export const SESSION_ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

export function newDataDir(): string {
  return mkdtempSync(path.join(tmpdir(), "rt-export-"));
}

/** Events that a reader made up, such as damage, leave the gap that they stand for. */
export async function writeSession(
  dataDir: string,
  events: readonly SessionEvent[],
  { sessionId = SESSION_ID, blobs = [] }: { sessionId?: string; blobs?: readonly Uint8Array[] } = {},
): Promise<string> {
  const log = await openAdoptedLog({ dataDir, sessionId });
  for (const blob of blobs) await log.blobs.put(blob);
  const written = events.filter(({ type }) => type !== "damage");
  log.write(written.map((event) => Object.assign({}, event, { sessionId })));
  await log.close();
  return sessionId;
}
