/**
 * Commands and their loading. A parent command knows only name and summary of its commands; the file with arguments,
 * options, help and behaviour is loaded when its command is named, so that start-up reads no other.
 */
import type { Command, CommanderError } from "commander";
import type { ExitCode } from "../../kit/exit-codes.ts";
import { usageFailure, type Failure } from "../../kit/failure.ts";
import { nearNames } from "../../kit/text/nearest-name.ts";
import type { CommonFlags } from "../flags.ts";
import { stdout } from "../terminal/stdout.ts";

export interface CommandEntry {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly load: () => Promise<DeclareCommand>;
}

/** Adds arguments, options, examples and the action. */
export type DeclareCommand = (command: Command, run: RunCommand) => void;

/** Runs the action with the options of the root command merged in, and sets the exit code. */
export type RunCommand = <Flags extends CommonFlags>(
  flags: Flags,
  work: (flags: Flags) => Promise<ExitCode> | ExitCode,
) => Promise<void>;

const loaders = new WeakMap<Command, () => Promise<void>>();

export function addCommands(parent: Command, entries: readonly CommandEntry[], run: RunCommand): void {
  for (const { name, alias, summary, load } of entries) {
    const command = parent.command(name).description(summary);
    if (alias !== undefined) command.alias(alias);
    loaders.set(command, async () => {
      const declare = await load();
      declare(command, run);
      finishDeclaration(command);
    });
  }
  parent.hook("preSubcommand", async (_, command) => await loadCommand(command));
}

async function loadCommand(command: Command): Promise<void> {
  const load = loaders.get(command);
  loaders.delete(command);
  await load?.();
}

/** For what describes all commands: completion scripts. */
export async function loadAllCommands(command: Command): Promise<void> {
  await loadCommand(command);
  for (const child of command.commands) await loadAllCommands(child);
}

/** Help commands, output and errors of a declared command and those below it. */
export function finishDeclaration(declared: Command): void {
  for (const command of everyCommand(declared)) {
    if (command.commands.length > 0) addHelpCommand(command);
    command
      .exitOverride((error) => refuse(command, error))
      .configureOutput({ writeOut: (text) => stdout.write(text), outputError: () => {} });
  }
}

/** Replaces commander's help command, which loads nothing and prints the parent's help for an unknown command. */
function addHelpCommand(parent: Command): void {
  const help = parent.helpCommand(false).command("help").description("show help for a command");
  help.argument("[command...]", "a command and its subcommand").action(async (names: string[]) => {
    let current = parent;
    for (const name of names) {
      const next = current.commands.find((command) => command.name() === name || command.aliases().includes(name));
      if (next === undefined) {
        throw usageFailure(`unknown command "${names.join(" ")}"`, `See ${fullName(current)} --help`);
      }
      await loadCommand(next);
      current = next;
    }
    current.outputHelp();
  });
}

function refuse(command: Command, error: CommanderError): never {
  if (error.exitCode === 0 || error.code === "commander.help") throw error;
  const [typed] = command.args;
  const isUnknown = ["commander.unknownCommand", "commander.excessArguments"].includes(error.code);
  if (isUnknown && typed !== undefined && command.commands.length > 0) throw unknownCommand(command, typed);
  if (error.code === "commander.unknownOption" && /'--server\b/.test(error.message)) throw worksHereOnly(command);
  throw usageFailure(error.message.replace(/^error: /, ""), `See ${fullName(command)} --help`);
}

/** For `--server` with a command that has no such option. */
export function worksHereOnly(command: Command): Failure {
  return usageFailure(`${command.name()} works on this machine only`, "Remove --server");
}

/** Commander does not suggest a subcommand where the command has an action of its own. */
function unknownCommand(command: Command, typed: string): Failure {
  const known = command.commands.flatMap((one) => [one.name(), ...one.aliases()]);
  const [meant] = nearNames(typed, known, { slipsMax: 2 });
  const hint = meant === undefined ? `See ${fullName(command)} --help` : `Did you mean ${fullName(command)} ${meant}?`;
  return usageFailure(`unknown command "${command.name()} ${typed}"`, hint);
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

export function* everyCommand(command: Command): Generator<Command> {
  yield command;
  for (const child of command.commands) yield* everyCommand(child);
}

/** For `addHelpText("after", …)`. */
export function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join("")}`;
}
