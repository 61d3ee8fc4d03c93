/** Content of the log: the transcript rendered by panels, with selection and matches highlighted. */
import { truncateToWidth } from "@earendil-works/pi-tui";
import {
  messageAt,
  PAGE_SIZE,
  pageAt,
  type ShownMessage,
  type Transcript,
  turnGroupAt,
} from "../../transcript/index.ts";
import { type Cluster, clusterAt } from "../panels/foldable-turn-panel.ts";
import type { Arrangement, ColumnFocus, PanelContext, ViewSettings } from "../panels/panel.ts";
import type { Theme } from "../theme/theme.ts";
import { LEAD, type RowSource, TAIL } from "./log-rows.ts";
import { findInRows, markRow, type MatchSpan } from "./search-text.ts";
import { type MakePanel, PanelCache } from "./panel-cache.ts";
import { ESTIMATED_ROWS } from "./row-heights.ts";
import type { TranscriptSearch } from "./transcript-search.ts";
import { formatCount } from "../../kit/text/format.ts";

/**
 * Height of a panel while its turn is open, so that all members streaming at once are visible. A single one may use
 * nearly the whole view; two or more get at most a third each.
 */
const LIVE_ROWS_MIN = 3;

const SINGLE_ROWS_MIN = 5;

/** The rest shows what came before, to keep the context visible. */
const SHARE = 0.9;

/** Width from which turns of the same time are in columns by default, and width from which they can be on request. */
const COLUMNS_WIDTH_AUTO = 140;
const COLUMNS_WIDTH_MIN = 92;

/** Rows of a long message that stay in view above columns. */
const USER_ROWS_MAX = 8;

export interface FrameFacts extends Pick<PanelContext, "keyOf" | "seenAs"> {
  readonly viewRows: number;
  readonly screenRows: number | undefined;
  readonly now: number;
}

export function arrangementAt(chosen: Arrangement | "auto", width: number): Arrangement {
  if (chosen === "focus") return "focus";
  const least = chosen === "columns" ? COLUMNS_WIDTH_MIN : COLUMNS_WIDTH_AUTO;
  return chosen !== "stack" && width >= least ? "columns" : "stack";
}

export const nothingCleared: FirstShown = { clearedSeq: 0, position: 0, isResolved: true, fromPage: 0 };

const NOTHING: readonly string[] = [];

const NO_ROWS: readonly string[] = [];

/** Cached placeholder rows; more are never in view. */
const MISSING_MAX = 1_000;

export class LogContent implements RowSource {
  readonly panels: PanelCache;
  readonly #deps: LogDeps;
  theme: Theme;
  settings: ViewSettings;
  selected: number | undefined;
  focus: ColumnFocus | undefined;
  /** The turn that had the focus last: in the view of one member in full it stays that one. */
  inFull: string | undefined;
  /** First rows shown of columns that do not follow their ends, by turn. */
  scrolled: ReadonlyMap<string, number> = new Map();
  /** Layout of turns of the same time at the width of the frame. */
  arrangement: Arrangement = "stack";
  /** Messages are on their way: an empty transcript does not mean an empty session. */
  isAwaited = false;
  #transcript: Transcript | undefined;
  #search: TranscriptSearch | undefined;
  #firstShown = nothingCleared;
  #context: PanelContext | undefined;
  #lead: { readonly width: number; readonly key: string; readonly rows: readonly string[] } | undefined;
  #tail: readonly string[] = NO_ROWS;
  #missing = new Map<number, readonly string[]>();
  #missingWidth = 0;
  readonly #matches = new WeakMap<readonly string[], RowMatches>();

  constructor(deps: LogDeps, theme: Theme, settings: ViewSettings) {
    this.#deps = deps;
    this.panels = new PanelCache(deps.createPanel);
    this.theme = theme;
    this.settings = settings;
  }

  get transcript(): Transcript | undefined {
    return this.#transcript;
  }

  get count(): number {
    return this.#transcript?.head.messageCount ?? 0;
  }

