/** Runs the terminal app with its local dependencies: files, editor, shell, clipboard. */
import type { Client } from "../../client/index.ts";
import type { SessionDefaults } from "../../server/index.ts";
import type { ScreenOptions } from "../../tui/index.ts";
import { configDirectory } from "../config/paths.ts";
import { exitCodes, type ExitCode } from "../../kit/exit-codes.ts";
import { listenForStops } from "../terminal/stop-signals.ts";
import { createDraftStore, createHistoryStore, loadKeysFile } from "./screen-files.ts";
import { isInForeground } from "../terminal/foreground.ts";
import { hasDirectory } from "../sessions/directory.ts";
import { stdout } from "../terminal/stdout.ts";
import { checkFirstMessage } from "./check-first-message.ts";
import { chooseSession, type SessionSelection } from "./choose-session.ts";
import { copyToClipboard } from "./clipboard.ts";
import { editExternally } from "./external-editor.ts";
import { createFileExport } from "./export-file.ts";
import { createLocalFiles } from "./local-files.ts";
import { createTextReader } from "./read-text.ts";
import { saveFile } from "./save-file.ts";
import { createSettingsWriter, loadScreenSettings } from "./screen-settings-file.ts";
import type { OpenHostConnection } from "../connect/connect-to-host.ts";
import { createUserShell } from "./user-shell.ts";
import { sessionTitle } from "../../transcript/index.ts";

export interface ChatPlan {
  readonly connect: () => Promise<OpenHostConnection>;
  /** Read after the first frame; lines for the user go to `notify`. */
  readonly defaults: (notify: (line: string) => void) => Promise<SessionDefaults>;
  readonly selection: SessionSelection;
  /** Called once with the existing session that the screen opens on. */
  readonly onChosen?: (client: Client, sessionId: string) => Promise<void>;
  /** Title of the first new session; others are titled by their first message. */
  readonly title?: string | undefined;
  /** Members that can be added by name. */
  readonly availableMembers: ScreenOptions["candidateMembers"];
  /** Files of a new session's directory; absent when the server may be on another disk. */
  readonly listFiles?: ScreenOptions["listFiles"];
  readonly dataDir: string;
  /** Session shown in the first frame. */
  readonly expected?: ScreenOptions["expected"];
  /** From the command line; overrides the saved theme. */
  readonly theme: string | undefined;
}

export async function runChat(plan: ChatPlan): Promise<ExitCode> {
  const [connecting, { runScreen }] = await loadBeside(plan.connect(), () => import("../../tui/index.ts"));
  const stop = new AbortController();
  const stops = listenForStops(
    () => stop.abort(),
    () => process.exit(exitCodes.interrupted),
  );
  let connection: OpenHostConnection | undefined;
  const connect = async () => (connection = await connecting);
  try {
    const options = screenOptions(plan, connect);
    const editText = (text: string) => stops.lendInterrupts(() => options.editText(text));
    const farewell = await runScreen({ ...options, editText, signal: stop.signal });
    stdout.write(farewell);
    return exitCodes.ok;
  } finally {
    await connection?.close();
    stops.release();
  }
}

/**
 * Connects while the screen's code is loaded; but a connection that failed meanwhile is reported before the screen takes
 * the terminal.
 */
async function loadBeside<Loaded>(
  connecting: Promise<OpenHostConnection>,
  load: () => Promise<Loaded>,
): Promise<readonly [Promise<OpenHostConnection>, Loaded]> {
  let refused: { readonly error: unknown } | undefined;
  connecting.catch((error: unknown) => (refused = { error }));
  const loaded = await load();
  if (refused !== undefined) throw refused.error;
  return [connecting, loaded];
}

/** Which session the screen opens on. */
export async function choose({ selection, onChosen }: Pick<ChatPlan, "selection" | "onChosen">, client: Client) {
  const choice = await chooseSession(client, selection);
  if (!("pick" in choice) && choice.sessionId !== undefined) await onChosen?.(client, choice.sessionId);
  return choice;
}

export function screenOptions(plan: ChatPlan, connect: ScreenOptions["connect"]): Omit<ScreenOptions, "signal"> {
  const { env } = process;
  const { selection, dataDir, theme, listFiles } = plan;
  const configDir = configDirectory(env);
  const introLines: string[] = [];
  let given = plan.title;
  let reading: ReturnType<ChatPlan["defaults"]> | undefined;
  // Read on first use, after the first frame.
  const defaults = () => (reading ??= plan.defaults((line) => introLines.push(line)));
  return {
    connect,
    choose: (client) => choose(plan, client),
    async createSession(client, text) {
      const { cwd, settings, members } = await defaults();
      await checkFirstMessage(
        text,
        members.map(({ name }) => name),
        listFiles,
      );
      // Cleared before the await: another session created meanwhile must not get the same title.
      const named = given;
      given = undefined;
      try {
        const title = named ?? sessionTitle(text);
        return (await client.create({ cwd, title, settings, members: [...members] })).sessionId;
      } catch (error) {
        given = named;
        throw error;
      }
    },
    introduce: async () => {
      const { members, settings } = await defaults();
      return { members: members.map((member) => member.name), lines: introLines, isWritable: settings.writable };
    },
    ...(plan.expected === undefined ? {} : { expected: plan.expected }),
    candidateMembers: plan.availableMembers,
    env,
    ...(theme === undefined ? {} : { theme }),
    settingsFile: loadScreenSettings(configDir),
    saveSetting: createSettingsWriter(configDir),
    keysFile: loadKeysFile(configDir),
    stores: (warn) => ({ history: createHistoryStore(dataDir, { warn }), drafts: createDraftStore(dataDir, { warn }) }),
    editText: (text) => editExternally(text, env),
    copyText: (text) => copyToClipboard(text, env),
    saveFile: (name, text) => selection.cwd().then((cwd) => saveFile(cwd, name, text)),
    exportSession: createFileExport(dataDir, selection.cwd),
    readText: createTextReader(dataDir),
    files: createLocalFiles(selection.cwd),
    runShell: createUserShell(env, selection.cwd),
    ...(listFiles === undefined ? {} : { listFiles }),
    hasDirectory,
    isInForeground,
    doctor: async () =>
      (await import("../commands/doctor.ts")).doctorLines({ dataDir, directory: await selection.cwd() }),
  };
}
