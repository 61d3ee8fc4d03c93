/** `sessions rename`, `archive` and `unarchive`. */
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { granted } from "../../../protocol/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { usageFailure } from "../../../kit/failure.ts";
import { stdout } from "../../terminal/stdout.ts";
import { withSession } from "./with-session.ts";

const TITLE_CHARS_MAX = 200;

export async function renameSession(given: string, newTitle: string, flags: CommonFlags): Promise<ExitCode> {
  const title = newTitle.replaceAll(/\s+/g, " ").trim();
  if (title === "" || title.length > TITLE_CHARS_MAX) {
    throw usageFailure(`a title must have 1 to ${TITLE_CHARS_MAX} characters, this one has ${title.length}`);
  }
  return await withSession(given, flags, async ({ client, sessionId }) => {
    granted(await client.command(sessionId, { type: "rename", title }));
    stdout.write(`${sessionId} is now called "${terminalSafeLine(title)}".\n`);
    return exitCodes.ok;
  });
}

export async function archiveSession(given: string, flags: CommonFlags & { compress?: boolean }): Promise<ExitCode> {
  return await withSession(given, flags, async ({ client, sessionId }) => {
    const known = (await client.list()).find((one) => one.sessionId === sessionId);
    if (known?.archived !== true) granted(await client.command(sessionId, { type: "archive", archived: true }));
    if (flags.compress !== true) {
      stdout.write(`${sessionId} is archived.\n`);
      return exitCodes.ok;
    }
    const { plainBytes, bytes } = await client.compressSession(sessionId);
    stdout.write(`${sessionId} is archived; its log takes ${bytes} bytes instead of ${plainBytes}.\n`);
    return exitCodes.ok;
  });
}

export async function unarchiveSession(given: string, flags: CommonFlags): Promise<ExitCode> {
  return await withSession(given, flags, async ({ client, sessionId }) => {
    granted(await client.command(sessionId, { type: "archive", archived: false }));
    stdout.write(`${sessionId} is no longer archived.\n`);
    return exitCodes.ok;
  });
}
