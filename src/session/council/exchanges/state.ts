/** Open questions between members, and answers not yet delivered. */
import type { MissedMessage } from "../../../agents/index.ts";
import type { Turn } from "../../turn/turn.ts";

/** Inherited by turns of an exchange, so that interrupts and limits go back to the user's message. */
export interface Origin {
  readonly rootMessageId: string;
  readonly clientId: string | undefined;
  /** Hops from the user's message. */
  readonly depth: number;
  /** Start of the turn that the user's message started. */
  readonly startSeq: number;
}

export interface Exchange {
  readonly agentExchangeId: string;
  /** The asking turn. It may have ended already when it does not wait. */
  readonly asker: Turn;
  readonly to: string;
  readonly text: string;
  readonly wait: boolean;
  readonly callId: string;
  readonly toolCallId: string | undefined;
  /** Of the asking turn. */
  readonly origin: Origin;
  /** The member was held by something older than the current message when it was asked; it stays held. */
  readonly isOverHold: boolean;
  /** The answering turn, once started. */
  answerTurnId: string | undefined;
  /** Cancels the exchange's timeout and resumes the asker's clock. */
  readonly release: () => void;
}

/** An answer that the asker did not wait for. It comes with the member's next turn, or starts one. */
export interface LateAnswer {
  readonly exchange: Exchange;
  readonly answer: MissedMessage;
  wakes: boolean;
}

export interface ExchangeState {
  /** By agentExchangeId, in the order asked. */
  readonly open: Map<string, Exchange>;
  /** By turnId, for running turns with cause "exchange". */
  readonly origins: Map<string, Origin>;
  /** By asking member, oldest first. */
  readonly late: Map<string, LateAnswer[]>;
}

export function createExchangeState(): ExchangeState {
  return { open: new Map(), origins: new Map(), late: new Map() };
}
