/**
 * A member's turn. Blocks keep their views while it grows, so that a chunk of text costs only its own block. While
 * open, the panel shows its newest rows; when ended it expands.
 */
import { visibleWidth } from "@earendil-works/pi-tui";
import {
  type Block,
  keyedBlocks,
  type ShownMessage,
  type Transcript,
  type TurnMessage,
} from "../../transcript/index.ts";
import { highlightVersion } from "../markdown/highlight.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import {
  changesDrawing,
  exchangeDrawing,
  finishedDrawing,
  planDrawing,
  steeringDrawing,
  subagentDrawing,
} from "./work-blocks.ts";
import { type BlockView, DrawnBlock } from "./block-view.ts";
import { eventDrawing } from "./event-rows.ts";
import { plural } from "./format.ts";
import { colourOf } from "./member-name.ts";
import type { Panel, PanelContext } from "./panel.ts";
import { requestDrawing, toolDrawing } from "./tool-block.ts";
import { TextView, ThinkingView } from "./text-block.ts";
import { closingRows, headerOf, isStreaming } from "./turn-header.ts";

/** Indent per level of subagents, and its maximum. */
const INDENT = 2;

const INDENT_MAX = 8;

const CURSOR = "▍";

const NARROW = 16;

/** Header, row count, one row of content, blank row between panels. */
const LIVE_ROWS_MIN = 4;

interface Part {
  readonly key: string;
  readonly kind: Block["kind"];
  readonly view: BlockView;
}

/** Rows of a block in the panel's body. */
interface BlockRange {
  readonly from: number;
  readonly to: number;
  readonly view: BlockView;
}

export class TurnPanel implements Panel {
  #turn: TurnMessage;
  #context: PanelContext;
  #parts: Part[] = [];
  /** Turns that answer questions of this one. */
  #answerTurnIds: readonly string[] = [];
  #rows: readonly string[] | undefined;
  #width = 0;
  #highlightVersion = 0;
  #ranges: BlockRange[] = [];
  /** Body row in the panel's second row; 0 unless rows above are omitted. */
  #skipped = 0;
  /** The user expanded the open turn. */
  #isUncapped = false;

  constructor(turn: TurnMessage, context: PanelContext) {
    this.#turn = turn;
    this.#context = context;
    this.#updateBlocks();
  }

