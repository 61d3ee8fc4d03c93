/**
 * A screen for tests of commands: records what it is told. `openSessionScreen` puts a real session under it, on a host in
 * this process, so that what commands wish becomes fact or is refused.
 */
import { rmSync } from "node:fs";
import {
  followSession,
  planSession,
  type Client,
  type FollowedSession,
  type PlannedSession,
} from "../../src/client/index.ts";
import type { Host, HostOptions } from "../../src/host/index.ts";
import { newId } from "../../src/kit/ids.ts";
import type { MemberSpec, SessionSummary } from "../../src/protocol/index.ts";
import { empty, fold, fromSnapshot, withPage, type ShownMessage, type Transcript } from "../../src/transcript/index.ts";
import { AttachedFiles } from "../../src/tui/app/session/attached-files.ts";
import { type CommandScreen, type PickedSession, UnavailableError } from "../../src/tui/commands/command.ts";
import type { Prompt } from "../../src/tui/input/prompt.ts";
import type { LogView } from "../../src/tui/log/log-view.ts";
import { createTheme } from "../../src/tui/theme/create-theme.ts";
import { connect, newDataDir, openHost, until } from "../host/open-host.ts";
import { SETTINGS } from "../host/scripted-agent.ts";

export const NOW = 1_700_000_000_000;

/** What a test decides beforehand. */
export interface ScreenState {
  sessionId: string | undefined;
  transcript: Transcript | undefined;
  /** What loadAll gives; the transcript unless told. */
  whole: Transcript | undefined;
  selected: ShownMessage | undefined;
  sessions: readonly SessionSummary[];
  /** The label that `pick` chooses; undefined leaves without a choice. */
  pickLabel: string | undefined;
  /** What `pickSession` gives. */
  pickedSession: PickedSession | undefined;
  /** What `askLine` gives. */
  line: string | undefined;
  confirms: boolean;
  copies: boolean;
  matches: number;
  draft: string;
  seatable: readonly MemberSpec[];
  /** Of a session before its first message. */
  planned: PlannedSession | undefined;
  /** What can be attached, by path. */
  files: Readonly<Record<string, string>>;
  /** The user's shell; absent, there is none. */
  runShell: CommandScreen["runShell"];
  /** Called with what was printed so far, and how to stop it. */
  onGrew: ((text: string, stop: () => void) => void) | undefined;
  /** What `readText` gives, by hash. */
  texts: Readonly<Record<string, string>>;
}

export interface RecordingScreen extends CommandScreen {
  readonly state: ScreenState;
  /** Everything the screen was told, in order: what, then with what. */
  readonly calls: unknown[][];
  /** What was said, without its tone. */
  readonly messages: string[];
}

export function createRecordingScreen(given: Partial<ScreenState> = {}): RecordingScreen {
  const calls: unknown[][] = [];
  const record: Tell =
    (what) =>
    (...args) => {
      calls.push([what, ...args]);
    };
  const state = stateOf(given);
  const appearance = {
    view: { thinking: "dim", isExpanded: false, hasTimes: false, isRaw: false } as CommandScreen["view"],
    setView(change: Partial<CommandScreen["view"]>): void {
      record("setView")(change);
    },
    theme: createTheme({ name: "none", depth: "none" }),
    themes: ["auto", "dark", "light"],
    chosenTheme: "auto",
    setTheme: record("setTheme"),
    keys: [
      { keys: "Enter", does: "send" },
      { keys: "Shift+Enter", does: "new line" },
    ],
    now: NOW,
    planned: state.planned,
  };
  return {
    state,
    calls,
    get messages() {
      return calls.filter(([what]) => what === "say").map(([, text]) => String(text));
    },
    ...appearance,
    ...createSessionDoors(state, record),
    ...createWindows(state, record),
    log: createRecordingLog(state, record),
    prompt: createRecordingPrompt(state),
    get sessionId() {
      return state.sessionId;
    },
    get transcript() {
      return state.transcript;
    },
  };
}

