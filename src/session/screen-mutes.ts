/**
 * Mutes end with the screens they were made on: when the last one that follows the session has gone, whoever was muted
 * from one is asked again. A mute by a command that follows nothing stays until the session is opened anew.
 */
import type { Command } from "../protocol/index.ts";
import { unmuteMember } from "./members.ts";
import { memberOf, type SessionState } from "./state.ts";

/** A page that is loaded again, or a line that breaks, is back by then. */
export const SCREEN_BACK_MS = 2_000;

export interface ScreenMutes {
  /** The command was carried out. */
  note(command: Command, clientId: string): void;
  clientLeft(): void;
  close(): void;
}

/** `followers` are the clients that follow the session now. */
export function createScreenMutes(state: SessionState, followers: ReadonlyMap<string, unknown>): ScreenMutes {
  const muted = new Set<string>();
  let cancel: (() => void) | undefined;

  function unmuteAll(): void {
    cancel = undefined;
    if (followers.size > 0 || state.isClosed) return;
    for (const name of muted) if (memberOf(state, name)?.seated === true) unmuteMember(state, name);
    muted.clear();
  }

  return {
    note(command, clientId) {
      if (command.type === "mute" && followers.has(clientId)) muted.add(command.member);
      if (command.type === "unmute") muted.delete(command.member);
    },
    clientLeft() {
      if (followers.size > 0 || muted.size === 0) return;
      cancel?.();
      cancel = state.clock.after(SCREEN_BACK_MS, unmuteAll);
    },
    close: () => cancel?.(),
  };
}
