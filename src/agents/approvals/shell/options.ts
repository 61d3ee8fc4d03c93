/**
 * Parses options by a table like getopt: letter clusters, values attached or in the next word, abbreviated long names,
 * `--`. Tables are written `a b: c? --all --file= --colour?`: `:` and `=` take a value, `?` only an attached one.
 */
import type { Arg } from "./arg.ts";

type Takes = "nothing" | "value" | "attached";

export interface OptionTable {
  readonly short: ReadonlyMap<string, Takes>;
  readonly long: ReadonlyMap<string, Takes>;
}

export interface ReadOptions {
  readonly options: readonly { readonly name: string; readonly value: Arg | undefined }[];
  /** Index of the first operand. */
  readonly next: number;
  /** First word that the table does not explain. */
  readonly unknown?: Arg;
}

export function optionTable(spec: string): OptionTable {
  const short = new Map<string, Takes>();
  const long = new Map<string, Takes>();
  for (const entry of spec.split(/\s+/).filter((one) => one !== "")) {
    const end = entry.at(-1) ?? "";
    const takes = end === ":" || end === "=" ? "value" : end === "?" ? "attached" : "nothing";
    const name = takes === "nothing" ? entry : entry.slice(0, -1);
    if (name.startsWith("--")) long.set(name.slice(2), takes);
    else short.set(name, takes);
  }
  return { short, long };
}

/** Up to the first operand. */
export function readOptions(args: readonly Arg[], from: number, table: OptionTable): ReadOptions {
  const options: { name: string; value: Arg | undefined }[] = [];
  let at = from;
  while (at < args.length) {
    const arg = args[at];
    if (arg === undefined) break;
    if (arg.text === undefined && (arg.start === "" || arg.start.startsWith("-")))
      return { options, next: at, unknown: arg };
    const { text } = arg;
    if (text === "--") return { options, next: at + 1 };
    if (text === undefined || !text.startsWith("-") || text === "-") break;
    const one = text.startsWith("--") ? readLong(text, table) : readCluster(text, table);
    if (one === undefined) return { options, next: at, unknown: arg };
    const value = one.needsNext ? args[at + 1] : one.value;
    for (const name of one.flags) options.push({ name, value: undefined });
    options.push({ name: one.name, value: typeof value === "string" ? { ...arg, text: value, start: value } : value });
    at += one.needsNext ? 2 : 1;
  }
  return { options, next: Math.min(at, args.length) };
}

interface One {
  readonly flags: readonly string[];
  readonly name: string;
  readonly value: string | undefined;
  readonly needsNext: boolean;
}

function readLong(text: string, { long }: OptionTable): One | undefined {
  const [, name = "", , value] = /^--([^=]*)(=([\s\S]*))?$/.exec(text) ?? [];
  const fitting = long.has(name) ? [name] : [...long.keys()].filter((one) => one.startsWith(name));
  const [only] = fitting;
  if (only === undefined || fitting.length > 1) return undefined;
  return { flags: [], name: only, value, needsNext: value === undefined && long.get(only) === "value" };
}

function readCluster(text: string, { short }: OptionTable): One | undefined {
  const flags: string[] = [];
  for (let at = 1; at < text.length; at++) {
    const name = text.charAt(at);
    const takes = short.get(name);
    if (takes === undefined) return undefined;
    const rest = text.slice(at + 1);
    if (takes === "nothing" && rest !== "") flags.push(name);
    else return { flags, name, value: rest === "" ? undefined : rest, needsNext: takes === "value" && rest === "" };
  }
  return undefined;
}
