/** The keys that matter now, in groups above the box. Every key is the one that the user has set. */
import { parseKey, visibleWidth } from "@earendil-works/pi-tui";
import type { ActionName } from "../keys/actions.ts";
import type { Keymap } from "../keys/keymap.ts";
import { drawFrame, fitRow, FRAME_ROWS } from "./draw-frame.ts";
import { rowsFor, type Overlay, type OverlaySurface } from "./overlay-surface.ts";
import { createScrollWindow } from "./scroll-window.ts";

/** What the screen is doing; decides which keys are worth a row. */
export interface KeysState {
  readonly isNew: boolean;
  readonly isWorking: boolean;
  readonly hasFocus: boolean;
  readonly hasQueue: boolean;
  readonly isColumns: boolean;
  /** Number of questions on the first screen. */
  readonly questions: number;
}

export interface KeysCardOptions {
  readonly keymap: Keymap;
  readonly state: KeysState;
  readonly onAll: () => void;
  readonly onClose: () => void;
}

/** Actions whose keys are listed together, or a key that cannot be changed, and what it does now. */
type KeyRow = readonly [key: ActionName | readonly [ActionName, ActionName] | { readonly fixed: string }, does: string];

interface KeyGroup {
  readonly title: string;
  readonly rows: readonly KeyRow[];
}

/** A group as text: no row is left out of the measure. */
interface DrawnGroup {
  readonly columns: number;
  readonly rows: readonly string[];
}

const LEFT = "   ";
const KEY_GAP = 2;
const GAP_MAX = 6;

export function createKeysCard(surface: OverlaySurface, options: KeysCardOptions): Overlay {
  return new KeysCard(surface, options);
}

class KeysCard implements Overlay {
  readonly placement = "above-box";
  readonly #surface: OverlaySurface;
  readonly #options: KeysCardOptions;
  readonly #scroll = createScrollWindow();
  focused = false;
  #isCut = false;

  constructor(surface: OverlaySurface, options: KeysCardOptions) {
    this.#surface = surface;
    this.#options = options;
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const { keymap, onAll, onClose } = this.#options;
    if (keymap.matches(data, "help")) return onAll();
    if (!this.#isCut || !this.#scrollKey(parseKey(data))) onClose();
  }

  #scrollKey(key: string | undefined): boolean {
    if (key === "up" || key === "down") this.#scroll.by(key === "up" ? -1 : 1);
    else if (key === "pageUp" || key === "pageDown") this.#scroll.pageBy(key === "pageUp" ? -1 : 1);
    else return false;
    return true;
  }

  render(width: number): string[] {
    const { theme } = this.#surface;
    const { keymap, state } = this.#options;
    const rows = this.#rows(width);
    const room = Math.max(1, rowsFor(this.#surface) - FRAME_ROWS - BOX_ROWS);
    this.#isCut = rows.length > room;
    const blank = rows.length + 2 <= room ? [""] : [];
    const help = keymap.hint("help");
    return drawFrame({
      theme,
      width,
      hasBands: true,
      title: "Keys",
      corner: cornerOf(state),
      rows: [...blank, ...this.#scroll.show(rows, room, theme), ...blank],
      hints: [
        ...(this.#isCut ? [`${theme.glyph("up")}\u00a0${theme.glyph("down")} scroll`] : []),
        ...(help === undefined ? [] : [`${help} all\u00a0keys`]),
        "/keys change\u00a0them",
        "any\u00a0other\u00a0key closes this",
      ],
    });
  }

  /** Groups side by side as far as they fit, the others below. */
  #rows(width: number): string[] {
    const groups = this.#groups().map((group) => this.#draw(group));
    const room = width - LEFT.length - 1;
    const rows: string[] = [];
    for (let from = 0; from < groups.length;) {
      let beside = groups.slice(from);
      while (beside.length > 1 && columnsOf(beside) > room) beside = beside.slice(0, -1);
      if (from > 0) rows.push("");
      rows.push(...besideRows(beside, room).map((row) => fitRow(`${LEFT}${row}`, width)));
      from += beside.length;
    }
    return rows;
  }

  #draw({ title, rows }: KeyGroup): DrawnGroup {
    const { theme } = this.#surface;
    const shown = rows.flatMap(([key, does]) => {
      const label = this.#label(key);
      return label === undefined ? [] : [{ label, does }];
    });
    const keys = Math.max(0, ...shown.map(({ label }) => visibleWidth(label))) + KEY_GAP;
    const drawn = shown.map(({ label, does }) =>
      does === "" ? "" : theme.decorate("bold", fitRow(label, keys).trimEnd()) + gap(keys - visibleWidth(label)) + does,
    );
    const all = [theme.paint("quiet", title), ...drawn];
    return { columns: Math.max(...all.map((row) => visibleWidth(row))), rows: all };
  }

  /** Undefined for an action without a key. */
  #label(key: KeyRow[0]): string | undefined {
    const { keymap } = this.#options;
    if (typeof key === "string") return keymap.hint(key);
    if ("fixed" in key) return key.fixed;
    const [first, second] = key.map((action) => keymap.hint(action));
    if (first === undefined || second === undefined) return first ?? second;
    const [modifiers, other] = [first, second].map((label) => label.slice(0, label.lastIndexOf("+") + 1));
    return `${first} ${modifiers === other ? second.slice((other ?? "").length) : second}`;
  }

  #groups(): KeyGroup[] {
    const { state, keymap } = this.#options;
    const all = keymap.describe().length;
    return [
      { title: "Write", rows: state.isWorking ? writeAtWork(state) : writeWhenIdle(state) },
      ...(state.isNew ? [] : [{ title: "Read", rows: readKeys(state) }]),
      { title: "Everywhere", rows: [...everywhere(state), [{ fixed: "" }, ""], ["help", `all ${all} keys`]] },
    ];
  }
}

