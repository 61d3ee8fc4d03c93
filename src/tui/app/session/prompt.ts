/** The draft with its completions, history and stored drafts. */
import { membersInOrder } from "../../../transcript/index.ts";
import type { CommandScreen } from "../../commands/command.ts";
import { screenCommands } from "../../commands/registry.ts";
import { completeArguments } from "../../commands/run-command.ts";
import { createPrompt } from "../../input/create-prompt.ts";
import type { Completion, CompletionSource, Prompt, PromptOptions } from "../../input/prompt.ts";
import type { AppContext } from "../app-context.ts";
import { memberStatus } from "../chrome/format.ts";
import { openingLabel, screenRule } from "../create-components.ts";
import type { ScreenOptions } from "../options.ts";
import { ROWS_WITH_LOWER_RULE } from "../screen/layout.ts";
import { sendHeld } from "./sending.ts";

const FILES_MAX = 50;

export function createScreenPrompt(app: AppContext, submit: PromptOptions["onSubmit"]): Prompt {
  const { history, drafts } = app.options.stores((text) => app.notify(text, "ask"));
  return createPrompt({
    tui: app.tui,
    theme: app.theme,
    keymap: app.keymap,
    clock: app.clock,
    completions: completionsOf(app, app.options),
    history,
    drafts,
    isRunning: () => app.conversation.isRunning,
    onSubmit: submit,
    onBlank: () => void sendHeld(app).catch((error: unknown) => app.fail(error)),
    rule: (text, width) => screenRule(app, text, width),
    hasLowerRule: () => app.tui.terminal.rows >= ROWS_WITH_LOWER_RULE,
    onChange: () => app.requests.reconsider(),
    placeholder: () => placeholderOf(app),
    hasFocus: () => app.log.focused === undefined,
    notify: (text) => app.notify(text, "ask"),
  });
}

function placeholderOf(app: AppContext): string {
  const { transcript, conversation } = app;
  if (conversation.host !== undefined && app.connection.state !== "online") {
    return "Keep typing; it is sent when the connection is back";
  }
  if (app.log.focused !== undefined) return "Esc brings you back here";
  if (transcript === undefined) return openingLabel(app) === undefined ? askAnything(app, { isNew: true }) : "";
  const { head } = transcript;
  if (conversation.isRunning) {
    const { working } = app.addressing.recipients("", transcript);
    return `Add something while ${working.length === 1 ? `${working[0]} works` : "they work"}`;
  }
  if (head.council.state === "paused") return "A new message goes first; /continue sends what is held";
  if (head.queue.length > 0) return "A new message goes first; Enter sends what is held";
  return head.latestUser === undefined ? askAnything(app, { isNew: false }) : "Reply to everyone, or @name";
}

/** "Ask anything about tidepool, or press 1, 2 or 3". */
function askAnything({ repository: { directory, welcome } }: AppContext, { isNew }: { isNew: boolean }): string {
  const name = directory?.path.split("/").at(-1) ?? "";
  const ask = name === "" || name === "~" ? "Ask anything" : `Ask anything about ${name}`;
  const count = isNew ? (welcome?.questions.length ?? 0) : 0;
  const keys = ["", ", or press 1", ", or press 1 or 2", ", or press 1, 2 or 3"][count] ?? "";
  return ask + keys;
}

export function completionsOf(
  screen: CommandScreen,
  { listFiles }: Pick<ScreenOptions, "listFiles">,
): CompletionSource {
  return {
    members: () => memberCompletions(screen),
    async files(query) {
      if (screen.sessionId === undefined) return (await listFiles?.(query, FILES_MAX)) ?? [];
      const ack = await screen.command({ type: "list_files", query, limit: FILES_MAX });
      return ack.ok ? namesIn(ack.result) : [];
    },
    commands: () => screenCommands,
    commandArguments: (name, prefix) => completeArguments(screen, name, prefix),
  };
}

function memberCompletions({ transcript, planned }: CommandScreen): Completion[] {
  const everyone: Completion = { value: "all", label: "all", description: "everyone" };
  if (transcript === undefined) {
    const coming = planned?.members ?? [];
    return [...coming.map(({ name, kind }) => ({ value: name, label: name, description: kind })), everyone];
  }
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
