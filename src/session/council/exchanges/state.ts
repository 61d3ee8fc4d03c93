/** The questions between members that have no answer yet, and the answers nobody has been told yet. */
import type { MissedMessage } from "../../../agents/index.ts";
import type { Turn } from "../../turn/turn.ts";

/** What a turn that came of an exchange inherits, so that stopping and counting go back to the user's message. */
export interface Origin {
  readonly rootMessageId: string;
  readonly clientId: string | undefined;
  /** How many members away from the user's message. */
  readonly depth: number;
  /** Where the turn began that the user's message started. */
  readonly startSeq: number;
}

export interface Exchange {
  readonly agentExchangeId: string;
  /** The turn that asks. It may have ended already when it does not wait. */
  readonly asker: Turn;
  readonly to: string;
  readonly text: string;
  readonly wait: boolean;
  readonly callId: string;
  readonly toolCallId: string | undefined;
  /** Of the turn that asks. */
  readonly origin: Origin;
  /** The member was held when it was asked, by something older than what the user asked for now; it stays held. */
  readonly isOverHold: boolean;
  /** The turn that answers, once it has begun. */
  answerTurnId: string | undefined;
  /** Stops the exchange's own time limit and lets the asker's clock run on. */
  readonly release: () => void;
}

/** An answer for a member that did not wait for it. It comes with the member's next turn, or wakes it. */
export interface LateAnswer {
  readonly exchange: Exchange;
  readonly answer: MissedMessage;
  wakes: boolean;
}

export interface ExchangeState {
  /** By agentExchangeId, in the order they were asked. */
  readonly open: Map<string, Exchange>;
  /** By turnId, for running turns with cause "exchange". */
  readonly origins: Map<string, Origin>;
  /** By the member that asked, oldest first. */
  readonly late: Map<string, LateAnswer[]>;
}

export function createExchangeState(): ExchangeState {
  return { open: new Map(), origins: new Map(), late: new Map() };
}