  get search(): TranscriptSearch | undefined {
    return this.#search;
  }

  set search(search: TranscriptSearch | undefined) {
    this.#search = search;
    // Messages with matches render differently from here on.
    this.panels.beginFrame();
  }

  get firstShown(): number {
    return this.#firstShown.position;
  }

  /** False for another session, or one that lost messages: everything rendered is void. */
  update(transcript: Transcript | undefined): boolean {
    const before = this.#transcript;
    const isSame =
      before?.head.sessionId === transcript?.head.sessionId && this.count <= (transcript?.head.messageCount ?? 0);
    if (!isSame) this.#forget();
    this.#transcript = transcript;
    if (transcript !== undefined) this.#firstShown = findFirstShown(this.#firstShown, transcript);
    if (this.selected !== undefined && this.selected < this.firstShown) this.selected = undefined;
    if (this.selected !== undefined && this.isFoldedAt(this.selected))
      this.selected = this.shownPosition(this.selected);
    return isSame;
  }

  messageAt(position: number): ShownMessage | undefined {
    return this.#transcript === undefined ? undefined : messageAt(this.#transcript, position);
  }

  clusterAt(position: number): Cluster | undefined {
    const transcript = this.#transcript;
    return transcript && clusterAt(transcript, position, this.#arrangementAt(position));
  }

  /** In a stack a widened turn is shown in full, with a row for each of those that ran beside it. */
  #arrangementAt(position: number): Arrangement {
    const { arrangement, focus } = this;
    const transcript = this.#transcript;
    if (arrangement !== "stack" || focus?.isWide !== true || transcript === undefined) return arrangement;
    const isFocused = (message: ShownMessage | undefined) =>
      message?.kind === "turn" && message.turnId === focus.turnId;
    const hasFocus = turnGroupAt(transcript, position)?.some((at) => isFocused(this.messageAt(at))) ?? false;
    return hasFocus ? "focus" : "stack";
  }

  /** Where the message is drawn: turns in columns or in a folded round are drawn at the position of the first. */
  shownPosition(position: number): number {
    if (this.#hasMatch(position)) return position;
    return this.clusterAt(position)?.positions[0] ?? position;
  }

  /** True for a turn without its own row, because the first turn of its folded round represents it. */
  isFoldedAt(position: number): boolean {
    if (this.#hasMatch(position)) return false;
    const cluster = this.clusterAt(position);
    return cluster !== undefined && cluster.kind !== "columns" && cluster.positions[0] !== position;
  }

  /** Later rows are those of the current transcript. */
  beginFrame(width: number, { viewRows, screenRows, now, keyOf, seenAs }: FrameFacts): void {
    this.panels.beginFrame();
    this.arrangement = arrangementAt(this.settings.arrangement ?? "auto", width);
    const transcript = this.#transcript;
    this.#context = undefined;
    if (transcript === undefined) {
      this.#tail = NO_ROWS;
      return;
    }
    const openTurns = Object.values(transcript.head.openTurns).filter(({ depth }) => depth === 0).length;
    this.#context = {
      theme: this.theme,
      settings: this.settings,
      transcript,
      liveRowsMax: liveRowsMax(openTurns, viewRows),
      isSelected: false,
      selected: this.selected,
      now,
      arrangement: this.arrangement,
      focus: this.focus,
      inFull: this.inFull,
      scrolled: this.scrolled,
      screenRows,
      keyOf,
      seenAs,
    };
    if (openTurns > 0 && (this.arrangement !== "stack" || this.focus?.isWide === true)) {
      this.#context = { ...this.#context, groupRows: this.#groupRows(transcript, width, viewRows) };
      this.#context = { ...this.#context, freeRows: this.#freeRows(transcript, width, viewRows) };
    }
    this.#tail = this.#deps.waitingRows(this.#context, width);
  }

  rowsOf(key: number, width: number): readonly string[] {
    if (key === LEAD) return this.#leadRows(width);
    if (key === TAIL) return this.#tail;
    const context = this.#context;
    if (context === undefined) return NO_ROWS;
    const isSelected = this.selected !== undefined && key === this.shownPosition(this.selected);
    const isForcedOpen = this.#hasMatch(key);
    const arrangement = this.#arrangementAt(key);
    const isOwn = isSelected || isForcedOpen || arrangement !== context.arrangement;
    const own = isOwn ? { ...context, isSelected, isForcedOpen, arrangement } : context;
    return this.panels.rows(key, width, this.messageAt(key), own) ?? this.#missingRows(key, width);
  }

  /** The row with matches highlighted. */
  markedRow(key: number, offset: number, width: number): string {
    const rows = this.rowsOf(key, width);
    const row = rows[offset] ?? "";
    const { search } = this;
    if (search === undefined || search.countAt(key) === 0) return row;
    const { byRow, count } = this.#matchesIn(rows, search.pattern);
    const spans = byRow.get(offset);
    if (spans === undefined) return row;
    const current = search.current?.position === key ? Math.min(search.current.index, count - 1) : undefined;
    return markRow(row, spans, current, this.theme);
  }

  /** The row of a message in which a match starts. */
  matchOffset(position: number, index: number, width: number): number {
    if (this.search === undefined || width === 0) return 0;
    const { byRow, count } = this.#matchesIn(this.rowsOf(position, width), this.search.pattern);
    const wanted = Math.min(index, count - 1);
    for (const [row, spans] of byRow) if (spans.some(({ match }) => match === wanted)) return row;
    return 0;
  }

  invalidate(): void {
    this.panels.invalidate();
    this.#lead = undefined;
    this.#missing.clear();
  }

  #forget(): void {
    this.panels.clear();
    this.#missing.clear();
    this.#firstShown = nothingCleared;
    this.search = undefined;
    this.selected = undefined;
    this.focus = undefined;
    this.inFull = undefined;
    this.scrolled = new Map();
  }

