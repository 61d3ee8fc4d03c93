/** Reads a text that was too long for its event from the data directory. */
import { RoundtableError } from "../../protocol/index.ts";
import type { ScreenOptions } from "../../tui/index.ts";

type ReadText = NonNullable<ScreenOptions["readText"]>;

export function createTextReader(dataDir: string): ReadText {
  return async (sessionId, sha256) => {
    const { readBlob } = await import("../../host/index.ts");
    const bytes = await readBlob(dataDir, sessionId, sha256).catch((error: unknown) => {
      // The session belongs to a server with another data directory.
      if (error instanceof RoundtableError && error.code === "unknown_session") return undefined;
      throw error;
    });
    return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
  };
}
