/** Factories for the parts of the app. */
import { parseCommandLine } from "../../kit/text/command-line.ts";
import type { VStack } from "@earendil-works/pi-tui";
import type { ConnectionState } from "../../client/index.ts";
import type { OpenRequest } from "../../transcript/index.ts";
import type { SessionsToPick } from "../commands/command.ts";
import type { Ack } from "../../protocol/index.ts";
import { formatCount } from "../../kit/text/format.ts";
import { createLogView } from "../log/create-log-view.ts";
import type { LogView } from "../log/log-view.ts";
import { selectWithoutBars } from "../log/selection.ts";
import type { SessionCentreOptions } from "../overlays/lists/session-centre.ts";
import { canBeRetried, failedMembers, failureKeys } from "../panels/failure-keys.ts";
import type { OverlaySurface } from "../overlays/overlay-surface.ts";
import type { AppContext } from "./app-context.ts";
import { AttachedFiles } from "./session/attached-files.ts";
import { ONLINE } from "./session/conversation.ts";
import { sendNote } from "./session/sending.ts";
import { createAnswer, RequestController } from "./requests/request-controller.ts";
import { createLayout } from "./screen/layout.ts";
import { Leaving } from "./session/leaving.ts";
import type { Notes } from "./chrome/notes.ts";
import { boxRule } from "./chrome/box-rule.ts";
import { formatSearchState } from "./chrome/format.ts";
import type { WelcomeFacts } from "./chrome/welcome-rows.ts";

export function createSurface(app: AppContext): OverlaySurface {
  return {
    tui: app.tui,
    home: app.options.env["HOME"],
    get cwd() {
      return app.transcript?.head.cwd;
    },
    get theme() {
      return app.theme;
    },
  };
}

/** The layout from top to bottom, evaluated at every frame. */
export function createScreenLayout(app: AppContext, notes: Notes): VStack {
  selectWithoutBars(
    app.tui,
    () => app.theme,
    (row, column) => app.log.columnAt(row, column),
  );
  return createLayout({
    log: app.log.component,
    prompt: app.prompt.component,
    panels: app.panels,
    notes,
    welcome: () => (isWelcoming(app) ? welcomeFacts(app) : undefined),
    facts: () => ({
      theme: app.theme,
      transcript: app.transcript,
      connection: shownConnection(app),
      directory: app.repository.directory,
      newMembers: app.planned?.members ?? [],
      isNewWritable: app.conversation.host === undefined ? undefined : app.planned?.settings.writable,
      isNewSandboxed: isNewSandboxed(app),
      isConnected: shownConnection(app).state === "online",
      position: positionLabel(app),
      focused: app.log.focused,
      opening: openingLabel(app),
      now: app.now,
      unseen: app.log.unseenCount,
      attached: app.attached.list,
      search: formatSearchState(app.log.searchState),
    }),
    hints: () => ({
      theme: app.theme,
      transcript: app.transcript,
      connection: shownConnection(app),
      hasDraft: app.prompt.text !== "",
      isCommand: parseCommandLine(app.prompt.text).kind === "command",
      menu: app.prompt.menu,
      isFollowing: app.log.isFollowing,
      view: app.log.view.shown,
      hasFocus: app.log.focused !== undefined,
      isWide: app.log.isFocusedWide,
      isWorkOpen: app.log.isFocusedOpen,
      failure: focusedFailure(app),
      canRetry: canRetryFocused(app),
      failedMember: app.transcript === undefined ? undefined : failedMembers(app.transcript)[0],
      isNew: app.transcript === undefined,
      request: waitingRequest(app),
      nextRecipient: app.addressing.nextLabel(app.transcript),
      keyOf: (action) => app.keymap.hint(action),
    }),
  });
}

function focusedFailure({ log: { focused }, transcript }: AppContext) {
  if (focused === undefined || transcript === undefined) return undefined;
  return { member: focused.member, keys: failureKeys(focused, transcript) };
}

function canRetryFocused({ log: { focused }, transcript }: AppContext): boolean {
  return focused?.end !== undefined && transcript !== undefined && canBeRetried(focused, transcript);
}

/** The session on the screen does not exist yet. */
export function isWelcoming(app: AppContext): boolean {
  return app.transcript === undefined && openingLabel(app) === undefined;
}

/** "message 3 of 9" while scrolled up. */
function positionLabel({ log: { position }, transcript }: AppContext): string | undefined {
  if (position === undefined || transcript === undefined) return undefined;
  const count = transcript.head.messageCount;
  return `message ${formatCount(Math.min(position.key + 1, count))} of ${formatCount(count)}`;
}

function isNewSandboxed({ planned, repository }: AppContext): boolean {
  const members = planned?.members ?? [];
  return members.length > 0 && members.every(({ name }) => repository.welcome?.members[name]?.isSandboxed === true);
}

