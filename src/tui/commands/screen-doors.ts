/** What commands need of the screen beside its port: the overlays they open, and pages that are not in memory. */
import type { Choice } from "../app/screen-port.ts";
import type { Transcript } from "../../transcript/index.ts";

export interface ScreenDoors {
  showMembers(): void;
  showQueue(): void;
  showSettings(): void;
  /** Like showText; lines that begin with + or - look added or removed. */
  showDiff(title: string, lines: readonly string[]): void;
  /** As in the port; `at` is the choice that is marked at first. */
  pick<Value>(
    title: string,
    choices: readonly Choice<Value>[],
    options?: { readonly at?: number },
  ): Promise<Value | undefined>;
  /** True only for a clear yes. */
  confirm(title: string, message: string): Promise<boolean>;
  /** The session with as many of its older pages as can be had; undefined when there is no session. */
  loadAll(): Promise<Transcript | undefined>;
}