  /** The message that open turns answer stays in view above them. */
  #groupRows({ head }: Transcript, width: number, viewRows: number): number {
    const { latestUser } = head;
    const userRows = latestUser === undefined ? 0 : this.rowsOf(latestUser.position, width).length;
    return Math.max(0, viewRows - Math.min(USER_ROWS_MAX, userRows));
  }

  /** What nothing above the open turns needs. */
  #freeRows({ head }: Transcript, width: number, viewRows: number): number {
    const positions = Object.values(head.openTurns).flatMap(({ depth, position }) => (depth === 0 ? [position] : []));
    let left = viewRows - this.#leadRows(width).length;
    for (let at = this.shownPosition(Math.min(...positions)) - 1; at >= this.firstShown && left > 0; at -= 1)
      left -= this.rowsOf(at, width).length;
    return Math.max(0, left);
  }

  /** True for all turns of a cluster when one of them contains a match. */
  #hasMatch(position: number): boolean {
    const { search } = this;
    if (search === undefined) return false;
    return this.clusterAt(position)?.positions.some((one) => search.countAt(one) > 0) ?? false;
  }

  /** The same array while its content is the same, so that it can anchor the view. */
  #leadRows(width: number): readonly string[] {
    const { isAwaited } = this;
    const log = { shownCount: this.count - this.firstShown, clearedCount: this.firstShown, isAwaited };
    const key = `${log.clearedCount} ${log.shownCount > 0 || this.#tail.length > 0} ${isAwaited}`;
    if (this.#lead?.width !== width || this.#lead.key !== key) {
      const shownCount = log.shownCount + this.#tail.length;
      this.#lead = { width, key, rows: leadRows({ ...log, shownCount }, this.theme, width) };
    }
    return this.#lead.rows;
  }

  #missingRows(position: number, width: number): readonly string[] {
    if (this.#missingWidth !== width || this.#missing.size > MISSING_MAX) this.#missing.clear();
    this.#missingWidth = width;
    const known = this.#missing.get(position);
    if (known !== undefined) return known;
    const rows = missingRows(position, this.theme, width);
    this.#missing.set(position, rows);
    return rows;
  }

  #matchesIn(rows: readonly string[], pattern: RegExp): RowMatches {
    const known = this.#matches.get(rows);
    if (known?.pattern === pattern && known.height === rows.length) return known;
    const spans = findInRows(rows, pattern);
    const byRow = Map.groupBy(spans, ({ row }) => row);
    const matches = { pattern, height: rows.length, byRow, count: (spans.at(-1)?.match ?? -1) + 1 };
    this.#matches.set(rows, matches);
    return matches;
  }
}

