/** Overlays on the table itself: who sits there, what waits to be said, how the screen looks. */
import { createMembersOverlay } from "../overlays/members-overlay.ts";
import { createQueueOverlay } from "../overlays/queue-overlay.ts";
import { createSettingsOverlay, type ScreenSetting } from "../overlays/settings-overlay.ts";
import type { CommandBody } from "../../client/index.ts";
import type { App } from "./app.ts";
import { pullBack } from "./pull-back.ts";

/** A wish whose refusal is said, since an overlay has nobody to return it to. */
function wish(app: App, body: CommandBody): void {
  app.command(body).then(
    (ack) => {
      if (!ack.ok) app.say(ack.error.message, "warn");
    },
    (error: unknown) => app.fail(error),
  );
}

export function showMembers(app: App): void {
  app.overlays.show((close) =>
    createMembersOverlay(app.surface, {
      head: () => app.transcript?.head,
      onMute: (member, muted) => wish(app, { type: muted ? "mute" : "unmute", member }),
      onInterrupt: (member) => wish(app, { type: "interrupt", scope: "member", member }),
      onClose: close,
    }),
  );
}

export function showQueue(app: App): void {
  app.overlays.show((close) =>
    createQueueOverlay(app.surface, {
      queue: () => app.transcript?.head.queue ?? [],
      onEdit: (messageId, text) => wish(app, { type: "queue_edit", messageId, text }),
      onRemove: (messageId) => wish(app, { type: "queue_remove", messageId }),
      onReorder: (messageIds) => wish(app, { type: "queue_reorder", messageIds }),
      onPromote: (messageId) => wish(app, { type: "queue_promote", messageId }),
      onPullBack: (item) => {
        close();
        void pullBack(app, item).catch((error: unknown) => app.fail(error));
      },
      editText: (text) => app.editText(text),
      onClose: close,
    }),
  );
}

export function showSettings(app: App): void {
  app.overlays.show((close) => createSettingsOverlay(app.surface, { settings: () => settingsOf(app), onClose: close }));
}

const YES_NO = ["on", "off"];

function settingsOf(app: App): ScreenSetting[] {
  const { view } = app;
  const isOn = (value: boolean) => (value ? "on" : "off");
  return [
    { label: "Theme", value: app.theme.name, values: ["auto", ...app.themes], set: (name) => app.setTheme(name) },
    {
      label: "Thinking",
      value: view.thinking,
      values: ["dim", "folded", "hidden"],
      set: (value) => app.setView({ thinking: value as typeof view.thinking }),
    },
    {
      label: "Tool output in full",
      value: isOn(view.isExpanded),
      values: YES_NO,
      set: (value) => app.setView({ isExpanded: value === "on" }),
    },
    {
      label: "Times",
      value: isOn(view.hasTimes),
      values: YES_NO,
      set: (value) => app.setView({ hasTimes: value === "on" }),
    },
    {
      label: "Text as written",
      value: isOn(view.isRaw),
      values: YES_NO,
      set: (value) => app.setView({ isRaw: value === "on" }),
    },
    {
      label: "Copy what is marked with the mouse",
      value: isOn(app.tui.getCopyOnSelect()),
      values: YES_NO,
      set: (value) => app.tui.setCopyOnSelect(value === "on"),
    },
  ];
}
