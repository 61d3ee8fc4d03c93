/** `serve --team`: a node of a team's server. Where it listens, for whom, and its life from start to drain. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { Failure, usageFailure } from "../../../kit/failure.ts";
import type { TeamNode } from "../../../team/index.ts";
import { loadConfig } from "../../config/load-config.ts";
import { exporters } from "../../edges.ts";
import { readPageFiles } from "../../page-files.ts";
import { sessionSettings } from "../../members/members.ts";
import { listenForStops } from "../../terminal/stop-signals.ts";
import { note, stdout } from "../../terminal/stdout.ts";
import { readVersion } from "../../version.ts";
import { readProvider } from "./provider-flags.ts";
import { DATABASE_VARIABLE, parseAddress, readReach, type TeamFlags } from "./reach.ts";

/** Checked at the start: otherwise it would fail with the first large file, perhaps a month later. */
function checkBlobs(directory: string): void {
  const probe = path.join(directory, `.writable-${process.pid}`);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (error) {
    throw new Failure(
      exitCodes.failure,
      "no_file",
      `cannot write to --blobs ${directory}: ${(error as Error).message}`,
      {
        hint: "Name a directory that this user may write to, the same one for all nodes",
        cause: error,
      },
    );
  }
}

async function printLinks(node: TeamNode, { linkFor }: TeamFlags): Promise<void> {
  const print = (what: string, link: string): void =>
    stdout.write(`\n${what} It works once, within an hour:\n\n  ${link}\n\n`);
  const first = await node.firstInvitation("admin");
  if (first !== undefined) print("Nobody has joined yet. This link signs you in as the first administrator.", first);
  else if (linkFor !== undefined) print(`This link signs in a device of ${linkFor}.`, await node.linkFor(linkFor));
}

export async function serveTeam(flags: TeamFlags): Promise<ExitCode> {
  const database = flags.database ?? process.env[DATABASE_VARIABLE];
  if (database === undefined || database === "") {
    throw usageFailure("--team needs a database", "Give --database postgres://USER:PASSWORD@HOST:5432/DATABASE");
  }
  const { port, ...reach } = readReach(flags);
  const provider = readProvider(flags, process.env);
  const probes = flags.probes === undefined ? undefined : parseAddress("--probes", flags.probes);
  if (flags.blobs !== undefined) checkBlobs(flags.blobs);
  const { startNode } = await import("../../../team/index.ts");
  const { config } = loadConfig({ cwd: process.cwd(), env: process.env });
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const stops = listenForStops(stop, () => process.exit(exitCodes.interrupted));
  try {
    const node = await startNode({
      database,
      ...(flags.blobs === undefined ? {} : { blobDirectory: flags.blobs }),
      reach,
      ...(provider === undefined ? {} : { provider }),
      ...(probes === undefined ? {} : { probes }),
      port,
      version: readVersion(),
      pageFiles: await readPageFiles(),
      defaults: { cwd: "/", settings: sessionSettings(config, []), members: [] },
      exporters,
      writeLog: note,
    });
    stdout.write(`Roundtable ${readVersion()} serves a team at ${node.url}\n`);
    try {
      await printLinks(node, flags);
      await stopped;
    } finally {
      await node.close();
    }
    return exitCodes.ok;
  } finally {
    stops.release();
  }
}
