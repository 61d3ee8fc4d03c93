import { expect, test } from "vitest";
import { cursorExtensions } from "./adapter.ts";

const about = { turnId: "t", isWritable: true, plan: [] };
const cancelled = { outcome: { outcome: "cancelled" } };

test("every Cursor method gets a response, and no other method does", () => {
  expect(cursorExtensions.ask("cursor/something_new", {}, about)).toEqual({ result: cancelled });
  expect(cursorExtensions.ask("vendor/thing", {}, about)).toBeUndefined();
  const accepted = { outcome: { outcome: "accepted" } };
  expect(cursorExtensions.ask("cursor/task", {}, about)).toEqual({ result: accepted, events: [] });
  expect(cursorExtensions.ask("cursor/generate_image", { filePath: "/x.png" }, about)).toEqual({
    result: accepted,
    events: [{ type: "ui_notify", message: "It made an image: /x.png.", notifyType: "info" }],
  });
  expect(cursorExtensions.ask("cursor/ask_question", {}, about)).toEqual({
    result: { outcome: { outcome: "skipped", reason: "there was no question" } },
  });
});

test("a missing answer is a cancellation, and a plan that is not accepted is rejected", () => {
  const none = { result: null, error: null };
  const late = { result: null, error: "expired" };
  expect(cursorExtensions.answer("cursor/ask_question", {}, none)).toEqual(cancelled);
  expect(cursorExtensions.answer("cursor/ask_question", {}, late)).toEqual(cancelled);
  expect(cursorExtensions.answer("cursor/create_plan", {}, late)).toEqual(cancelled);
  expect(cursorExtensions.answer("cursor/create_plan", {}, { result: "reject", error: null })).toEqual({
    outcome: { outcome: "rejected", reason: "the user rejected it" },
  });
});
