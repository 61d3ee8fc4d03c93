/** `roundtable` and `roundtable chat`: the terminal app, or its line mode, on the data directory. */
import type { CommonFlags } from "../flags.ts";
import { examples, type DeclareCommand } from "./command.ts";
import { collect, toNames } from "./option-values.ts";
import {
  addCommonOptions,
  addConfigOption,
  addLimitOptions,
  addReaderOption,
  addServerOption,
  addThemeOption,
  SESSION_OR_LAST,
} from "./options.ts";
import { readAttachedFiles } from "../ask/attached-files.ts";
import { beginsNewSession, refuseKeysOfHost, refuseQuestionOptions, type QuestionFlags } from "../chat/chat-flags.ts";
import { withFirstFiles } from "../chat/first-files.ts";
import { expectedSession } from "../chat/expected-session.ts";
import { connectToHost } from "../connect/connect-to-host.ts";
import { runChat, type ChatPlan } from "../chat/run-chat.ts";
import { runReaderChat, wantsLines } from "../chat/run-reader.ts";
import { mirror } from "../edges.ts";
import { loadConfig } from "../config/load-config.ts";
import { dataDirectory, workingDirectory } from "../config/paths.ts";
import { prepareDataDirectory } from "../config/data-directory.ts";
import type { ExitCode } from "../../kit/exit-codes.ts";
import { noteLine, usageFailure } from "../../kit/failure.ts";
import type { MirrorOffer } from "../../edge/index.ts";
import { note } from "../terminal/stdout.ts";
import { createAvailableMembers, sessionDefaults, settingsFromFlags } from "../sessions/defaults.ts";

export interface ChatFlags extends CommonFlags, QuestionFlags {
  new?: boolean;
  /** A session to open, or true to show the list. */
  resume?: string | boolean;
  continue?: boolean;
  /** Same as `continue`. */
  resumeLast?: boolean;
  theme?: string;
  screenReader?: boolean;
}

export const declareChat: DeclareCommand = (command, run) => {
  command
    .argument("[id]", SESSION_OR_LAST)
    .option("--new", "start a new session")
    .option("-r, --resume [id]", "same as the argument; without a value, pick a session from a list")
    .option("-c, --continue", "open the last session of this directory; fail if there is none")
    .option("--resume-last", "same as --continue")
    .option("-f, --file <path>", "attach a file to the first message; repeatable", collect)
    .option("--members <names>", "start a new session with these members, comma-separated", toNames)
    .option("-n, --name <title>", "start a new session with this title")
    .option("--writable", "start a new session whose members may change files and run commands");
  addLimitOptions(command, { isQuestion: false });
  addConfigOption(command);
  addThemeOption(command);
  addReaderOption(command);
  addServerOption(command, { canStart: true });
  addCommonOptions(command);
  command.addHelpText(
    "after",
    examples([
      "roundtable",
      "roundtable chat --new",
      "roundtable chat q5mgaw",
      'roundtable chat "The parser"',
      "roundtable chat --resume",
      'roundtable chat --members scout,critic -n "The parser"',
    ]),
  );
  command.action(async (id: string | undefined, flags: ChatFlags) => run(flags, (all) => chat(id, all)));
};

