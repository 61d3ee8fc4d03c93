/** What members changed, on the whole screen: files on the left, the diff of the chosen one on the right. */
import {
  parseKey,
  stripTerminalSequences,
  type TuiMouseEvent,
  type TuiMouseEventResult,
  visibleWidth,
} from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { FileChange } from "../../protocol/index.ts";
import { cutToWidth } from "../input/cut-to-width.ts";
import { diffRows, sideBySideRows } from "../panels/diff-rows.ts";
import { fitRow, hintRow } from "./draw-frame.ts";
import type { Overlay, OverlaySurface } from "./overlay-surface.ts";

/** Changes of one turn, or of several together. */
export interface ChangeSet {
  /** "codex", "everyone". */
  readonly of: string;
  /** "turn 4". */
  readonly when: string;
  readonly files: readonly FileChange[];
}

export interface DiffOverlayOptions {
  /** Oldest first; never empty. The last one is shown first. */
  readonly sets: readonly ChangeSet[];
  /** Opens a file in the user's editor; absent where that cannot be done. */
  readonly openFile?: ((path: string, line: number | undefined) => void) | undefined;
  readonly onClose: () => void;
}

/** Narrower screens show the diff alone. */
const BESIDE_COLUMNS = 80;
const FILES_SHARE = 0.26;
/** Narrower screens have no room for two sides. */
const SIDES_COLUMNS = 120;
/** Title and rule above, rule and hints below. */
const FRAME_ROWS = 4;
const DIFF_ROWS_MAX = 20_000;
const WHEEL_ROWS = 3;
/** With the margin. */
const NUMBER_WIDTH = 4;

export function createDiffOverlay(surface: OverlaySurface, options: DiffOverlayOptions): Overlay {
  return new DiffPage(surface, options);
}

class DiffPage implements Overlay {
  readonly placement = "screen";
  readonly #surface: OverlaySurface;
  readonly #options: DiffOverlayOptions;
  focused = false;
  #setAt: number;
  #fileAt = 0;
  #top = 0;
  #hasSides = false;
  #note = "";
  /** Rows of the file as last drawn, and where its changes begin. */
  #drawn: { readonly rows: readonly string[]; readonly starts: readonly number[] } = { rows: [], starts: [] };

  constructor(surface: OverlaySurface, options: DiffOverlayOptions) {
    this.#surface = surface;
    this.#options = options;
    this.#setAt = options.sets.length - 1;
  }

