/**
 * A member's turn: head, one line for its work, and the blocks that are not folded away. Blocks keep their views while
 * it grows, so that a chunk of text costs only its own block. While open, the panel shows its newest rows.
 */
import { visibleWidth } from "@earendil-works/pi-tui";
import {
  type Block,
  codesBefore,
  countCodeBlocks,
  formatTook,
  formatWork,
  isEdit,
  isFoldedWork,
  keyedBlocks,
  type ShownMessage,
  type ToolBlock,
  toolAction,
  type Transcript,
  type TurnMessage,
} from "../../transcript/index.ts";
import { highlightVersion } from "../markdown/highlight.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import { type BlockView, DrawnBlock } from "./block-view.ts";
import { eventDrawing } from "./event-rows.ts";
import { closingRows } from "./failure-rows.ts";
import { plural } from "./format.ts";
import { paintMember } from "./member-name.ts";
import { type Panel, type PanelContext, tickOf, type TurnFacts } from "./panel.ts";
import { TextView, ThinkingView } from "./text-block.ts";
import { requestDrawing, toolDrawing } from "./tool-block.ts";
import { headRow, isStreaming } from "./turn-header.ts";
import {
  changesDrawing,
  exchangeDrawing,
  finishedDrawing,
  planDrawing,
  steeringDrawing,
  subagentDrawing,
} from "./work-blocks.ts";

/** Narrower views have no margin. */
export const MARGIN_WIDTH_MIN = 60;

const CURSOR = "▍";

const NARROW = 16;

/** Head, one row of content, blank row between panels. */
const LIVE_ROWS_MIN = 3;

interface Entry {
  readonly key: string;
  readonly kind: Block["kind"];
  readonly view: BlockView;
  /** It stands in the work line. */
  isFolded: boolean;
}

type Toggle = () => boolean;

/** A row of the panel beside its bar. */
interface BodyRow {
  readonly text: string;
  /** Said by the user: their sign stands where the bar is. */
  readonly isYours?: boolean;
  readonly toggle?: Toggle | undefined;
}

export class TurnPanel implements Panel {
  #turn: TurnMessage;
  #context: PanelContext;
  #entries: Entry[] = [];
  /** Turns that answer questions of this one, or work for it. */
  #otherTurnIds: readonly string[] = [];
  #rows: readonly string[] | undefined;
  #width = 0;
  #highlightVersion = 0;
  /** What is behind each row. */
  #toggles: (Toggle | undefined)[] = [];
  /** The user expanded the open turn. */
  #isUncapped = false;
  /** The user's choice for the work line; settings apply until then. */
  #isWorkOpen: boolean | undefined;
  readonly #earlier = new Map<string, { panel: TurnPanel; isOpen: boolean }>();
  #hidden = { above: 0, below: 0 };

  constructor(turn: TurnMessage, context: PanelContext) {
    this.#turn = turn;
    this.#context = context;
    this.#updateBlocks();
  }

  /** How far a column can be scrolled. */
  get hidden(): { readonly above: number; readonly below: number } {
    return this.#hidden;
  }

  update(message: ShownMessage, context: PanelContext): void {
    if (message.kind !== "turn") return;
    const before = this.#context;
    if (context.settings.isExpanded !== before.settings.isExpanded) this.#isWorkOpen = undefined;
    const isOver = message.end !== undefined;
    const isSame =
      message === this.#turn &&
      context.theme === before.theme &&
      context.seenAs === before.seenAs &&
      context.settings === before.settings &&
      context.isSelected === before.isSelected &&
      context.arrangement === before.arrangement &&
      context.focus === before.focus &&
      context.column?.rows === before.column?.rows &&
      context.scrolled?.get(message.turnId) === before.scrolled?.get(message.turnId) &&
      (isOver || (context.liveRowsMax === before.liveRowsMax && tickOf(context) === tickOf(before))) &&
      context.transcript.head.members === before.transcript.head.members &&
      context.transcript.head.plan === before.transcript.head.plan &&
      codesBefore(context.transcript, message) === codesBefore(before.transcript, message) &&
      this.#otherTurnIds.every(
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
    const isToggled = this.#toggles[row]?.() ?? false;
    if (isToggled) this.#rows = undefined;
    return isToggled;
  }

