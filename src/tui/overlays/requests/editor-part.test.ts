import { Editor } from "@earendil-works/pi-tui";
import { expect, onTestFinished, test, vi } from "vitest";
import { KEY, showOverlay } from "../../../../test/tui/shown-overlay.ts";
import { createRequestOverlay } from "./request-overlay.ts";

function showEditor(prefill: string) {
  const answers: unknown[] = [];
  const shown = showOverlay((surface) =>
    createRequestOverlay({
      surface,
      request: {
        requestId: "r1",
        member: "ada",
        seq: 1,
        ts: 0,
        request: { method: "editor", title: "Edit this", prefill },
        timeoutMs: 300_000,
        default: null,
      },
      waiting: 0,
      now: () => 1,
      acceptsAnswer: () => true,
      onAnswer: (result) => answers.push(result),
    }),
  );
  onTestFinished(() => shown.close());
  return { shown, answers };
}

test("a long plain line is never cut into characters the general way, and is laid out once for a drawing", async () => {
  const layouts = vi.spyOn(Editor.prototype, "render");
  const cuts = vi.spyOn(Intl.Segmenter.prototype, "segment");
  onTestFinished(() => void vi.restoreAllMocks());
  const line = "some words of a long line ".repeat(4_000);
  const { shown, answers } = showEditor(line);
  await shown.text();
  layouts.mockClear();
  await shown.text();
  expect(layouts.mock.calls.length).toBe(0);
  shown.press("!");
  const text = await shown.text();
  expect(layouts.mock.calls.length).toBe(1);
  expect(cuts.mock.calls.filter(([cut]) => cut.length > 1_000)).toEqual([]);
  expect(text).toContain("long line !");
  shown.press(KEY.enter);
  expect(answers).toEqual([`${line}!`]);
});
