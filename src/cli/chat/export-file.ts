/** `/export`: writes a session to a new file in the project; never overwrites. */
import { homedir } from "node:os";
import path from "node:path";
import { RoundtableError } from "../../protocol/index.ts";
import type { ScreenOptions } from "../../tui/index.ts";
import { writeNewFile } from "../commands/write-new-file.ts";

type ExportFile = NonNullable<ScreenOptions["exportSession"]>;

/** Reads the log from the data directory. */
export function createFileExport(dataDir: string, cwd: () => Promise<string>): ExportFile {
  return async (sessionId, { format, file, redact }) => {
    const { exportSession } = await import("../../host/index.ts");
    const options = { dataDir, sessionId, format, ...(redact ? { redact: { terms: [] } } : {}) };
    const made = await exportSession(options).catch((error: unknown) => {
      if (!(error instanceof RoundtableError) || error.code !== "unknown_session") throw error;
      throw new Error(`the session's log is not in ${dataDir}; export it where its server runs.`, { cause: error });
    });
    const name = (file ?? made.fileName).replace(/^~(?=\/|$)/, homedir());
    const where = path.resolve(await cwd(), name);
    await writeNewFile(where, made.chunks, { force: false });
    return { where, remarks: made.report() };
  };
}
