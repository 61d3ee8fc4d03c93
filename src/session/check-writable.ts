/** Directories that are too broad for a writable session. */
import { RoundtableError } from "../protocol/index.ts";

/** Why a session in this directory must stay read-only; undefined when it may be writable. */
export type WhyNotWritable = (cwd: string) => string | undefined;

export function checkWritable(cwd: string, whyNotWritable: WhyNotWritable | undefined): void {
  const why = whyNotWritable?.(cwd);
  if (why === undefined) return;
  throw new RoundtableError("bad_command", why, {
    hint:
      "Start a session in the directory of one project, for example with roundtable -C DIR. " +
      'With "sandbox": "off" in your own configuration it can be writable here, and nothing is protected.',
  });
}
