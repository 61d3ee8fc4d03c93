/**
 * The options of a question, given to the terminal app. Those that a new session takes begin one; those that mean
 * something for one question only are refused: left unheard, others would sit down, and be paid, than were asked for.
 */
import type { AskFlags } from "../args.ts";
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
  /** What to do instead. */
  readonly hint: string;
}

const OF_A_QUESTION: readonly Named[] = [
  { flag: "to", option: "--to", hint: "In the terminal app a message that begins with @NAME goes to that member only" },
  {
    flag: "rounds",
    option: "--rounds",
    hint: "In the terminal app council.auto_rounds of the configuration counts, and /round adds rounds",
  },
  { flag: "allow", option: "--allow", hint: "In the terminal app you are asked; approvals.allow is for always" },
  {
    flag: "allowUnguarded",
    option: "--allow-unguarded",
    hint: "In the terminal app you are asked; agents.NAME.unguarded of your configuration is for always",
  },
  { flag: "fork", option: "--fork", hint: "In the terminal app /fork goes on in a copy of the session" },
  { flag: "model", option: "-m", hint: "In the terminal app /model changes the model of a member" },
  { flag: "effort", option: "--effort", hint: "In the terminal app /effort changes the effort of a member" },
  { flag: "outputFormat", option: "--output-format", hint: "Give the question with -p TEXT" },
  { flag: "json", option: "--json", hint: "Give the question with -p TEXT; --list --json prints the sessions" },
];

const OF_A_NEW_SESSION: readonly Named[] = [
  { flag: "members", option: "--members", hint: "Leave one of them out" },
  { flag: "name", option: "--name", hint: "/rename gives a session another title" },
  { flag: "timeout", option: "--timeout", hint: "Leave one of them out" },
  { flag: "writable", option: "--writable", hint: "/writable on changes a session that there is" },
  { flag: "config", option: "--config", hint: "Leave one of them out" },
  { flag: "maxTurns", option: "--max-turns", hint: "With -p it changes a session that goes on" },
  { flag: "maxBudgetUsd", option: "--max-budget-usd", hint: "With -p it changes a session that goes on" },
  { flag: "maxTime", option: "--max-time", hint: "With -p it changes a session that goes on" },
];

/** Throws a Failure for what only a question has. */
export function refuseQuestionOptions(flags: QuestionFlags): void {
  const given = OF_A_QUESTION.find(({ flag }) => flags[flag] !== undefined);
  if (given !== undefined) throw usageFailure(`${given.option} is for a question with -p`, given.hint);
}

/** True when something was given that only a new session takes. Throws a Failure when another one is meant to be opened. */
export function beginsNewSession(flags: QuestionFlags, { isAnotherMeant }: { isAnotherMeant: boolean }): boolean {
  const given = OF_A_NEW_SESSION.find(({ flag }) => flags[flag] !== undefined);
  if (given === undefined || !isAnotherMeant) return given !== undefined;
  const message = `${given.option} is for a new session and cannot go with -c, --resume, --list or the id of a session`;
  throw usageFailure(message, given.hint);
}

/** On a server that was named by its address, that server says how a session begins. */
export function refuseSessionOptions(flags: QuestionFlags): void {
  const given = OF_A_NEW_SESSION.find(({ flag }) => flags[flag] !== undefined);
  if (given === undefined) return;
  throw usageFailure(
    `${given.option} cannot go with attach: who sits down in a new session, and how, is what its server was started with`,
    "Leave it out",
  );
}

/**
 * Rules, tool servers and what is said of a member's environment are read by the process that holds the session, which
 * does not hear this command line.
 */
export function refuseKeysOfHost(overridden: readonly Setting[], why: string): void {
  const given = overridden.find(isOfHost);
  if (given === undefined) return;
  const origin = given.origin.split(", ").at(-1) ?? "";
  throw usageFailure(
    `${origin} does not reach the session: ${why}`,
    "Put it into your configuration, give it to roundtable serve, or ask with -p",
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