function stateOf(given: Partial<ScreenState>): ScreenState {
  return {
    sessionId: given.transcript?.head.sessionId,
    transcript: undefined,
    whole: undefined,
    selected: undefined,
    sessions: [],
    pickLabel: undefined,
    pickedSession: undefined,
    line: undefined,
    confirms: true,
    copies: true,
    matches: 0,
    draft: "",
    texts: {},
    seatable: [],
    planned: undefined,
    files: {},
    runShell: undefined,
    onGrew: undefined,
    ...given,
  };
}

/** A session before its first message. */
export function plannedWith(...names: readonly string[]): PlannedSession {
  const members = names.map((name): MemberSpec => ({ name, kind: "openai" }));
  return planSession({ cwd: "/project", settings: SETTINGS, members });
}

type Tell = (what: string) => (...args: unknown[]) => void;

type SessionDoors = Pick<
  CommandScreen,
  | "connection"
  | "command"
  | "send"
  | "interrupt"
  | "sessions"
  | "openSession"
  | "deleteSession"
  | "ping"
  | "loadAll"
  | "quit"
>;

function createSessionDoors(state: ScreenState, record: Tell): SessionDoors {
  return {
    connection: { state: "online", attempt: 0, nextInMs: 0, reason: "" },
    command() {
      if (state.sessionId === undefined) throw new UnavailableError("There is no session yet.");
      throw new Error("this screen has no session to command; open a table");
    },
    send: async (text, how) => record("send")(text, how),
    interrupt: async (scope) => record("interrupt")(scope),
    sessions: async () => state.sessions,
    async openSession(sessionId) {
      record("openSession")(sessionId);
      state.sessionId = sessionId;
    },
    deleteSession: async (sessionId) => record("deleteSession")(sessionId),
    ping: async () => 12.4,
    loadAll: async () => state.whole ?? state.transcript,
    quit: record("quit"),
  };
}

type Windows = Omit<
  CommandScreen,
  | keyof SessionDoors
  | ("theme" | "themes" | "chosenTheme" | "setTheme" | "view" | "setView" | "keys" | "now")
  | ("log" | "prompt" | "sessionId" | "transcript" | "planned")
>;

function createShell(state: ScreenState, record: Tell): Pick<CommandScreen, "showOutput" | "runShell"> {
  return {
    runShell: state.runShell,
    showOutput(title, { text, onStop }) {
      record("showOutput")(title);
      return {
        grew: () => state.onGrew?.(text(), onStop),
        ended: (words) => record("outputEnded")(words, text()),
      };
    },
  };
}

function createWindows(state: ScreenState, record: Tell): Windows {
  return {
    notify: record("say"),
    showText: record("showText"),
    setShared: async (sessionId, isShared) => `${sessionId} ${isShared ? "is shared" : "is not shared"}`,
    showDiff: record("showDiff"),
    ...createShell(state, record),
    showInbox: record("showInbox"),
    showMembers: record("showMembers"),
    showPermissions: record("showPermissions"),
    showQueue: record("showQueue"),
    showSettings: record("showSettings"),
    showSearch: record("showSearch"),
    showSubagent: record("showSubagent"),
    async pickSession(list) {
      record("pickSession")(list);
      return state.pickedSession;
    },
    requestRender() {},
    offerDraft: (text) => void (state.draft = text),
    candidateMembers: async () => state.seatable,
    attached: new AttachedFiles({
      sessionId: () => state.sessionId,
      cwd: () => state.transcript?.head.cwd,
      files: {
        read: async (path) => {
          const text = state.files[path];
          if (text === undefined) throw new Error("there is no such file");
          return { name: path.slice(path.lastIndexOf("/") + 1), bytes: new TextEncoder().encode(text) };
        },
        complete: async (prefix) => Object.keys(state.files).filter((path) => path.startsWith(prefix)),
      },
    }),
    readText: async (_sessionId, sha256) => state.texts[sha256],
    async pick(title, choices) {
      record("pick")(title, choices);
      return choices.find(({ label }) => label === state.pickLabel)?.value;
    },
    async askLine(title, prefill) {
      record("askLine")(title, prefill);
      return state.line;
    },
    async confirm(title, message) {
      record("confirm")(title, message);
      return state.confirms;
    },
    async copy(text) {
      record("copy")(text);
      return state.copies;
    },
    async saveFile(name, text) {
      record("saveFile")(name, text);
      return `/project/${name}`;
    },
    doctor: async () => ["node: ok"],
  };
}