/** Rule, input and rule. */
const BOX_ROWS = 3;

function cornerOf({ isNew, isWorking, hasFocus }: KeysState): string {
  if (hasFocus) return "a member has the focus";
  if (isNew) return "before the first message";
  return isWorking ? "members are working" : "members are idle";
}

function writeWhenIdle({ questions }: KeysState): KeyRow[] {
  const keys: readonly ActionName[] = ["question-1", "question-2", "question-3"];
  return [
    ["send", "send"],
    ["newline", "new line"],
    [{ fixed: "@" }, "one member or a file"],
    [{ fixed: "/" }, "commands"],
    [{ fixed: "!" }, "run a shell command"],
    ["cursor-up", "your earlier messages"],
    ...keys.slice(0, questions).map((key, at): KeyRow => [key, `question ${at + 1} into the box`]),
  ];
}

function writeAtWork({ hasQueue }: KeysState): KeyRow[] {
  return [
    ["send", "send to those working"],
    ["queue", "queue for afterwards"],
    ["recipients", "change who gets it"],
    ...(hasQueue ? [["pull-back", "edit what is queued"] as const] : []),
    ["newline", "new line"],
    [{ fixed: "@" }, "one member or a file"],
    [{ fixed: "/" }, "commands"],
  ];
}

function readKeys({ hasFocus, isColumns }: KeysState): KeyRow[] {
  const member = isColumns ? "column" : "member";
  return [
    hasFocus ? [["focus-left", "focus-right"], `other ${member}`] : ["focus-next", `choose a ${member}`],
    ["widen", "widen it, and back"],
    ...(hasFocus ? [[["focus-up", "focus-down"], "scroll it"] as const] : []),
    [["next-answer", "previous-answer"], "next, previous answer"],
    ["open-work", "open work or a file"],
    ["copy-focused", "copy"],
    ...(hasFocus ? [["retry-focused", "ask it again"] as const] : []),
  ];
}

function everywhere({ isNew, isWorking, hasFocus }: KeysState): KeyRow[] {
  const escape = hasFocus ? "back to the box" : isWorking ? "stop what is running" : undefined;
  return [
    ...(escape === undefined ? [] : [["interrupt", escape] as const]),
    ...(escape === undefined && !isNew ? [[["interrupt", "interrupt"], "rewind"] as const] : []),
    ...(isWorking ? [["inbox", "all requests"] as const] : []),
    ["sessions", "sessions"],
    ["external-editor", "write in $EDITOR"],
    ["quit-on-empty", isNew ? "leave" : "leave; work goes on"],
  ];
}

function columnsOf(groups: readonly DrawnGroup[]): number {
  return groups.reduce((sum, { columns }) => sum + columns, 0) + groups.length - 1;
}

function besideRows(groups: readonly DrawnGroup[], room: number): string[] {
  const spare = room - groups.reduce((sum, { columns }) => sum + columns, 0);
  const gaps = groups.map((_, at) => {
    const between = groups.length - 1;
    const share = at + 1 < between ? Math.floor(spare / between) : spare - Math.floor(spare / between) * (between - 1);
    return at === between ? 0 : Math.min(GAP_MAX, share);
  });
  const height = Math.max(...groups.map(({ rows }) => rows.length));
  return Array.from({ length: height }, (_, row) =>
    groups
      .map(
        ({ rows, columns }, at) => (rows[row] ?? "") + gap(columns + (gaps[at] ?? 0) - visibleWidth(rows[row] ?? "")),
      )
      .join("")
      .trimEnd(),
  );
}

function gap(columns: number): string {
  return " ".repeat(Math.max(0, columns));
}
