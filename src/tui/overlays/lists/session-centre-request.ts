/** The approval that the chosen session waits for, drawn in the command centre and answered there. */
import { truncateToWidth } from "@earendil-works/pi-tui";
import { ANSWER_GRACE_MS } from "../../../client/index.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Json, SessionSummary } from "../../../protocol/index.ts";
import { describeRequest, type Head, type OpenRequest } from "../../../transcript/index.ts";
import { upperRule } from "../draw-frame.ts";
import { shortPath, type OverlaySurface } from "../overlay-surface.ts";
import { createPart } from "../requests/create-part.ts";
import type { RequestPart } from "../requests/part.ts";
import { requestReading, requestRule } from "../requests/reading.ts";
import { type CentreDrawing, nextRequestLine } from "./session-centre-rows.ts";

const ANSWER_KEYS: ReadonlySet<string | undefined> = new Set(["y", "s", "a", "n", "w"]);
/** Rows of the centre that are not for what is read. */
const OTHER_ROWS = 20;
const READING_ROWS_MIN = 2;
const CHOICE_ROWS_MAX = 8;

export interface CentreRequestOptions {
  readonly surface: OverlaySurface;
  readonly clock: Clock;
  readonly onGive: (
    at: { readonly sessionId: string; readonly requestId: string },
    given: { readonly result: Json; readonly reason?: string | undefined },
  ) => void;
  readonly onProblem: (message: string) => void;
}

interface Pending {
  readonly requestId: string;
  readonly part: RequestPart;
  /** When it was first drawn. */
  readonly sinceMs: number;
}

export class CentreRequest {
  readonly #options: CentreRequestOptions;
  #pending: Pending | undefined;
  #isFocused = false;

  constructor(options: CentreRequestOptions) {
    this.#options = options;
  }

  set isFocused(isFocused: boolean) {
    this.#isFocused = isFocused;
    if (this.#pending !== undefined) this.#pending.part.focused = isFocused;
  }

  /** A reason is being typed: every key is for it. */
  get isWriting(): boolean {
    return this.#pending?.part.isWriting === true;
  }

  get hints(): readonly string[] {
    if (this.#pending === undefined) return [];
    return this.isWriting ? this.#pending.part.hints : ["y\u00a0s\u00a0a\u00a0n\u00a0w answer here"];
  }

  /** False for a key that is not for the request. Only what could be read before is answered. */
  handleKey(data: string, key: string | undefined): boolean {
    const pending = this.#pending;
    if (this.isWriting) {
      if (key === "escape" || key === "ctrl+c") pending?.part.stepBack?.();
      else pending?.part.handleInput(data);
      return true;
    }
    if (!ANSWER_KEYS.has(key)) return false;
    const isRead = pending !== undefined && this.#options.clock.monotonic() - pending.sinceMs >= ANSWER_GRACE_MS;
    if (isRead) pending.part.handleInput(data);
    return true;
  }

  rows(
    { sessionId }: Pick<SessionSummary, "sessionId">,
    head: Head | undefined,
    drawing: CentreDrawing,
    height: number,
  ): string[] {
    const [request, next] = head?.requests ?? [];
    if (request === undefined) {
      this.#pending = undefined;
      return [];
    }
    const { theme, width, now } = drawing;
    const described = describeRequest(request);
    const part = this.#partFor(sessionId, request);
    const rule = requestRule(request, described, { theme, width, now });
    const shorten = (path: string) => shortPath(this.#options.surface, path);
    const { must } = requestReading(described, { width, theme, indent: 1, isNamed: rule.isNamed, shortPath: shorten });
    const choices =
      part === undefined
        ? [` ${theme.paint("quiet", "Enter opens the session to answer.")}`]
        : part
            .rows({ width: Math.max(1, width - 1), height: CHOICE_ROWS_MAX, margin: 1 })
            // The margin at the right gives way.
            .map((row) => truncateToWidth(row, width, ""));
    const others = next === undefined ? [] : ["", ` ${nextRequestLine(next, head, { theme, width: width - 2 })}`];
    const room = Math.max(READING_ROWS_MIN, height - OTHER_ROWS);
    const more = ` ${theme.paint("quiet", theme.glyph("more"))}`;
    const read = must.length > room ? [...must.slice(0, room - 1), more] : must;
    const { title, corner } = rule;
    return [upperRule({ theme, width, title, corner, tone: "ask" }), "", ...read, "", ...choices, ...others];
  }

  #partFor(sessionId: string, request: OpenRequest): RequestPart | undefined {
    if (request.request.method !== "approval") {
      this.#pending = undefined;
      return undefined;
    }
    const { requestId } = request;
    if (this.#pending?.requestId === requestId) return this.#pending.part;
    const part = createPart(this.#options.surface, {
      member: request.member,
      request: request.request,
      choices: describeRequest(request).choices,
      editText: undefined,
      give: (result, reason) => {
        this.#pending = undefined;
        this.#options.onGive({ sessionId, requestId }, { result, reason });
      },
      onProblem: this.#options.onProblem,
    });
    part.focused = this.#isFocused;
    this.#pending = { requestId, part, sinceMs: this.#options.clock.monotonic() };
    return part;
  }
}
