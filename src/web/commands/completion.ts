/** What the word before the caret could become: a command, the name that it takes, a member, a file. */
import { bestFirst, mentionAt, mentionOfFile } from "../../kit/text/mention.ts";
import { membersInOrder } from "../../transcript/index.ts";
import { stateLabel } from "../members/state-label.ts";
import { listFiles } from "../store/list-files.ts";
import type { PageStore } from "../store/page-store.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { membersOf } from "./command.ts";
import { findWebCommand, webCommands } from "./commands.ts";

export interface Suggestion {
  readonly kind: "command" | "name" | "member" | "file";
  readonly label: string;
  readonly fact: string;
  /** What takes the place of the word; a space follows it. */
  readonly value: string;
}

export interface Wanted {
  readonly kind: "command" | "mention" | "name";
  /** That takes the name. */
  readonly command?: string;
  /** Without its slash, at sign or quote. */
  readonly word: string;
  /** As it is written: to take a suggestion with this value would change nothing. */
  readonly typed: string;
  readonly from: number;
  readonly to: number;
}

const FILES_MAX = 50;
const EVERYONE = "all";

export function wantedAt(text: string, caret: number): Wanted | undefined {
  const before = text.slice(0, caret);
  const command = /^\/([A-Za-z][\w-]*)?$/.exec(before);
  if (command !== null) return { kind: "command", word: command[1] ?? "", typed: before, from: 0, to: caret };
  const [, taking = "", begun = ""] = /^\/([A-Za-z][\w-]*)[ \t]+(@?\S*)$/.exec(before) ?? [];
  if (findWebCommand(taking)?.names !== undefined) {
    const word = begun.replace(/^@/, "");
    return { kind: "name", command: taking, word, typed: word, from: caret - begun.length, to: caret };
  }
  const mention = mentionAt(before.slice(before.lastIndexOf("\n") + 1));
  if (mention === undefined) return undefined;
  const { query: word, text: typed } = mention;
  return { kind: "mention", word, typed, from: caret - typed.length, to: caret };
}

/** One for each command, under the name of it that is typed. */
export function commandSuggestions(word: string): Suggestion[] {
  return webCommands.flatMap(({ name, aliases = [], usage, summary }) => {
    const typed = [name, ...aliases].find((one) => one.startsWith(word.toLowerCase()));
    if (typed === undefined) return [];
    return { kind: "command", label: usage.replace(`/${name}`, `/${typed}`), fact: summary, value: `/${typed}` };
  });
}

export function memberSuggestions(store: PageStore, word: string): Suggestion[] {
  const { transcript } = store.getState();
  const members =
    transcript === undefined
      ? membersOf(store).map(({ name }) => ({ name, fact: "member" }))
      : membersInOrder(transcript.head).map((member) => ({
          name: member.name,
          fact: `${member.spec.kind} · ${stateLabel(member) || "idle"}`,
        }));
  const all = [...members, { name: EVERYONE, fact: "everyone at the table" }];
  return bestFirst(all, word, ({ name }) => name).map(({ name, fact }) => ({
    kind: "member",
    label: `@${name}`,
    fact,
    value: `@${name}`,
  }));
}

/** Those that have to be asked for. */
export async function lateSuggestions(store: PageStore, { kind, command = "", word }: Wanted): Promise<Suggestion[]> {
  if (kind === "mention") return (await listFiles(store, word, FILES_MAX)).map(fileSuggestion);
  const names = (await findWebCommand(command)?.names?.(store)) ?? [];
  const begun = names.filter(({ name }) => name.startsWith(word.toLowerCase()));
  return begun.map(({ name, fact }) => ({ kind: "name", label: name, fact, value: name }));
}

function fileSuggestion(name: string): Suggestion {
  return { kind: "file", label: inPlainSight(`@${name}`), fact: "file", value: mentionOfFile(name) };
}

/** The word is a command, or the very name that is chosen: Enter need not take it. */
export function isWrittenOut(wanted: Wanted, chosen: Suggestion | undefined): boolean {
  return wanted.kind === "command" ? findWebCommand(wanted.word) !== undefined : chosen?.value === wanted.typed;
}
