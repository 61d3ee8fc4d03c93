/**
 * The command centre: all sessions by what they need, on the whole screen. The chosen one is shown beside the list, and
 * an approval that it waits for can be answered right there.
 */
import { parseKey, type TuiMouseEvent, type TuiMouseEventResult } from "@earendil-works/pi-tui";
import type { Clock } from "../../../kit/clock.ts";
import type { Json, SessionSummary } from "../../../protocol/index.ts";
import type { Head, Transcript } from "../../../transcript/index.ts";
import { fitRow, hintRow } from "../draw-frame.ts";
import { shortPath, type Overlay, type OverlaySurface } from "../overlay-surface.ts";
import { createLineField } from "../safe-field.ts";
import { CentreRequest } from "./session-centre-request.ts";
import {
  centreHints,
  type CentreDrawing,
  fittingSessions,
  previewRows,
  sectionsRow,
  SECTIONS,
  sectionOf,
  sessionRows,
  summaryRow,
  titleRow,
} from "./session-centre-rows.ts";

export interface SessionCentreOptions {
  readonly sessions: readonly SessionSummary[];
  /** Initial query. */
  readonly query?: string | undefined;
  readonly clock: Clock;
  readonly currentId?: string | undefined;
  /** Directory of the screen. */
  readonly cwd?: string | undefined;
  readonly load: () => Promise<readonly SessionSummary[]>;
  readonly readSession: (sessionId: string) => Promise<Transcript>;
  /** Ids of sessions in which the words were said. */
  readonly search?: ((query: string) => Promise<readonly string[]>) | undefined;
  /** Undefined outside a repository, and for a folder of another machine. */
  readonly readBranch?: ((cwd: string) => Promise<string | undefined>) | undefined;
  /** Resolves with the reason when it was rejected. */
  readonly answer: (
    sessionId: string,
    requestId: string,
    given: { readonly result: Json; readonly reason?: string | undefined },
  ) => Promise<string | undefined>;
  /** Resolves with the reason when it was rejected. */
  readonly archive: (sessionId: string, archived: boolean) => Promise<string | undefined>;
  /** Undefined for a new session. */
  readonly onPick: (sessionId: string | undefined) => void;
  readonly onClose: () => void;
}

/** Narrower screens show the list alone; a session is opened to answer it. */
const BESIDE_COLUMNS = 90;
const LIST_SHARE = 0.52;
/** Title, sections and rule above; rule, summary and hints below. */
const FRAME_ROWS = 7;
const REFRESH_MS = 1_000;
const SEARCH_LABEL = "search titles and everything said";
/** What is typed is searched for once the keys rest. */
const QUIET_MS = 200;
/** Sessions that are read ahead, for who asks and who works. */
const READ_AHEAD_MAX = 12;

export function createSessionCentre(surface: OverlaySurface, options: SessionCentreOptions): SessionCentre {
  return new SessionCentre(surface, options);
}

export class SessionCentre implements Overlay {
  readonly placement = "screen";
  readonly #surface: OverlaySurface;
  readonly #options: SessionCentreOptions;
  readonly #field;
  readonly #previews = new Map<string, { readonly updatedTs: number; readonly transcript: Transcript | undefined }>();
  readonly #branches = new Map<string, string | undefined>();
  #sessions: readonly SessionSummary[];
  #chosenId: string | undefined;
  #isSearching = false;
  #isHere = false;
  #isByStart = false;
  #hasArchived = false;
  /** Sessions in which the words of the search were said. */
  #matchingIds: ReadonlySet<string> = new Set();
  #cancelSearch: (() => void) | undefined;
  #isFocused = false;
  #note = "";
  readonly #pending: CentreRequest;
  #idAt: (row: number) => string | undefined = () => undefined;
  #cancelRefresh: (() => void) | undefined;

