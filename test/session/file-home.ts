/** A random session's home on the file log: a crash is a copy of the data directory as it is at that moment. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../src/kit/ids.ts";
import { openFileLog } from "../../src/log/index.ts";
import { createFakeClock } from "./fake-clock.ts";
import type { Home } from "./random-session.ts";
import { readAll } from "./session-run.ts";

export async function createFileHome(from?: { dataDir: string; sessionId: string }): Promise<Home> {
  const clock = createFakeClock();
  const dataDir = mkdtempSync(join(tmpdir(), "roundtable-session-"));
  if (from !== undefined) cpSync(from.dataDir, dataDir, { recursive: true });
  const sessionId = from?.sessionId ?? newId();
  const log = await openFileLog({ dataDir, sessionId });

  /** The disk takes its own time: it is at rest when nothing more has been committed for a few rounds. */
  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet += 1) {
      const before = log.committedSeq;
      await log.flush();
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      if (log.committedSeq !== before) quiet = -1;
    }
  }

  async function close(): Promise<void> {
    await log.close();
    rmSync(dataDir, { recursive: true, force: true });
  }

  return {
    log,
    clock,
    settle,
    close,
    holdCommits: () => undefined,
    releaseCommits: () => undefined,
    async events() {
      await settle();
      return readAll(log);
    },
    async crash() {
      const next = await createFileHome({ dataDir, sessionId });
      await close();
      return next;
    },
  };
}
