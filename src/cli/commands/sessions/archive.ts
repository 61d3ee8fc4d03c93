/** `sessions rename`, `archive` and `unarchive`. */
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { granted } from "../../../protocol/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { usageFailure } from "../../../kit/failure.ts";
import { stdout } from "../../terminal/stdout.ts";
import { withSession } from "../../sessions/with-session.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { addCommonOptions, addServerOption, SESSION } from "../options.ts";

export const declareRename: DeclareCommand = (command, run) => {
  command
    .argument("<id>", SESSION)
    .argument("<title...>", "the new title")
    .addHelpText("after", examples(["roundtable sessions rename q5mgaw The parser, once more"]));
  addServerOption(command);
  addCommonOptions(command);
  command.action(async (id: string, title: string[], flags: CommonFlags) =>
    run(flags, (all) => renameSession(id, title.join(" "), all)),
  );
};

type ArchiveFlags = CommonFlags & { compress?: boolean };

export const declareArchive: DeclareCommand = (command, run) => {
  command
    .argument("<id>", SESSION)
    .option("--compress", "also compress its log; it can still be listed, opened and searched")
    .addHelpText(
      "after",
      examples(["roundtable sessions archive q5mgaw", "roundtable sessions archive q5mgaw --compress"]),
    );
  addServerOption(command);
  addCommonOptions(command);
  command.action(async (id: string, flags: ArchiveFlags) => run(flags, (all) => archiveSession(id, all)));
};

export const declareUnarchive: DeclareCommand = (command, run) => {
  command.argument("<id>", SESSION).addHelpText("after", examples(["roundtable sessions unarchive q5mgaw"]));
  addServerOption(command);
  addCommonOptions(command);
  command.action(async (id: string, flags: CommonFlags) => run(flags, (all) => unarchiveSession(id, all)));
};

const TITLE_CHARS_MAX = 200;

async function renameSession(given: string, newTitle: string, flags: CommonFlags): Promise<ExitCode> {
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

async function archiveSession(given: string, flags: ArchiveFlags): Promise<ExitCode> {
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

async function unarchiveSession(given: string, flags: CommonFlags): Promise<ExitCode> {
  return await withSession(given, flags, async ({ client, sessionId }) => {
    granted(await client.command(sessionId, { type: "archive", archived: false }));
    stdout.write(`${sessionId} is no longer archived.\n`);
    return exitCodes.ok;
  });
}
