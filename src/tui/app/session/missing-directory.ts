/** A session may be opened long after the directory it is about has gone; then whoever opens it is told. */
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { Transcript } from "../../../transcript/index.ts";
import type { ScreenOptions } from "../options.ts";

export function missingDirectoryWarning(
  { hasDirectory }: Pick<ScreenOptions, "hasDirectory">,
  transcript: Transcript | undefined,
): string | undefined {
  if (transcript === undefined || transcript.head.cwd === "") return undefined;
  if (hasDirectory?.(transcript.head.cwd) !== false) return undefined;
  const cwd = terminalSafeLine(transcript.head.cwd);
  return `The directory of this session is not there any more: ${cwd}. Members cannot work in it until it is back.`;
}
