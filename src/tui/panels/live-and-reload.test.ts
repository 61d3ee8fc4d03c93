import { describe, expect, test } from "vitest";
import { CAPABILITIES, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { sampleLog } from "../../../test/generate/session-log.ts";
import { contextOf, SETTINGS, shownMessages, sessionLog, transcriptOf } from "../../../test/tui/draw-panels.ts";
import { mulberry32, randomMarkdown } from "../../../test/tui/random-markdown.ts";
import { rowFaults } from "../../../test/tui/row-checks.ts";
import type { EventDraft, SessionEvent } from "../../protocol/index.ts";
import { empty, reduce } from "../../transcript/index.ts";
import { createTheme } from "../theme/create-theme.ts";
import { createPanel } from "./create-panel.ts";
import type { Panel, PanelContext } from "./panel.ts";
import { createWaitingRows, waitingMembers } from "./waiting-rows.ts";

const theme = createTheme({ name: "dark", depth: "truecolor", hasLinks: true });

/** Every message followed by its panel through all states, drawn after each; then beside panels that saw only the end. */
function expectLiveEqualsReload(events: readonly SessionEvent[], view: Partial<PanelContext>, width: number): void {
  const panels = new Map<number, Panel>();
  let transcript = empty("session");
  for (const event of events) {
    transcript = reduce(transcript, event);
    const context = contextOf(transcript, view);
    for (const message of shownMessages(transcript)) {
      const known = panels.get(message.position);
      const panel = known ?? createPanel(message, context);
      if (known === undefined) panels.set(message.position, panel);
      panel.update(message, context);
      panel.render(width);
    }
  }
  const context = contextOf(transcript, view);
  for (const message of shownMessages(transcript)) {
    const rows = [...(panels.get(message.position)?.render(width) ?? [])];
    expect(rows).toEqual([...createPanel(message, context).render(width)]);
    expect(rowFaults(rows, width)).toEqual([]);
  }
}

test("panels that lived through a generated session look like panels that saw only its end", () => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const events = sampleLog(seed, { steps: 25, damage: true });
    expectLiveEqualsReload(
      events,
      { theme, liveRowsMax: 10, settings: { ...SETTINGS, isExpanded: seed % 3 === 0, isRaw: seed % 4 === 0 } },
      30 + seed * 5,
    );
  }
});

test("the same for long answers in Markdown that arrive in small pieces", () => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const random = mulberry32(seed);
    const text = randomMarkdown(random);
    const deltas: EventDraft[] = [];
    for (let at = 0; at < text.length;) {
      const length = 1 + Math.floor(random() * 20);
      deltas.push({
        type: "text_delta",
        turnId: "t1",
        member: "claude",
        segmentId: "s",
        text: text.slice(at, at + length),
      });
      at += length;
    }
    const end = seed % 2 === 0 ? [ended("t1", "claude")] : [];
    expectLiveEqualsReload(
      sessionLog([said("m1", ["claude"]), started("t1", "claude"), ...deltas, ...end]),
      { theme, liveRowsMax: 9 },
      60,
    );
  }
});

describe("cheap updates", () => {
  test("a panel gives the same array until something that it draws has changed", () => {
    const events = sessionLog([
      said("m1", ["claude"]),
      started("t1", "claude"),
      textOf("one"),
      { type: "warning", code: "w", message: "x" },
    ]);
    const transcript = transcriptOf(events);
    const context = contextOf(transcript);
    for (const message of shownMessages(transcript)) {
      const panel = createPanel(message, context);
      const rows = panel.render(60);
      panel.update(message, { ...context, now: context.now + 10 });
      expect(panel.render(60)).toBe(rows);
      panel.update(message, { ...context, isSelected: true });
      expect(panel.render(60)).not.toBe(rows);
    }
  });

  test("blocks open and close one by one, and all by the settings", () => {
    const output = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");
    const call = (toolCallId: string): EventDraft[] => [
      { type: "tool_call_start", turnId: "t1", member: "claude", toolCallId, name: "bash", args: {} },
      { type: "tool_result", turnId: "t1", member: "claude", toolCallId, ok: true, result: output },
    ];
    const transcript = transcriptOf(
      sessionLog([said("m1", ["claude"]), started("t1", "claude"), ...call("a"), ...call("b"), ended("t1", "claude")]),
    );
    const [, turn] = shownMessages(transcript);
    if (turn === undefined) throw new Error("The turn is missing.");
    const context = contextOf(transcript);
    const panel = createPanel(turn, context);
    const closed = panel.render(40).length;
    expect([panel.toggle(0), panel.toggle(closed - 1)]).toEqual([false, false]);
    expect(panel.toggle(1)).toBe(true);
    expect(panel.render(40)).toHaveLength(closed + 2);
    expect(panel.toggle(2)).toBe(true);
    const open = panel.render(40).length;
    expect(open).toBeGreaterThan(closed + 10);
    expect(panel.toggle(4)).toBe(true);
    expect(panel.render(40)).toHaveLength(closed + 2);
    panel.update(turn, { ...context, settings: { ...SETTINGS, isExpanded: true } });
    expect(panel.render(40).length).toBeGreaterThan(open + 10);
  });

  test("the row that counts what is above opens an open turn in full", () => {
    const transcript = transcriptOf(
      sessionLog([said("m1", ["claude"]), started("t1", "claude"), textOf("word\n\n".repeat(40))]),
    );
    const [, turn] = shownMessages(transcript);
    if (turn === undefined) throw new Error("The turn is missing.");
    const panel = createPanel(turn, contextOf(transcript, { liveRowsMax: 8 }));
    expect(panel.render(40)).toHaveLength(8);
    expect(panel.toggle(1)).toBe(true);
    expect(panel.render(40)).toHaveLength(82);
  });
});

