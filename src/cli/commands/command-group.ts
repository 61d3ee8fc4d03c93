/** Shared context and options of the commands. */
import { Option, type Command } from "commander";
import type { CommonFlags } from "../flags.ts";
import type { ExitCode } from "../../kit/exit-codes.ts";
import { collect, toCount, toDollars, toMinutes } from "./option-values.ts";

export interface CommandGroup {
  readonly program: Command;
  readonly addCommonOptions: (command: Command) => void;
  /** Runs the action with the options of its parent commands merged in. */
  readonly run: <Flags extends CommonFlags>(
    flags: Flags,
    work: (flags: Flags) => Promise<ExitCode> | ExitCode,
  ) => Promise<void>;
}

export function addCommonOptions(command: Command): void {
  command
    .option("-C, --directory <dir>", "work in this directory")
    .option("--data-dir <dir>", "directory where sessions are stored")
    .addOption(new Option("--color <when>", "colour the output").choices(["auto", "always", "never"]));
}

/** Options of parent commands, overridden by those of the command; `--config` keys are concatenated. */
export function withOptionsAbove<Flags extends CommonFlags>(above: CommonFlags, flags: Flags): Flags {
  const config = [...(above.config ?? []), ...(flags.config ?? [])];
  return { ...above, ...flags, ...(config.length === 0 ? {} : { config }) };
}

/** For commands that read the configuration. */
export function addConfigOption(command: Command): void {
  const about = "set a configuration key, such as council.mode=sequential; repeatable";
  command.option("--config <key=value>", about, collect);
}

const OF_A_QUESTION = {
  turns: "stop after this many member turns and exit with 6",
  usd: "stop at this many US dollars and exit with 6",
  time: "stop after this time, such as 10, 90s or 2h, and exit with 6",
};
const OF_A_SESSION = {
  turns: "start a new session that pauses after this many turns per message",
  usd: "start a new session that pauses at this many US dollars per message",
  time: "start a new session that pauses after this time per message, such as 10, 90s or 2h",
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
  command.addOption(new Option("--theme <name>", "theme of the terminal app").choices(THEMES));
}

export function addReaderOption(command: Command): void {
  command.option("--screen-reader", "print plain, append-only lines for screen readers");
}
