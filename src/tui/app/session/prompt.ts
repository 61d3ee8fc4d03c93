/** The draft with its completions, history and stored drafts. */
import { parseCommandLine } from "../../../kit/text/command-line.ts";
import { formatRecipients, membersInOrder, recipientsOf } from "../../../transcript/index.ts";
import type { CommandScreen } from "../../commands/command.ts";
import { screenCommands } from "../../commands/registry.ts";
import { completeArguments } from "../../commands/run-command.ts";
import { createPrompt } from "../../input/create-prompt.ts";
import type { Completion, CompletionSource, Prompt, PromptOptions } from "../../input/prompt.ts";
import type { AppContext } from "../app-context.ts";
import { memberStatus } from "../chrome/format.ts";
import { openingLabel } from "../create-components.ts";
import type { ScreenOptions } from "../options.ts";
import { sendHeld } from "./sending.ts";

const FILES_MAX = 50;

export interface ScreenPromptOptions {
  /** Members of a session that does not exist yet. */
  readonly newMembers: () => readonly string[];
  readonly submit: PromptOptions["onSubmit"];
}

export function createScreenPrompt(app: AppContext, { newMembers, submit }: ScreenPromptOptions): Prompt {
  const { history, drafts } = app.options.stores((text) => app.notify(text, "ask"));
  return createPrompt({
    tui: app.tui,
    theme: app.theme,
    keymap: app.keymap,
    clock: app.clock,
    completions: completionsOf(app, { ...app.options, newMembers }),
    history,
    drafts,
    isRunning: () => app.conversation.isRunning,
    onSubmit: submit,
    onBlank: () => void sendHeld(app).catch((error: unknown) => app.fail(error)),
    recipients: (text) => recipientsLabel(app, text),
    onTyped: () => app.requests.draftTyped(),
    placeholder: () =>
      app.sessionId !== undefined || openingLabel(app) !== undefined ? "" : "Ask everyone at the table …",
    notify: (text) => app.notify(text, "ask"),
  });
}

/** Recipients of the draft, when not obvious: while members work, and when it mentions someone. */
function recipientsLabel({ conversation, transcript }: AppContext, text: string): string {
  if (parseCommandLine(text).kind === "command") return "";
  const recipients = recipientsOf(text, transcript);
  return conversation.isRunning || !recipients.isEveryone ? formatRecipients(recipients) : "";
}

/** Completions for a session that does not exist yet. */
interface NewSessionSource extends Pick<ScreenOptions, "listFiles"> {
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
