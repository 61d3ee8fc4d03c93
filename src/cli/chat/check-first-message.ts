/**
 * A session begins with its first message, so a message that would be refused must not make one: what is asked here
 * before is what the session itself would ask.
 */

/** Shorter texts without a mention are never refused for what they are. */
const PLAIN_CHARS_MAX = 64 * 1024;

/** Throws as the session would. */
export async function checkFirstMessage(
  text: string,
  members: readonly string[],
  findFiles: (query: string, limit: number) => Promise<readonly string[]> = async () => [],
): Promise<void> {
  if (text.length <= PLAIN_CHARS_MAX && !/^\s*@/.test(text)) return;
  const { addressOf, checkTextSize, fileMentionIn } = await import("../../session/index.ts");
  checkTextSize(text);
  addressOf({ text }, members, await fileMentionIn({ text }, members, findFiles));
}
