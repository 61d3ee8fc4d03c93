/** The server in the foreground: one for a data directory, on 127.0.0.1 only, until it is told to stop. */
import type { Host } from "../../host/index.ts";
import { BIND_ADDRESS, claimServer, findServer, startServer, type RunningServer } from "../../server/index.ts";
import type { CommonFlags } from "../args.ts";
import { listenForStops } from "../ask/stop-signals.ts";
import { dataDirectory } from "../config/paths.ts";
import { prepareDataDirectory } from "../data-dir.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { Failure, noteLine, usageFailure } from "../failure.ts";
import { createLocalHost } from "../local-host.ts";
import { readPageFiles } from "../page-files.ts";
import { sessionDefaults } from "../session-defaults.ts";
import { note, stdout } from "../stdout.ts";
import { readVersion } from "../version.ts";

export interface ServeFlags extends CommonFlags {
  port?: number;
  host?: string;
}

/** A stop takes no longer than this, whatever a member does; the next start settles what was cut. */
const STOP_MS = 1_700;

export async function serve(flags: ServeFlags): Promise<ExitCode> {
  if (flags.host !== undefined && flags.host !== BIND_ADDRESS) {
    throw usageFailure(
      `--host ${flags.host} is refused: whoever reaches the port can run your agents, so only ${BIND_ADDRESS} is served`,
      "From another machine, forward the port with ssh -L",
    );
  }
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const [defaults, pageFiles] = await Promise.all([sessionDefaults(flags), readPageFiles()]);
  prepareDataDirectory(dataDir);
  const running = await findServer(dataDir);
  if (running !== undefined) throw alreadyRuns(dataDir, running);
  const version = readVersion();
  let release = () => {};
  const stopped = untilStopped(() => release());
  const host = await createLocalHost(dataDir);
  let server: RunningServer | undefined;
  try {
    server = await startServer({ host, pageFiles, defaults, port: flags.port ?? 0 });
    const claim = await claimServer(dataDir, { url: server.url, pid: process.pid, version }, server.token);
    if ("holder" in claim) throw alreadyRuns(dataDir, claim.holder);
    ({ release } = claim);
    stdout.write(welcome(server, dataDir, version));
    await stopped;
    release();
  } catch (error) {
    await server?.cut();
    await host.close();
    throw error;
  }
  await shutDown(server, host);
  return exitCodes.ok;
}

/** Prints a new link to the page of the running server: each one opens it once. */
export async function printLink(flags: CommonFlags): Promise<ExitCode> {
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const running = await findServer(dataDir);
  if (running === undefined) {
    throw new Failure(exitCodes.failure, "closed", `no server runs on the data directory ${dataDir}`, {
      hint: "Start one with roundtable serve",
    });
  }
  const answer = await fetch(`${running.url}/v1/codes`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.token}`, "content-type": "application/json" },
    body: "{}",
  });
  if (!answer.ok) {
    throw new Failure(exitCodes.failure, "refused", `the server at ${running.url} gave no link (${answer.status})`);
  }
  const { code } = (await answer.json()) as { code: string };
  stdout.write(`${running.url}/#code=${code}\n`);
  return exitCodes.ok;
}

function welcome(server: RunningServer, dataDir: string, version: string): string {
  return [
    `Roundtable ${version} serves ${dataDir}`,
    "",
    `  ${server.newLink()}`,
    "",
    "The link opens the page once, within a minute; roundtable web prints another. Ctrl+C stops the server.",
    "",
  ].join("\n");
}

/** Listens from the call on, so that a signal that comes during the start is not lost. */
function untilStopped(onStop: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  listenForStops(
    () => {
      // First of all, so that nobody is sent to a server that is about to leave.
      onStop();
      resolve();
    },
    () => process.exit(exitCodes.interrupted),
  );
  return promise;
}

/** Tells every client, settles what can be settled in time, and leaves. */
async function shutDown(server: RunningServer, host: Host): Promise<void> {
  const late = setTimeout(() => {
    note(noteLine("members that did not stop in time were cut; their turns are settled at the next start"));
    process.exit(exitCodes.ok);
  }, STOP_MS);
  server.stop();
  await host.close();
  await server.cut();
  clearTimeout(late);
}

function alreadyRuns(dataDir: string, holder: { url: string; pid: number; version: string }): Failure {
  const message = `a server (version ${holder.version}, process ${holder.pid}) already runs on ${dataDir} at ${holder.url}`;
  return new Failure(exitCodes.failure, "busy", message, {
    hint: "roundtable web prints a link to it; roundtable chat joins it",
  });
}
