/** `sessions delete` and `sessions trash list | restore | empty`. Nothing is removed from the trash automatically. */
import { createInterface } from "node:readline/promises";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { TrashedSession } from "../../../protocol/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { jsonLine } from "../../ask/output.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { Failure, noteLine, usageFailure } from "../../../kit/failure.ts";
import { plural } from "../../../kit/text/format.ts";
import { noSuchSession, pickSession } from "../../sessions/find-session.ts";
import { localTime } from "../../terminal/format.ts";
import { note, stdout } from "../../terminal/stdout.ts";
import { withSession, withHost } from "../../sessions/with-session.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { addCommonOptions, SESSION } from "../options.ts";

type Flags = CommonFlags & { json?: boolean; yes?: boolean };

export const declareDelete: DeclareCommand = (command, run) => {
  command
    .argument("<id>", SESSION)
    .option("-y, --yes", "skip the confirmation")
    .addHelpText("after", examples(["roundtable sessions delete q5mgaw", "roundtable sessions delete q5mgaw --yes"]));
  addCommonOptions(command);
  command.action(async (id: string, flags: Flags) => run(flags, (all) => deleteSession(id, all)));
};

export const declareTrash: DeclareCommand = (command, run) => {
  const list = command.command("list").description("list deleted sessions, most recent first");
  list.option("--json", "one JSON array").addHelpText("after", examples(["roundtable sessions trash list"]));
  addCommonOptions(list);
  list.action(async (flags: Flags) => run(flags, listTrash));
  const restore = command.command("restore").description("restore a deleted session");
  restore.argument("<id>", SESSION).addHelpText("after", examples(["roundtable sessions trash restore q5mgaw"]));
  addCommonOptions(restore);
  restore.action(async (id: string, flags: Flags) => run(flags, (all) => restoreSession(id, all)));
  const empty = command.command("empty").description("permanently remove everything in the trash");
  empty
    .option("-y, --yes", "skip the confirmation")
    .addHelpText("after", examples(["roundtable sessions trash empty", "roundtable sessions trash empty --yes"]));
  addCommonOptions(empty);
  empty.action(async (flags: Flags) => run(flags, emptyTrash));
  command.addHelpText(
    "after",
    examples(["roundtable sessions trash list", "roundtable sessions trash restore q5mgaw"]),
  );
};

async function deleteSession(given: string, flags: Flags): Promise<ExitCode> {
  return await withSession(given, flags, async ({ client, sessionId }) => {
    const known = (await client.list()).find((one) => one.sessionId === sessionId);
    const title = terminalSafeLine(known?.title ?? "");
    if (!(await confirm(`Move session ${sessionId} "${title}" to the trash?`, flags))) return notDone();
    await client.deleteSession(sessionId);
    stdout.write(
      `${sessionId} was moved to the trash. To restore it: roundtable sessions trash restore ${sessionId}\n`,
    );
    return exitCodes.ok;
  });
}

async function listTrash(flags: Flags): Promise<ExitCode> {
  const trash = (await withHost(flags, ({ client }) => client.trash())) ?? [];
  if (flags.json === true) stdout.write(jsonLine(trash));
  else if (trash.length === 0) note(noteLine("the trash is empty"));
  else stdout.write(trash.map(line).join(""));
  return exitCodes.ok;
}

const IN_TRASH = { where: " in the trash", hint: "See roundtable sessions trash list" };

async function restoreSession(given: string, flags: Flags): Promise<ExitCode> {
  const restored = await withHost(flags, async ({ client }) => {
    const trash = await client.trash();
    const sessions = trash.map(({ summary }) => summary);
    const sessionId = pickSession(sessions, given, IN_TRASH);
    await client.restoreSession(sessionId);
    return sessionId;
  });
  if (restored === undefined) {
    throw noSuchSession(given, IN_TRASH);
  }
  stdout.write(`${restored} was restored.\n`);
  return exitCodes.ok;
}

/** Runs in this process: the protocol has no such command. */
async function emptyTrash(flags: Flags): Promise<ExitCode> {
  const removed = await withHost(flags, async ({ client, dataDir }) => {
    const trash = await client.trash();
    const which = trash.length === 1 ? "the session" : `all ${trash.length} sessions`;
    if (trash.length > 0 && !(await confirm(`Permanently delete ${which} in the trash?`, flags))) return "declined";
    const { emptyTrash: empty } = await import("../../../host/index.ts");
    await empty(
      dataDir,
      trash.map(({ summary }) => summary.sessionId),
    );
    return trash.length;
  });
  if (removed === "declined") return notDone();
  if (removed === undefined || removed === 0) note(noteLine("the trash is empty"));
  else stdout.write(`${plural(removed, "session")} permanently deleted.\n`);
  return exitCodes.ok;
}

const CANCELLED = "cancelled; nothing was changed";

function notDone(): ExitCode {
  note(noteLine(CANCELLED));
  return exitCodes.failure;
}

function line({ deletedTs, summary }: TrashedSession): string {
  const when = deletedTs === 0 ? "at an unknown time" : localTime(deletedTs);
  return `${summary.sessionId}  deleted ${when}  ${terminalSafeLine(summary.problem ?? summary.title)}\n`;
}

interface ConfirmOptions {
  readonly yes?: boolean;
  readonly input?: NodeJS.ReadableStream & { isTTY?: boolean };
  readonly output?: NodeJS.WritableStream & { isTTY?: boolean };
}

/** Asks on the terminal. True with --yes. Throws a Failure without a terminal, and on Ctrl+C and Ctrl+D. */
export async function confirm(question: string, options: ConfirmOptions): Promise<boolean> {
  const { yes = false, input = process.stdin, output = process.stderr } = options;
  if (yes) return true;
  if (input.isTTY !== true || output.isTTY !== true) {
    throw usageFailure("this command needs confirmation, and there is no terminal", "Add --yes to confirm");
  }
  const terminal = createInterface({ input, output });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    // Ctrl+C and Ctrl+D leave the cursor behind the question.
    output.write("\n");
    if (!(error instanceof Error) || error.name !== "AbortError") throw error;
    throw new Failure(exitCodes.interrupted, "interrupted", CANCELLED);
  } finally {
    terminal.close();
  }
}
