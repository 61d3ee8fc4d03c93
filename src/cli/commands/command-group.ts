/** What every group of commands is given, and the options that several of them have. */
import { Option, type Command } from "commander";
import type { CommonFlags } from "../args.ts";
import type { ExitCode } from "../../kit/exit-codes.ts";
import { collect, toCount, toDollars, toMinutes } from "./option-values.ts";

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

/** The options of the commands above, and those of the command itself, which win; keys of `--config` come together. */
export function withOptionsAbove<Flags extends CommonFlags>(above: CommonFlags, flags: Flags): Flags {
  const config = [...(above.config ?? []), ...(flags.config ?? [])];
  return { ...above, ...flags, ...(config.length === 0 ? {} : { config }) };
}

/** For commands that read the configuration. */
export function addConfigOption(command: Command): void {
  const about = "a key of the configuration, such as council.mode=sequential; may be given several times";
  command.option("--config <key=value>", about, collect);
}

const OF_A_QUESTION = {
  turns: "stop after so many turns of members, and exit with 6",
  usd: "stop at so many dollars, and exit with 6",
  time: "stop after this time, such as 10, 90s or 2h, and exit with 6",
};
const OF_A_SESSION = {
  turns: "a new session that pauses after so many turns for one message",
  usd: "a new session that pauses at so many dollars for one message",
  time: "a new session that pauses after this time for one message, such as 10, 90s or 2h",
};

/** Shorthands for keys of `council.limits`. */
export function addLimitOptions(command: Command, { isQuestion }: { isQuestion: boolean }): void {
  const { turns, usd, time } = isQuestion ? OF_A_QUESTION : OF_A_SESSION;
  command
    .option("--max-turns <number>", turns, toCount)
    .option("--max-budget-usd <amount>", usd, toDollars)
    .option("--max-time <minutes>", time, toMinutes);
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
