/**
 * One request of a member, until it is answered. Everything that was asked can be read, the answer fits what was asked,
 * and it is given once. Escape and Ctrl+C cancel it without an answer, but approvals and questions Escape only puts
 * aside. Keys that come before the request could have been read are not taken; text that is of no use begins a draft.
 */
import { matchesKey, parseKey, type TuiMouseEvent, type TuiMouseEventResult } from "@earendil-works/pi-tui";
import { cancelledAnswer, type Json } from "../../../protocol/index.ts";
import { describeRequest, type DescribedRequest, type OpenRequest } from "../../../transcript/index.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { drawFrame, FRAME_ROWS, innerWidth, NARROW_COLUMNS } from "../draw-frame.ts";
import { highlightVersion } from "../../markdown/highlight.ts";
import { LOW_ROWS, rowsFor, shortFile, shortPath, type Overlay, type OverlaySurface } from "../overlay-surface.ts";
import { proseRows } from "../reading-rows.ts";
import { createPart } from "./create-part.ts";
import { requestReading, requestRule, type RequestReading, type RequestRule } from "./reading.ts";
import type { RequestPart } from "./part.ts";
import { createScrollWindow, scrollByKey, type ScrollWindow } from "../scroll-window.ts";

const WHEEL_ROWS = 3;
const NOTE_ROWS_MAX = 3;

export interface RequestOverlayOptions {
  readonly surface: OverlaySurface;
  readonly request: OpenRequest;
  /** Number of requests behind this one. */
  readonly waiting: number;
  /** Read at every frame for the time left. */
  readonly now: () => number;
  /** False while a key may have been meant for something else; see the client's request queue. */
  readonly acceptsAnswer: () => boolean;
  /** Called for keys that are ignored here. */
  readonly onUnhandledKey?: ((key: string) => void) | undefined;
  /** Text that is of no use here may begin a draft; false when it does not. */
  readonly toDraft?: ((data: string) => boolean) | undefined;
  /** Called once, until `refresh` reports that the answer was rejected. See GiveAnswer for the reason. */
  readonly onAnswer: (result: Json, error: string | null, reason?: string) => void;
  /**
   * Dismisses the request unanswered (Ctrl+O, or Escape for approvals and questions); it stays open. Without it the key
   * does nothing.
   */
  readonly onDismiss?: (() => void) | undefined;
  readonly memberColour?: string | undefined;
  /** The user's editor, for requests with several lines. */
  readonly editText?: ((text: string) => Promise<string | undefined>) | undefined;
}

export interface RequestOverlay extends Overlay {
  readonly requestId: string;
  /** `problem` is why the answer was rejected; the request can be answered again. */
  refresh(state: { waiting: number; problem?: string }): void;
}

export function createRequestOverlay(options: RequestOverlayOptions): RequestOverlay {
  return new RequestDialogue(options);
}

class RequestDialogue implements RequestOverlay {
  readonly #options: RequestOverlayOptions;
  readonly #part: RequestPart;
  readonly #scroll: ScrollWindow = createScrollWindow();
  readonly #described: DescribedRequest;
  #read: ({ readonly key: string } & RequestReading) | undefined;
  #waiting: number;
  #note: string | undefined;
  #hasDetails = false;
  #isGiven = false;
  #isFocused = false;
  /** Row of the overlay at which the part starts, as last drawn. */
  #partTop = 0;