function welcomeFacts({ theme, options, repository, planned }: AppContext): WelcomeFacts {
  const { directory, welcome } = repository;
  return { theme, version: options.version, directory, planned, welcome };
}

/** Connecting for the first time is no reconnecting. */
function shownConnection(app: AppContext): ConnectionState {
  return app.conversation.host === undefined ? ONLINE : app.connection;
}

function waitingRequest(app: AppContext): OpenRequest | undefined {
  return app.requests.isShowing ? undefined : app.transcript?.head.requests[0];
}

export function screenRule(app: AppContext, text: string, width: number): string {
  const { transcript } = app;
  const newMembers = app.planned?.members ?? [];
  const names = newMembers.map(({ name }) => name);
  return boxRule(
    {
      theme: app.theme,
      transcript,
      connection: shownConnection(app),
      now: app.now,
      recipients: app.addressing.recipients(text, transcript, names),
      newMembers,
      unseen: app.log.unseenAnswers,
      newestKey: app.keymap.hint(text === "" ? "log-end-on-empty" : "log-end"),
      request: waitingRequest(app),
      inboxKey: app.keymap.hint("inbox"),
      moreRequests: app.requests.waitingCount - 1,
      isElsewhere: app.conversation.isElsewhere,
      isLeaving: app.leaving.isFinishing,
      hasFocus: app.log.focused !== undefined,
    },
    width,
  );
}

export function createScreenLog(app: AppContext): LogView {
  return createLogView({
    theme: app.theme,
    settings: app.view,
    now: () => app.clock.now(),
    requestRender: () => app.requestRender(),
    loadPage: (page) => app.conversation.loadPage(page),
    rowsMax: () => app.tui.terminal.rows,
    keyOf: (action) => app.keymap.hint(action),
    seenAs: () => app.conversation.seenAs,
    isAwaited: () => (app.transcript === undefined ? openingLabel(app) !== undefined : app.conversation.hasStarted),
  });
}

/** Label of the session being opened until its transcript is there. */
export function openingLabel({
  conversation,
  options: { expected },
}: Pick<AppContext, "conversation" | "options">): string | undefined {
  const { isChosen, sessionId } = conversation;
  const isNew = isChosen ? sessionId === undefined : expected?.isNew !== false;
  if (isNew) return undefined;
  const { title = "" } = isChosen ? {} : (expected ?? {});
  return title === "" ? "Opening …" : `Opening ${title} …`;
}

export function createRequestController(app: AppContext): RequestController {
  return new RequestController({
    panels: app.panels,
    clock: app.clock,
    surface: app.surface,
    prompt: app.prompt,
    isReading: () => app.log.focused !== undefined,
    keymap: app.keymap,
    notify: (text) => app.notify(text),
    withdraw: (text) => app.withdraw(text),
    sendNote: (member, text) => sendNote(app, member, text),
    editText: (text) => app.editText(text),
    answer: createAnswer({
      command: (body) => app.command(body),
      client: () => app.conversation.host?.client,
    }),
  });
}

/** All sessions of the host, and how they are read, answered and archived. */
export function sessionCentreOf(
  app: AppContext,
  { sessions, query }: SessionsToPick,
): Omit<SessionCentreOptions, "onPick" | "onClose"> {
  const { conversation } = app;
  const reasonOf = (ack: Ack) => (ack.ok ? undefined : ack.error.message);
  const client = () => conversation.host?.client;
  return {
    sessions,
    query,
    clock: app.clock,
    currentId: app.sessionId,
    cwd: app.transcript?.head.cwd ?? app.planned?.cwd,
    load: () => conversation.sessions(),
    readSession: (sessionId) => conversation.read(sessionId),
    search: async (query) => {
      const { hits } = await conversation.search(query);
      return hits.map(({ sessionId }) => sessionId);
    },
    readBranch: async (cwd) => (await app.options.describeDirectory?.(cwd))?.branch,
    answer: (sessionId, requestId, given) =>
      createAnswer({ command: (body) => conversation.commandTo(sessionId, body), client })(requestId, given),
    archive: async (sessionId, archived) =>
      reasonOf(await conversation.commandTo(sessionId, { type: "archive", archived })),
  };
}

export function createAttachedFiles(app: AppContext): AttachedFiles {
  return new AttachedFiles({
    files: app.options.files,
    sessionId: () => app.sessionId,
    cwd: () => app.transcript?.head.cwd,
    onChange: () => app.requestRender(),
    isShown: true,
  });
}

export function createLeaving(app: AppContext, leave: () => void): Leaving {
  return new Leaving({
    clock: app.clock,
    working: () => app.conversation.working,
    outlivesScreen: () => app.conversation.host?.outlivesScreen === true,
    stopAll: () => app.interrupt("all").catch((error: unknown) => app.fail(error)),
    notify: (text) => app.notify(text, "ask"),
    leave,
  });
}
