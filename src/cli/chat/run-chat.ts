/** Runs the terminal app with its local dependencies: files, editor, shell, clipboard. */
import { homedir } from "node:os";
import path from "node:path";
import { mkdir, writeFile, readdir } from "node:fs/promises";
import { createPlanned, type Client } from "../../client/index.ts";
import type { SessionExport } from "../../host/index.ts";
import type { SessionDefaults } from "../../server/index.ts";
import type { ScreenOptions } from "../../tui/index.ts";
import { configDirectory } from "../config/paths.ts";
import { exitCodes, type ExitCode } from "../../kit/exit-codes.ts";
import { createFileEditor } from "./file-editor.ts";
import { listenForStops } from "../terminal/stop-signals.ts";
import {
  createDraftStore,
  createHistoryStore,
  loadKeysFile,
  createSettingsWriter,
  loadScreenSettings,
} from "./screen-files.ts";
import { isInForeground } from "../terminal/foreground.ts";
import { hasDirectory } from "../sessions/directory.ts";
import { stdout } from "../terminal/stdout.ts";
import { readVersion } from "../version.ts";
import { createDescribeDirectory } from "./describe-directory.ts";
import { chooseSession, type SessionSelection } from "./choose-session.ts";
import { copyToClipboard, editExternally, createUserShell } from "./user-programs.ts";
import type { OpenHostConnection } from "../connect/connect-to-host.ts";
import type { ExportRequest } from "../connect/team-export.ts";
import { sessionTitle } from "../../transcript/index.ts";
import { exporters } from "../edges.ts";
import { RoundtableError } from "../../protocol/index.ts";
import { writeNewFile } from "../commands/write-new-file.ts";
import { readAttachable } from "../ask/attached-files.ts";

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
  /** For the first screen of a new session; absent when the server may be on another disk. */
  readonly welcome?: (members: SessionDefaults["members"]) => ReturnType<NonNullable<ScreenOptions["welcome"]>>;
  /** Files of a new session's directory; absent when the server may be on another disk. */
  readonly listFiles?: ScreenOptions["listFiles"];
  readonly dataDir: string;
  /** Session shown in the first frame. */
  readonly expected?: ScreenOptions["expected"];
  /** Folders of sessions are on other machines: files and commands of the screen are those of this directory. */
  readonly isElsewhere?: boolean;
  /** Of sessions that are not in the data directory. */
  readonly makeExport?: MakeExport;
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
    const editFile: ScreenOptions["editFile"] = (file, line) => {
      const editor = createFileEditor(process.env)(file, line);
      return editor.needsTerminal ? { ...editor, open: () => stops.lendInterrupts(editor.open) } : editor;
    };
    // Without the files of its directory the session is on another disk.
    const files = plan.listFiles === undefined ? {} : { editFile };
    const farewell = await runScreen({ ...options, editText, ...files, signal: stop.signal });
    stdout.write(farewell);
    return exitCodes.ok;
  } finally {
    await connection?.close();
    stops.release();
  }
}

/**
 * Connects while the screen's code is loaded; but a connection that failed meanwhile is reported before the screen
 * takes the terminal.
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
  const here = plan.isElsewhere === true ? async () => process.cwd() : selection.cwd;
  const introLines: string[] = [];
  let given = plan.title;
  let reading: ReturnType<ChatPlan["defaults"]> | undefined;
  // Read on first use, after the first frame.
  const defaults = () => (reading ??= plan.defaults((line) => introLines.push(line)));
  const { welcome } = plan;
  return {
    version: readVersion(),
    ...(welcome === undefined ? {} : { welcome: async () => await welcome((await defaults()).members) }),
    connect,
    choose: (client) => choose(plan, client),
    async createSession(client, text, planned) {
      const names = planned.members.map(({ name }) => name);
      await checkFirstMessage(text, names, listFiles);
      // Cleared before the await: another session created meanwhile must not get the same title.
      const named = given;
      given = undefined;
      try {
        const title = named ?? sessionTitle(text);
        return await createPlanned(client, planned, title);
      } catch (error) {
        given = named;
        throw error;
      }
    },
    introduce: async () => {
      const { cwd, settings, members } = await defaults();
      return { defaults: { cwd, settings, members }, lines: introLines };
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
    saveFile: (name, text) => here().then((cwd) => saveFile(cwd, name, text)),
    exportSession: createFileExport(plan.makeExport ?? createLocalExport(dataDir), here),
    readText: createTextReader(dataDir),
    files: createLocalFiles(here),
    runShell: createUserShell(env, here),
    ...(listFiles === undefined ? {} : { listFiles }),
    ...(plan.isElsewhere === true ? {} : { hasDirectory, setShared: createSharing(dataDir) }),
    ...(listFiles === undefined ? {} : { describeDirectory: createDescribeDirectory(selection.cwd) }),
    isInForeground,
    doctor: async () => (await import("../commands/doctor.ts")).doctorLines({ dataDir, directory: await here() }),
  };
}

/** Shorter texts without a mention are always valid. */
const PLAIN_CHARS_MAX = 64 * 1024;