  constructor(surface: OverlaySurface, options: SessionCentreOptions) {
    this.#surface = surface;
    this.#options = options;
    this.#sessions = options.sessions;
    this.#pending = new CentreRequest({
      surface,
      clock: options.clock,
      onGive: ({ sessionId, requestId }, given) =>
        void options.answer(sessionId, requestId, given).then((problem) => this.#settled(problem ?? "")),
      onProblem: (message) => (this.#note = message),
    });
    this.#field = createLineField(surface, { placeholder: SEARCH_LABEL });
    if (options.query !== undefined) {
      this.#field.setText(options.query);
      this.#isSearching = true;
    }
    this.#chosenId = this.#listed[0]?.sessionId;
    this.#readAhead();
    this.#watch();
  }

  get focused(): boolean {
    return this.#isFocused;
  }

  set focused(isFocused: boolean) {
    this.#isFocused = isFocused;
    this.#field.focused = isFocused && this.#isSearching;
    this.#pending.isFocused = isFocused;
  }

  /** Stops refreshing. */
  stop(): void {
    this.#cancelRefresh?.();
    this.#cancelSearch?.();
  }

  invalidate(): void {}

  /** Archived sessions only when one of them is chosen or searched for. */
  get #listed(): readonly SessionSummary[] {
    const hasArchived = this.#hasArchived || this.#field.text.trim() !== "";
    return hasArchived ? this.#fitting : this.#fitting.filter(({ archived }) => !archived);
  }

  get #fitting(): readonly SessionSummary[] {
    return fittingSessions(this.#sessions, {
      query: this.#field.text,
      matchingIds: this.#matchingIds,
      cwd: this.#isHere ? this.#options.cwd : undefined,
      isByStart: this.#isByStart,
    });
  }

  get #chosen(): SessionSummary | undefined {
    return this.#listed.find(({ sessionId }) => sessionId === this.#chosenId) ?? this.#listed[0];
  }

  #watch(): void {
    this.#cancelRefresh = this.#options.clock.after(
      REFRESH_MS,
      () => void this.#refresh().finally(() => this.#watch()),
    );
  }

  async #refresh(): Promise<void> {
    // The list may be unreachable for a moment; what is shown stays.
    const sessions = await this.#options.load().catch(() => undefined);
    if (sessions === undefined) return;
    this.#sessions = sessions;
    this.#readAhead();
    this.#surface.tui.requestRender();
  }

  #readAhead(): void {
    const urgent = this.#listed.filter((session) => ["Needs you", "Working"].includes(sectionOf(session)));
    const chosen = this.#chosen;
    for (const session of urgent.slice(0, READ_AHEAD_MAX)) {
      this.#read(session);
      void this.#readBranch(session).catch(() => undefined);
    }
    if (chosen === undefined) return;
    this.#read(chosen);
    void this.#readBranch(chosen).catch(() => undefined);
  }

  /** Once for each folder; it may be gone. */
  async #readBranch({ cwd, at }: SessionSummary): Promise<void> {
    if (at !== undefined || this.#branches.has(cwd)) return;
    this.#branches.set(cwd, undefined);
    this.#branches.set(cwd, await this.#options.readBranch?.(cwd));
    this.#surface.tui.requestRender();
  }

  #read({ sessionId, updatedTs }: SessionSummary): void {
    const known = this.#previews.get(sessionId);
    if (known?.updatedTs === updatedTs) return;
    this.#previews.set(sessionId, { updatedTs, transcript: known?.transcript });
    void this.#options.readSession(sessionId).then(
      (transcript) => {
        this.#previews.set(sessionId, { updatedTs, transcript });
        this.#surface.tui.requestRender();
      },
      // A damaged session has no preview.
      () => undefined,
    );
  }

  /** Of the chosen session, when it waits for an answer. */
  get #waitingHead(): Head | undefined {
    const chosen = this.#chosen;
    if (chosen?.waiting === undefined) return undefined;
    return this.#previews.get(chosen.sessionId)?.transcript?.head;
  }

  handleInput(data: string): void {
    const key = parseKey(data);
    this.#note = "";
    const isSearched = this.#isSearching && !this.#pending.isWriting && this.#searchKey(data, key);
    if (isSearched || this.#pending.handleKey(data, key)) return;
    switch (key) {
      case "escape":
      case "ctrl+c":
        return this.#options.onClose();
      case "enter": {
        const { sessionId } = this.#chosen ?? {};
        return sessionId === undefined ? undefined : this.#options.onPick(sessionId);
      }
      case "up":
      case "down":
      case "k":
      case "j":
        return this.#move(key === "up" || key === "k" ? -1 : 1);
      case "pageUp":
      case "pageDown":
        return this.#move(key === "pageUp" ? -8 : 8);
      case "home":
      case "end":
        return this.#move(key === "home" ? -Infinity : Infinity);
      case "tab":
        return this.#nextSection();
      case "/":
        return this.#setSearching(true);
      case "ctrl+a":
        this.#isHere = !this.#isHere && this.#options.cwd !== undefined;
        return;
      case "o":
        this.#isByStart = !this.#isByStart;
        return;
      case "ctrl+n":
        return this.#options.onPick(undefined);
      case "ctrl+x":
        return this.#archive();
      default:
        return;
    }
  }

  #setSearching(isSearching: boolean): void {
    this.#isSearching = isSearching;
    this.#field.focused = isSearching && this.#isFocused;
  }

  /** False for keys that move or choose. */
  #searchKey(data: string, key: string | undefined): boolean {
    if (key === "escape") {
      this.#field.setText("");
      this.#matchingIds = new Set();
      this.#setSearching(false);
      return true;
    }
    if (key === undefined || /^(?:enter|up|down|pageUp|pageDown|tab|ctrl\+[acnx])$/.test(key)) return false;
    this.#field.handleInput(data);
    this.#choose(this.#listed[0]);
    this.#searchTexts();
    return true;
  }

  /** Titles are filtered at once; what was said is asked for, and without an answer titles are all that is searched. */
  #searchTexts(): void {
    const query = this.#field.text.trim();
    this.#cancelSearch?.();
    this.#cancelSearch = this.#options.clock.after(QUIET_MS, () => void this.#find(query).catch(() => undefined));
  }

  async #find(query: string): Promise<void> {
    const ids = await this.#options.search?.(query);
    if (this.#field.text.trim() !== query) return;
    this.#matchingIds = new Set(ids);
    this.#surface.tui.requestRender();
  }

  #choose(session: SessionSummary | undefined): void {
    this.#chosenId = session?.sessionId;
    if (session === undefined) return;
    this.#read(session);
    void this.#readBranch(session).catch(() => undefined);
  }

  #move(by: number): void {
    const listed = this.#listed;
    const at = listed.findIndex(({ sessionId }) => sessionId === this.#chosen?.sessionId);
    this.#choose(listed[Math.max(0, Math.min(listed.length - 1, at + by))]);
  }

  #nextSection(): void {
    const fitting = this.#fitting;
    const chosen = this.#chosen;
    const present = SECTIONS.filter((section) => fitting.some((one) => sectionOf(one) === section));
    const at = chosen === undefined ? -1 : present.indexOf(sectionOf(chosen));
    const next = present[(at + 1) % Math.max(1, present.length)];
    this.#hasArchived = next === "Archived";
    this.#choose(fitting.find((one) => sectionOf(one) === next));
  }

  #archive(): void {
    const chosen = this.#chosen;
    if (chosen === undefined) return;
    this.#move(1);
    void this.#options.archive(chosen.sessionId, !chosen.archived).then((problem) => this.#settled(problem ?? ""));
  }

  async #settled(problem: string): Promise<void> {
    this.#note = problem;
    await this.#refresh();
  }

  handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    if (event.type === "wheel") this.#move(Math.sign(event.wheelDelta ?? 0));
    else if (event.type === "click") {
      const sessionId = this.#idAt(event.y);
      if (sessionId !== undefined) this.#choose(this.#listed.find((one) => one.sessionId === sessionId));
    } else return undefined;
    return { handled: true, render: true };
  }

  render(width: number): string[] {
    const { theme, tui } = this.#surface;
    const { cwd } = this.#options;
    const height = Math.max(1, tui.terminal.rows - FRAME_ROWS);
    const isBeside = width >= BESIDE_COLUMNS;
    const listWidth = isBeside ? Math.floor(width * LIST_SHARE) : width;
    const drawing: CentreDrawing = {
      theme,
      width: listWidth,
      now: this.#options.clock.now(),
      isByStart: this.#isByStart,
      shortPath: (cwd) => shortPath(this.#surface, cwd),
      branchOf: (cwd) => this.#branches.get(cwd),
      previewOf: ({ sessionId }) => this.#previews.get(sessionId)?.transcript,
    };
    const list = this.#window(drawing, height);
    const preview = isBeside ? this.#previewRows({ ...drawing, width: width - listWidth - 1 }, height) : [];
    const divider = theme.paint("faint", theme.glyph("divider"));
    const rows = Array.from({ length: height }, (_, at) =>
      isBeside ? fitRow(list[at] ?? "", listWidth) + divider + (preview[at] ?? "") : (list[at] ?? ""),
    );
    const rule = theme.paint("faint", theme.glyph("rule").repeat(width));
    return [
      titleRow(theme, width, {
        here: cwd === undefined ? undefined : shortPath(this.#surface, cwd),
        isHere: this.#isHere,
      }),
      "",
      sectionsRow(theme, width, { sessions: this.#fitting, chosen: this.#chosen, search: this.#searchRow(width) }),
      rule,
      ...rows,
      rule,
      summaryRow(theme, width, { sessions: this.#sessions, note: this.#note }),
      ` ${hintRow(theme, width - 2, this.#hints())}`,
    ].map((row) => fitRow(row, width));
  }

  /** As many rows as fit, with the chosen session among them. */
  #window(drawing: CentreDrawing, height: number): string[] {
    const listed = this.#listed;
    if (listed.length === 0) return [` ${drawing.theme.paint("quiet", "No matching session.")}`];
    const rows = sessionRows(listed, this.#chosen?.sessionId, drawing);
    const first = rows.findIndex(({ sessionId }) => sessionId === this.#chosen?.sessionId);
    const last = rows.findLastIndex(({ sessionId }) => sessionId === this.#chosen?.sessionId);
    const top = Math.max(0, Math.min(first, Math.max(last + 1 - height, Math.min(first - 2, rows.length - height))));
    const start = last < height ? 0 : top;
    this.#idAt = (row) => rows[start + row - 4]?.sessionId;
    return rows.slice(start, start + height).map(({ text }) => text);
  }

  #searchRow(width: number): string {
    const { theme } = this.#surface;
    if (this.#isSearching) return this.#field.row(Math.max(8, Math.floor(width / 3)));
    return `${theme.paint("key", "/")} ${theme.paint("quiet", SEARCH_LABEL)}`;
  }

  #hints(): string[] {
    if (this.#pending.isWriting) return [...this.#pending.hints];
    return centreHints(this.#chosen, this.#pending.hints, this.#isByStart);
  }

  #previewRows(drawing: CentreDrawing, height: number): string[] {
    const chosen = this.#chosen;
    if (chosen === undefined) return [];
    const request = this.#pending.rows(chosen, this.#waitingHead, drawing, height);
    const preview = previewRows(chosen, drawing);
    const room = Math.max(0, height - request.length - (request.length === 0 ? 0 : 1));
    return [...preview.slice(0, room), ...(request.length === 0 ? [] : ["", ...request])];
  }
}
