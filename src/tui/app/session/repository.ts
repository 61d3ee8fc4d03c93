/**
 * What the screen knows of the directory it works in: path and branch for the status line, and for a session that does
 * not exist yet what its first screen says.
 */
import type { DirectoryState, ScreenOptions, Welcome } from "../options.ts";
import type { Conversation } from "./conversation.ts";

export interface RepositoryOptions extends Pick<ScreenOptions, "describeDirectory" | "welcome"> {
  readonly conversation: () => Pick<Conversation, "isRunning" | "transcript">;
  readonly onChange: () => void;
}

export class Repository {
  readonly #options: RepositoryOptions;
  #directory: DirectoryState | undefined;
  #welcome: Welcome | undefined;
  #describedCwd: string | undefined;
  #isOld = true;
  #isWelcomeRead = false;

  constructor(options: RepositoryOptions) {
    this.#options = options;
  }

  get directory(): DirectoryState | undefined {
    return this.#directory;
  }

  get welcome(): Welcome | undefined {
    return this.#welcome;
  }

  /** Directory and branch are read again when the session changes and when members have stopped working. */
  update(): void {
    const { isRunning, transcript } = this.#options.conversation();
    // A session whose first event has not arrived has no directory yet.
    const cwd = transcript?.head.cwd === "" ? undefined : transcript?.head.cwd;
    if (isRunning) this.#isOld = true;
    if (isRunning || (!this.#isOld && cwd === this.#describedCwd)) return;
    this.#isOld = false;
    this.#describedCwd = cwd;
    const { describeDirectory, onChange } = this.#options;
    const reading = describeDirectory?.(cwd).then((directory) => {
      this.#directory = directory;
      onChange();
    });
    // Without it the status line shows less.
    reading?.catch(() => undefined);
  }

  /** Once, for the first screen of a new session. */
  readWelcome(): void {
    if (this.#isWelcomeRead) return;
    this.#isWelcomeRead = true;
    const { welcome, onChange } = this.#options;
    const reading = welcome?.().then((read) => {
      this.#welcome = read;
      onChange();
    });
    // Without it the first screen shows less.
    reading?.catch(() => undefined);
  }
}
