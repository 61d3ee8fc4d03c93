/** Opens the overlays for keys, inbox, members, permissions, queue, subagents and settings. */
import path from "node:path";
import type { CommandBody } from "../../../client/index.ts";
import type { SearchHit } from "../../../protocol/index.ts";
import type { PermissionsPage } from "../../commands/command.ts";
import { createQueueOverlay } from "../../overlays/lists/queue-overlay.ts";
import { createSearchOverlay } from "../../overlays/lists/search-overlay.ts";
import {
  createInboxOverlay,
  createMembersOverlay,
  createPermissionsOverlay,
  createSettingsOverlay,
  type ScreenSetting,
} from "../../overlays/lists/session-lists.ts";
import { type ChangeSet, createDiffOverlay } from "../../overlays/diff-overlay.ts";
import { createKeysCard } from "../../overlays/keys-card.ts";
import { createSubagentOverlay } from "../../overlays/subagent-overlay.ts";
import type { AppContext } from "../app-context.ts";
import { isWelcoming } from "../create-components.ts";
import { ARRANGEMENTS } from "./settings.ts";
import { pullBack } from "../session/sending.ts";

/** Shows a rejection as a notice, since an overlay has no caller to return it to. */
function sendCommand(app: AppContext, body: CommandBody): void {
  app.command(body).then(
    (ack) => {
      if (!ack.ok) app.notify(ack.error.message, "ask");
    },
    (error: unknown) => app.fail(error),
  );
}

export function showInbox(app: AppContext): void {
  const requests = () => app.transcript?.head.requests ?? [];
  if (requests().length === 0) return app.notify("Nobody is waiting for an answer.");
  app.overlays.show((close) =>
    createInboxOverlay(app.surface, {
      requests,
      now: () => app.now,
      onPick: (requestId) => {
        close();
        app.requests.pick(requestId);
      },
      onClose: close,
    }),
  );
}

export function showMembers(app: AppContext): void {
  app.overlays.show((close) =>
    createMembersOverlay(app.surface, {
      head: () => app.transcript?.head,
      planned: () => (app.sessionId === undefined ? app.planned : undefined),
      onMute: (member, muted) => sendCommand(app, { type: muted ? "mute" : "unmute", member }),
      onInterrupt: (member) => sendCommand(app, { type: "interrupt", scope: "member", member }),
      onRemove: (member) => sendCommand(app, { type: "remove_member", member }),
      onAdd: () => {
        close();
        // The names that can be added are completed there.
        app.prompt.replaceText("/add ");
      },
      onClose: close,
    }),
  );
}

/** The keys that matter now; `showAll` opens the page of all keys. */
export function showKeys(app: AppContext, showAll: () => void): void {
  const { transcript, log, repository, keymap } = app;
  const isNew = isWelcoming(app);
  const state = {
    isNew,
    isWorking: app.conversation.isRunning,
    hasFocus: log.focused !== undefined,
    hasQueue: (transcript?.head.queue.length ?? 0) > 0,
    isColumns: log.view.shown === "columns",
    questions: isNew ? (repository.welcome?.questions.length ?? 0) : 0,
  };
  app.overlays.show((close) => createKeysCard(app.surface, { keymap, state, onAll: showAll, onClose: close }));
}

/** Files are opened where the session is. */
export function showChanges(app: AppContext, sets: readonly ChangeSet[]): void {
  const cwd = app.transcript?.head.cwd ?? "";
  const openFile = (file: string, line: number | undefined) =>
    void app.openFile(path.resolve(cwd, file), line).catch((error: unknown) => app.fail(error));
  const canOpen = app.options.editFile !== undefined && cwd !== "";
  app.overlays.show((close) =>
    createDiffOverlay(app.surface, { sets, openFile: canOpen ? openFile : undefined, onClose: close }),
  );
}

export function showPermissions(app: AppContext, page: PermissionsPage): void {
  app.overlays.show((close) => createPermissionsOverlay(app.surface, { ...page, now: () => app.now, onClose: close }));
}

