/**
 * The session's folder, and paths inside it as clients name them. Nothing outside the folder and nothing of git's own
 * files can be named, and no link is followed.
 */
import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { RoundtableError } from "../../protocol/index.ts";

const PATH_CHARS_MAX = 4_096;

/** Real path of the folder. Rejects with "unsupported" when it is gone. */
export async function resolveFolder(cwd: string): Promise<string> {
  try {
    return await realpath(cwd);
  } catch (cause) {
    throw new RoundtableError("unsupported", `This session's folder cannot be read: ${cwd}`, { cause });
  }
}

/** Relative, with `/`; "" is the folder itself. Throws "bad_command" for anything that is not inside. */
export function insidePath(given: string, { cwd, root }: { cwd: string; root: string }): string {
  if (given.length > PATH_CHARS_MAX || /[\0\n\r]/.test(given)) throw refuse("The path is not valid.");
  const base = [cwd, root].find((folder) => given === folder || given.startsWith(`${folder}/`));
  const relative = base === undefined ? given : given.slice(base.length + 1);
  if (isAbsolute(relative) || relative.includes("\\")) throw refuse("The path is outside the session's folder.");
  const segments = relative.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) throw refuse("The path is outside the session's folder.");
  if (segments.some(isGitName)) throw refuse("Git's own files are not shown.");
  return segments.join("/");
}

/** As seen by file systems that ignore case or trailing characters. */
function isGitName(segment: string): boolean {
  return /^(?:\.git[. ]*|git~\d+)$/i.test(segment.normalize("NFKC").replaceAll(/\p{Cf}/gu, ""));
}

/** Whether the directory of a path is what its name says, with no link on the way. */
export async function isReached(root: string, path: string): Promise<boolean> {
  const directory = dirname(join(root, path));
  return await realpath(directory).then(
    (real) => real === directory,
    () => false,
  );
}

function refuse(message: string): RoundtableError {
  return new RoundtableError("bad_command", message);
}
