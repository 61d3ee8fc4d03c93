/**
 * Runs a line that begins with a command. Nothing typed is lost: a line that could not be run goes back into the prompt
 * when it has arguments to correct. A bare name does not: what is typed next would be appended to it and sent as a
 * message. Up brings back either.
 */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { UsageError, type CommandScreen, type ScreenCommand } from "./command.ts";
import { nearNames } from "./near-names.ts";
import { parseCommandLine } from "../../kit/text/command-line.ts";
import { commandNames, findCommand } from "./registry.ts";

/** Of an unknown name, this much is repeated. */
const NAME_SHOWN_MAX = 40;

export async function runCommandLine(screen: CommandScreen, text: string): Promise<"ran" | "not-a-command"> {
  const line = parseCommandLine(text);
  if (line.kind === "message") return "not-a-command";
  const command = findCommand(line.name);
  if (command === undefined) {
    if (line.args !== "") putBack(screen, text);
    screen.notify(noSuchCommand(line.name), "warn");
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

/** What somebody is writing already is worth more than what was sent. */
function putBack(screen: CommandScreen, text: string): void {
  if (screen.prompt.text === "") screen.prompt.setText(text);
}

function noSuchCommand(name: string): string {
  const shown = terminalSafeLine(name.length > NAME_SHOWN_MAX ? `${name.slice(0, NAME_SHOWN_MAX)}…` : name);
  const near = nearNames(name, commandNames).map((one) => `/${one}`);
  const hint = near.length === 0 ? "/help lists them" : `nearest: ${near.join(", ")}`;
  return `There is no command /${shown}; ${hint}. With a space before it, it is sent as a message.`;
}

function failureMessage(command: ScreenCommand, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) return `${message} Usage: ${command.usage}`;
  return `/${command.name} failed: ${message}`;
}
