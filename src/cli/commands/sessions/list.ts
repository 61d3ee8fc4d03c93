/** `sessions list` and `sessions show`; read-only. */
import type { SessionSummary } from "../../../protocol/index.ts";
import { shortId, shortIdLength } from "../../../kit/short-id.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { loadedMessages } from "../../../transcript/index.ts";
import { jsonLine } from "../../ask/output.ts";
import type { CommonFlags } from "../../flags.ts";
import { colourStyle, plainStyle, wantsColour } from "../../terminal/colours.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { noteLine } from "../../../kit/failure.ts";
import { localTime } from "../../terminal/format.ts";
import { TranscriptPrinter } from "../../print/transcript-printer.ts";
import { hasDirectory } from "../../sessions/directory.ts";
import { readTranscript } from "../../../client/index.ts";
import { note, stdout } from "../../terminal/stdout.ts";
import { withHost, withSession } from "../../sessions/with-session.ts";
import { largest } from "../../../kit/largest.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { addCommonOptions, addServerOption, SESSION } from "../options.ts";

type Flags = CommonFlags & { json?: boolean };

export const declareList: DeclareCommand = (command, run) => {
  command
    .option("--json", "one JSON array")
    .addHelpText(
      "after",
      examples([
        "roundtable sessions list",
        "roundtable sessions list --json | jq '.[0]'",
        "roundtable sessions list --server https://team.example.org",
      ]),
    );
  addServerOption(command);
  addCommonOptions(command);
  command.action(async (flags: Flags) => run(flags, listSessions));
};

export const declareShow: DeclareCommand = (command, run) => {
  command
    .argument("<id>", SESSION)
    .option("--json", "print the messages as JSON")
    .addHelpText("after", examples(["roundtable sessions show q5mgaw", "roundtable sessions show q5mgaw --json"]));
  addServerOption(command);
  addCommonOptions(command);
  command.action(async (id: string, flags: Flags) => run(flags, (all) => showSession(id, all)));
};

/** With `cwd`, only sessions of this directory. */
export async function listSessions(flags: Flags & { cwd?: string }): Promise<ExitCode> {
  const sessions = (await withHost(flags, ({ client }) => client.list(), { isReader: true })) ?? [];
  const wanted = sessions.filter((one) => flags.cwd === undefined || one.cwd === flags.cwd);
  const newestFirst = wanted.sort((a, b) => b.updatedTs - a.updatedTs);
  if (flags.json === true) {
    stdout.write(jsonLine(newestFirst));
    return exitCodes.ok;
  }
  if (newestFirst.length === 0)
    note(
      flags.server === undefined
        ? noteLine("there are no sessions yet", 'Start one: roundtable -p "Where is the parser?"')
        : noteLine("there are no sessions that you may read there"),
    );
  else stdout.write(formatSessions(newestFirst, stdout.isTty ? process.stdout.columns : undefined));
  return exitCodes.ok;
}

async function showSession(given: string, flags: Flags): Promise<ExitCode> {
  const { transcript, seenAs } = await withSession(
    given,
    flags,
    async ({ client, sessionId, seenAs: read }) => ({
      transcript: await readTranscript(client, sessionId),
      seenAs: await read?.(sessionId),
    }),
    { isReader: true },
  );
  if (flags.json === true) {
    stdout.write(jsonLine({ head: transcript.head, messages: [...loadedMessages(transcript)] }));
    return exitCodes.ok;
  }
  const style = wantsColour(flags.color ?? "auto", process.env, stdout.isTty) ? colourStyle : plainStyle;
  const printer = new TranscriptPrinter({ write: (text) => stdout.write(text), style, seenAs, wants: () => true });
  printer.finish(transcript);
  return exitCodes.ok;
}

/** The title is the last column: it may contain wide characters, and only it is truncated. */
function formatSessions(sessions: readonly SessionSummary[], columns: number | undefined): string {
  const idLength = shortIdLength(sessions.map((one) => one.sessionId));
  // Many sessions share few directories. Those of other machines are not here.
  const here = new Set(sessions.flatMap(({ at, cwd }) => (at === undefined ? [cwd] : [])));
  const lost = new Set([...here].filter((cwd) => cwd !== "" && !hasDirectory(cwd)));
  const isTeam = sessions.some(({ at }) => at !== undefined);
  const rows = [
    ["ID", "UPDATED", "STATUS", ...(isTeam ? ["PERSON", "MACHINE"] : []), "TURNS", "MEMBERS", "TITLE"],
    ...sessions.map((one) => [
      shortId(one.sessionId, idLength),
      localTime(one.updatedTs),
      one.problem !== undefined ? "damaged" : one.archived ? "archived" : one.status,
      ...(isTeam ? [terminalSafeLine(one.at?.person ?? ""), formatMachine(one)] : []),
      String(one.turns),
      one.members.join(",") || "-",
      terminalSafeLine(formatTitle(one, lost)),
    ]),
  ];
  const columnsBefore = (rows[0]?.length ?? 1) - 1;
  const widths = Array.from({ length: columnsBefore }, (_, at) => largest(rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .map((line) =>
      columns !== undefined && line.length > columns ? `${line.slice(0, Math.max(1, columns - 1))}…` : line,
    )
    .map((line) => `${line}\n`)
    .join("");
}

function formatMachine({ at }: SessionSummary): string {
  return `${terminalSafeLine(at?.runner ?? "")}${at?.isConnected === false ? " (away)" : ""}`;
}

/** Title, followed by problems of the session. */
function formatTitle({ title, problem, cwd }: SessionSummary, lost: ReadonlySet<string>): string {
  const problems = [...(problem === undefined ? [] : [problem]), ...(lost.has(cwd) ? ["its directory is gone"] : [])];
  return problems.length === 0 ? title : `${title} (${problems.join("; ")})`.trimStart();
}
