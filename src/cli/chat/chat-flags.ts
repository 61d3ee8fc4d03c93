/**
 * Question options given to the terminal app. Options of a new session start one; options of a single question are
 * rejected: silently ignored, they would start, and bill, other members than the user asked for.
 */
import type { AskFlags } from "../flags.ts";
import type { Setting } from "../config/environment.ts";
import { isGroup } from "../config/flat-settings.ts";
import { usageFailure } from "../../kit/failure.ts";

export type QuestionFlags = Pick<
  AskFlags,
  | "allow"
  | "allowUnguarded"
  | "file"
  | "fork"
  | "model"
  | "effort"
  | "to"
  | "rounds"
  | "outputFormat"
  | "json"
  | "members"
  | "name"
  | "timeout"
  | "writable"
  | "config"
  | "maxTurns"
  | "maxBudgetUsd"
  | "maxTime"
>;

interface Named {
  readonly flag: keyof QuestionFlags;
  readonly option: string;
  /** The alternative in the terminal app. */
  readonly hint: string;
}

const OF_A_QUESTION: readonly Named[] = [
  { flag: "to", option: "--to", hint: "In the terminal app, start a message with @NAME to ask one member" },
  {
    flag: "rounds",
    option: "--rounds",
    hint: "In the terminal app, set council.auto_rounds or use /round",
  },
  {
    flag: "allow",
    option: "--allow",
    hint: "In the terminal app you are asked; set approvals.allow to allow it always",
  },
  {
    flag: "allowUnguarded",
    option: "--allow-unguarded",
    hint: "In the terminal app you are asked; set agents.NAME.unguarded to allow it always",
  },
  { flag: "fork", option: "--fork", hint: "In the terminal app, use /fork" },
  { flag: "model", option: "-m", hint: "In the terminal app, use /model" },
  { flag: "effort", option: "--effort", hint: "In the terminal app, use /effort" },
  { flag: "outputFormat", option: "--output-format", hint: "Ask with -p TEXT" },
  { flag: "json", option: "--json", hint: "Ask with -p TEXT; --list --json prints the sessions" },
];

const OF_A_NEW_SESSION: readonly Named[] = [
  { flag: "members", option: "--members", hint: "Remove one of them" },
  { flag: "name", option: "--name", hint: "Use /rename to change the title of a session" },
  { flag: "timeout", option: "--timeout", hint: "Remove one of them" },
  { flag: "writable", option: "--writable", hint: "Use /writable on in an existing session" },
  { flag: "config", option: "--config", hint: "Remove one of them" },
  { flag: "maxTurns", option: "--max-turns", hint: "With -p it also applies to a continued session" },
  { flag: "maxBudgetUsd", option: "--max-budget-usd", hint: "With -p it also applies to a continued session" },
  { flag: "maxTime", option: "--max-time", hint: "With -p it also applies to a continued session" },
];

/** Throws a Failure for options of a single question. */
export function refuseQuestionOptions(flags: QuestionFlags): void {
  const given = OF_A_QUESTION.find(({ flag }) => flags[flag] !== undefined);
  if (given !== undefined) throw usageFailure(`${given.option} only applies to a question with -p`, given.hint);
}

/** True with an option of a new session. Throws a Failure when an existing session is requested too. */
export function beginsNewSession(flags: QuestionFlags, { isAnotherMeant }: { isAnotherMeant: boolean }): boolean {
  const given = OF_A_NEW_SESSION.find(({ flag }) => flags[flag] !== undefined);
  if (given === undefined || !isAnotherMeant) return given !== undefined;
  const message = `${given.option} only applies to a new session and cannot be combined with -c, --resume, --list or a session id`;
  throw usageFailure(message, given.hint);
}

/** With attach, the server decides members and settings of a new session. */
export function refuseSessionOptions(flags: QuestionFlags): void {
  const given = OF_A_NEW_SESSION.find(({ flag }) => flags[flag] !== undefined);
  if (given === undefined) return;
  throw usageFailure(
    `${given.option} cannot be combined with attach: the server decides the members and settings of a new session`,
    "Remove it",
  );
}

/**
 * Rules, tool servers and member environments are read by the process that holds the session, which does not see this
 * command line.
 */
export function refuseKeysOfHost(overridden: readonly Setting[], why: string): void {
  const given = overridden.find(isOfHost);
  if (given === undefined) return;
  const origin = given.origin.split(", ").at(-1) ?? "";
  throw usageFailure(
    `${origin} has no effect on the session: ${why}`,
    "Set it in your configuration, pass it to roundtable serve, or ask with -p",
  );
}

function isOfHost({ path, value, origin }: Setting): boolean {
  if (/^(approvals|mcpServers|sandbox)(\.|$)/.test(path)) return true;
  if (!path.startsWith("agents.") || !isGroup(value)) return false;
  const origins = origin.split(", ");
  const isGiven = (key: string) => origins.some((one) => [`--config ${path}`, `--config ${path}.${key}`].includes(one));
  const isOfProcess = (key: string) => value[key] !== undefined && isGiven(key);
  return ["environment", "sandbox", "unguarded"].some(isOfProcess) || (isGroup(value["env"]) && isGiven("env"));
}
