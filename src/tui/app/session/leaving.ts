/**
 * Closing the screen. When turns outlive it, it closes at once. When it hosts the session, it waits for running turns;
 * a repeat stops them, and another one closes without waiting.
 */
import type { Clock } from "../../../kit/clock.ts";
import { formatList } from "../../../kit/text/format.ts";
import { shortId } from "../../../kit/short-id.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { Transcript } from "../../../transcript/index.ts";
import type { ScreenOptions } from "../options.ts";
import type { Conversation } from "./conversation.ts";

const STOPPED_POLL_MS = 100;

export interface LeavingOptions {
  readonly clock: Clock;
  /** Names of members with running turns. */
  readonly working: () => readonly string[];
  /** Turns continue after the screen has closed. */
  readonly outlivesScreen: () => boolean;
  readonly stopAll: () => Promise<void>;
  readonly notify: (text: string) => void;
  readonly leave: () => void;
}

export class Leaving {
  readonly #options: LeavingOptions;
  #state: "staying" | "finishing" | "stopping" = "staying";

  constructor(options: LeavingOptions) {
    this.#options = options;
  }

  get isWaiting(): boolean {
    return this.#state !== "staying";
  }

  /** Waiting for members to finish. */
  get isFinishing(): boolean {
    return this.#state === "finishing";
  }

  ask(how: "detach" | "stop"): void {
    const { working, outlivesScreen, notify, leave } = this.#options;
    const names = working();
    if (names.length === 0 || this.#state === "stopping") return leave();
    if (how === "stop") return this.#stop();
    if (outlivesScreen()) return leave();
    notify(
      `Leaving when ${formatList(names)} ${names.length === 1 ? "is" : "are"} done. Esc or Ctrl+C stops ${names.length === 1 ? "it" : "them"}.`,
    );
    if (this.#state === "finishing") return;
    this.#state = "finishing";
    this.#leaveWhenQuiet();
  }

  /** Escape or Ctrl+C while it waits. */
  hurry(): void {
    if (this.#state === "stopping") this.#options.leave();
    else this.#stop();
  }

  #stop(): void {
    const { notify, stopAll } = this.#options;
    const wasFinishing = this.#state === "finishing";
    this.#state = "stopping";
    notify("Stopping everyone. Esc leaves without waiting.");
    void stopAll().then(() => wasFinishing || this.#leaveWhenQuiet());
  }

  #leaveWhenQuiet(): void {
    const { clock, working, leave } = this.#options;
    if (working().length === 0) return leave();
    clock.after(STOPPED_POLL_MS, () => this.#leaveWhenQuiet());
  }
}

/** The message in the shell after the screen has closed: whether turns continue, and how to resume. */
export function exitMessage({ sessionId, transcript, host, working }: Conversation): string {
  if (sessionId === undefined) return "";
  const names = working.map((name) => terminalSafeLine(name));
  const isOne = names.length === 1;
  if (names.length > 0 && host?.outlivesScreen === true)
    return `Detached. ${formatList(names)} ${isOne ? "keeps" : "keep"} working. To come back: roundtable -c\n`;
  const stopped = names.length === 0 ? "" : `${formatList(names)} ${isOne ? "was" : "were"} stopped.\n`;
  const title = terminalSafeLine(transcript?.head.title ?? "");
  const again = `To continue${title === "" ? "" : ` "${title}"`}: roundtable --resume ${shortId(sessionId)}`;
  return `${stopped}${again}\n`;
}

/** Warns when the directory of an old session no longer exists. */
export function missingDirectoryWarning(
  { hasDirectory }: Pick<ScreenOptions, "hasDirectory">,
  transcript: Transcript | undefined,
): string | undefined {
  if (transcript === undefined || transcript.head.cwd === "") return undefined;
  if (hasDirectory?.(transcript.head.cwd) !== false) return undefined;
  const cwd = terminalSafeLine(transcript.head.cwd);
  return `The directory of this session no longer exists: ${cwd}. Members cannot work until it is restored.`;
}
