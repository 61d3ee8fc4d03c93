/**
 * `serve`: one server per data directory, on 127.0.0.1, and with --listen for other devices of its user. In the
 * foreground it runs until stopped; in the background
 * it prints no link and exits when idle.
 */
import { Option } from "commander";
import { BIND_ADDRESS, findServer, type RunningServer } from "../../../server/index.ts";
import { addReachOptions, readReach, refuseOwnOptions, refuseTeamOptions, type TeamFlags } from "../team/reach.ts";
import { addCompatOptions, compatPlan, type CompatFlags } from "./compat.ts";
import { dataDirectory } from "../../config/paths.ts";
import { prepareDataDirectory } from "../../config/data-directory.ts";
import type { ExitCode } from "../../../kit/exit-codes.ts";
import { noteLine, usageFailure } from "../../../kit/failure.ts";
import { formatList } from "../../../kit/text/format.ts";
import { boundLog } from "../../connect/background-server.ts";
import { createLocalHost } from "../../connect/local-host.ts";
import { readPageFiles } from "../../page-files.ts";
import { alreadyRuns, listenForStop, serveHost } from "./serve-host.ts";
import { sessionDefaults, settingsFromFlags } from "../../sessions/defaults.ts";
import { createConfiguration } from "../../sessions/page-settings.ts";
import { note, stdout } from "../../terminal/stdout.ts";
import { readVersion } from "../../version.ts";
import { createUploadImport } from "../import/import-upload.ts";
import { findListedAgents } from "../agents/agents.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { toPort, toSeconds } from "../option-values.ts";
import { addCommonOptions, addConfigOption } from "../options.ts";

interface ServeFlags extends CompatFlags, TeamFlags {
  port?: number;
  host?: string;
  /** Prints no link and exits when idle. */
  background?: boolean;
  /** Idle seconds after which a background server exits. */
  idle?: number;
}

export const declareServe: DeclareCommand = (command, run) => {
  command
    .option("--port <number>", "port (default: the one this data directory had before)", toPort)
    .option("--host <address>", "address to listen on; only 127.0.0.1 is supported")
    .addOption(new Option("--background", "print no link, and exit when the server is idle").hideHelp())
    .addOption(
      new Option("--idle <seconds>", "idle time before a background server exits").argParser(toSeconds).hideHelp(),
    );
  addReachOptions(command);
  addCompatOptions(command);
  addConfigOption(command);
  addCommonOptions(command);
  command.addHelpText(
    "after",
    examples([
      "roundtable serve",
      "roundtable serve --port 4096 -C ~/src/project",
      "roundtable serve --config council.limits.usd=2",
      "roundtable serve --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem",
    ]),
  );
  command.action(async (flags: ServeFlags) => run(flags, serve));
};

const IDLE_SECONDS = 300;
const IDLE_VARIABLE = "ROUNDTABLE_IDLE";

async function serve(flags: ServeFlags): Promise<ExitCode> {
  if (flags.team === true) {
    refuseOwnOptions(flags);
    return await (await import("../team/serve-team.ts")).serveTeam(flags);
  }
  refuseTeamOptions(flags);
  if (flags.host !== undefined && flags.host !== BIND_ADDRESS) {
    throw usageFailure(
      `--host ${flags.host} is not allowed: anyone who reaches the port could run your agents, so the server only listens on ${BIND_ADDRESS}`,
      "For your other devices, use --listen with TLS, or forward the port with ssh -L",
    );
  }
  const reach = flags.listen === undefined ? undefined : readReach(flags);
  const compat = compatPlan(flags);
  const isBackground = flags.background === true;
  if (isBackground) {
    boundLog(process.stdout);
    boundLog(process.stderr);
  }
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  prepareDataDirectory(dataDir);
  const running = await findServer(dataDir);
  if (running !== undefined) throw alreadyRuns(dataDir, running);
  const [defaults, pageFiles] = await Promise.all([sessionDefaults(flags), readPageFiles()]);
  const version = readVersion();
  const stops = listenForStop();
  const host = await createLocalHost(dataDir, settingsFromFlags(flags).overrides);
  const exitCode = await serveHost(stops, {
    host,
    dataDir,
    version,
    defaults: {
      ...defaults,
      listAgents: () => findListedAgents(flags),
      configuration: createConfiguration(flags, defaults),
      importFile: createUploadImport({ dataDir, defaults }),
    },
    pageFiles,
    port: flags.port ?? 0,
    reach,
    idleMs: isBackground ? idleMs(flags) : undefined,
    ...(compat === undefined ? {} : { compat }),
    onCompat: (port) => note(noteLine(compatWarning(port.url, compat?.wires ?? []))),
    onReady(server) {
      if (!isBackground) return stdout.write(welcome(server, dataDir, version, reach?.origin));
      note(logLine(`version ${version} serves ${dataDir} at ${server.url}, process ${process.pid}`));
    },
  });
  if (isBackground) note(logLine(`process ${process.pid} exited`));
  return exitCode;
}

function idleMs(flags: ServeFlags): number {
  const given = Number(process.env[IDLE_VARIABLE]);
  return (flags.idle ?? (given > 0 ? given : IDLE_SECONDS)) * 1_000;
}

function compatWarning(url: string, wires: readonly string[]): string {
  return (
    `${wires.length === 1 ? "protocol" : "protocols"} ${formatList(wires)} ${wires.length === 1 ? "is" : "are"} open at ${url} without a token: any program on this machine can read and write ` +
    "the sessions created there and those named with --compat-session"
  );
}

function logLine(text: string): string {
  return `${new Date().toISOString()} ${noteLine(text)}`;
}

function welcome(server: RunningServer, dataDir: string, version: string, outward: string | undefined): string {
  return [
    `Roundtable ${version} serves ${dataDir}`,
    "",
    `  ${server.newLink()}`,
    "",
    "The link works once, within a minute; roundtable web prints another. Press Ctrl+C to stop the server.",
    ...(outward === undefined
      ? []
      : [`Your other devices reach it at ${outward}; roundtable devices add signs one in.`]),
    "",
  ].join("\n");
}
