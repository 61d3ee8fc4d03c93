/** Effects of a new transcript outside the layout: window title, draft, and notifications for an unfocused window. */
import { withEllipsis } from "../../../kit/text/format.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { describeRequest, isRunning, type Transcript } from "../../../transcript/index.ts";
import type { WatchedTerminal } from "./watched-terminal.ts";

const TEXT_CHARS_MAX = 120;

const TITLE_CHARS_MAX = 80;

export interface TranscriptEffectsOptions {
  readonly terminal: WatchedTerminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An agent set the text of the input. */
  readonly onDraft: (text: string) => void;
  readonly mayNotify: () => boolean;
}

export class TranscriptEffects {
  readonly #options: TranscriptEffectsOptions;
  #before: Transcript | undefined;
  #title = "";

  constructor(options: TranscriptEffectsOptions) {
    this.#options = options;
  }

  apply(transcript: Transcript | undefined): void {
    const before = this.#before;
    this.#before = transcript;
    if (transcript === undefined) return;
    const { terminal, env, onDraft, mayNotify } = this.#options;
    const title = windowTitle(transcript);
    if (title !== this.#title) terminal.setTitle(`${title} · roundtable`);
    this.#title = title;
    // Text set before this screen followed the session is old and must not replace a draft.
    const isSame = before?.head.sessionId === transcript.head.sessionId;
    const { editorText } = transcript.head.ui;
    if (isSame && editorText !== undefined && editorText.seq !== before?.head.ui.editorText?.seq) {
      onDraft(editorText.text);
    }
    const attention = attentionFor(before, transcript);
    const isWanted = attention !== undefined && terminal.isFocused === false && mayNotify();
    if (isWanted) terminal.write(notification(attention, env));
  }
}

function windowTitle({ head }: Transcript): string {
  const safe = terminalSafeLine(head.ui.title ?? head.title);
  return withEllipsis(safe, TITLE_CHARS_MAX);
}

/** What to notify an absent user of, comparing two transcripts. */
export function attentionFor(before: Transcript | undefined, now: Transcript): string | undefined {
  if (before === undefined || before.head.sessionId !== now.head.sessionId) return undefined;
  const known = new Set(before.head.requests.map((request) => request.requestId));
  const newRequest = now.head.requests.find((request) => !known.has(request.requestId));
  if (newRequest !== undefined) return `${newRequest.member} asks: ${describeRequest(newRequest).what}`;
  if (isRunning(before.head) && !isRunning(now.head)) return `${now.head.title}: everyone is done`;
  return undefined;
}

/**
 * Bytes that notify the user: the terminal's own sequence where known, else the bell. Control characters are removed,
 * so the text cannot end the sequence early.
 */
export function notification(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const message = terminalSafeLine(text).replaceAll(";", ",").slice(0, TEXT_CHARS_MAX);
  const bell = "\u0007";
  const program = env["TERM_PROGRAM"] ?? "";
  if (env["TMUX"] !== undefined || env["STY"] !== undefined) return bell;
  if (env["KITTY_WINDOW_ID"] !== undefined) return `\u001b]99;;${message}\u001b\\`;
  if (["iTerm.app", "WezTerm", "ghostty"].includes(program)) return `\u001b]9;${message}${bell}`;
  if ((env["TERM"] ?? "").startsWith("foot") || (env["TERM"] ?? "").startsWith("rxvt")) {
    return `\u001b]777;notify;Roundtable;${message}\u001b\\`;
  }
  return bell;
}
