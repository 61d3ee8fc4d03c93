/**
 * The screen that slash commands run on in the screen reader: pages are printed, choices are numbered, nothing is
 * drawn.
 */
import { stillRunning, type CommandBody, type ConnectionState, type PlannedSession } from "../../client/index.ts";
import type { Ack, SessionSummary } from "../../protocol/index.ts";
import { subagentsBelow, turnById, type Transcript } from "../../transcript/index.ts";
import type { AttachedFiles } from "../app/session/attached-files.ts";
import type { Conversation } from "../app/session/conversation.ts";
import type { Choice } from "../app/screen/port.ts";
import type { KeyHelp } from "../keys/keymap.ts";
import { interruptResult, formatStopped } from "../app/session/format-outcome.ts";
import type { CommandScreen, PermissionsPage, PickedSession, SessionsToPick } from "../commands/command.ts";
import { countAbsent } from "../commands/arguments.ts";
import { findCommand } from "../commands/registry.ts";
import { parseCommandLine } from "../../kit/text/command-line.ts";
import type { SearchState } from "../log/log-view.ts";
import type { ViewSettings } from "../panels/panel.ts";
import type { OutputPage, OutputSource } from "../overlays/text-overlay.ts";
import { sessionChoices } from "../overlays/lists/session-rows.ts";
import { createTheme } from "../theme/create-theme.ts";
import type { Theme } from "../theme/theme.ts";
import { readTurn } from "./announcer.ts";
import { findLines, searchAloud } from "./search-aloud.ts";
import type { OwnQuestions } from "./own-questions.ts";
import type { ReaderOptions } from "./reader-options.ts";
import type { LineOutput } from "./terminal-lines.ts";
import { memberLines, permissionLines, plannedLines, queueChoices, requestChoices } from "./format-session.ts";
import { plural } from "../../kit/text/format.ts";

export interface ReaderDeps {
  readonly options: ReaderOptions;
  readonly conversation: Conversation;
  readonly attached: AttachedFiles;
  readonly lines: LineOutput;
  readonly questions: OwnQuestions;
  readonly now: () => number;
  readonly send: (text: string, how: "send" | "queue") => Promise<void>;
  readonly openSession: (sessionId: string | undefined) => Promise<void>;
  readonly readRequest: (requestId: string) => void;
  readonly quit: (how: "detach" | "stop") => void;
}

const KEYS: readonly KeyHelp[] = [
  { keys: "Enter", does: "sends the line, or answers the last question" },
  { keys: "\\ and Enter", does: "continues on the next line" },
  {
    keys: "Ctrl+C",
    does: "stops your command, or the work your messages started; again, or when nothing runs: leaves",
  },
  { keys: "Ctrl+D", does: "leaves" },
  { keys: "Space first", does: "sends the line as a message, even if it looks like a command or an answer" },
];

/** Commands that only change the display. */
const MEANINGLESS = new Set(["theme", "raw", "settings"]);

/** Why a command has no effect here; undefined for all others. */
export function withoutMeaning(text: string): string | undefined {
  const line = parseCommandLine(text);
  const name = line.kind === "command" ? findCommand(line.name)?.name : undefined;
  if (name === undefined || !MEANINGLESS.has(name)) return undefined;
  return `/${name} does nothing here: this is plain text.`;
}

