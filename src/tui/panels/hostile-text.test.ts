import { beforeAll, describe, expect, test } from "vitest";
import { hostileSession } from "../../../test/tui/hostile-session.ts";
import { contextOf, SETTINGS, shownMessages, transcriptOf } from "../../../test/tui/draw-panels.ts";
import { rowFaults, type RowFault } from "../../../test/tui/row-checks.ts";
import { terminalPayloads } from "../../../test/tui/terminal-payloads.ts";
import { empty, reduce, type ShownMessage, type Transcript } from "../../transcript/index.ts";
import { loadHighlighter } from "../markdown/highlight.ts";
import { createTheme } from "../theme/create-theme.ts";
import { createPanel } from "./create-panel.ts";
import type { Panel } from "./panel.ts";
import { rounds } from "../../../test/rounds.ts";

const theme = createTheme({ name: "dark", depth: "truecolor", hasLinks: true });
const AFTER = "and here it goes on";

beforeAll(loadHighlighter);

test("there are at least 131 payloads, each with a name of its own", () => {
  expect(terminalPayloads.length).toBeGreaterThanOrEqual(131);
  expect(new Set(terminalPayloads.map(({ name }) => name)).size).toBe(terminalPayloads.length);
});

test("the check finds every one of them that is not made safe", () => {
  const families = /^(?:clipboard|title|string|OSC|CSI|ESC)/;
  const missed = terminalPayloads.filter(
    ({ name, bytes }) => families.test(name) && rowFaults(bytes.split("\n"), 100_000).length === 0,
  );
  expect(missed).toEqual([]);
});

describe("a hostile text in every field of every panel", () => {
  for (const [at, { name, bytes }] of terminalPayloads.entries()) {
    test(`${name}: rows hold no control but our own, and what follows is seen`, () => {
      const transcript = transcriptOf(hostileSession(`${bytes}\n${AFTER}`));
      const views = [
        { width: 80, settings: { ...SETTINGS, isExpanded: true, hasTimes: true } },
        { width: 23, settings: { ...SETTINGS, isRaw: true } },
        { width: 41, settings: SETTINGS },
      ];
      // All of them in torture, otherwise one by turns.
      for (const { width, settings } of views.filter((_, view) => rounds(at % views.length, view) === view)) {
        const context = contextOf(transcript, { theme, settings });
        const panels = shownMessages(transcript).map((message) => createPanel(message, context).render(width));
        expect(panels.flatMap((rows) => rowFaults(rows, width))).toEqual([]);
        if (width === 80) expect(panels[0]?.join("\n")).toContain(AFTER);
      }
    });
  }
});

const STREAMED: ReadonlySet<string> = new Set(["thinking_delta", "text_delta", "tool_output_delta"]);

test("the same texts, arriving one unit at a time, never put a control into a row and end as they would whole", () => {
  const every = rounds(36, 1);
  const first = Math.floor(Math.random() * every);
  console.info(`every ${every}. payload from ${first}`);
  for (const { name, bytes } of terminalPayloads.filter((_, at) => at % every === first)) {
    const text = `${bytes.slice(0, 40)}\nend`;
    const events = hostileSession(
      text,
      Array.from({ length: text.length }, (_, at) => text.charAt(at)),
    );
    // A row is judged once: nearly all of them stand there again after the next unit.
    const judged = new Map<string, RowFault[]>();
    let transcript = empty("session");
    let panel: Panel | undefined;
    for (const event of events) {
      transcript = reduce(transcript, event);
      if (!STREAMED.has(event.type)) continue;
      const turn = turnOf(transcript);
      const context = contextOf(transcript, { theme, liveRowsMax: 12 });
      panel ??= createPanel(turn, context);
      panel.update(turn, context);
      for (const row of panel.render(60)) if (!judged.has(row)) judged.set(row, rowFaults([row], 60));
    }
    const context = contextOf(transcript, { theme, liveRowsMax: 12 });
    panel?.update(turnOf(transcript), context);
    const rows = [...(panel?.render(60) ?? [])];
    const faults = [...judged.values()].flat().concat(rowFaults(rows, 60));
    expect({ name, faults }).toEqual({ name, faults: [] });
    const whole = transcriptOf(hostileSession(text));
    const fresh = createPanel(turnOf(whole), contextOf(whole, { theme, liveRowsMax: 12 }));
    // The two logs differ in when things happened.
    const timeless = (all: readonly string[]) => all.map((row) => row.replaceAll(/\d+:\d\d/g, "m:ss"));
    expect({ name, rows: timeless(rows) }).toEqual({ name, rows: timeless(fresh.render(60)) });
  }
});

function turnOf(transcript: Transcript): ShownMessage {
  const turn = shownMessages(transcript).find((message) => message.kind === "turn" && message.turnId === "t1");
  if (turn === undefined) throw new Error("The turn is missing.");
  return turn;
}