  constructor(options: RequestOverlayOptions) {
    this.#options = options;
    this.#waiting = options.waiting;
    this.#described = describeRequest(options.request);
    this.#part = createPart(options.surface, {
      member: options.request.member,
      memberColour: options.memberColour,
      request: options.request.request,
      choices: this.#described.choices,
      editText: options.editText,
      give: (result, reason) => this.#give(result, reason),
      onProblem: (message) => (this.#note = message),
    });
  }

  get requestId(): string {
    return this.#options.request.requestId;
  }

  get focused(): boolean {
    return this.#isFocused;
  }

  set focused(isFocused: boolean) {
    this.#isFocused = isFocused;
    this.#part.focused = isFocused;
  }

  refresh({ waiting, problem }: { waiting: number; problem?: string }): void {
    this.#waiting = waiting;
    if (problem === undefined) return;
    this.#note = problem;
    this.#isGiven = false;
  }

  invalidate(): void {
    this.#read = undefined;
  }

  handleInput(data: string): void {
    if (this.#isGiven) return;
    if (!this.#options.acceptsAnswer()) return this.#handleEarlyKey(data);
    this.#note = undefined;
    if (matchesKey(data, "ctrl+c")) return this.#cancel();
    if (matchesKey(data, "escape")) {
      if (this.#part.stepBack?.() !== true) this.#leave();
      return;
    }
    if (matchesKey(data, "ctrl+o")) return this.#options.onDismiss?.();
    const isUsed =
      this.#part.handleInput(data) || this.#toggleDetails(data) || scrollByKey(this.#scroll, parseKey(data));
    if (!isUsed && this.#options.toDraft?.(data) !== true) this.#options.onUnhandledKey?.(data);
  }

  /** The call as written and hashed. */
  #toggleDetails(data: string): boolean {
    if (parseKey(data) !== "v" || this.#described.details.length === 0) return false;
    this.#hasDetails = !this.#hasDetails;
    this.#read = undefined;
    return true;
  }

  /** Escape never decides an approval, and leaves questions for later. */
  #leave(): void {
    if (this.#isCancelled) this.#cancel();
    else this.#options.onDismiss?.();
  }

  #handleEarlyKey(data: string): void {
    if (this.#options.toDraft?.(data) !== true) this.#refuse(data);
  }

  #refuse(key: string): void {
    this.#note = TOO_EARLY;
    this.#options.onUnhandledKey?.(key);
  }

  handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    if (event.type === "click") return this.#click(event.y - this.#partTop);
    if (event.type !== "wheel") return undefined;
    this.#scroll.by(Math.sign(event.wheelDelta ?? 0) * WHEEL_ROWS);
    return { handled: true, render: true };
  }

  /** Ignores clicks until the request was visible long enough. */
  #click(row: number): TuiMouseEventResult {
    if (!this.#isGiven && row >= 0) {
      if (this.#options.acceptsAnswer()) this.#part.click?.(row);
      else this.#refuse("click");
    }
    return { handled: true, render: true };
  }

  #cancel(): void {
    this.#give(cancelledAnswer(this.#options.request.request.method));
  }

  #give(result: Json, reason?: string): void {
    this.#isGiven = true;
    this.#note = "Sent.";
    if (reason === undefined) this.#options.onAnswer(result, null);
    else this.#options.onAnswer(result, null, reason);
  }

  render(width: number): string[] {
    const { surface } = this.#options;
    const { theme } = surface;
    const inner = innerWidth(width);
    const note = this.#noteRows(inner).map((row) => ` ${row}`);
    const room = Math.max(2, rowsFor(surface) - FRAME_ROWS - note.length);
    const rule = this.#rule(width);
    const wanted = this.#part.rowsWanted(inner);
    const reading = this.#reading(width, { isNamed: rule.isNamed, room: room - wanted });
    const height = this.#split({
      room,
      reading: reading.length,
      wanted,
      least: this.#part.rowsLeast?.(inner) ?? wanted,
    });
    const isWhy = this.#part.isWriting === true;
    const [between = 0, above = 0, below = 0] = blankRows(room - height.reading - height.part);
    const blank = (count: number) => Array.from({ length: count }, () => "");
    const read = [...blank(above), ...this.#shown(reading, height.reading), ...blank(between)];
    this.#partTop = 1 + read.length;
    return drawFrame({
      theme,
      width,
      tone: "ask",
      hasBands: true,
      title: rule.title,
      corner: rule.corner,
      rows: [
        ...read,
        ...this.#part.rows({ width: inner, height: height.part, margin: 1 }),
        ...blank(isWhy ? 0 : below),
        ...note,
      ],
      hints: this.#hints(width),
    });
  }

  get #isLow(): boolean {
    return this.#options.surface.tui.terminal.rows < LOW_ROWS && !this.#hasDetails;
  }

  #rule(width: number): RequestRule {
    const { surface, request, now } = this.#options;
    const { progress } = this.#part;
    const facts = [...(progress === undefined ? [] : [progress]), ...this.#more];
    return requestRule(request, this.#described, {
      theme: surface.theme,
      width,
      now: now(),
      facts,
      shortFile: (path) => shortFile(surface, path),
    });
  }

  get #more(): string[] {
    return this.#waiting > 0 ? [`${this.#waiting} more waiting`] : [];
  }

  /** Everything where there is room; in few rows what would happen, and less of long arguments. */
  #reading(width: number, { isNamed, room }: { isNamed: boolean; room: number }): readonly string[] {
    const { theme } = this.#options.surface;
    const key = [width, isNamed, this.#isLow, this.#hasDetails, room, theme.name, highlightVersion()].join();
    const indent = width < NARROW_COLUMNS ? "" : "   ";
    const own = this.#part.reading?.(Math.max(1, innerWidth(width) - 2)).map((row) => indent + row) ?? [];
    if (this.#read?.key !== key)
      this.#read = { key, ...this.#readRequest(width, { isNamed, room: room - own.length }) };
    const { must, may } = this.#read;
    const hasAll = !this.#isLow || this.#hasDetails || must.length + may.length + own.length <= room;
    return [...must, ...(hasAll && this.#part.isWriting !== true ? may : []), ...own];
  }

  #readRequest(width: number, { isNamed, room }: { isNamed: boolean; room: number }): RequestReading {
    const { surface, request } = this.#options;
    const options = {
      theme: surface.theme,
      width,
      isNamed,
      isLow: this.#isLow,
      hasDetails: this.#hasDetails,
      shortPath: (path: string) => shortPath(surface, path),
    };
    const [first] = request.request.method === "question" ? request.request.questions : [];
    const isRepeated = first !== undefined && first.text.startsWith(request.request.title);
    const described = isRepeated ? { ...this.#described, title: "" } : this.#described;
    const whole = requestReading(described, options);
    if (this.#hasDetails || whole.must.length + whole.may.length <= room) return whole;
    return requestReading(described, { ...options, fieldRowsMax: FIELD_ROWS_MAX });
  }

  /** In few rows the choices stand closer, before what is read is cut. */
  #split({ least, ...sizes }: { room: number; reading: number; wanted: number; least: number }): {
    reading: number;
    part: number;
  } {
    const { room, reading, wanted } = sizes;
    const isTight = this.#isLow && reading + wanted > room && room - least >= READING_ROWS_MIN;
    return isTight ? { part: least, reading: Math.min(reading, room - least) } : splitRoom(sizes);
  }

  /** In few rows `v` shows the rest, elsewhere it is scrolled. */
  #shown(reading: readonly string[], height: number): readonly string[] {
    const { theme } = this.#options.surface;
    const isCut = this.#isLow && this.#described.details.length > 0 && height > 1 && reading.length > height;
    if (!isCut) return this.#scroll.show(reading, height, theme);
    const left = reading.length - height + 1;
    const more = `     ${theme.glyph("more")} ${left} more ${left === 1 ? "line" : "lines"} (v)`;
    return [...reading.slice(0, height - 1), theme.paint("quiet", more)];
  }

  #hints(width: number): string[] {
    const { hints, isWriting = false } = this.#part;
    if (width < NARROW_COLUMNS && this.#described.kind !== "question" && !isWriting) {
      const more = this.#more.map((text) => ` ${text}`);
      return ["v details", "Esc later", ...(width < HINTS_COLUMNS ? [] : more)];
    }
    const hasLater = this.#options.onDismiss !== undefined && this.#isCancelled;
    return hasLater ? [...hints.slice(0, -1), "Ctrl+O later", ...hints.slice(-1)] : [...hints];
  }

  /** Escape answers it instead of putting it aside. */
  get #isCancelled(): boolean {
    const { method } = this.#options.request.request;
    return method !== "approval" && method !== "question";
  }

  #noteRows(width: number): string[] {
    const { theme } = this.#options.surface;
    if (this.#note === TOO_EARLY && this.#options.acceptsAnswer()) this.#note = undefined;
    const message = this.#note ?? this.#part.problem;
    const text = message === undefined ? "" : `! ${terminalSafeLine(message)}`;
    return proseRows(text, width, (row) => theme.paint("ask", row)).slice(0, NOTE_ROWS_MAX);
  }
}

/** Blank rows before the choices, above everything and below it, as far as there is room. */
function blankRows(room: number): number[] {
  return [1, 2, 3].map((wanted) => (room >= wanted ? 1 : 0));
}

const TOO_EARLY = "That key came too soon and was ignored. Press it again.";

/** All choices of an approval are visible as long as its description keeps this many rows. */
const FEW_ROWS = 6;
const READING_ROWS_MIN = 2;
/** Room for the number of others beside the keys. */
const HINTS_COLUMNS = 39;
/** Of an argument, where not all of them fit. */
const FIELD_ROWS_MAX = 1;

/** Each part gets what it wants when there is room; otherwise neither pushes the other out. */
function splitRoom({ room, reading, wanted }: { room: number; reading: number; wanted: number }): {
  reading: number;
  part: number;
} {
  if (reading + wanted <= room) return { reading, part: wanted };
  if (wanted <= FEW_ROWS && room - wanted >= READING_ROWS_MIN) return { part: wanted, reading: room - wanted };
  const half = Math.floor(room / 2);
  const part = Math.max(1, wanted <= half ? wanted : Math.max(half, room - reading));
  return { part, reading: Math.max(1, room - part) };
}
