/**
 * Runs a line that starts with a command. Nothing typed is lost: a line that could not run returns to the prompt when
 * it has arguments to correct. A bare name does not, since the next text would be appended to it and sent as a message.
 * Up recalls either.
 */
import { parseCommandLine } from "../../kit/text/command-line.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Completion } from "../input/prompt.ts";
import { type CommandScreen, type ScreenCommand, UnavailableError, UsageError } from "./command.ts";
import { nearNames } from "./arguments.ts";
import { commandNames, findCommand } from "./registry.ts";

const SHOWN_MAX = 100;

/** Characters of an unknown name that are repeated in the error. */
const NAME_SHOWN_MAX = 40;

export async function runCommandLine(screen: CommandScreen, text: string): Promise<"ran" | "not-a-command"> {
  const line = parseCommandLine(text);
  if (line.kind === "message") return "not-a-command";
  const command = findCommand(line.name);
  if (command === undefined) {
    if (line.args !== "") putBack(screen, text);
    screen.notify(noSuchCommand(line.name), "ask");
    return "ran";
  }
  try {
    await command.run(screen, line.args);
  } catch (error) {
    if (error instanceof UsageError && line.args !== "") putBack(screen, text);
    screen.notify(failureMessage(command, error), "bad");
  }
  return "ran";
}

/** A draft in progress is never replaced. */
function putBack(screen: CommandScreen, text: string): void {
  if (screen.prompt.text === "") screen.prompt.setText(text);
}

function noSuchCommand(name: string): string {
  const shown = terminalSafeLine(name.length > NAME_SHOWN_MAX ? `${name.slice(0, NAME_SHOWN_MAX)}…` : name);
  const near = nearNames(name, commandNames).map((one) => `/${one}`);
  const hint = near.length === 0 ? "/help lists all commands." : `Did you mean ${near.join(" or ")}?`;
  return `There is no command /${shown}. ${hint} To send it as a message, begin with a space.`;
}

function failureMessage(command: ScreenCommand, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) return `${message} Usage: ${command.usage}`;
  if (error instanceof UnavailableError) return message;
  return `/${command.name} failed: ${message}`;
}

/** Completions of a command's arguments; a value replaces everything after the name. Errors yield no completions. */
export async function completeArguments(
  screen: CommandScreen,
  name: string,
  prefix: string,
): Promise<readonly Completion[]> {
  try {
    const completions = await findCommand(name)?.complete?.(screen, prefix);
    return completions?.slice(0, SHOWN_MAX) ?? [];
  } catch {
    // The host may be offline while the user types; running the command will report it.
    return [];
  }
}