  update(message: ShownMessage, context: PanelContext): void {
    if (message.kind !== "turn") return;
    const before = this.#context;
    const isSame =
      message === this.#turn &&
      context.theme === before.theme &&
      context.settings === before.settings &&
      context.isSelected === before.isSelected &&
      (message.end !== undefined || context.liveRowsMax === before.liveRowsMax) &&
      context.transcript.head.members === before.transcript.head.members &&
      context.transcript.head.plan === before.transcript.head.plan &&
      this.#answerTurnIds.every(
        (turnId) => openTurn(context.transcript, turnId) === openTurn(before.transcript, turnId),
      );
    this.#turn = message;
    this.#context = context;
    if (isSame) return;
    this.#updateBlocks();
    this.#rows = undefined;
  }

  render(width: number): readonly string[] {
    const isCurrent = this.#width === width && this.#highlightVersion === highlightVersion();
    if (this.#rows !== undefined && isCurrent) return this.#rows;
    this.#width = width;
    this.#highlightVersion = highlightVersion();
    this.#rows = this.#draw(width);
    return this.#rows;
  }

  toggle(row: number): boolean {
    if (this.#skipped > 0 && row === 1) {
      this.#isUncapped = true;
      this.#rows = undefined;
      return true;
    }
    const at = row - 1 + (this.#skipped > 0 ? this.#skipped - 1 : 0);
    const range = this.#ranges.find(({ from, to }) => at >= from && at < to);
    if (row === 0 || range === undefined || !range.view.toggle()) return false;
    this.#rows = undefined;
    return true;
  }

  invalidate(): void {
    for (const { view } of this.#parts) view.invalidate();
    this.#updateBlocks();
    this.#rows = undefined;
  }

  #updateBlocks(): void {
    const { blocks, end } = this.#turn;
    const old = new Map(this.#parts.map((part) => [part.key, part]));
    this.#parts = keyedBlocks(blocks).map(({ key, block }) => {
      const known = old.get(key);
      if (known === undefined) return { key, kind: block.kind, view: createBlockView(block, this.#context) };
      known.view.update(block, this.#context);
      return known;
    });
    this.#answerTurnIds = blocks.flatMap((block) =>
      block.kind === "exchange" && block.answerTurnId !== undefined ? [block.answerTurnId] : [],
    );
    if (end !== undefined) for (const { view } of this.#parts) if (view instanceof TextView) view.end();
  }

  #draw(width: number): readonly string[] {
    const { theme, settings, transcript, isSelected } = this.#context;
    const turn = this.#turn;
    const indent = " ".repeat(Math.min(turn.depth * INDENT, INDENT_MAX, Math.floor(width / 4)));
    const colour = colourOf(transcript.head, turn.member);
    const bar = settings.isRaw ? "" : `${theme.member(turn.member, isSelected ? "▌" : "│", colour)} `;
    const inner = Math.max(1, width - indent.length - visibleWidth(bar));
    const header = `${isSelected ? theme.paint("selected", "▶") : ""}${isSelected ? " " : ""}${headerOf(turn, this.#context)}`;
    const rows = [oneRow(indent + header, width)];
    const body = this.#body(inner);
    const shown = this.#shownRowCount(body.length);
    this.#skipped = body.length - shown;
    if (this.#skipped > 0) {
      rows.push(oneRow(indent + bar + theme.paint("quiet", `… ${plural(this.#skipped, "row")} above`), width));
    }
    const before = indent + bar;
    for (let at = this.#skipped; at < body.length; at += 1) {
      const row = before + (body[at] ?? "");
      // Blocks fit beside the bar, except in extremely narrow views.
      rows.push(width < NARROW ? closeRow(row, width) : row);
    }
    rows.push("");
    return rows;
  }

  /** Number of visible body rows. */
  #shownRowCount(count: number): number {
    if (this.#turn.end !== undefined || this.#isUncapped) return count;
    const max = Math.max(LIVE_ROWS_MIN, this.#context.liveRowsMax);
    return count + 2 <= max ? count : max - 3;
  }

  #body(width: number): string[] {
    const body: string[] = [];
    this.#ranges = [];
    let before: Part | undefined;
    for (const part of this.#parts) {
      const rows = part.view.render(width);
      if (rows.length === 0) continue;
      if (before !== undefined && (before.kind === "text" || part.kind === "text")) body.push("");
      this.#ranges.push({ from: body.length, to: body.length + rows.length, view: part.view });
      for (const row of rows) body.push(row);
      before = part;
    }
    if (isStreaming(this.#turn)) this.#addCursor(body, width);
    const closing = closingRows(this.#turn, this.#context, width);
    if (closing.length > 0 && before?.kind === "text") body.push("");
    for (const row of closing) body.push(row);
    return body;
  }

  #addCursor(body: string[], width: number): void {
    const cursor = this.#context.theme.paint("quiet", CURSOR);
    const last = body.at(-1) ?? "";
    if (body.length > 0 && visibleWidth(last) < width) body[body.length - 1] = last + cursor;
    else body.push(cursor);
  }
}

function openTurn({ head }: Transcript, turnId: string): TurnMessage | undefined {
  return Object.hasOwn(head.openTurns, turnId) ? head.openTurns[turnId] : undefined;
}

function createBlockView(block: Block, context: PanelContext): BlockView {
  switch (block.kind) {
    case "text":
      return new TextView(block, context);
    case "thinking":
      return new ThinkingView(block, context);
    case "tool":
      return new DrawnBlock(toolDrawing, block, context);
    case "request":
      return new DrawnBlock(requestDrawing, block, context);
    case "exchange":
      return new DrawnBlock(exchangeDrawing, block, context);
    case "subagent":
      return new DrawnBlock(subagentDrawing, block, context);
    case "steering":
      return new DrawnBlock(steeringDrawing, block, context);
    case "plan":
      return new DrawnBlock(planDrawing, block, context);
    case "changes":
      return new DrawnBlock(changesDrawing, block, context);
    case "finished":
      return new DrawnBlock(finishedDrawing, block, context);
    default:
      return new DrawnBlock(eventDrawing, block, context);
  }
}
