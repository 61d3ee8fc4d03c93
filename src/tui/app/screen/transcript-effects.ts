/** What a new picture changes outside the layout: the window's title, the draft, and a call for somebody who looks away. */
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { Transcript } from "../../../transcript/index.ts";
import { attentionFor } from "./attention.ts";
import { notification } from "./notification.ts";
import type { WatchedTerminal } from "./watched-terminal.ts";
import { withEllipsis } from "../../../kit/text/ellipsis.ts";

const TITLE_CHARS_MAX = 80;

export interface TranscriptEffectsOptions {
  readonly terminal: WatchedTerminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** An agent has put a text into the input. */
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
    // Text that was put there before this screen looked is old; a draft must not be replaced by it.
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