/** Throws like the session. */
async function checkFirstMessage(
  text: string,
  members: readonly string[],
  findFiles: (query: string, limit: number) => Promise<readonly string[]> = async () => [],
): Promise<void> {
  if (text.length <= PLAIN_CHARS_MAX && !/^\s*@/.test(text)) return;
  const { addressOf, checkTextSize, fileMentionIn } = await import("../../session/index.ts");
  checkTextSize(text);
  addressOf({ text }, members, await fileMentionIn({ text }, members, findFiles));
}

/** `/export`: writes a session to a new file in the project; never overwrites. */
type ExportFile = NonNullable<ScreenOptions["exportSession"]>;

type MakeExport = (request: ExportRequest) => Promise<Pick<SessionExport, "fileName" | "chunks" | "report">>;

function createFileExport(make: MakeExport, cwd: () => Promise<string>): ExportFile {
  return async (sessionId, { format, file, redact }) => {
    const made = await make({ sessionId, format, ...(redact ? { redact: { terms: [] } } : {}) });
    const name = (file ?? made.fileName).replace(/^~(?=\/|$)/, homedir());
    const where = path.resolve(await cwd(), name);
    await writeNewFile(where, made.chunks, { force: false });
    return { where, remarks: made.report() };
  };
}

/** Reads the log from the data directory. */
function createLocalExport(dataDir: string): MakeExport {
  return async ({ sessionId, format, ...how }) => {
    const { exportSession } = await import("../../host/index.ts");
    const exporter = exporters.find(({ name }) => name === format);
    if (exporter === undefined) throw new Error(`sessions cannot be exported as ${format} here.`);
    return await exportSession({ dataDir, sessionId, exporter, ...how }).catch((error: unknown) => {
      if (!(error instanceof RoundtableError) || error.code !== "unknown_session") throw error;
      throw new Error(`the session's log is not in ${dataDir}; export it where its server runs.`, { cause: error });
    });
  };
}

/** Reads a text that was too long for its event from the data directory. */
type ReadText = NonNullable<ScreenOptions["readText"]>;

function createTextReader(dataDir: string): ReadText {
  return async (sessionId, sha256) => {
    const { readBlob } = await import("../../host/index.ts");
    const bytes = await readBlob(dataDir, sessionId, sha256).catch((error: unknown) => {
      // The session belongs to a server with another data directory.
      if (error instanceof RoundtableError && error.code === "unknown_session") return undefined;
      throw error;
    });
    return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
  };
}

/** `/share` and `/unshare`. */
function createSharing(dataDir: string): NonNullable<ScreenOptions["setShared"]> {
  return async (sessionId, isShared) => {
    const { chooseShare, whatSharingDoes } = await import("../../team/index.ts");
    await chooseShare(dataDir, sessionId, isShared);
    return whatSharingDoes(dataDir, isShared);
  };
}

/** `/save`: writes a new file in the project; never overwrites. */
async function saveFile(cwd: string, name: string, text: string): Promise<string> {
  const file = path.resolve(cwd, name.replace(/^~(?=\/|$)/, homedir()));
  await mkdir(path.dirname(file), { recursive: true });
  try {
    await writeFile(file, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new Error(`${file} already exists; choose another name.`, { cause: error });
  }
  return file;
}

/** Local files for attachments, and path completion. */
export function createLocalFiles(defaultCwd: () => Promise<string>): ScreenOptions["files"] {
  const resolve = async (given: string, cwd: string | undefined) =>
    path.resolve(cwd ?? (await defaultCwd()), given.replace(/^~(?=\/|$)/, homedir()));
  return {
    read: async (given, cwd) => await readAttachable(await resolve(given, cwd)),
    complete: async (prefix, { cwd, limit }) => {
      const cut = prefix.lastIndexOf("/") + 1;
      const [folder, name] = [prefix.slice(0, cut), prefix.slice(cut)];
      if (prefix === "~") return ["~/"];
      const entries = await readdir(await resolve(folder === "" ? "." : folder, cwd), { withFileTypes: true });
      return entries
        .filter((entry) => entry.name.startsWith(name) && (name.startsWith(".") || !entry.name.startsWith(".")))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .slice(0, limit)
        .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`);
    },
  };
}