describe("members that will speak", () => {
  const names = (drafts: readonly EventDraft[]) =>
    waitingMembers(transcriptOf(sessionLog(drafts)).head).map(({ member, why }) => `${member}: ${why}`);
  const all = ["claude", "codex", "pi"];

  test("those a message waits for, running or not", () => {
    const pending = (member: string): EventDraft => ({
      type: "message_delivery",
      messageId: "m1",
      member,
      state: "pending",
    });
    expect(
      names([
        said("m1", ["codex"]),
        started("t1", "codex"),
        said("m2", ["codex", "pi"]),
        { ...pending("codex"), messageId: "m2" } as EventDraft,
        { ...pending("pi"), messageId: "m2" } as EventDraft,
      ]),
    ).toEqual(["codex: sees your message at its next step", "pi: is held until your next message or /continue"]);
    expect(names([])).toEqual([]);
  });

  test("one that cannot be steered says so, and what Escape has held back says how it goes on", () => {
    const working: EventDraft[] = [
      joined("pi", { capabilities: { ...CAPABILITIES, steer: false } }),
      said("m1", ["pi"]),
      started("t1", "pi"),
      said("m2", ["pi"]),
      { type: "message_delivery", messageId: "m2", member: "pi", state: "pending" },
    ];
    expect(names(working)).toEqual(["pi: will see your message after this turn"]);
    expect(names([...working, ended("t1", "pi", { outcome: "interrupted" })])).toEqual([
      "pi: is held until your next message or /continue",
    ]);
  });

  test("the first speaker of the next round is shown when this one is over", () => {
    const first = { round: 1, rootMessageId: "m1", messageIds: ["m1"] };
    const settled = (member: string): EventDraft => ({
      type: "message_delivery",
      messageId: "m1",
      member,
      state: "answered",
    });
    const running: EventDraft[] = [
      said("m1", ["claude", "codex"], { toAll: true, rounds: 2 }),
      started("t1", "claude", first),
      started("t2", "codex", first),
      ended("t1", "claude"),
      settled("claude"),
    ];
    expect(names(running)).toEqual([]);
    expect(names([...running, ended("t2", "codex"), settled("codex")])).toEqual(["claude: is next and opens round 2"]);
  });

  test("the next speakers of a round are in member order, without muted ones", () => {
    const round = { round: 2, rootMessageId: "m1", cause: "round" as const };
    const delivered = all.flatMap((member): EventDraft[] => [
      { type: "message_delivery", messageId: "m1", member, state: "answered" },
    ]);
    const drafts = [said("m1", all, { toAll: true }), ...delivered, started("t1", "claude", round)];
    expect(names(drafts)).toEqual(["codex: is next in round 2", "pi: comes later in round 2"]);
    expect(names([...drafts, { type: "member_muted", member: "codex" }])).toEqual(["pi: is next in round 2"]);
    expect(names([...drafts, ended("t1", "claude")])).toEqual([
      "codex: is next in round 2",
      "pi: comes later in round 2",
    ]);
  });

  test("their rows stay the same array while nothing changes", () => {
    const transcript = transcriptOf(sessionLog([said("m1", ["pi"])]));
    const rows = createWaitingRows();
    const first = rows(contextOf(transcript), 40);
    expect(rows(contextOf({ ...transcript, head: { ...transcript.head, seq: 99 } }), 40)).toBe(first);
    expect(rows(contextOf(transcript, { theme }), 40)).not.toBe(first);
  });
});

function textOf(text: string): EventDraft {
  return { type: "text_delta", turnId: "t1", member: "claude", segmentId: "s", text };
}
