/** What the user has pinned, with its words: for a member whose older turns are folded away. */
import type { Pinned } from "../../agents/index.ts";
import { turnText, type Message, type Page, type Transcript } from "../../transcript/index.ts";
import { loadText } from "../delivery/message-text.ts";
import type { SessionState } from "../state.ts";

/** In the order in which they were pinned. What cannot be read any more is left out; never rejects. */
export async function pinnedTexts(state: SessionState): Promise<Pinned[]> {
  const { transcript, log } = state.ledger;
  const wanted = new Set(transcript.head.pinned);
  const pinnedById = new Map<string, Pinned>();
  for await (const message of allMessages(transcript, (index) => log.snapshots.page(index))) {
    if (pinnedById.size === wanted.size) break;
    const id = idOf(message);
    if (id === undefined || !wanted.has(id)) continue;
    const pinned = await pinnedOf(state, message);
    if (pinned !== undefined) pinnedById.set(id, pinned);
  }
  return transcript.head.pinned.flatMap((id) => pinnedById.get(id) ?? []);
}

/** Newest first; a page that is not in memory is read from the snapshot. */
async function* allMessages(
  { frozen, live }: Transcript,
  read: (index: number) => Promise<unknown>,
): AsyncGenerator<Message, void, void> {
  for (const page of live.toReversed()) yield* page.messages.toReversed();
  for (let index = frozen.length - 1; index >= 0; index -= 1) {
    const page = frozen[index] ?? ((await read(index).catch(() => undefined)) as Page | undefined);
    yield* page?.messages.toReversed() ?? [];
  }
}

function idOf(message: Message): string | undefined {
  if (message.kind === "user") return message.messageId;
  return message.kind === "turn" ? message.turnId : undefined;
}

async function pinnedOf({ ledger }: SessionState, message: Message): Promise<Pinned | undefined> {
  if (message.kind === "turn") return { id: message.turnId, by: message.member, text: turnText(message) };
  if (message.kind !== "user") return undefined;
  const text = await loadText(ledger.log.blobs, message).catch(() => message.text);
  return { id: message.messageId, by: null, text };
}
