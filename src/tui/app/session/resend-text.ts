/** A message of the user as it has to stand in the draft to be sent again. */
import type { BlobRef } from "../../../protocol/index.ts";
import type { ScreenOptions } from "../options.ts";

export interface SentMessage {
  readonly text: string;
  readonly textBlob?: BlobRef | undefined;
}

/** Of a long text an event holds the beginning only. Undefined when the rest cannot be had. */
export async function wholeText(
  { text, textBlob }: SentMessage,
  { sessionId, readText }: { readonly sessionId: string | undefined; readonly readText: ScreenOptions["readText"] },
): Promise<string | undefined> {
  if (textBlob === undefined) return text;
  return sessionId === undefined ? undefined : await readText?.(sessionId, textBlob.sha256);
}

/** Without it, what was meant for one member would go to everyone when it is sent again. */
export function mentionPrefix(names: readonly string[]): string {
  return names.map((name) => `@${name} `).join("");
}
