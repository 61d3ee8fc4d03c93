import { expect, test } from "vitest";
import { ended, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { UI_KEYS_MAX } from "../model.ts";
import { fold } from "../fold.ts";

const play = (...drafts: EventDraft[]) => fold(empty("session"), stamped(drafts));
const status = (key: string, text: string | null): EventDraft => ({ type: "ui_status", key, text });
const widget = (key: string, content: string | string[] | null): EventDraft => ({
  type: "ui_widget",
  key,
  content,
  opts: { placeholder: "top" },
});

test("status lines and widgets are set by key and removed by null", () => {
  const { head } = play(
    status("branch", "main"),
    status("branch", "dev"),
    status("host", "x"),
    status("host", null),
    widget("todo", ["one", "two"]),
    widget("gone", "x"),
    widget("gone", null),
  );
  expect(head.ui).toStrictEqual({
    status: { branch: "dev" },
    widgets: { todo: { content: ["one", "two"], opts: { placeholder: "top" } } },
  });
});

test("a new key beyond UI_KEYS_MAX becomes a notice; existing keys stay and can change", () => {
  const keys = Array.from({ length: UI_KEYS_MAX }, (_, index) => `key-${index}`);
  const { head } = play(
    ...keys.map((key) => status(key, "x")),
    ...keys.map((key) => widget(key, "x")),
    status("more", "x"),
    widget("more", "x"),
    status("key-0", "y"),
  );
  expect([Object.keys(head.ui.status).length, Object.keys(head.ui.widgets).length, head.messageCount]).toStrictEqual([
    UI_KEYS_MAX,
    UI_KEYS_MAX,
    2,
  ]);
  expect(head.ui.status["key-0"]).toBe("y");
});

test("working, title and editor text have their last value; editor text carries its seq", () => {
  const { head } = play(
    { type: "ui_working", message: "Indexing" },
    { type: "ui_set_title", title: "T" },
    { type: "ui_set_editor_text", text: "Try" },
  );
  expect(head.ui).toStrictEqual({
    status: {},
    widgets: {},
    working: "Indexing",
    title: "T",
    editorText: { seq: 3, text: "Try" },
  });
  expect(
    play({ type: "ui_working", message: "Indexing" }, { type: "ui_working", message: null }).head.ui,
  ).toStrictEqual({ status: {}, widgets: {} });
});

test("the working message goes when the last open turn ends", () => {
  const drafts = [
    started("t1", "claude"),
    started("t2", "codex"),
    { type: "ui_working" as const, message: "Indexing" },
    ended("t1", "claude"),
  ];
  expect(play(...drafts).head.ui.working).toBe("Indexing");
  expect(play(...drafts, ended("t2", "codex")).head.ui).toStrictEqual({ status: {}, widgets: {} });
});

test("a notification, a warning and an error belong to their turn while it is open", () => {
  const { head } = play(
    started("t1", "claude"),
    { type: "ui_notify", turnId: "t1", message: "Hi", notifyType: "info" },
    { type: "warning", turnId: "t1", code: "x", message: "y" },
    { type: "error", turnId: "t1", code: "x", message: "y" },
  );
  expect(head.openTurns["t1"]?.blocks.map((block) => block.kind === "event" && block.event.type)).toStrictEqual([
    "ui_notify",
    "warning",
    "error",
  ]);
});
