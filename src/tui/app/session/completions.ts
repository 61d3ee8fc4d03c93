/** What can be completed in the draft: members and files of the session, commands and their arguments. */
import { membersInOrder } from "../../../transcript/index.ts";
import { completeArguments } from "../../commands/complete-arguments.ts";
import { screenCommands } from "../../commands/registry.ts";
import type { Completion, CompletionSource } from "../../input/prompt.ts";
import { memberStatus } from "../chrome/member-status.ts";
import type { CommandScreen } from "../../commands/command.ts";
import type { ScreenOptions } from "../options.ts";

const FILES_MAX = 50;

/** Of a session that has not begun yet. */
export interface NewSessionSource extends Pick<ScreenOptions, "listFiles"> {
  readonly newMembers: () => readonly string[];
}

export function completionsOf(screen: CommandScreen, { newMembers, listFiles }: NewSessionSource): CompletionSource {
  return {
    members: () => memberCompletions(screen, newMembers()),
    async files(query) {
      if (screen.sessionId === undefined) return (await listFiles?.(query, FILES_MAX)) ?? [];
      const ack = await screen.command({ type: "list_files", query, limit: FILES_MAX });
      return ack.ok ? namesIn(ack.result) : [];
    },
    commands: () => screenCommands,
    commandArguments: (name, prefix) => completeArguments(screen, name, prefix),
  };
}

function memberCompletions({ transcript }: CommandScreen, newMembers: readonly string[]): Completion[] {
  const everyone: Completion = { value: "all", label: "all", description: "everyone at the table" };
  if (transcript === undefined) return [...newMembers.map((name) => ({ value: name, label: name })), everyone];
  const members = membersInOrder(transcript.head).map((member) => ({
    value: member.name,
    label: member.name,
    description: `${member.spec.kind} · ${memberStatus(member).word}`,
  }));
  return [...members, everyone];
}

function namesIn(result: unknown): string[] {
  const files = typeof result === "object" && result !== null && "files" in result ? result.files : result;
  return Array.isArray(files) ? files.filter((file) => typeof file === "string") : [];
}
