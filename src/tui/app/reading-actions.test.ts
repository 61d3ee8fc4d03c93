import { expect, test } from "vitest";
import { ended, said, started } from "../../../test/generate/drafts.ts";
import { sessionLog, transcriptOf } from "../../../test/tui/draw-panels.ts";
import { testLog, VIEW } from "../../../test/tui/open-log.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { readingActions } from "./reading-actions.ts";

function turn(turnId: string, member: string, text: string, round: number): EventDraft[] {
  return [
    started(turnId, member, { cause: "round", round, rootMessageId: "m1" }),
    { type: "text_done", turnId, member, segmentId: turnId, text },
    ended(turnId, member),
  ];
}

test("the key copies the last answer that says something, not a turn that adds nothing after it", () => {
  const transcript = transcriptOf(
    sessionLog([
      said("m1", ["claude", "codex"]),
      ...turn("t1", "claude", "It is the lock.", 1),
      ...turn("t2", "claude", "Nothing to add.", 2),
      ...turn("t3", "codex", "Nothing to add.", 2),
    ]),
  );
  const { log, screen } = testLog(transcript);
  const copied: string[] = [];
  const actions = readingActions({
    tui: screen.tui,
    log,
    view: VIEW,
    setView: () => {},
    transcript,
    suspend: () => {},
    copy: (text) => Promise.resolve(copied.push(text) > 0),
    notify: () => {},
    askLine: () => Promise.resolve(undefined),
  });
  actions["copy-message"]?.();
  expect(copied).toEqual(["It is the lock."]);
});
