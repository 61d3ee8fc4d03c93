/**
 * Who gets what is typed. Those the running message went to, else everyone; one key changes it for the next message, and
 * names at the beginning of a text always win.
 */
import {
  isRunning,
  loadedMessagesBackward,
  membersInOrder,
  type Recipients,
  recipientsOf,
  type Transcript,
} from "../../../transcript/index.ts";

/** Whom the latest message went to; nobody in particular when it went to everyone. */
function lastRecipients(transcript: Transcript): readonly string[] {
  for (const message of loadedMessagesBackward(transcript))
    if (message.kind === "user") return message.toAll ? [] : message.to;
  return [];
}

const EVERYONE = "all";
const MENTION = /^\s*@/;

export class Addressing {
  /** `all` or a member's name; undefined for the usual recipients. */
  #choice: string | undefined;

  /** Shift+Tab: those working, everyone, each member. */
  cycle(transcript: Transcript | undefined): void {
    this.#choice = this.#next(transcript);
  }

  /** A choice holds for one message. */
  reset(): void {
    this.#choice = undefined;
  }

  /** For the command that sends the text; undefined where the session decides. */
  to(text: string): string[] | undefined {
    return this.#choice === undefined || MENTION.test(text) ? undefined : [this.#choice];
  }

  /** `planned`: members of a session that does not exist yet. */
  recipients(text: string, transcript: Transcript | undefined, planned: readonly string[] = []): Recipients {
    const usual = recipientsOf(text, transcript, planned);
    if (MENTION.test(text) || transcript === undefined) return usual;
    this.#dropOld(transcript);
    const everyone = membersInOrder(transcript.head).filter(({ muted }) => !muted);
    const working = everyone.filter(({ state }) => state === "running").map(({ name }) => name);
    if (this.#choice === EVERYONE) return { isEveryone: true, names: [], working };
    if (this.#choice !== undefined) {
      const name = this.#choice;
      return { isEveryone: false, names: [name], working: working.filter((one) => one === name) };
    }
    // While they work the rule names them all.
    if (!usual.isEveryone || !isRunning(transcript.head)) return usual;
    return { isEveryone: false, names: everyone.map(({ name }) => name), working };
  }

  /** A member may have left since it was chosen. */
  #dropOld({ head }: Transcript): void {
    const known = [EVERYONE, ...membersInOrder(head).map(({ name }) => name)];
    if (this.#choice !== undefined && !known.includes(this.#choice)) this.#choice = undefined;
  }

  /** "to everyone", "to codex only": what the next press would choose. */
  nextLabel(transcript: Transcript | undefined): string | undefined {
    if (transcript === undefined || membersInOrder(transcript.head).length < 2) return undefined;
    const next = this.#next(transcript);
    if (next === undefined) return isRunning(transcript.head) ? "to those working" : "to everyone";
    return next === EVERYONE ? "to everyone" : `to ${next} only`;
  }

  #next(transcript: Transcript | undefined): string | undefined {
    if (transcript === undefined) return undefined;
    const all = membersInOrder(transcript.head).map(({ name }) => name);
    const last = isRunning(transcript.head) ? [] : lastRecipients(transcript).filter((name) => all.includes(name));
    const names = [...new Set([...last, ...all])];
    const choices = [undefined, ...(isRunning(transcript.head) ? [EVERYONE] : []), ...names];
    return choices[(choices.indexOf(this.#choice) + 1) % choices.length];
  }
}
