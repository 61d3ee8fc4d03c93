/** `council status`: status and process of every member for the last message. */
import { findMemberProcesses, type MemberProcess } from "../../../agents/index.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { roundLine, type Head, type Transcript } from "../../../transcript/index.ts";
import type { CommonFlags } from "../../flags.ts";
import { jsonLine } from "../../ask/output.ts";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { readTranscript } from "../../../client/index.ts";
import { stdout } from "../../terminal/stdout.ts";
import { alignColumns } from "../../terminal/format.ts";
import { withSession } from "../../sessions/with-session.ts";
import { councilStatus, type MemberStatus } from "./member-status.ts";
import { examples, type DeclareCommand } from "../command.ts";
import { addCommonOptions, SESSION_OR_LAST } from "../options.ts";

interface MemberRow extends MemberStatus {
  readonly pid: number | null;
}

type StatusFlags = CommonFlags & { json?: boolean };

export const declareStatus: DeclareCommand = (command, run) => {
  command.argument("[id]", SESSION_OR_LAST).option("--json", "print JSON");
  addCommonOptions(command);
  command.addHelpText(
    "after",
    examples(["roundtable council status", "roundtable council status --json | jq .members"]),
  );
  command.action(async (id: string | undefined, flags: StatusFlags) => run(flags, (all) => councilState(id, all)));
};

async function councilState(given: string | undefined, flags: StatusFlags): Promise<ExitCode> {
  return await withSession(
    given,
    flags,
    async ({ client, sessionId, dataDir }) => {
      const transcript = await readTranscript(client, sessionId);
      const { question, members } = councilStatus(transcript, Date.now());
      const processes = findMemberProcesses(dataDir, sessionId);
      const rows = members.map((row): MemberRow =>
        Object.assign({ pid: pidOf(transcript.head, row.member, processes) }, row),
      );
      if (flags.json === true) {
        const { council, round, title } = transcript.head;
        const message = question === undefined ? null : { message_id: question.messageId, text: question.text };
        const facts = { session_id: sessionId, title, council: council.state, round: round?.number ?? null, message };
        stdout.write(jsonLine({ ...facts, members: rows }));
        return exitCodes.ok;
      }
      stdout.write(`${summary(transcript)}\n${formatMembers(rows)}`);
      return exitCodes.ok;
    },
    { isReader: true },
  );
}

/** Codex members share one process, named after the program. */
function pidOf(head: Head, member: string, processes: readonly MemberProcess[]): number | null {
  const shared = head.members[member]?.spec.kind === "codex" ? "codex" : undefined;
  return processes.find((one) => one.member === member || one.member === shared)?.pid ?? null;
}

function summary({ head }: Transcript): string {
  const state = head.council.message ?? roundLine(head) ?? "no discussion yet";
  const queue = head.queue.length === 0 ? "" : ` · ${head.queue.length} in the queue`;
  return terminalSafeLine(`${head.sessionId}  ${head.title}: ${state}${queue}`);
}

function formatMembers(rows: readonly MemberRow[]): string {
  return alignColumns([
    ["MEMBER", "STATE", "ROUND", "TIME", "PID", "WHY"],
    ...rows.map((row) => [
      row.member,
      row.state.replace("_", " "),
      row.round === null ? "-" : String(row.round),
      row.duration_ms === null ? "-" : `${(row.duration_ms / 1000).toFixed(1)} s`,
      row.pid === null ? "-" : String(row.pid),
      row.reason ?? "",
    ]),
  ]);
}
