/** A text may begin with a file as well as with a member, since `@` offers both: who is not known is looked for among files. */
import { unknownMentionIn } from "./addressing.ts";

/** Of the directory of the session, best first. */
export type FindFiles = (query: string, limit: number) => Promise<readonly string[]>;

/** As many as may stand before a directory's own. */
const CANDIDATES_MAX = 1_000;

/** The name at the beginning of the text that is a file or a directory and no member. Where files cannot be had it is none. */
export async function fileMentionIn(
  message: { readonly text: string; readonly to?: readonly string[] | undefined },
  known: readonly string[],
  find: FindFiles,
): Promise<string | undefined> {
  const name = unknownMentionIn(message, known);
  if (name === undefined) return undefined;
  const files = await find(name, CANDIDATES_MAX).catch(() => []);
  return files.some((file) => file === name || file.startsWith(`${name}/`)) ? name : undefined;
}
