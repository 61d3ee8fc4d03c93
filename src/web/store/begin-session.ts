/**
 * A session that begins with a message. It is shown when the host has taken one; when every message that was meant for it
 * is refused it goes to the trash again, so that a slip of the pen leaves no empty session behind.
 */
export interface BeginningOptions {
  readonly create: (text: string) => Promise<string>;
  /** The host has a message of it. `opening` is what was open when that was written. */
  readonly show: (sessionId: string, opening: number) => void;
  /** Must not take away what somebody else has written there meanwhile. */
  readonly putAway: (sessionId: string) => Promise<void>;
  /** It could not be put away. */
  readonly onLeft: (why: string) => void;
}

interface Begun {
  readonly opening: number;
  readonly sessionId: Promise<string>;
  /** Messages of which the host has not said what becomes of them. */
  open: number;
  isAccepted: boolean;
}

export interface FirstMessage {
  readonly opening: number;
  readonly text: string;
}

export interface Beginning {
  /** Rejects as `sendTo` does. Written at the same opening, a second message goes to the same session. */
  send(first: FirstMessage, sendTo: (session: Promise<string>) => Promise<void>): Promise<void>;
}

export function createBeginning({ create, show, putAway, onLeft }: BeginningOptions): Beginning {
  let newest: Begun | undefined;

  function begin({ opening, text }: FirstMessage): Begun {
    if (newest?.opening === opening) return newest;
    newest = { opening, sessionId: create(text), open: 0, isAccepted: false };
    return newest;
  }

  async function end(begun: Begun): Promise<void> {
    // What is written from now on begins another one.
    if (newest === begun) newest = undefined;
    const sessionId = await begun.sessionId.catch(() => undefined);
    if (begun.isAccepted || sessionId === undefined) return;
    await putAway(sessionId).catch((error: unknown) => onLeft(error instanceof Error ? error.message : String(error)));
  }

  return {
    async send(first, sendTo) {
      const begun = begin(first);
      begun.open += 1;
      try {
        await sendTo(begun.sessionId);
        if (!begun.isAccepted) show(await begun.sessionId, begun.opening);
        begun.isAccepted = true;
      } finally {
        begun.open -= 1;
        if (begun.open === 0) void end(begun);
      }
    },
  };
}
