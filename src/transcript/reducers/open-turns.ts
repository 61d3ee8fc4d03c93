/**
 * Changes open turns and their blocks. A change is a function from turn to turn and is stored only here, so that a
 * delta copies the head once and nothing that grows with the session.
 */
import type { SessionEvent } from "../../protocol/index.ts";
import type { Transcript } from "../model.ts";
import type { Block, TurnMessage } from "../messages.ts";
import { findLive, replaceMessage } from "../pages.ts";
import { own } from "../record.ts";

export function openTurn(transcript: Transcript, turnId: string | undefined): TurnMessage | undefined {
  return turnId === undefined ? undefined : own(transcript.head.openTurns, turnId);
}

export function withOpenTurn(transcript: Transcript, turn: TurnMessage): Transcript {
  const { head, frozen, live } = transcript;
  return { head: { ...head, openTurns: { ...head.openTurns, [turn.turnId]: turn } }, frozen, live };
}

/** Stamps the event and applies it to its turn in one copy of the head. Without an open turn it only stamps. */
export function changeTurn<Event extends SessionEvent & { turnId: string }>(
  transcript: Transcript,
  event: Event,
  change: (turn: TurnMessage, event: Event) => TurnMessage,
): Transcript {
  const { head, frozen, live } = transcript;
  const { seq, epoch, ts, turnId } = event;
  const turn = own(head.openTurns, turnId);
  const changed = turn === undefined ? undefined : change(turn, event);
  const openTurns =
    changed === turn || changed === undefined ? head.openTurns : { ...head.openTurns, [turnId]: changed };
  return { head: { ...head, seq, epoch, updatedTs: ts, openTurns }, frozen, live };
}

export function addBlock(turn: TurnMessage, block: Block): TurnMessage {
  return { ...turn, blocks: [...turn.blocks, block] };
}

export function replaceBlock(turn: TurnMessage, index: number, block: Block): TurnMessage {
  const blocks = turn.blocks.slice();
  blocks[index] = block;
  return { ...turn, blocks };
}

type BlockOf<Kind extends Block["kind"]> = Extract<Block, { kind: Kind }>;

/**
 * Changes the newest matching block, in an open turn or in an ended one that is not frozen. Undefined when there is
 * none: answers may arrive after their turn has ended, or belong to no turn.
 */
export function changeBlock<Kind extends Block["kind"]>(
  transcript: Transcript,
  kind: Kind,
  test: (block: BlockOf<Kind>) => boolean,
  change: (block: BlockOf<Kind>) => BlockOf<Kind>,
): Transcript | undefined {
  const matches = (block: Block): block is BlockOf<Kind> => block.kind === kind && test(block as BlockOf<Kind>);
  const changed = (turn: TurnMessage): TurnMessage => {
    const index = turn.blocks.findLastIndex(matches);
    return replaceBlock(turn, index, change(turn.blocks[index] as BlockOf<Kind>));
  };
  const open = Object.values(transcript.head.openTurns).findLast((turn) => turn.blocks.some(matches));
  if (open !== undefined) return withOpenTurn(transcript, changed(open));
  const ended = findLive(
    transcript,
    (message): message is TurnMessage => message.kind === "turn" && message.blocks.some(matches),
  );
  return ended === undefined ? undefined : replaceMessage(transcript, ended.position, changed(ended));
}
