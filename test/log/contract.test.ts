import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { newId } from "../../src/kit/ids.ts";
import { openFileLog, openLogReader } from "../../src/log/index.ts";
import { eventLogContract } from "./event-log.contract.ts";
import { MemoryFiles } from "./memory-files.ts";

eventLogContract("real files", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "roundtable-log-"));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const sessionId = newId();
  return {
    sessionId,
    open: () => openFileLog({ dataDir, sessionId }),
    openReader: () => openLogReader({ dataDir, sessionId }),
  };
});

eventLogContract("a disk in memory", async () => {
  const files = new MemoryFiles();
  const options = { dataDir: "/data", sessionId: newId(), files };
  return { sessionId: options.sessionId, open: () => openFileLog(options), openReader: () => openLogReader(options) };
});