function createRecordingLog(state: ScreenState, record: Tell): LogView {
  const none = (): void => {};
  let query: string | undefined;
  const view: Partial<LogView> = {
    get selected() {
      return state.selected;
    },
    search(text) {
      query = text;
      record("search")(text);
    },
    endSearch: record("endSearch"),
    searchNext: none,
    get searchState() {
      if (query === undefined) return undefined;
      return { query, at: Math.min(1, state.matches), count: state.matches, pagesLeft: 0 };
    },
  };
  // Commands use no more of a log than this; a call of anything else fails the test.
  return view as LogView;
}

function createRecordingPrompt(state: ScreenState): Prompt {
  const prompt: Partial<Prompt> = {
    get text() {
      return state.draft;
    },
    setText: (text) => (state.draft = text),
    insert: (text) => (state.draft += text),
  };
  // Commands use no more of a prompt than this; a call of anything else fails the test.
  return prompt as Prompt;
}

export interface SessionScreen extends RecordingScreen {
  readonly host: Host;
  readonly client: Client;
  /** Lets the session do its work until the picture fits. */
  until(what: string, test: (transcript: Transcript) => boolean): Promise<void>;
  close(): Promise<void>;
}

const MEMBERS: MemberSpec[] = [
  { name: "ada", kind: "embedded" },
  { name: "bob", kind: "embedded" },
];

export async function openSessionScreen(options: Pick<HostOptions, "approvals"> = {}): Promise<SessionScreen> {
  const dataDir = newDataDir();
  const host = await openHost(dataDir, options);
  const client = await connect(host);
  const recording = createRecordingScreen();
  const { state } = recording;
  let followed: FollowedSession<Transcript> | undefined;

  async function show(sessionId: string | undefined): Promise<void> {
    followed?.close();
    followed = undefined;
    state.sessionId = sessionId;
    state.transcript = undefined;
    if (sessionId === undefined) return;
    followed = await followSession(client, sessionId, {
      fold: { empty, fromSnapshot, fold, cursorOf: ({ head }) => ({ epoch: head.epoch, seq: head.seq }) },
      onChange: (transcript: Transcript) => (state.transcript = transcript),
      onLost: (error) => recording.notify(error.message),
    });
    state.transcript = followed.state;
  }

  const { sessionId } = await client.create({ cwd: dataDir, title: "test", settings: SETTINGS, members: MEMBERS });
  await show(sessionId);
  const id = (): string => {
    if (state.sessionId === undefined) throw new UnavailableError("There is no session yet.");
    return state.sessionId;
  };
  const doors: Partial<CommandScreen> = {
    command: (body) => client.command(id(), body),
    async send(text, how) {
      const type = how === "queue" ? "queue_add" : "send";
      await client.command(id(), { type, text, clientMessageId: newId() });
    },
    async interrupt(scope) {
      await client.command(id(), { type: "interrupt", scope });
    },
    sessions: () => client.list(),
    openSession: show,
    deleteSession: (sessionId) => client.deleteSession(sessionId),
    async loadAll() {
      let whole = state.transcript;
      for (const [page, known] of (whole?.frozen ?? []).entries()) {
        if (whole !== undefined && known === undefined) whole = withPage(whole, page, await client.page(id(), page));
      }
      return whole;
    },
  };
  return Object.assign(recording, doors, {
    host,
    client,
    until: (what: string, test: (transcript: Transcript) => boolean) =>
      until(what, () => state.transcript !== undefined && test(state.transcript)),
    async close() {
      followed?.close();
      client.close();
      await host.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  });
}
