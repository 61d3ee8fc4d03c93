/** `join`: makes this machine a runner of a team, until it is stopped. */
import { statSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { Failure, noteLine, usageFailure } from "../../../kit/failure.ts";
import type { RunnerState } from "../../../team/index.ts";
import { prepareDataDirectory } from "../../config/data-directory.ts";
import { dataDirectory } from "../../config/paths.ts";
import { createLocalHost } from "../../connect/local-host.ts";
import { sessionDefaults } from "../../sessions/defaults.ts";
import type { CommonFlags } from "../../flags.ts";
import { listenForStops } from "../../terminal/stop-signals.ts";
import { note, stdout } from "../../terminal/stdout.ts";
import { readVersion } from "../../version.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { addCommonOptions } from "../options.ts";

interface JoinFlags extends CommonFlags {
  name?: string;
  folders?: string[];
  messagesOnly?: boolean;
  redact?: boolean;
}

export const declareJoin: DeclareCommand = (command, run) => {
  command
    .argument("<link>", "link from the server (with a code), or its address once this machine is signed in")
    .option("--name <name>", "name of this machine in the team (default: the last name used, or else its host name)")
    .option("--folders <dirs...>", "share sessions in these folders; share others with roundtable share")
    .option("--redact", "redact keys, tokens and home paths before anything leaves this machine")
    .option(
      "--messages-only",
      "accept only new sessions, messages and stops from the server; everything else needs someone at this machine",
    );
  addCommonOptions(command);
  command.addHelpText(
    "after",
    examples([
      "roundtable join 'https://team.example.org/#code=…' --folders ~/src/project",
      "roundtable join https://team.example.org --name build-box --folders ~/src/project",
    ]),
  );
  command.action(async (link: string, flags: JoinFlags) => run(flags, (all) => join(link, all)));
};

async function join(link: string, flags: JoinFlags): Promise<ExitCode> {
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  prepareDataDirectory(dataDir);
  const folders = (flags.folders ?? []).map((folder) => sharedFolder(folder));
  const team = await import("../../../team/index.ts");
  const name = machineName(flags.name ?? team.joinedAs(dataDir, link));
  const device = await team.openServerDevice(link, { dataDir, name, needsTeam: true });
  const machine = await team.machineSecret(dataDir, device.origin, name);
  const shares = team.openShares(dataDir, folders);
  const journal = await team.openCommandJournal(path.join(dataDir, "team-commands.jsonl"));
  const host = await createLocalHost(dataDir);
  const { promise: over, resolve: end } = Promise.withResolvers<string | undefined>();
  const stops = listenForStops(
    () => end(undefined),
    () => process.exit(exitCodes.interrupted),
  );
  let lastLine = "";
  const runner = new team.Runner({
    host,
    dataDir,
    connect: () => team.connectNode(device),
    name,
    machine,
    version: readVersion(),
    journal,
    isShared: (session) => shares.has(session),
    unshared: () => shares.unshared,
    isRedacted: flags.redact === true,
    offers: () => Promise.all(folders.map((folder) => offerOf(folder, flags))),
    rules: {
      areMessagesOnly: flags.messagesOnly === true,
      areAnswersOpen: (sessionId) => shares.areAnswersOpen(sessionId),
      isOwnerOf: (personId, session) => shares.isOwnerOf(personId, session),
    },
    onState(state) {
      if (state.state === "refused") return end(state.reason);
      if (state.state === "connected") void team.noteJoinedAs(dataDir, device.origin, name).catch(warnOfName);
      const line = stateLine(state, device.origin, name);
      // A night without a network is one line.
      if (line !== lastLine) stdout.write(line);
      lastLine = line;
    },
    warn: (sentence) => note(noteLine(sentence)),
  });
  const stopWatching = shares.watch(() => void runner.reconsider());
  try {
    await runner.start();
    const refused = await over;
    if (refused !== undefined) throw new Failure(exitCodes.failure, "refused", refused);
    return exitCodes.ok;
  } finally {
    stopWatching();
    runner.close();
    stops.release();
    await host.close();
    await journal.close();
  }
}

function warnOfName(error: Error): void {
  note(noteLine(`the name of this machine could not be saved for its next start: ${error.message}`));
}

/** Checked before the link is used up. A folder that goes missing later is waited for. */
function sharedFolder(given: string): string {
  const folder = path.resolve(given);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return folder;
  throw usageFailure(`--folders ${given}: ${folder} ${stats === undefined ? "does not exist" : "is not a directory"}`);
}

/** The members and settings of new sessions there. */
async function offerOf(folder: string, flags: JoinFlags) {
  const { settings, members } = await sessionDefaults({ ...flags, directory: folder }, note, { isScreen: true });
  return { folder, settings, members: [...members] };
}

function machineName(given: string | undefined): string {
  const name = given ?? (hostname().split(".")[0] ?? "").replaceAll(/[^\w-]/g, "-").slice(0, 32);
  if (/^\w[\w.-]{0,31}$/.test(name)) return name;
  throw usageFailure(
    `"${name}" is not a valid machine name`,
    "Use --name with up to 32 letters, digits, dots and dashes",
  );
}

function stateLine(state: Exclude<RunnerState, { state: "refused" }>, origin: string, name: string): string {
  if (state.state === "connected") return `${name} is connected to ${origin} as a runner for ${state.person}.\n`;
  const reason = state.reason.replace(/[^.!?]$/, "$&.");
  return `${name} is not connected: ${reason} Trying again.\n`;
}
