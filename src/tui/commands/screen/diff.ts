/** What members say they have changed, newest last. */
import { isKnownEvent, type FileChange } from "../../../protocol/index.ts";
import type { ShownMessage } from "../../../transcript/index.ts";
import { refuseArguments, shownTranscript } from "../arguments.ts";
import type { ScreenCommand } from "../command.ts";
import { countAbsent, shownMessages } from "../shown-messages.ts";

interface Report {
  readonly member: string;
  readonly files: readonly FileChange[];
  readonly truncatedCount: number;
}

export const diff: ScreenCommand = {
  name: "diff",
  usage: "/diff",
  summary: "shows the changes that members reported",
  group: "view",
  run(screen, args) {
    refuseArguments(args);
    const transcript = shownTranscript(screen);
    const lines = shownMessages(transcript).flatMap((message) => reportsOf(message).flatMap(changeLines));
    if (lines.length === 0) return screen.notify("No member has reported a change.");
    const absent = countAbsent(transcript);
    screen.showDiff("Changes", absent === 0 ? lines : [`${absent} older messages are not loaded.`, "", ...lines]);
  },
};

/** Of a turn, or on its own when no turn was open. */
function reportsOf(message: ShownMessage): Report[] {
  if (message.kind === "turn") {
    const { member } = message;
    return message.blocks
      .filter((block) => block.kind === "changes")
      .map(({ files, truncatedCount }) => ({ member, files, truncatedCount }));
  }
  if (message.kind === "user" || !isKnownEvent(message.event) || message.event.type !== "change_report") return [];
  const { member = "a member", files, truncatedCount } = message.event;
  return [{ member, files, truncatedCount }];
}

function changeLines({ member, files, truncatedCount }: Report): string[] {
  return [
    `${member} changed ${files.length + truncatedCount} ${files.length + truncatedCount === 1 ? "file" : "files"}`,
    ...files.flatMap((file) => [
      `${file.status} ${file.path}${formatCounts(file)}`,
      ...(file.diff === undefined ? [] : file.diff.replace(/\n$/, "").split("\n")),
    ]),
    ...(truncatedCount === 0 ? [] : [`… and ${truncatedCount} more that were not reported`]),
    "",
  ];
}

function formatCounts({ added, removed }: { added?: number | undefined; removed?: number | undefined }): string {
  return added === undefined && removed === undefined ? "" : ` (+${added ?? 0} −${removed ?? 0})`;
}
