/** The prompts of missions, begun when somebody first asks for them: one-shot programs never do. */
import { startIdlePrompts, type IdlePromptParts, type IdlePrompts, type IdleScheduler } from "./idle-prompts.ts";
import { giveCommand, sendCommand, type OwnCommandParts } from "./own-command.ts";

/** Who sends them. */
const IDLE_CLIENT = "idle-prompts";

export interface IdleDoor {
  open(): Promise<IdlePrompts>;
  readonly isWaiting: boolean;
  close(): Promise<void>;
}

export type IdleDoorParts = Omit<IdlePromptParts, "send"> & Pick<OwnCommandParts, "serve">;

export function createIdleDoor({ serve, ...parts }: IdleDoorParts): IdleDoor {
  const { clock } = parts;
  let starting: Promise<IdleScheduler> | undefined;
  let started: IdleScheduler | undefined;
  return {
    async open() {
      starting ??= startIdlePrompts({
        ...parts,
        send: (id, message) => giveCommand({ serve, clock, clientId: IDLE_CLIENT }, id, sendCommand(message)),
      });
      started = await starting;
      return started.prompts;
    },
    get isWaiting() {
      return started?.isWaiting === true;
    },
    async close() {
      const scheduler = await starting?.catch(() => undefined);
      scheduler?.close();
    },
  };
}