export class ReaderScreen implements CommandScreen {
  readonly #deps: ReaderDeps;
  readonly theme: Theme = createTheme({ name: "none", depth: "none" });
  readonly themes: readonly string[] = [];
  readonly chosenTheme = "none";
  readonly view: ViewSettings = { thinking: "hidden", isExpanded: false, hasTimes: false, isRaw: true };
  readonly keys = KEYS;
  /** There is no draft to return a line to; it is visible above. */
  readonly prompt = { text: "", setText(): void {} };
  #search: SearchState | undefined;
  #stopOutput: (() => void) | undefined;

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
  }

  get log(): CommandScreen["log"] {
    const state = () => this.#search;
    return {
      selected: undefined,
      get searchState() {
        return state();
      },
      search: (query) => this.#find(query),
      endSearch: () => (this.#search = undefined),
    };
  }

  #find(query: string): void {
    const { transcript } = this;
    const { seenAs } = this.#deps.conversation;
    const { lines, count } = transcript === undefined ? { lines: [], count: 0 } : findLines(transcript, query, seenAs);
    for (const line of lines) this.notify(line);
    if (count > lines.length) this.notify(`${count - lines.length} older matches are not shown.`);
    const absent = transcript === undefined ? 0 : countAbsent(transcript);
    if (absent > 0) this.notify(`${plural(absent, "older message")} not searched; /save writes everything.`);
    this.#search = { query, at: Math.min(1, count), count, pagesLeft: 0 };
  }

  setTheme(): void {}

  setView(): void {}

  requestRender(): void {}

  get now(): number {
    return this.#deps.now();
  }

  get sessionId(): string | undefined {
    return this.#deps.conversation.sessionId;
  }

  get planned(): PlannedSession | undefined {
    return this.#deps.conversation.planned;
  }

  get transcript(): Transcript | undefined {
    return this.#deps.conversation.transcript;
  }

  get connection(): ConnectionState {
    return this.#deps.conversation.connection;
  }

  command(body: CommandBody): Promise<Ack> {
    return this.#deps.conversation.command(body);
  }

  send(text: string, how: "send" | "queue"): Promise<void> {
    return this.#deps.send(text, how);
  }

  async interrupt(scope: "own" | "all"): Promise<void> {
    const ack = await this.command({ type: "interrupt", scope });
    if (!ack.ok) return this.notify(ack.error.message);
    const { others, ...done } = interruptResult(ack.result);
    const still = others.length === 0 ? "" : `${stillRunning(others)} /interrupt all stops everything.`;
    const message = `${formatStopped(done)} ${still}`.trim();
    if (message !== "") this.notify(message);
  }

  sessions(): Promise<readonly SessionSummary[]> {
    return this.#deps.conversation.sessions();
  }

  openSession(sessionId: string | undefined): Promise<void> {
    return this.#deps.openSession(sessionId);
  }

  deleteSession(sessionId: string): Promise<void> {
    return this.#deps.conversation.deleteSession(sessionId);
  }

  ping(): Promise<number> {
    return this.#deps.conversation.ping();
  }

  notify(text: string): void {
    this.#deps.lines.write(text);
  }

  showText(title: string, lines: readonly string[]): void {
    this.#quote(title, lines.map(withoutSigns));
  }

  #quote(title: string, lines: readonly string[]): void {
    this.notify(`${title}:`);
    this.#deps.lines.quote(lines.join("\n"));
  }

  showDiff(title: string, lines: readonly string[]): void {
    this.#quote(title, lines);
  }

  showOutput(title: string, { text, onStop }: OutputSource): OutputPage {
    this.#stopOutput = onStop;
    this.notify(`${title} is running; Ctrl+C stops it.`);
    return {
      grew() {},
      ended: (outcome) => {
        this.#stopOutput = undefined;
        this.#quote(`${title}, ${outcome}`, [text().trimEnd() || "No output."]);
      },
    };
  }

  /** False when nothing is running. */
  stopOutput(): boolean {
    const stop = this.#stopOutput;
    stop?.();
    return stop !== undefined;
  }

  showMembers(): void {
    const head = this.transcript?.head;
    const lines = head === undefined ? plannedLines(this.planned) : memberLines(head);
    if (lines.length === 0) return this.notify("No members yet.");
    for (const line of lines) this.notify(line);
  }

  showPermissions({ list }: PermissionsPage): void {
    for (const line of permissionLines(list(), this.now)) this.notify(line);
  }

  showQueue(): void {
    void this.#askQueue().catch((error: unknown) =>
      this.notify(error instanceof Error ? error.message : String(error)),
    );
  }

  async #askQueue(): Promise<void> {
    const choices = queueChoices(this.transcript?.head.queue ?? []);
    if (choices.length === 0) return this.notify("The queue is empty. /queue TEXT adds to it while members work.");
    const messageId = await this.pick("Queued messages", choices);
    if (messageId === undefined) return;
    const type = await this.pick<"queue_promote" | "queue_remove">("What should happen to it?", [
      { label: "Send it now", value: "queue_promote" },
      { label: "Remove it from the queue", value: "queue_remove" },
    ]);
    if (type === undefined) return;
    const ack = await this.command({ type, messageId });
    if (!ack.ok) return this.notify(ack.error.message);
    this.notify(type === "queue_promote" ? "Sent." : "Removed from the queue.");
  }

  showSettings(): void {}

  showSearch(query: string): Promise<void> {
    return searchAloud(this, (text, rest) => this.#deps.conversation.search(text, rest), query);
  }

  showSubagent(turnId: string): void {
    const { transcript } = this;
    const turn = transcript === undefined ? undefined : turnById(transcript, turnId);
    if (transcript === undefined || turn === undefined) return this.notify("That turn is not loaded.");
    const { lines, conversation } = this.#deps;
    for (const one of [turn, ...subagentsBelow(transcript, turnId)])
      readTurn(one, transcript, lines, conversation.seenAs);
  }

  async pickSession({ sessions, query }: SessionsToPick): Promise<PickedSession | undefined> {
    const { hasDirectory } = this.#deps.options;
    const listed = { sessions, now: this.now, currentId: this.sessionId, hasNew: query === undefined, hasDirectory };
    const choices = sessionChoices(listed);
    return await this.#deps.questions.search("Sessions", choices, query === undefined && choices.length > 1 ? 1 : 0);
  }

  showInbox(): void {
    const head = this.transcript?.head;
    const choices = head === undefined ? [] : requestChoices(head, this.now);
    if (choices.length === 0) return this.notify("Nobody is waiting for an answer.");
    void this.pick("Requests", choices).then((requestId) => {
      if (requestId !== undefined) this.#deps.readRequest(requestId);
    });
  }

  pick<Value>(title: string, choices: readonly Choice<Value>[], options: { readonly at?: number } = {}) {
    return this.#deps.questions.pick(title, choices, options);
  }

  confirm(title: string, message: string): Promise<boolean> {
    return this.#deps.questions.confirm(title, message);
  }

  askLine(title: string): Promise<string | undefined> {
    return this.#deps.questions.askLine(title);
  }

  /** There is no draft. */
  offerDraft(text: string): void {
    this.notify("This was your message; edit it and send it again:");
    this.#deps.lines.quote(text);
  }

  /** Lines from a pipe must not run commands: nobody has seen them. */
  get runShell() {
    return this.#deps.options.isTyped ? this.#deps.options.runShell : undefined;
  }

  get attached(): AttachedFiles {
    return this.#deps.attached;
  }

  get candidateMembers() {
    return this.#deps.options.candidateMembers;
  }

  get readText() {
    return this.#deps.options.readText;
  }

  setShared(sessionId: string, isShared: boolean): Promise<string> | undefined {
    return this.#deps.options.setShared?.(sessionId, isShared);
  }

  loadAll(): Promise<Transcript | undefined> {
    return this.#deps.conversation.loadAll();
  }

  /** The terminal's clipboard is not used, since it needs an escape sequence. */
  async copy(text: string): Promise<boolean> {
    if (await this.#deps.options.copyText(text)) return true;
    throw new Error("no clipboard program was found; /save writes a file.");
  }

  saveFile(name: string, text: string): Promise<string> {
    return this.#deps.options.saveFile(name, text);
  }

  get seenAs() {
    return this.#deps.conversation.seenAs;
  }

  get exportSession() {
    return this.#deps.options.exportSession;
  }

  doctor(): Promise<readonly string[]> {
    return this.#deps.options.doctor();
  }

  quit(how: "detach" | "stop"): void {
    this.#deps.quit(how);
  }
}

/** "ctx ▰▱▱ 12k/200k (6%)" is "context 12k of 200k (6%)", "○ ada (idle)" is "ada (idle)": signs are read out one by one. */
export function withoutSigns(line: string): string {
  return line
    .replace(/\bctx [▰▱]+ (~?\S+?)\/(\S+)/u, "context $1 of $2")
    .replace(/^((?:members)? +)[○●⊘⇊‖◔✗] (?=\S+ \()/u, "$1");
}
