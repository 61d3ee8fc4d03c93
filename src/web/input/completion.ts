/** What the word before the caret could become: a command, a member, a file. */
import type { PageStore } from "../store/page-store.ts";
import { memberNames, webCommands } from "./web-commands.ts";

export interface Suggestion {
  readonly label: string;
  readonly fact: string;
  /** What takes the place of the word. */
  readonly insert: string;
}

export interface Wanted {
  readonly kind: "command" | "mention";
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

export async function fileSuggestions(store: PageStore, word: string): Promise<Suggestion[]> {
  const files = await store.listFiles(word, FILES_MAX);
  return files.map((file) => ({ label: file, fact: "file", insert: `@${file} ` }));
}
