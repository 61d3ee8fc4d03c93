/** A common form of a conversation, for comparing the wire with our transcript. */
import {
  loadedMessages,
  OUTPUT_SHOWN_MAX,
  type Block,
  type Transcript,
  type TurnMessage,
} from "../../../src/transcript/index.ts";
import type { Shown, ShownPart } from "./fold-chat.ts";

interface SpokenTurn {
  readonly turnId: string;
  readonly thinking: string;
  readonly parts: readonly unknown[];
  readonly isEnded: boolean;
  readonly isInterrupted: boolean;
  readonly isFailed: boolean;
}

export interface Conversation {
  readonly users: readonly string[];
  readonly turns: readonly SpokenTurn[];
}

/** Replaced turns stay on the wire's screens; our transcript shows only the new one. */
export function ofShown({ turns }: Shown, transcript: Transcript): Conversation {
  const drawn = new Set(turnsOf(transcript).map((turn) => turn.turnId));
  const replaced = new Set(turnsOf(transcript).flatMap((turn) => turn.replaced.filter((id) => !drawn.has(id))));
  const all = [...turns.values()];
  return {
    users: all.flatMap((turn) => turn.users).toSorted(),
    turns: all
      // An unanswered message is a turn of its own there.
      .filter((turn) => !replaced.has(turn.turnId) && (turn.users.length === 0 || drawn.has(turn.turnId)))
      .map(({ turnId, thinking, parts, isEnded, interrupt, error }) => ({
        turnId,
        thinking,
        parts: parts.flatMap((part) => shownPart(part)),
        isEnded,
        isInterrupted: interrupt !== undefined,
        isFailed: error !== undefined && isFailure(turnId, transcript),
      }))
      .filter((turn) => isSpoken(turn))
      .toSorted((a, b) => a.turnId.localeCompare(b.turnId)),
  };
}

/** A turn without output shows nothing. */
function isSpoken({ isEnded, parts, thinking }: SpokenTurn): boolean {
  return isEnded || parts.length > 0 || thinking !== "";
}

/** A turn may show errors that did not end it. */
function isFailure(turnId: string, transcript: Transcript): boolean {
  return turnsOf(transcript).find((turn) => turn.turnId === turnId)?.end?.outcome === "errored";
}

function shownPart(part: ShownPart): unknown[] {
  if ("text" in part) return part.text === "" ? [] : [{ text: part.text }];
  const { id, name, args, state, output } = part.tool;
  return [{ tool: id, name, args, state, output: state === "pending" ? newestOf(output) : "" }];
}

export function ofTranscript(transcript: Transcript, unshown: readonly { messageId: string }[]): Conversation {
  const waiting = new Set(unshown.map(({ messageId }) => messageId));
  const { clearedSeq } = transcript.head;
  return {
    users: [...loadedMessages(transcript)]
      .flatMap((one) => (one.kind === "user" && one.seq > clearedSeq && !waiting.has(one.messageId) ? [one.text] : []))
      .toSorted(),
    turns: turnsOf(transcript)
      .filter((turn) => turn.seq > clearedSeq)
      .map((turn) => ofTurn(turn))
      .filter((turn) => isSpoken(turn))
      .toSorted((a, b) => a.turnId.localeCompare(b.turnId)),
  };
}

function turnsOf(transcript: Transcript): TurnMessage[] {
  return [...loadedMessages(transcript)].filter((one): one is TurnMessage => one.kind === "turn");
}

function ofTurn(turn: TurnMessage): SpokenTurn {
  const outcome = turn.end?.outcome;
  return {
    turnId: turn.turnId,
    thinking: joined(turn.blocks, "thinking"),
    parts: partsOf(turn.blocks),
    isEnded: outcome !== undefined,
    isInterrupted: outcome === "interrupted" || outcome === "timed_out",
    isFailed: outcome === "errored",
  };
}

function partsOf(blocks: readonly Block[]): unknown[] {
  const parts: unknown[] = [];
  let passage: Block[] = [];
  const close = () => {
    const text = joined(passage, "text");
    if (text !== "") parts.push({ text });
    passage = [];
  };
  for (const block of blocks) {
    if (block.kind !== "tool") {
      passage.push(block);
      continue;
    }
    close();
    const state = block.state === "truncated" || block.state === "agent-callback" ? "success" : block.state;
    const output = block.state === "pending" ? newestOf(block.output) : "";
    parts.push({ tool: block.toolCallId, name: block.name, args: block.args, state, output });
  }
  close();
  return parts;
}

function joined(blocks: readonly Block[], kind: "text" | "thinking"): string {
  return blocks.flatMap((one) => (one.kind === kind && one.text !== "" ? [one.text] : [])).join("\n\n");
}

/** The transcript keeps only the end of long output, cut between two characters. */
function newestOf(output: string): string {
  return output
    .slice(-OUTPUT_SHOWN_MAX + 1)
    .toWellFormed()
    .replace(/^\uFFFD/, "");
}
