/**
 * The simplest panels there can be, for tests of the log alone: each row begins with its message's position, so a test
 * reads from the screen which messages are in view. A message with "[fold]" in it has a block of five rows to open.
 */
import type { LogDeps } from "../../src/tui/log/log-content.ts";
import type { Panel, PanelContext } from "../../src/tui/panels/panel.ts";
import { copyText } from "../../src/tui/log/copy-text.ts";
import type { ShownMessage } from "../../src/transcript/index.ts";

export interface PlainLogDeps extends LogDeps {
  /** Panels made, and drawings that were not answered from what was drawn before. */
  readonly made: number;
  readonly renders: number;
  /** Positions whose block is open; shared by all views on these parts. */
  readonly opened: Set<number>;
}

export function plainLogDeps(opened = new Set<number>()): PlainLogDeps {
  const counts = { made: 0, renders: 0 };
  const waiting = new Map<string, readonly string[]>();
  return {
    opened,
    get made() {
      return counts.made;
    },
    get renders() {
      return counts.renders;
    },
    createPanel: (message, context) => {
      counts.made += 1;
      return plainPanel(message, context, opened, () => {
        counts.renders += 1;
      });
    },
    waitingRows({ transcript }) {
      const names = Object.values(transcript.head.members).filter(({ state }) => state === "waiting");
      const text = names.map(({ name }) => `${name} waits`).join("\n");
      if (!waiting.has(text)) waiting.set(text, text === "" ? [] : text.split("\n"));
      return waiting.get(text) ?? [];
    },
  };
}

function plainPanel(first: ShownMessage, firstContext: PanelContext, opened: Set<number>, drawn: () => void): Panel {
  let [message, context] = [first, firstContext];
  let last: { key: string; message: ShownMessage; rows: readonly string[] } | undefined;
  return {
    update(next, nextContext) {
      [message, context] = [next, nextContext];
    },
    render(width) {
      const isLive = message.kind === "turn" && message.end === undefined;
      const rowsMax = isLive ? context.liveRowsMax : Number.MAX_SAFE_INTEGER;
      const key = `${width} ${rowsMax} ${context.isSelected} ${context.settings.isRaw} ${opened.has(message.position)}`;
      if (last?.message === message && last.key === key) return last.rows;
      drawn();
      last = { key, message, rows: draw(message, width, rowsMax, context, opened) };
      return last.rows;
    },
    toggle(row) {
      if (last?.rows[row]?.includes("[fold]") !== true) return false;
      if (!opened.delete(message.position)) opened.add(message.position);
      last = undefined;
      return true;
    },
    invalidate() {
      last = undefined;
    },
  };
}

const FOLDED = ["fold 1", "fold 2", "fold 3", "fold 4", "fold 5"];

function draw(
  message: ShownMessage,
  width: number,
  rowsMax: number,
  { isSelected, settings }: PanelContext,
  opened: ReadonlySet<number>,
): string[] {
  const tag = `${message.position}|`;
  const who = message.kind === "turn" ? message.member : message.kind;
  const room = Math.max(4, width - tag.length);
  const lines = copyText(message)
    .split("\n")
    .flatMap((line) => {
      const cut = line.match(new RegExp(`.{1,${room}}`, "gu")) ?? [""];
      const isOpen = line.includes("[fold]") && opened.has(message.position);
      return isOpen ? cut.concat(FOLDED) : cut;
    });
  const body = lines.slice(Math.max(0, lines.length - (rowsMax - 1)));
  const head = settings.isRaw ? [] : [`${isSelected ? ">" : ""}${who}`];
  return [...head, ...body].map((line) => (tag + line).slice(0, width));
}
