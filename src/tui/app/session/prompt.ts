/** The draft of the app, with what it completes, keeps and tells. */
import { createPrompt } from "../../input/create-prompt.ts";
import type { Prompt, PromptOptions } from "../../input/prompt.ts";
import { parseCommandLine } from "../../../kit/text/command-line.ts";
import { recipientsOf, formatRecipients } from "../../../transcript/index.ts";
import type { App } from "../app.ts";
import { completionsOf } from "./completions.ts";
import { openingLabel } from "../create-components.ts";
import { sendHeld } from "./send-held.ts";

export interface ScreenPromptOptions {
  /** Who would sit down in a session that has not begun. */
  readonly newMembers: () => readonly string[];
  readonly submit: PromptOptions["onSubmit"];
}

export function createScreenPrompt(app: App, { newMembers, submit }: ScreenPromptOptions): Prompt {
  const { history, drafts } = app.options.stores((text) => app.notify(text, "warn"));
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
    notify: (text) => app.notify(text, "warn"),
  });
}

/** Who gets the draft, where that is not plain: while members work, and when it names somebody. */
function recipientsLabel({ conversation, transcript }: App, text: string): string {
  if (parseCommandLine(text).kind === "command") return "";
  const recipients = recipientsOf(text, transcript);
  return conversation.isRunning || !recipients.isEveryone ? formatRecipients(recipients) : "";
}