export async function chat(id: string | undefined, flags: ChatFlags): Promise<ExitCode> {
  const given = id ?? (typeof flags.resume === "string" ? flags.resume : undefined);
  const isLast = flags.continue === true || flags.resumeLast === true;
  if (given !== undefined && flags.new === true) throw usageFailure("--new and a session id cannot be combined");
  if (isLast && (given !== undefined || flags.new === true || flags.resume === true)) {
    throw usageFailure(
      "-c continues the last session of this directory and cannot be combined with another session",
      "Use one of them",
    );
  }
  refuseQuestionOptions(flags);
  const isAnotherMeant = given !== undefined || isLast || flags.resume === true;
  const isNew = beginsNewSession(flags, { isAnotherMeant }) || flags.new === true;
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const cwd = workingDirectory(flags.directory);
  checkOverrides(flags, cwd);
  const files = await readAttachedFiles(flags.file);
  if (flags.server !== undefined)
    return await chatOnServer(flags, { given, isNew, isPicking: !isNew && !isLast, files });
  prepareDataDirectory(dataDir);
  const offer = await offerMirror(flags, { dataDir, cwd });
  return await converse(flags, {
    connect: async () => withFirstFiles(await connectToHost({ dataDir, cwd }), files),
    async defaults(notify) {
      const defaults = await sessionDefaults(flags, notify, { isScreen: !wantsLines(flags) });
      return { ...defaults, settings: { ...offer.settings, ...defaults.settings } };
    },
    ...(offer.onChosen === undefined ? {} : { onChosen: offer.onChosen }),
    selection: { id: given, isNew, isPicking: flags.resume === true, isLast, cwd: async () => cwd },
    expected: expectedSession(dataDir, { id: given, isNew, isPicking: flags.resume === true, cwd }),
    title: flags.name,
    availableMembers: createAvailableMembers(flags),
    welcome: async (members) => {
      const { readWelcome } = await import("../chat/welcome.ts");
      const loaded = loadConfig({ cwd, env: process.env, ...settingsFromFlags(flags) });
      return await readWelcome(members, { dataDir, env: process.env, loaded });
    },
    listFiles: async (query, limit) => (await import("../../host/index.ts")).listFiles(cwd, query, limit),
    dataDir,
    theme: chosenTheme(flags),
  });
}

interface ServerChat {
  readonly given: string | undefined;
  readonly isNew: boolean;
  readonly isPicking: boolean;
  readonly files: Awaited<ReturnType<typeof readAttachedFiles>>;
}

/** Sessions of all machines of a team. */
async function chatOnServer(flags: ChatFlags, { given, isNew, isPicking, files }: ServerChat): Promise<ExitCode> {
  const { connectToTeam, openDevice, readTarget } = await import("../connect/team-server.ts");
  const device = await openDevice(flags);
  let reading: ReturnType<typeof readTarget> | undefined;
  const target = () => (reading ??= readTarget(device, flags));
  return await converse(flags, {
    connect: async () => withFirstFiles(await connectToTeam(flags, device), files),
    defaults: target,
    availableMembers: async () => (await target()).members,
    selection: { id: given, isNew: isNew || flags.on !== undefined, isPicking, cwd: async () => (await target()).cwd },
    expected: { isNew },
    title: flags.name,
    dataDir: dataDirectory(process.env, flags.dataDir, process.cwd()),
    theme: chosenTheme(flags),
    isElsewhere: true,
    makeExport: async (request) => (await import("../connect/team-export.ts")).exportThere(device, request),
  });
}

async function offerMirror(flags: ChatFlags, directories: { dataDir: string; cwd: string }): Promise<MirrorOffer> {
  const offer = await mirror?.loadOffer?.();
  if (offer === undefined) return {};
  const { cwd } = directories;
  const configured = () => loadConfig({ cwd, env: process.env, ...settingsFromFlags(flags) }).config.threads?.mirror;
  return await offer({ ...directories, configured, canAsk: isAtTerminal(), warn: (text) => note(noteLine(text)) });
}

function isAtTerminal(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && process.stderr.isTTY;
}

/** Checked before the screen takes the terminal. */
function checkOverrides(flags: ChatFlags, cwd: string): void {
  const { overrides } = settingsFromFlags(flags);
  if (overrides.length === 0) return;
  const { overridden } = loadConfig({ cwd, env: process.env, overrides });
  refuseKeysOfHost(overridden, "it runs on the background server");
}

/** `--color never` applies to the screen too. */
export function chosenTheme(flags: ChatFlags): string | undefined {
  return flags.theme ?? (flags.color === "never" ? "none" : undefined);
}

/** Full screen, or lines where requested or without a terminal. */
export async function converse(flags: ChatFlags, plan: ChatPlan): Promise<ExitCode> {
  return wantsLines(flags) ? await runReaderChat(plan) : await runChat(plan);
}