  toggleAll(): boolean {
    const hasWork = this.#entries.some(({ isFolded }) => isFolded);
    const isWorkOpen = this.#isWorkOpen ?? this.#context.settings.isExpanded;
    const opened = this.#entries.filter(({ view }) => view.setOpen(true)).length;
    const isOpening = opened > 0 || (hasWork && !isWorkOpen);
    if (!isOpening) for (const { view } of this.#entries) view.setOpen(false);
    this.#isWorkOpen = isOpening;
    this.#rows = undefined;
    return isOpening || hasWork || this.#entries.some(({ kind }) => kind !== "text");
  }

  invalidate(): void {
    for (const { view } of this.#entries) view.invalidate();
    for (const { panel } of this.#earlier.values()) panel.invalidate();
    this.#updateBlocks();
    this.#rows = undefined;
  }

  #updateBlocks(): void {
    const turn = this.#turn;
    const { transcript } = this.#context;
    const tools = turn.blocks.filter((block) => block.kind === "tool");
    const facts: TurnFacts = {
      member: turn.member,
      isOver: turn.end !== undefined,
      firstCode: codesBefore(transcript, turn) + 1,
      startTs: turn.ts,
      editedFiles: editedFiles(tools, transcript.head.cwd),
    };
    const context = { ...this.#context, turn: facts };
    let firstCode = facts.firstCode;
    const old = new Map(this.#entries.map((entry) => [entry.key, entry]));
    this.#entries = keyedBlocks(turn.blocks).map(({ key, block }) => {
      const known = old.get(key);
      const own = block.kind === "text" ? { ...context, turn: { ...facts, firstCode } } : context;
      if (block.kind === "text") firstCode += countCodeBlocks(block.text);
      known?.view.update(block, own);
      const entry = known ?? { key, kind: block.kind, view: createBlockView(block, own), isFolded: false };
      entry.isFolded = isFolded(block, turn);
      return entry;
    });
    this.#otherTurnIds = turn.blocks.flatMap((block) => {
      if (block.kind === "exchange" && block.answerTurnId !== undefined) return [block.answerTurnId];
      return block.kind === "subagent" ? [block.subagentTurnId] : [];
    });
    if (turn.end !== undefined) for (const { view } of this.#entries) if (view instanceof TextView) view.end();
  }

  #draw(width: number): readonly string[] {
    const { theme, settings, isSelected, column, focus } = this.#context;
    const turn = this.#turn;
    const isFocused = isSelected || focus?.turnId === turn.turnId;
    const margin = column !== undefined || width < MARGIN_WIDTH_MIN ? 0 : 1;
    const bar = settings.isRaw ? "" : `${this.#painted(theme.glyph(isFocused ? "focusedBar" : "bar"))} `;
    const before = " ".repeat(margin);
    const inner = Math.max(1, width - 2 * margin - visibleWidth(bar));
    const head = headRow(turn, this.#context, inner);
    const headed = isFocused && !settings.isRaw ? theme.paint("selected", bar + padded(head, inner)) : bar + head;
    const rows = [closeRow(`${before}${headed}`, width)];
    this.#toggles = [undefined];
    const push = ({ text, isYours = false, toggle }: BodyRow) => {
      const lead = isYours && bar !== "" ? `${theme.paint("you", theme.glyph("you"))} ` : bar;
      const plain = before + (text === "" ? lead.trimEnd() : lead + text);
      // What you said stands on your band, as your messages do.
      const row = isYours && bar !== "" ? theme.paint("band", padded(plain, width)) : plain;
      rows.push(width < NARROW ? closeRow(row, width) : row);
      this.#toggles.push(toggle);
    };
    const work = this.#work(inner);
    const body = this.#body(inner);
    const { from, to, isLow = false } = this.#shown(1 + work.length, body.length);
    this.#hidden = { above: from, below: body.length - to };
    if (!isLow) for (const row of work) push(row);
    if (from > 0 && !isLow) {
      const label = `${theme.glyph("up")} ${plural(from, "row")} above`;
      push({
        text: theme.paint("quiet", oneRow(label, inner)),
        toggle: column === undefined ? () => (this.#isUncapped = true) : undefined,
      });
    } else if (body.length > 0 && !isLow && body[0]?.toggle === undefined) {
      if (body[0]?.text !== "" && body[0]?.isYours !== true) push({ text: "" });
    }
    for (let at = from; at < to; at += 1) {
      const row = body[at];
      if (row !== undefined) push(row);
    }
    if (column === undefined) {
      rows.push("");
      this.#toggles.push(undefined);
    }
    return rows;
  }

  #painted(text: string): string {
    const { theme, transcript } = this.#context;
    return paintMember(transcript.head, theme, this.#turn.member, text);
  }

  /** Which rows of the body are in sight. */
  #shown(headRows: number, count: number): { from: number; to: number; isLow?: boolean } {
    const { column, scrolled, liveRowsMax } = this.#context;
    if (column?.rows !== undefined) {
      const room = Math.max(1, column.rows - headRows - 1);
      const end = Math.max(0, count - room);
      const from = Math.min(scrolled?.get(this.#turn.turnId) ?? end, end);
      return { from, to: Math.min(count, from + room) };
    }
    if (this.#turn.end !== undefined || this.#isUncapped || column !== undefined) return { from: 0, to: count };
    const max = Math.max(LIVE_ROWS_MIN, liveRowsMax);
    if (count + headRows + 1 <= max) return { from: 0, to: count };
    const room = max - headRows - 2;
    if (room > 0) return { from: Math.max(0, count - room), to: count };
    // The work line and the row count give way to what it says.
    return { from: Math.max(0, count - (max - 2)), to: count, isLow: true };
  }

  /** One line for all calls that went well; unfolded, a line each. */
  #work(width: number): BodyRow[] {
    const { theme, settings } = this.#context;
    const folded = this.#entries.filter(({ isFolded }) => isFolded);
    const tools = this.#turn.blocks.filter(
      (block): block is ToolBlock => block.kind === "tool" && isFoldedWork(block, this.#turn),
    );
    const text = formatWork(tools);
    const isOpen = this.#isWorkOpen ?? settings.isExpanded;
    if (text === "" && !(isOpen && folded.length > 0)) return [];
    const label = text === "" ? "thought" : text;
    const line = `${theme.glyph(isOpen ? "unfolded" : "folded")} ${label}`;
    const toggle = (): boolean => {
      this.#isWorkOpen = !isOpen;
      return true;
    };
    const rows: BodyRow[] = [{ text: theme.paint("quiet", oneRow(line, width)), toggle }];
    if (!isOpen) return rows;
    for (const { view } of folded) {
      for (const row of view.render(Math.max(1, width - 2)))
        rows.push({ text: closeRow(`  ${row}`, width), toggle: () => view.toggle() });
    }
    return rows;
  }

  #body(width: number): BodyRow[] {
    const body: BodyRow[] = [];
    let before: Entry | undefined;
    for (const entry of this.#entries) {
      if (entry.isFolded) continue;
      const rows = entry.view.render(width);
      if (rows.length === 0) continue;
      if (before !== undefined && needsGap(before.kind, entry.kind)) body.push({ text: "" });
      const isYours = entry.kind === "steering";
      const toggle = entry.kind === "text" ? undefined : () => entry.view.toggle();
      rows.forEach((text, at) => body.push({ text, isYours: isYours && at === 0, toggle }));
      before = entry;
    }
    if (isStreaming(this.#turn) && this.#context.column === undefined) this.#addCursor(body, width);
    const closing = closingRows(this.#turn, this.#context, width);
    if (closing.length > 0 && before?.kind === "text") body.push({ text: "" });
    for (const text of closing) body.push({ text });
    for (const earlier of this.#turn.earlier ?? []) this.#addEarlier(earlier, body, width);
    return body;
  }

  #addCursor(body: BodyRow[], width: number): void {
    const cursor = this.#painted(this.#context.theme.isAscii ? "_" : CURSOR);
    const last = body.at(-1);
    if (last !== undefined && visibleWidth(last.text) < width)
      body[body.length - 1] = { ...last, text: last.text + cursor };
    else body.push({ text: cursor });
  }

  /** An answer that another one was asked for after it. */
  #addEarlier(turn: TurnMessage, body: BodyRow[], width: number): void {
    const { theme, settings } = this.#context;
    const context: PanelContext = { ...this.#context, column: { rows: undefined }, focus: undefined };
    const known = this.#earlier.get(turn.turnId) ?? {
      panel: new TurnPanel(turn, context),
      isOpen: settings.isExpanded,
    };
    this.#earlier.set(turn.turnId, known);
    known.panel.update(turn, context);
    const facts = `earlier answer ${theme.glyph("dot")} ${formatTook(turn.end?.durationMs ?? 0)}`;
    const line = `${theme.glyph(known.isOpen ? "unfolded" : "folded")} ${facts}`;
    const toggle = (): boolean => {
      known.isOpen = !known.isOpen;
      return true;
    };
    body.push({ text: "" }, { text: theme.paint("quiet", oneRow(line, width)), toggle });
    if (!known.isOpen) return;
    known.panel.render(width).forEach((text, at) => body.push({ text, toggle: () => known.panel.toggle(at) }));
  }
}

function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - visibleWidth(text)));
}

/** Text stands apart from work; your own line stands in the conversation. */
function needsGap(before: Block["kind"], after: Block["kind"]): boolean {
  if (before === "steering" || after === "steering") return false;
  return before === "text" || after === "text" || (after === "plan") !== (before === "plan");
}

function isFolded(block: Block, turn: TurnMessage): boolean {
  if (block.kind === "tool") return isFoldedWork(block, turn);
  return block.kind === "thinking" && block.done;
}

function editedFiles(tools: readonly Block[], cwd: string): string {
  return tools
    .flatMap((block) => (block.kind === "tool" && isEdit(block) ? [toolAction(block, cwd).target] : []))
    .join("\n");
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
