/**
 * Validates the first message before the session is created, so that a rejected message does not leave an empty session.
 */

/** Shorter texts without a mention are always valid. */
const PLAIN_CHARS_MAX = 64 * 1024;

/** Throws like the session. */
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