export function showQueue(app: AppContext): void {
  app.overlays.show((close) =>
    createQueueOverlay(app.surface, {
      queue: () => app.transcript?.head.queue ?? [],
      onEdit: (messageId, text) => sendCommand(app, { type: "queue_edit", messageId, text }),
      onRemove: (messageId) => sendCommand(app, { type: "queue_remove", messageId }),
      onReorder: (messageIds) => sendCommand(app, { type: "queue_reorder", messageIds }),
      onPromote: (messageId) => sendCommand(app, { type: "queue_promote", messageId }),
      onPullBack: (item) => {
        close();
        void pullBack(app, item).catch((error: unknown) => app.fail(error));
      },
      editText: (text) => app.editText(text),
      onClose: close,
    }),
  );
}

export function showSubagent(app: AppContext, turnId: string): void {
  app.overlays.show((close) =>
    createSubagentOverlay(app.surface, {
      turnId,
      transcript: () => app.transcript,
      settings: () => app.view,
      seenAs: () => app.conversation.seenAs,
      now: () => app.now,
      onClose: close,
    }),
  );
}

export function showSettings(app: AppContext): void {
  app.overlays.show((close) => createSettingsOverlay(app.surface, { settings: () => settingsOf(app), onClose: close }));
}

const ON_OFF = ["on", "off"];

const SWITCHES = [
  ["expanded", "Tool output in full"],
  ["times", "Times"],
  ["raw", "Raw Markdown"],
  ["mouse", "Mouse (off: your terminal selects)"],
  ["copyOnSelect", "Copy on select"],
  ["notifications", "Notify me when a turn ends or someone asks"],
] as const;

function settingsOf(app: AppContext): ScreenSetting[] {
  const { thinking } = app.settings;
  return [
    { label: "Theme", value: app.chosenTheme, values: app.themes, set: (name) => app.set("theme", name) },
    {
      label: "Thinking",
      value: thinking,
      values: ["dim", "folded", "hidden"],
      set: (value) => app.set("thinking", value as typeof thinking),
    },
    ...SWITCHES.map(([name, label]) => ({
      label,
      value: app.settings[name] ? "on" : "off",
      values: ON_OFF,
      set: (value: string) => app.set(name, value === "on"),
    })),
    {
      label: "Motion (off: words instead of spinners)",
      value: app.settings.motion,
      values: ON_OFF,
      set: (value) => app.set("motion", value as typeof app.settings.motion),
    },
    {
      label: "View",
      value: app.settings.view,
      values: ARRANGEMENTS,
      set: (value) => app.set("view", value as typeof app.settings.view),
    },
  ];
}

/** The search over all sessions, and jumping to a hit. */
export function showSearch(app: AppContext, query: string): void {
  app.overlays.show((close) =>
    createSearchOverlay(app.surface, {
      query,
      search: (query) => app.conversation.search(query),
      clock: app.clock,
      currentId: app.sessionId,
      requestRender: () => app.requestRender(),
      onPick: (hit) => {
        close();
        void jumpTo(app, hit).catch((error: unknown) => app.fail(error));
      },
      onClose: close,
    }),
  );
}

async function jumpTo(app: AppContext, { sessionId, seq }: SearchHit): Promise<void> {
  if (sessionId !== app.sessionId) await app.openSession(sessionId);
  const position = await app.conversation.positionOf(seq);
  // Another session was opened meanwhile.
  if (sessionId !== app.sessionId) return;
  const { transcript } = app;
  if (transcript === undefined || position === undefined) return app.notify("That message could not be loaded.", "ask");
  if (seq <= transcript.head.clearedSeq) {
    return app.notify(
      "That message is from before this session was cleared. `roundtable sessions show` prints it.",
      "ask",
    );
  }
  // The log may not have rendered this session yet.
  app.log.show(transcript);
  app.log.goTo({ key: position, offset: 0 });
}
