/** What an exchange opens to: the question is in its block; the answering turn has the calls that were made for it. */
import type { Block, ToolBlock, Transcript, TurnMessage } from "../model.ts";
import { turnById } from "./messages.ts";

type ExchangeBlock = Extract<Block, { kind: "exchange" }>;

/** The turn in which the other member answers; undefined before it has begun, and when it is not in memory. */
export function answeringTurn(transcript: Transcript, { answerTurnId }: ExchangeBlock): TurnMessage | undefined {
  return answerTurnId === undefined ? undefined : turnById(transcript, answerTurnId);
}

/** The tool calls made for the answer, in order. */
export function exchangeTools(transcript: Transcript, block: ExchangeBlock): ToolBlock[] {
  return (answeringTurn(transcript, block)?.blocks ?? []).filter((one) => one.kind === "tool");
}
