/**
 * Messages of a session in order, nested and with complete texts; pages are dropped from the fold once they were
 * emitted.
 */
import { dropFrozenPages, empty, fold, resolveMessage, type Page, type Transcript } from "../../transcript/index.ts";
import { createFlow, type FlowItem } from "./flow.ts";
import type { ExportSource } from "./export-source.ts";

export async function* flowOf(source: ExportSource): AsyncGenerator<FlowItem, void, void> {
  const flow = createFlow();
  let transcript: Transcript = empty(source.head.sessionId);
  let emittedPages = 0;

  function* items(pages: readonly (Page | undefined)[]): Generator<FlowItem, void, void> {
    for (const page of pages) {
      for (const message of page?.messages ?? []) yield* flow.push(resolveMessage(transcript.head, message));
    }
  }

  for await (const events of source.events()) {
    transcript = fold(transcript, events);
    const fresh = transcript.frozen.slice(emittedPages);
    emittedPages = transcript.frozen.length;
    for (const item of items(fresh)) yield await whole(source, item);
    transcript = dropFrozenPages(transcript, 0);
  }
  for (const item of items(transcript.live)) yield await whole(source, item);
  for (const item of flow.end()) yield await whole(source, item);
}

/** With its complete text, if it was too long for an event. */
async function whole(source: ExportSource, item: FlowItem): Promise<FlowItem> {
  if (item.kind !== "user" || item.message.textBlob === undefined) return item;
  const text = await wholeText(source, item.message);
  return { kind: "user", message: { ...item.message, text } };
}

export async function wholeText(
  source: Pick<ExportSource, "blob">,
  { text, textBlob }: { readonly text: string; readonly textBlob?: { sha256: string; bytes: number } | undefined },
): Promise<string> {
  if (textBlob === undefined) return text;
  const bytes = await source.blob(textBlob.sha256);
  if (bytes !== undefined) return Buffer.from(bytes).toString("utf8");
  return `${text}\n\n(The rest is no longer stored; the whole message has ${textBlob.bytes} bytes.)`;
}
