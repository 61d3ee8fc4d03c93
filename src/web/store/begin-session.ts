/**
 * A session created by its first message. It is shown once the host has accepted a message; if all are rejected it goes
 * to the trash, so that no empty session is left behind.
 */
export interface BeginningOptions {
  readonly create: (text: string) => Promise<string>;
  /** A message was accepted. `opening` is the opening it was written in. */
  readonly show: (sessionId: string, opening: number) => void;
  /** Must not delete what another client wrote meanwhile. */
  readonly putAway: (sessionId: string) => Promise<void>;
  /** It could not be deleted. */
  readonly onLeft: (why: string) => void;
}

interface Begun {
  readonly opening: number;
  readonly sessionId: Promise<string>;
  /** Messages without an acknowledgement. */
  open: number;
  isAccepted: boolean;
  /** Resolves once every message so far is accepted or rejected. */
  answered: Promise<unknown>;
}

export interface FirstMessage {
  readonly opening: number;
  readonly text: string;
}

export interface Beginning {
  /** Rejects as `sendTo` does. A second message of the same opening goes to the same session. */
  send(first: FirstMessage, sendTo: (session: Promise<string>) => Promise<void>): Promise<void>;
  /** The session of the messages that are on their way in this opening, once it may run something; undefined for none. */
  accepted(opening: number): Promise<string | undefined>;
}

export function createBeginning({ create, show, putAway, onLeft }: BeginningOptions): Beginning {
  let newest: Begun | undefined;

  function begin({ opening, text }: FirstMessage): Begun {
    if (newest?.opening === opening) return newest;
    newest = { opening, sessionId: create(text), open: 0, isAccepted: false, answered: Promise.resolve() };
    return newest;
  }

  async function end(begun: Begun): Promise<void> {
    // Later messages create another session.
    if (newest === begun) newest = undefined;
    const sessionId = await begun.sessionId.catch(() => undefined);
    if (begun.isAccepted || sessionId === undefined) return;
    await putAway(sessionId).catch((error: unknown) => onLeft(error instanceof Error ? error.message : String(error)));
  }

  async function deliver(begun: Begun, sendTo: (session: Promise<string>) => Promise<void>): Promise<void> {
    begun.open += 1;
    try {
      await sendTo(begun.sessionId);
      if (!begun.isAccepted) show(await begun.sessionId, begun.opening);
      begun.isAccepted = true;
    } finally {
      begun.open -= 1;
      if (begun.open === 0) void end(begun);
    }
  }

  return {
    send(first, sendTo) {
      const begun = begin(first);
      const delivered = deliver(begun, sendTo);
      begun.answered = Promise.allSettled([begun.answered, delivered]);
      return delivered;
    },
    async accepted(opening) {
      if (newest?.opening !== opening) return undefined;
      const begun = newest;
      await begun.answered;
      return begun.isAccepted ? await begun.sessionId : undefined;
    },
  };
}
