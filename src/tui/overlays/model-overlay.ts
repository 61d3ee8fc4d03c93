/** Model and effort of every member: members on the left, what the chosen one offers on the right. */
import { parseKey, visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { OfferedModel } from "../../protocol/index.ts";
import { printableKey } from "../keys/key-names.ts";
import { drawFrame, fitRow, FRAME_ROWS } from "./draw-frame.ts";
import { rowsFor, type Overlay, type OverlaySurface } from "./overlay-surface.ts";

export interface ModelMember {
  readonly name: string;
  readonly colour?: string | undefined;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly models: readonly OfferedModel[];
  /** Answers without a model. */
  readonly isBuiltIn?: boolean;
  /** Undefined where none can be set; empty where only its program knows them. */
  readonly efforts?: readonly string[] | undefined;
}

/** What is to change; without `model` the user wants to type a name. */
export interface ModelChoice {
  readonly member: string;
  readonly model: string | undefined;
  /** Undefined when it stays as it is. */
  readonly effort: string | undefined;
}

export interface ModelOverlayOptions {
  readonly members: readonly ModelMember[];
  /** Name of the member to begin with. */
  readonly member?: string | undefined;
  readonly onUse: (choice: ModelChoice) => void;
  readonly onClose: () => void;
}

/** Leaves the effort to the agent. */
export const OWN_EFFORT = "default";

/** Narrower screens show one member at a time. */
const BESIDE_COLUMNS = 80;
/** Blank, mark, blank. */
const LEAD = "   ";
/** Blank rows, heads, effort and the note around the list of models. */
const OTHER_ROWS = 6;
const MODEL_ROWS_MIN = 2;

interface ModelRow {
  readonly label: string;
  readonly facts: string;
  readonly model: string | undefined;
}

export function createModelOverlay(surface: OverlaySurface, options: ModelOverlayOptions): Overlay {
  return new ModelPicker(surface, options);
}

class ModelPicker implements Overlay {
  readonly placement = "above-box";
  readonly #surface: OverlaySurface;
  readonly #options: ModelOverlayOptions;
  focused = false;
  #memberAt: number;
  #modelAt = 0;
  #effortAt = 0;
  #filter = "";

  constructor(surface: OverlaySurface, options: ModelOverlayOptions) {
    this.#surface = surface;
    this.#options = options;
    this.#memberAt = Math.max(
      0,
      options.members.findIndex(({ name }) => name === options.member),
    );
    this.#chooseMember(this.#memberAt);
  }

  get #member(): ModelMember | undefined {
    return this.#options.members[this.#memberAt];
  }

  get #efforts(): readonly string[] {
    const { efforts = [] } = this.#member ?? {};
    return efforts.length === 0 ? [] : [...efforts, OWN_EFFORT];
  }

  #chooseMember(index: number): void {
    const { length } = this.#options.members;
    this.#memberAt = length === 0 ? 0 : (index + length) % length;
    this.#filter = "";
    this.#modelAt = Math.max(
      0,
      this.#rows().findIndex(({ model }) => model !== undefined && model === this.#member?.model),
    );
    this.#effortAt = Math.max(0, this.#efforts.indexOf(this.#member?.effort ?? OWN_EFFORT));
  }

  #rows(): ModelRow[] {
    const { model: current, models = [], isBuiltIn = false } = this.#member ?? {};
    if (isBuiltIn) return [];
    const isListed = current === undefined || models.some(({ id }) => id === current);
    const offered: readonly OfferedModel[] = isListed ? models : [{ id: current }, ...models];
    const wanted = this.#filter.toLowerCase();
    const fitting = offered.filter(({ id, name = "" }) => `${id} ${name}`.toLowerCase().includes(wanted));
    return [
      ...fitting.map((one) => ({ label: one.id, facts: factsOf(one, current), model: one.id })),
      { label: "Other …", facts: "type a name", model: undefined },
    ];
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const key = parseKey(data);
    switch (key) {
      case "escape":
      case "ctrl+c":
        return this.#options.onClose();
      case "enter":
        return this.#use();
      case "tab":
        return this.#chooseMember(this.#memberAt + 1);
      case "shift+tab":
        return this.#chooseMember(this.#memberAt - 1);
      case "up":
      case "down":
        return this.#moveModel(key === "up" ? -1 : 1);
      case "left":
      case "right":
        return this.#moveEffort(key === "left" ? -1 : 1);
      case "backspace":
        return this.#setFilter(this.#filter.slice(0, -1));
      default: {
        const typed = printableKey(data) ?? (/^[\u0020-\u007e]+$/.test(data) ? data : undefined);
        if (typed !== undefined) this.#setFilter(this.#filter + typed);
      }
    }
  }

  #moveModel(step: number): void {
    this.#modelAt = Math.max(0, Math.min(this.#rows().length - 1, this.#modelAt + step));
  }

  #moveEffort(step: number): void {
    this.#effortAt = Math.max(0, Math.min(this.#efforts.length - 1, this.#effortAt + step));
  }

  #setFilter(text: string): void {
    this.#filter = text;
    this.#modelAt = 0;
  }

  #use(): void {
    const member = this.#member;
    const row = this.#rows()[this.#modelAt];
    if (member === undefined || row === undefined) return this.#options.onClose();
    const effort = this.#efforts[this.#effortAt];
    const isSame = effort === (member.effort ?? OWN_EFFORT);
    this.#options.onUse({ member: member.name, model: row.model, effort: isSame ? undefined : effort });
  }

  render(width: number): string[] {
    const { theme } = this.#surface;
    const left = width >= BESIDE_COLUMNS ? this.#memberRows(width) : [];
    const leftWidth = left.length === 0 ? 0 : visibleWidth(left[0] ?? "");
    const rightWidth = width - leftWidth - (left.length === 0 ? 0 : 1);
    const room = Math.max(MODEL_ROWS_MIN, rowsFor(this.#surface) - FRAME_ROWS - OTHER_ROWS);
    const right = this.#modelRows(rightWidth, room);
    const count = Math.max(left.length, right.length);
    const divider = theme.paint("faint", theme.glyph("divider"));
    const rows = Array.from({ length: count }, (_, at) =>
      left.length === 0 ? (right[at] ?? "") : fitRow(left[at] ?? "", leftWidth) + divider + (right[at] ?? ""),
    );
    return drawFrame({
      theme,
      width,
      hasBands: true,
      title: "Models",
      corner: "takes effect with the next message",
      rows: ["", ...rows, ""],
      hints: [
        "Enter use it",
        "↑\u00a0↓ model",
        ...(this.#efforts.length === 0 ? [] : ["←\u00a0→ effort"]),
        ...(this.#options.members.length > 1 ? ["Tab next member"] : []),
        "Esc cancel",
      ],
    });
  }

  #memberRows(width: number): string[] {
    const { theme } = this.#surface;
    const { members } = this.#options;
    const columns = (of: (member: ModelMember) => string) => Math.max(...members.map((one) => visibleWidth(of(one))));
    const names = columns(({ name }) => name);
    const models = Math.min(
      columns((member) => modelOf(member)),
      Math.max(8, Math.floor(width * 0.3)),
    );
    const efforts = columns((member) => effortOf(member));
    const total = LEAD.length + names + 2 + models + 1 + efforts + 1;
    const rows = members.map((member, at) => {
      const name = theme.member(member.name, theme.decorate("bold", fitRow(member.name, names)), member.colour);
      const model = fitRow(modelOf(member), models);
      const effort = theme.paint("quiet", effortOf(member));
      const row = fitRow(`${LEAD}${name}  ${model} ${effort}`, total);
      return at === this.#memberAt ? theme.paint("band", row) : row;
    });
    return [fitRow(`${LEAD}${theme.paint("quiet", "Member")}`, total), ...rows];
  }

  #modelRows(width: number, room: number): string[] {
    const { theme } = this.#surface;
    const member = this.#member;
    if (member === undefined) return [];
    const all = this.#rows();
    const start = Math.max(0, Math.min(this.#modelAt - Math.floor(room / 2), all.length - room));
    const labels = Math.min(Math.max(0, ...all.map(({ label }) => visibleWidth(label))), Math.floor(width / 2));
    const rows = all.slice(start, start + room).map((row, index) => {
      const isChosen = start + index === this.#modelAt;
      const name = fitRow(terminalSafeLine(row.label), labels);
      const facts = theme.paint("quiet", terminalSafeLine(row.facts));
      if (!isChosen) return fitRow(`  ${name}    ${facts}`, width);
      const mark = theme.decorate("bold", theme.glyph("you"));
      return theme.paint("selected", fitRow(`${mark} ${theme.decorate("bold", name)}    ${facts}`, width));
    });
    if (all.length === 0) rows.push(`  ${theme.paint("quiet", "built in, no model to choose")}`);
    const filter = this.#filter === "" ? "" : theme.paint("quiet", `  with "${terminalSafeLine(this.#filter)}"`);
    const named = theme.member(member.name, theme.decorate("bold", member.name), member.colour);
    return [`  ${theme.paint("quiet", "Model of")} ${named}${filter}`, ...rows, ...this.#effortRows(width)];
  }

  #effortRows(width: number): string[] {
    const { theme } = this.#surface;
    const without = this.#options.members
      .filter(({ efforts, isBuiltIn = false }) => efforts === undefined && !isBuiltIn)
      .map(({ name }) => name);
    const note =
      without.length === 0
        ? []
        : [
            "",
            `  ${theme.paint("quiet", `${without.join(", ")} ${without.length === 1 ? "takes" : "take"} no effort setting.`)}`,
          ];
    if (this.#efforts.length === 0) return note;
    const levels = this.#efforts.map((level, at) =>
      at === this.#effortAt ? theme.paint("selected", theme.decorate("bold", ` ${level} `)) : ` ${level} `,
    );
    const cost = theme.paint("quiet", "more thinking, more time and cost");
    const row = `  ${theme.paint("quiet", "Effort")} ${levels.join("  ")}`;
    return ["", visibleWidth(row) + visibleWidth(cost) + 2 > width ? row : `${row}  ${cost}`, ...note];
  }
}

function modelOf({ isBuiltIn = false, model = isBuiltIn ? "built in" : "default" }: ModelMember): string {
  return terminalSafeLine(model);
}

function effortOf({ effort, efforts }: ModelMember): string {
  return effort ?? (efforts === undefined ? "—" : OWN_EFFORT);
}

function factsOf({ id, name, description }: OfferedModel, current: string | undefined): string {
  // Most names repeat the id: "gpt-6 · GPT-6".
  const isRepeated = name?.toLowerCase().startsWith(id.toLowerCase()) === true;
  const known = [isRepeated ? undefined : name, description].filter((fact) => fact !== undefined && fact !== "");
  return (id === current ? ["current", ...known] : known).join(" · ");
}
