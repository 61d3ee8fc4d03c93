/** Options that several commands share. */
import { Option, type Command } from "commander";
import type { CommonFlags } from "../flags.ts";
import { collect, toCount, toDollars, toMinutes, toNames, toRounds, toSeconds } from "./option-values.ts";

/** Descriptions of a session argument. */
export const SESSION = "session id, part of an id, or title";
export const SESSION_OR_LAST = `${SESSION} (default: the last session of this directory)`;

export function addCommonOptions(command: Command): void {
  command
    .option("-C, --directory <dir>", "work in this directory")
    .option("--data-dir <dir>", "directory where sessions are stored")
    .addOption(new Option("--color <when>", "colour the output").choices(["auto", "always", "never"]));
}

/** For commands that can work on a team's server instead of this machine. */
export function addServerOption(command: Command, { canStart = false } = {}): void {
  command.option("--server <url>", "work on a team's server that this machine is signed in to");
  if (canStart) command.option("--on <machine>", "with --server: where to work, as MACHINE or MACHINE:FOLDER");
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

export const EFFORT = "reasoning effort of all members (low, medium, high …), or NAME=LEVEL for one; repeatable";

export const ALLOW_UNGUARDED =
  "members allowed in a read-only session although nothing stops them from changing files, comma-separated";

const ALLOW = 'in a writable session: allow matching calls in this run, such as "shell: npm test*"; repeatable';

/** For one-shot questions. */
export function addAskOptions(command: Command): void {
  command
    .addOption(new Option("--output-format <format>", "output format").choices(["text", "json", "stream-json"]))
    .option("--json", "same as --output-format json")
    .option("--members <names>", "members of the new session, comma-separated", toNames)
    .option("--to <names>", "members to ask, comma-separated (default: all)", toNames)
    .option("-f, --file <path>", "attach a file; repeatable", collect)
    .option("--rounds <number>", "discussion rounds after the first answers (default: none)", toRounds)
    .option(
      "--timeout <seconds>",
      "stop after this time and exit with 3; also limits each turn of a new session",
      toSeconds,
    )
    .option(
      "-r, --resume [id]",
      "continue a session by id, part of an id, or title; without a value, pick one from a list",
    )
    .option("-c, --continue", "continue the last session of this directory")
    .option("--resume-last", "same as --continue")
    .option("--fork", "with --resume or -c: continue in a copy and leave the original unchanged")
    .option("-n, --name <title>", "title of the new session or the copy")
    .option("-m, --model <name>", "model of all members, or NAME=MODEL for one; repeatable", collect)
    .option("--effort <level>", EFFORT, collect)
    .option("--writable", "let members change files and run commands; a continued session stays writable")
    .option("--allow <rule>", ALLOW, collect)
    .option("--allow-unguarded <names>", ALLOW_UNGUARDED, toNames);
  addLimitOptions(command, { isQuestion: true });
  addConfigOption(command);
}