  get #set(): ChangeSet | undefined {
    return this.#options.sets[this.#setAt];
  }

  get #file(): FileChange | undefined {
    return this.#set?.files[this.#fileAt];
  }

  get #height(): number {
    return Math.max(1, this.#surface.tui.terminal.rows - FRAME_ROWS);
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const key = parseKey(data);
    this.#note = "";
    switch (key) {
      case "escape":
      case "ctrl+c":
      case "q":
        return this.#options.onClose();
      case "up":
      case "k":
        return this.#scroll(-1);
      case "down":
      case "j":
        return this.#scroll(1);
      case "pageUp":
        return this.#scroll(-this.#height);
      case "pageDown":
      case "space":
        return this.#scroll(this.#height);
      case "home":
        return this.#scroll(-Infinity);
      case "end":
        return this.#scroll(Infinity);
      case "n":
        return this.#nextChange(1);
      case "p":
        return this.#nextChange(-1);
      case "shift+j":
      case "tab":
        return this.#chooseFile(this.#fileAt + 1);
      case "shift+k":
      case "shift+tab":
        return this.#chooseFile(this.#fileAt - 1);
      case "s":
        return this.#switchSides();
      case "o":
        return this.#open();
      case "[":
        return this.#chooseSet(this.#setAt - 1);
      case "]":
        return this.#chooseSet(this.#setAt + 1);
      default:
        // Terminals without the newer protocol send the letters themselves.
        if (data === "J") return this.#chooseFile(this.#fileAt + 1);
        if (data === "K") return this.#chooseFile(this.#fileAt - 1);
    }
  }

  handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    if (event.type !== "wheel") return undefined;
    this.#scroll(Math.sign(event.wheelDelta ?? 0) * WHEEL_ROWS);
    return { handled: true, render: true };
  }

  #switchSides(): void {
    const { columns } = this.#surface.tui.terminal;
    if (!this.#hasSides && columns < SIDES_COLUMNS) {
      this.#note = `Side by side needs ${SIDES_COLUMNS} columns; this window has ${columns}.`;
      return;
    }
    this.#hasSides = !this.#hasSides;
    this.#top = 0;
  }

  /** At the first line in view that is in the file now. */
  #open(): void {
    const file = this.#file;
    const { openFile } = this.#options;
    if (file === undefined || openFile === undefined) this.#note = "This session's files cannot be opened from here.";
    else if (file.status === "deleted") this.#note = `${terminalSafeLine(file.path)} was deleted.`;
    else openFile(file.path, this.#line());
  }

  #line(): number | undefined {
    const { rows, starts } = this.#drawn;
    const from = starts.find((row) => row >= this.#top) ?? this.#top;
    for (const row of rows.slice(from)) {
      const number = /(?:^|│)\s*(\d+) (?:\+| ) [^│]*$/u.exec(stripTerminalSequences(row))?.[1];
      if (number !== undefined) return Number(number);
    }
    return undefined;
  }

  #scroll(by: number): void {
    this.#top = Math.max(0, Math.min(this.#drawn.rows.length - this.#height + 2, this.#top + by));
  }

  /** To the next change of the file, then to the next file. */
  #nextChange(step: 1 | -1): void {
    const { starts } = this.#drawn;
    const next = step > 0 ? starts.find((row) => row > this.#top) : starts.findLast((row) => row < this.#top);
    if (next !== undefined) this.#top = next;
    else this.#chooseFile(this.#fileAt + step);
  }

  #chooseFile(index: number): void {
    const { length } = this.#set?.files ?? [];
    const next = Math.max(0, Math.min(length - 1, index));
    if (next === this.#fileAt) return;
    this.#fileAt = next;
    this.#top = 0;
  }

  #chooseSet(index: number): void {
    const next = Math.max(0, Math.min(this.#options.sets.length - 1, index));
    if (next === this.#setAt) return;
    this.#setAt = next;
    this.#fileAt = 0;
    this.#top = 0;
  }

  render(width: number): string[] {
    const { theme } = this.#surface;
    const height = this.#height;
    const isBeside = width >= BESIDE_COLUMNS;
    const listWidth = isBeside ? Math.floor(width * FILES_SHARE) : 0;
    const list = isBeside ? this.#fileRows(listWidth) : [];
    const diff = this.#diffRows(width - listWidth - (isBeside ? 1 : 0), height);
    const divider = theme.paint("faint", theme.glyph("divider"));
    const rule = theme.paint("faint", theme.glyph("rule").repeat(width));
    const rows = Array.from({ length: height }, (_, at) =>
      isBeside ? fitRow(list[at] ?? "", listWidth) + divider + (diff[at] ?? "") : (diff[at] ?? ""),
    );
    const foot =
      this.#note === ""
        ? hintRow(theme, width - 2, this.#hints())
        : theme.paint("ask", cutToWidth(this.#note, width - 2));
    return [this.#titleRow(width), rule, ...rows, rule, ` ${foot}`].map((row) => fitRow(row, width));
  }

  #titleRow(width: number): string {
    const { theme } = this.#surface;
    const { of = "", when = "", files = [] } = this.#set ?? {};
    const counts = this.#counts({
      added: files.reduce((sum, { added = 0 }) => sum + added, 0),
      removed: files.reduce((sum, { removed = 0 }) => sum + removed, 0),
    });
    const count = `${files.length} ${files.length === 1 ? "file" : "files"}`;
    const left = ` ${theme.decorate("bold", `Changes of ${terminalSafeLine(of)}`)}  ${theme.paint("quiet", `${when} · ${count}`)} ${counts}`;
    const right =
      this.#options.sets.length > 1 ? `${theme.paint("key", "[ ]")} ${theme.paint("quiet", "other turn")} ` : "";
    return left + " ".repeat(Math.max(1, width - visibleWidth(left) - visibleWidth(right))) + right;
  }

  #counts({ added = 0, removed = 0 }: { added?: number | undefined; removed?: number | undefined }): string {
    const { theme } = this.#surface;
    return `${theme.paint("added", `+${added}`)} ${theme.paint("removed", `−${removed}`)}`;
  }

  /** Files under their directories. */
  #fileRows(width: number): string[] {
    const { theme } = this.#surface;
    const rows: string[] = [];
    let before: string | undefined;
    for (const [index, file] of (this.#set?.files ?? []).entries()) {
      const cut = file.path.lastIndexOf("/");
      const directory = cut < 0 ? "./" : file.path.slice(0, cut);
      if (directory !== before)
        rows.push(` ${theme.paint("quiet", cutToWidth(terminalSafeLine(directory), width - 2))}`);
      before = directory;
      const counts = this.#counts(file);
      const isChosen = index === this.#fileAt;
      const room = Math.max(1, width - 5 - visibleWidth(counts));
      const name = cutToWidth(terminalSafeLine(file.path.slice(cut + 1)), room);
      const mark = isChosen ? theme.decorate("bold", theme.glyph("you")) : " ";
      const gap = " ".repeat(Math.max(1, width - 4 - visibleWidth(name) - visibleWidth(counts)));
      const row = fitRow(` ${mark} ${isChosen ? theme.decorate("bold", name) : name}${gap}${counts} `, width);
      rows.push(isChosen ? theme.paint("selected", row) : row);
    }
    return rows;
  }

  #diffRows(width: number, height: number): string[] {
    const { theme } = this.#surface;
    const file = this.#file;
    if (file === undefined) return [];
    const inner = Math.max(1, width - 1);
    const rows =
      file.diff === undefined || file.diff === ""
        ? [theme.paint("quiet", `${file.status}; its lines were not reported.`)]
        : (this.#hasSides && this.#surface.tui.terminal.columns >= SIDES_COLUMNS ? sideBySideRows : diffRows)(
            file.diff,
            {
              theme,
              width: inner,
              rowsMax: DIFF_ROWS_MAX,
              numberWidth: NUMBER_WIDTH,
              language: file.path.slice(file.path.lastIndexOf(".") + 1),
            },
          );
    const starts = changeStarts(rows);
    this.#drawn = { rows, starts };
    const at = Math.max(1, starts.filter((row) => row <= this.#top).length);
    const position =
      starts.length === 0 ? "" : theme.paint("quiet", `change ${Math.min(at, starts.length)} of ${starts.length} `);
    const head = ` ${theme.decorate("bold", terminalSafeLine(file.path))}  ${this.#counts(file)}`;
    const gap = " ".repeat(Math.max(1, width - visibleWidth(head) - visibleWidth(position)));
    return [head + gap + position, "", ...rows.slice(this.#top, this.#top + height - 2)];
  }

  #hints(): string[] {
    return [
      "↑\u00a0↓ line",
      "n\u00a0p change",
      "J\u00a0K file",
      ...(this.#options.sets.length > 1 ? ["[\u00a0] turn"] : []),
      this.#hasSides ? "s unified" : "s side by side",
      ...(this.#options.openFile === undefined ? [] : ["o open in $EDITOR"]),
      "Esc back",
    ];
  }
}

/** First rows of runs of added and removed lines. */
function changeStarts(rows: readonly string[]): number[] {
  const isChanged = rows.map((row) => /(?:^|│)\s*\d+ [+−-] /u.test(stripTerminalSequences(row)));
  return isChanged.flatMap((changed, at) => (changed && isChanged[at - 1] !== true ? [at] : []));
}
