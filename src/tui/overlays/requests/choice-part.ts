/** A single choice: for select, confirm and approval. Its key picks at once, Enter picks the marked one. */
import { parseKey, visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { choiceByKey, type RequestChoice } from "../../../transcript/index.ts";
import {
  choiceRows,
  layOutChoices,
  listStep,
  moveChoice,
  type ChoiceRows,
  type LaidOutChoices,
  type ShownChoice,
} from "../lists/choice-rows.ts";
import { NARROW_COLUMNS, upperRule } from "../draw-frame.ts";
import type { OverlaySurface } from "../overlay-surface.ts";
import type { GiveAnswer, PartSize, RequestPart } from "./part.ts";
import { createLineField, type LineField } from "../safe-field.ts";

export interface ChoicePartOptions {
  readonly choices: readonly RequestChoice[];
  readonly give: GiveAnswer;
  /** Most important first; includes what Escape does. */
  readonly hints: readonly string[];
  /** The member that is told what is written beside a choice; its choices have letters instead of numbers. */
  readonly member?: { readonly name: string; readonly colour?: string | undefined };
}

/** Choices measured for the height; longer lists scroll anyway. */
const MEASURED_MAX = 50;
/** Its rule and the line. */
const WHY_ROWS = 2;
const PAIR_COLUMNS_MIN = 36;
const PAIR_LABELS: Readonly<Record<string, string>> = { a: "Always", w: "Say why…" };
const BACK = "Esc back to the choices";

export function createChoicePart(surface: OverlaySurface, options: ChoicePartOptions): RequestPart {
  return new ChoicePart(surface, options);
}

class ChoicePart implements RequestPart {
  readonly #surface: OverlaySurface;
  readonly #options: ChoicePartOptions;
  #at = 0;
  #laidOut: Pick<LaidOutChoices, "indexAt" | "isShown"> = { indexAt: () => undefined, isShown: () => true };
  /** Set while the user types words for the member. */
  #why: { readonly choice: RequestChoice; readonly field: LineField } | undefined;
  #isFocused = false;

  constructor(surface: OverlaySurface, options: ChoicePartOptions) {
    this.#surface = surface;
    this.#options = options;
  }

  get focused(): boolean {
    return this.#isFocused;
  }

  set focused(isFocused: boolean) {
    this.#isFocused = isFocused;
    if (this.#why !== undefined) this.#why.field.focused = isFocused;
  }

  get hints(): readonly string[] {
    if (this.#why === undefined) return this.#options.hints;
    return [`Enter ${this.#isDenial(this.#why.choice) ? "deny" : "allow"} and send`, BACK];
  }

  get isWriting(): boolean {
    return this.#why !== undefined;
  }

  get problem(): string | undefined {
    return this.#why?.field.problem;
  }

  rowsWanted(width: number): number {
    return this.#why === undefined ? choiceRows(this.#list({ width, height: MEASURED_MAX })).length : WHY_ROWS;
  }

  rowsLeast(width: number): number {
    return this.#why === undefined && this.#canPair(width)
      ? 1 + Math.ceil((this.#options.choices.length - 1) / 2)
      : this.rowsWanted(width);
  }

  /** Approvals of a narrow screen have short labels, two of which fit in a row. */
  #canPair(width: number): boolean {
    const { member, choices } = this.#options;
    const hasLetters = member !== undefined && choices.every(({ keys }) => keys.length === 2);
    return hasLetters && width < NARROW_COLUMNS && width >= PAIR_COLUMNS_MIN;
  }

  rows(size: PartSize): string[] {
    if (this.#why !== undefined) return this.#whyRows(this.#why, size);
    const isPaired = this.#canPair(size.width) && size.height < this.rowsWanted(size.width);
    const drawn =
      isPaired && size.height >= this.rowsLeast(size.width) ? this.#pairs(size) : layOutChoices(this.#list(size));
    this.#laidOut = drawn;
    return [...drawn.rows];
  }

  /** The words for the member have a rule of their own, as the box has. */
  #whyRows(
    { choice, field }: { choice: RequestChoice; field: LineField },
    { width, height, margin = 0 }: PartSize,
  ): string[] {
    const { theme } = this.#surface;
    const { name = "the agent", colour } = this.#options.member ?? {};
    const named = theme.member(name, theme.decorate("bold", terminalSafeLine(name)), colour);
    // How much is allowed is said once more: Enter does it.
    const allowed = terminalSafeLine(choice.label);
    const does = this.#isDenial(choice) ? "deny" : allowed.charAt(0).toLowerCase() + allowed.slice(1);
    const title = { styled: `${theme.paint("quiet", `${does}, and tell`)} ${named}` };
    const rule = upperRule({ theme, width: width + 2 * margin, title, tone: "faint" });
    const row = `${" ".repeat(margin)}${theme.decorate("bold", theme.glyph("you"))} ${field.row(Math.max(1, width - 2))}`;
    return [rule, row].slice(-height);
  }

  /** The first choice alone, then two in a row. */
  #pairs({ width, margin = 0 }: PartSize): LaidOutChoices {
    const { theme } = this.#surface;
    const { choices } = this.#options;
    const drawn = choices.map((_, index) => this.#shown(index, PAIR_LABELS));
    const column = Math.max(...drawn.slice(1).map(({ mark, label }) => visibleWidth(mark + label))) + 2;
    const cells = drawn.map(({ mark, label }, index) => {
      const text = `${mark}${label}`;
      if (index !== this.#at) return text;
      return index === 0 ? theme.decorate("bold", text) : theme.paint("selected", theme.decorate("bold", text));
    });
    const pad = (cell: string) => cell + " ".repeat(Math.max(0, column - visibleWidth(cell)));
    const lead = (index: number) => " ".repeat(margin) + (index === this.#at ? "❯ " : "  ");
    const [first = "", ...others] = cells;
    const alone = `${lead(0)}${first}`;
    const whole = alone + " ".repeat(Math.max(0, width + 2 * margin - visibleWidth(alone)));
    const pairs = Array.from({ length: Math.ceil(others.length / 2) }, (_, row) => {
      const isHere = this.#at === 1 + row * 2 || this.#at === 2 + row * 2;
      return `${" ".repeat(margin)}${isHere ? "❯ " : "  "}${pad(others[row * 2] ?? "")}${others[row * 2 + 1] ?? ""}`;
    });
    return {
      rows: [this.#at === 0 ? theme.paint("selected", whole) : alone, ...pairs],
      indexAt: (row) => (row === 0 ? 0 : undefined),
      isShown: () => true,
    };
  }

  stepBack(): boolean {
    const wasOpen = this.#why !== undefined;
    this.#why = undefined;
    return wasOpen;
  }

  click(row: number): void {
    const index = this.#why === undefined ? this.#laidOut.indexAt(row) : undefined;
    if (index !== undefined) this.#pick(this.#options.choices[index]);
  }

  handleInput(data: string): boolean {
    if (this.#why !== undefined) return this.#writeWhy(this.#why, data);
    const { choices } = this.#options;
    const key = parseKey(data);
    const choice = choiceByKey(choices, key);
    const index = choice === undefined ? -1 : choices.indexOf(choice);
    // A hidden choice is shown first instead of picked.
    if (index !== -1 && !this.#laidOut.isShown(index)) this.#at = index;
    else if (index !== -1) this.#pick(choice);
    else if (key === "enter") this.#pick(choices[this.#at]);
    else if (key === "tab" && this.#options.member !== undefined) this.#write(choices[this.#at]);
    else {
      const step = listStep(key, { hasLetters: true });
      if (step === undefined) return false;
      this.#at = moveChoice(this.#at, step, choices.length);
    }
    return true;
  }

  #writeWhy({ choice, field }: { choice: RequestChoice; field: LineField }, data: string): boolean {
    const key = parseKey(data);
    if (key === "pageUp" || key === "pageDown") return false;
    const reason = field.text.trim();
    if (key === "enter") this.#options.give(choice.answer, reason === "" ? undefined : reason);
    else field.handleInput(data);
    return true;
  }

  #pick(choice: RequestChoice | undefined): void {
    if (choice === undefined) return;
    this.#at = this.#options.choices.indexOf(choice);
    if (choice.takesReason === true) this.#write(choice);
    else this.#options.give(choice.answer);
  }

  #write(choice: RequestChoice | undefined): void {
    if (choice === undefined) return;
    const field = createLineField(this.#surface, { prompt: "" });
    field.focused = this.#isFocused;
    this.#why = { choice, field };
  }

  /** The reason is given for the same answer. */
  #isDenial({ answer }: RequestChoice): boolean {
    return this.#options.choices.some((choice) => choice.takesReason === true && choice.answer === answer);
  }

  #list({ width, height, margin = 0 }: PartSize): ChoiceRows {
    return {
      theme: this.#surface.theme,
      width,
      height,
      margin,
      isAligned: true,
      count: this.#options.choices.length,
      at: this.#at,
      choice: (index) => this.#shown(index, width < NARROW_COLUMNS ? {} : undefined),
    };
  }

  /** With `short`, the short label, or an even shorter one by its key. */
  #shown(index: number, short: Readonly<Record<string, string>> | undefined): ShownChoice {
    const { label = "", short: shorter = label, description, keys = [] } = this.#options.choices[index] ?? {};
    const [digit = " ", letter = digit] = keys;
    const key = this.#options.member === undefined ? digit : letter;
    const shown = short === undefined ? label : (short[key] ?? shorter);
    return { label: shown, description, mark: `${this.#surface.theme.decorate("bold", key)}  ` };
  }
}
