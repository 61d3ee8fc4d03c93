/** What the word before the caret could become: a command, the name that it takes, a member, a file. */
import type { PageStore } from "../store/page-store.ts";
import { memberNames } from "./web-command.ts";
import { findWebCommand, webCommands } from "./web-commands.ts";

export interface Suggestion {
  readonly label: string;
  readonly fact: string;
  /** What takes the place of the word. */
  readonly insert: string;
}

export interface Wanted {
  readonly kind: "command" | "mention" | "name";
  /** That takes the name. */
  readonly command?: string;
  /** Without its slash or at sign. */
  readonly word: string;
  readonly from: number;
  readonly to: number;
}

const FILES_MAX = 20;

export function wantedAt(text: string, caret: number): Wanted | undefined {
  const before = text.slice(0, caret);
  const command = /^\/([A-Za-z][\w-]*)?$/.exec(before);
  if (command !== null) return { kind: "command", word: command[1] ?? "", from: 0, to: caret };
  const [, taking = "", begun = ""] = /^\/([A-Za-z][\w-]*)[ \t]+(@?\S*)$/.exec(before) ?? [];
  if (findWebCommand(taking)?.names !== undefined)
    return { kind: "name", command: taking, word: begun.replace(/^@/, ""), from: caret - begun.length, to: caret };
  const mention = /(?:^|\s)@([\w./-]*)$/.exec(before);
  if (mention === null) return undefined;
  const word = mention[1] ?? "";
  return { kind: "mention", word, from: caret - word.length - 1, to: caret };
}

/** One for each command, under the name of it that is typed. */
export function commandSuggestions(word: string): Suggestion[] {
  return webCommands.flatMap(({ name, aliases = [], usage, summary }) => {
    const typed = [name, ...aliases].find((one) => one.startsWith(word.toLowerCase()));
    if (typed === undefined) return [];
    return { label: usage.replace(`/${name}`, `/${typed}`), fact: summary, insert: `/${typed} ` };
  });
}

export function memberSuggestions(store: PageStore, word: string): Suggestion[] {
  const all = [...memberNames(store), "all"];
  return all
    .filter((name) => name.startsWith(word.toLowerCase()))
    .map((name) => ({
      label: `@${name}`,
      fact: name === "all" ? "everyone at the table" : "member",
      insert: `@${name} `,
    }));
}

/** Those that have to be asked for. */
export async function lateSuggestions(store: PageStore, { kind, command = "", word }: Wanted): Promise<Suggestion[]> {
  if (kind === "mention") {
    const files = await store.listFiles(word, FILES_MAX);
    return files.map((file) => ({ label: file, fact: "file", insert: `@${file} ` }));
  }
  const names = (await findWebCommand(command)?.names?.(store)) ?? [];
  const begun = names.filter(({ name }) => name.startsWith(word.toLowerCase()));
  // A list whose only line says what is written would only be in the way of Enter.
  if (begun.length === 1 && begun[0]?.name === word) return [];
  return begun.map(({ name, fact }) => ({ label: name, fact, insert: `${name} ` }));
}
