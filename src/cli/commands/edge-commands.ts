/** The commands that edges declare, and what those commands get of the command line. */
import type { Command } from "commander";
import type { CommandContext, EdgeCommands } from "../../edge/index.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { noteLine } from "../../kit/failure.ts";
import type { CommonFlags } from "../flags.ts";
import { edges } from "../edges.ts";
import { note, stdout } from "../terminal/stdout.ts";
import { examples, type RunCommand } from "./command.ts";
import { addCommonOptions, addConfigOption } from "./options.ts";

export function addEdgeCommands(program: Command, run: RunCommand): void {
  const commands = commandsOf(program, run);
  for (const edge of edges) edge.addCommands?.(commands);
}

export function addEdgeCouncilCommands(council: Command, run: RunCommand): void {
  const commands = commandsOf(council, run);
  for (const edge of edges) edge.addCouncilCommands?.(commands);
}

function commandsOf(parent: Command, run: RunCommand): EdgeCommands {
  return {
    parent,
    addCommonOptions,
    addConfigOption,
    addExamples: (command, lines) => void command.addHelpText("after", examples(lines)),
    run: (flags, work) => run(flags, async (all) => work(all, await createContext(all))),
  };
}

async function createContext(flags: CommonFlags): Promise<CommandContext> {
  const [paths, directories, defaults, stops, hosts, templates] = await Promise.all([
    import("../config/paths.ts"),
    import("../config/data-directory.ts"),
    import("../sessions/defaults.ts"),
    import("../terminal/stop-signals.ts"),
    import("../connect/in-process-host.ts"),
    import("../sessions/template.ts"),
  ]);
  const [{ findSession, newestIn }, { noSession }, { readVersion }, { jsonLine }] = await Promise.all([
    import("../sessions/find-session.ts"),
    import("../sessions/with-session.ts"),
    import("../version.ts"),
    import("../ask/output.ts"),
  ]);
  const dataDir = paths.dataDirectory(process.env, flags.dataDir, process.cwd());
  const { overrides } = defaults.settingsFromFlags({ config: flags.config ?? [] });
  return {
    dataDir,
    version: readVersion(),
    stdout: {
      write: (text) => stdout.write(text),
      writeJson: (value) => stdout.write(jsonLine(value)),
      get unreadBytes() {
        return stdout.unreadBytes;
      },
      get error() {
        return stdout.error;
      },
      onError: (listener) => stdout.onError(listener),
      flush: () => stdout.flush(),
    },
    warn: (...sentences) => note(noteLine(...sentences)),
    onStop(stop) {
      const listening = stops.listenForStops(stop, () => process.exit(exitCodes.interrupted));
      return () => listening.release();
    },
    workingDirectory: (given) => paths.workingDirectory(given ?? flags.directory),
    async openHost() {
      directories.prepareDataDirectory(dataDir);
      return await hosts.openInProcessHost(dataDir, overrides);
    },
    async connect() {
      if (directories.existingDataDirectory(dataDir) === undefined) return undefined;
      const { connectToHost } = await import("../connect/connect-to-host.ts");
      const connection = await connectToHost({ dataDir, cwd: paths.workingDirectory(flags.directory) });
      return { client: connection.client, isServer: connection.outlivesScreen, close: () => connection.close() };
    },
    async findSession(client, given, isCandidate = () => true) {
      if (given !== undefined) return await findSession(client, given);
      return newestIn((await client.list()).filter(isCandidate), paths.workingDirectory(flags.directory))?.sessionId;
    },
    noSession: (given) => noSession(given, flags),
    createTemplate: (request) => templates.createTemplate({ ...request, dataDir, overrides }),
  };
}
