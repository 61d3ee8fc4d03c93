/** `roundtable acp`: the whole session as one Agent Client Protocol agent, on stdin and stdout. Opens no port. */
import { Readable, Writable } from "node:stream";
import type { CommandContext } from "../../src/edge/index.ts";
import { exitCodes, type ExitCode } from "../../src/kit/exit-codes.ts";
import { Failure } from "../../src/kit/failure.ts";
import { EditorStream } from "./editor-stream.ts";
import { createAcpAgent } from "./agent.ts";

export async function acp(context: CommandContext): Promise<ExitCode> {
  const { version, stdout, warn } = context;
  const opened = await context.openHost();
  let over: AbortSignal | undefined;
  const { app, settle } = createAcpAgent({
    client: opened.client,
    version,
    // What can no longer be sent to an editor that is gone is no news.
    warn: (sentence) => {
      if (over?.aborted !== true) warn(sentence);
    },
    createTemplate: (cwd) => context.createTemplate({ cwd }),
  });
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const stream = new EditorStream(Writable.toWeb(process.stdout), input);
  const connection = app.connect(stream);
  over = connection.signal;
  // The first failed write is only reported by the stream itself.
  stdout.onError(() => connection.close(stdout.error));
  let hasStopped = false;
  const ignoreStops = context.onStop(() => {
    hasStopped = true;
    connection.close();
  });
  try {
    await connection.closed;
    await settle();
    await opened.close();
  } finally {
    ignoreStops();
  }
  const { reason } = connection.signal;
  if (hasStopped || stream.hasEnded || isReaderGone(reason)) return exitCodes.ok;
  const message = reason instanceof Error ? reason.message : String(reason);
  throw new Failure(exitCodes.failure, "internal", `the connection to the editor failed: ${message}`);
}

/** An editor that was closed stops reading; that is a normal exit. */
function isReaderGone(reason: unknown): boolean {
  return reason instanceof Error && "code" in reason && (reason.code === "EPIPE" || reason.code === "ECONNRESET");
}