/** Matches in rendered rows. */
interface RowMatches {
  readonly pattern: RegExp;
  readonly height: number;
  /** From the top down. */
  readonly byRow: ReadonlyMap<number, readonly MatchSpan[]>;
  readonly count: number;
}

/** Rows before the first message: what was cleared, or the hint of an empty session. */
function leadRows(
  log: { readonly shownCount: number; readonly clearedCount: number; readonly isAwaited: boolean },
  theme: Theme,
  width: number,
): readonly string[] {
  if (log.clearedCount > 0) {
    const count = formatCount(log.clearedCount);
    const what = log.clearedCount === 1 ? "1 earlier message is" : `${count} earlier messages are`;
    return [dim(`── cleared · ${what} not shown ──`, theme, width), " "];
  }
  if (log.shownCount > 0 || log.isAwaited) return NOTHING;
  return [
    dim("No messages yet.", theme, width),
    dim("Type a question and press Enter. Everyone at the table answers.", theme, width),
    dim("@name asks one member · / lists commands · ? lists keys", theme, width),
  ];
}

/** As tall as the estimate of a message, so that loading it moves the view as little as possible. */
function missingRows(position: number, theme: Theme, width: number): readonly string[] {
  const first = dim(`⋯ loading message ${formatCount(position + 1)}`, theme, width);
  return [first, ...Array.from({ length: ESTIMATED_ROWS - 1 }, () => dim("⋯", theme, width))];
}

function dim(text: string, theme: Theme, width: number): string {
  return theme.paint("quiet", truncateToWidth(text, width));
}

/**
 * First visible position. Messages before the last `session_clear` are hidden; when its page is not in memory, the
 * search resumes once it is.
 */
interface FirstShown {
  readonly clearedSeq: number;
  /** 0 until the clear was found. */
  readonly position: number;
  readonly isResolved: boolean;
  /** Pages from here on are after the clear. */
  readonly fromPage: number;
}

/** Free when neither the clear nor the pages in question changed. */
export function findFirstShown(before: FirstShown, transcript: Transcript): FirstShown {
  const { clearedSeq, messageCount } = transcript.head;
  if (clearedSeq === 0) return nothingCleared;
  const isSame = before.clearedSeq === clearedSeq;
  if (isSame && before.isResolved) return before;
  let page = isSame ? before.fromPage : Math.ceil(messageCount / PAGE_SIZE);
  while (page > 0) {
    const messages = pageAt(transcript, page - 1)?.messages;
    if (messages === undefined) break;
    const at = messages.findLastIndex((message) => message.kind === "notice" && message.seq === clearedSeq);
    if (at !== -1) {
      return { clearedSeq, position: (page - 1) * PAGE_SIZE + at + 1, isResolved: true, fromPage: page - 1 };
    }
    page -= 1;
  }
  return { clearedSeq, position: 0, isResolved: page === 0, fromPage: page };
}

export function liveRowsMax(openTurns: number, viewportRows: number): number {
  const room = Math.floor(viewportRows * SHARE);
  if (openTurns <= 1) return Math.max(SINGLE_ROWS_MIN, room);
  return Math.max(LIVE_ROWS_MIN, Math.min(Math.floor(viewportRows / 3), Math.floor(room / openTurns)));
}

/** Dependencies of the log. */
export interface LogDeps {
  readonly createPanel: MakePanel;
  /** Rows after the last message: members about to speak. The same array until something changes. */
  readonly waitingRows: (context: PanelContext, width: number) => readonly string[];
}
