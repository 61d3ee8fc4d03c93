/** `roundtable acp`: the whole table as one agent of the Agent Client Protocol, on stdin and stdout. No port is opened. */
import { Readable, Writable } from "node:stream";
import type { CommonFlags } from "../../flags.ts";
import { listenForStops } from "../../terminal/stop-signals.ts";
import { dataDirectory } from "../../config/paths.ts";
import { prepareDataDirectory } from "../../config/data-directory.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { Failure } from "../../../kit/failure.ts";
import { settingsFromFlags } from "../../sessions/defaults.ts";
import { stdout } from "../../terminal/stdout.ts";
import { openInProcessHost } from "../../connect/in-process-host.ts";
import { readVersion } from "../../version.ts";
import { createTemplate } from "../../sessions/template.ts";
import { EditorStream } from "./editor-stream.ts";
import { createAcpAgent } from "./agent.ts";

export async function acp(flags: CommonFlags): Promise<ExitCode> {
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const { overrides } = settingsFromFlags(flags);
  prepareDataDirectory(dataDir);
  const opened = await openInProcessHost(dataDir, overrides);
  const { app, settle } = createAcpAgent({
    client: opened.client,
    version: readVersion(),
    createTemplate: (cwd) => createTemplate({ cwd, dataDir, overrides }),
  });
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const stream = new EditorStream(Writable.toWeb(process.stdout), input);
  const connection = app.connect(stream);
  // The first write that fails tells nobody but the output itself.
  stdout.onError(() => connection.close(stdout.error));
  let hasStopped = false;
  const stops = listenForStops(
    () => {
      hasStopped = true;
      connection.close();
    },
    () => process.exit(exitCodes.interrupted),
  );
  try {
    await connection.closed;
    await settle();
    await opened.close();
  } finally {
    stops.release();
  }
  const { reason } = connection.signal;
  if (hasStopped || stream.hasEnded || isReaderGone(reason)) return exitCodes.ok;
  const message = reason instanceof Error ? reason.message : String(reason);
  throw new Failure(exitCodes.failure, "internal", `the connection to the editor broke: ${message}`);
}

/** An editor that was closed reads no more; that is its way to leave. */
function isReaderGone(reason: unknown): boolean {
  return reason instanceof Error && "code" in reason && (reason.code === "EPIPE" || reason.code === "ECONNRESET");
}
