/**
 * A directory that is held open: what is done in it happens there, also when a name on the way to it is replaced by a
 * link meanwhile. Linux only; elsewhere the path is used as it is.
 */
import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { shown } from "./resolve-path.ts";
import { ToolError } from "./tool.ts";

/** `directory` is a real path; `work` gets a name of it that no link changes. */
export async function inDirectory<Value>(directory: string, work: (held: string) => Promise<Value>): Promise<Value> {
  if (process.platform !== "linux") return work(directory);
  const fd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const held = `/proc/self/fd/${fd}`;
    if (readlinkSync(held) !== directory) {
      throw new ToolError("tool_denied", `${shown(directory)} has become a link since the plan was made.`);
    }
    return await work(held);
  } finally {
    closeSync(fd);
  }
}
