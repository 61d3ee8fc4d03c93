/** What every group of commands is given, and the options that several of them have. */
import { Option, type Command } from "commander";
import type { CommonFlags } from "./args.ts";
import type { ExitCode } from "./exit-codes.ts";

export interface CommandGroup {
  readonly program: Command;
  readonly addCommonOptions: (command: Command) => void;
  /** Runs what the command does, with the options of the commands above it. */
  readonly run: <Flags extends CommonFlags>(
    flags: Flags,
    work: (flags: Flags) => Promise<ExitCode> | ExitCode,
  ) => Promise<void>;
}

export function addCommonOptions(command: Command): void {
  command
    .option("-C, --directory <dir>", "work in this directory")
    .option("--data-dir <dir>", "where sessions are kept")
    .addOption(new Option("--color <when>", "colour the output").choices(["auto", "always", "never"]));
}

const THEMES = [
  "auto",
  "dark",
  "light",
  "ansi",
  "high-contrast",
  "high-contrast-light",
  "colour-blind",
  "colour-blind-light",
  "none",
];

export function addThemeOption(command: Command): void {
  command.addOption(new Option("--theme <name>", "how the terminal app looks").choices(THEMES));
}

export function addReaderOption(command: Command): void {
  command.option("--screen-reader", "as plain lines that are only appended, for screen readers");
}
