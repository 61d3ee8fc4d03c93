/** `roundtable acp`: the whole table as one agent of the Agent Client Protocol, on stdin and stdout. No port is opened. */
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import type { CommonFlags } from "../../args.ts";
import { listenForStops } from "../../ask/stop-signals.ts";
import { dataDirectory } from "../../config/paths.ts";
import { prepareDataDirectory } from "../../data-dir.ts";
import { exitCodes, type ExitCode } from "../../exit-codes.ts";
import { openTable } from "../../table.ts";
import { readVersion } from "../../version.ts";
import { tableFor } from "../wire/table-for.ts";
import { createTableAgent } from "./table-agent.ts";

export async function acp(flags: CommonFlags): Promise<ExitCode> {
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  prepareDataDirectory(dataDir);
  const opened = await openTable(dataDir);
  const { app, settle } = createTableAgent({
    client: opened.client,
    version: readVersion(),
    tableFor: (cwd) => tableFor({ cwd, dataDir }),
  });
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), input));
  const stops = listenForStops(
    () => connection.close(),
    () => process.exit(exitCodes.interrupted),
  );
  try {
    await connection.closed;
    await settle();
    await opened.close();
    return exitCodes.ok;
  } finally {
    stops.release();
  }
}
