/**
 * Completes the word at the cursor: `/` at the start of the text a command, then its arguments; `@` at the start of a
 * word a member, then a file. Names are untrusted and sanitised here. Never throws: a failing source completes nothing.
 */
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import type { Clock } from "../../kit/clock.ts";
import { bestFirst, mentionAt, mentionOfFile } from "../../kit/text/mention.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { CommandHint, Completion, CompletionSource } from "./prompt.ts";

const SUGGESTIONS_MAX = 100;
/** Maximum wait of member completions for files, which are added when they arrive. */
export const FILES_WAIT_MS = 80;

export interface CompletionOptions {
  readonly source: CompletionSource;
  readonly clock: Clock;
  /** Sanitised form of a text for the box. */
  show(text: string): string;
  /** Files arrived after the list was opened without them. */
  onLateFiles(): void;
}

/** The part of the line that a completion replaces. */
interface Token {
  readonly kind: "command" | "arguments" | "mention" | "file";
  readonly start: number;
  readonly text: string;
  /** The command whose arguments they are. */
  readonly command?: string;
}

export function createCompletion(options: CompletionOptions): AutocompleteProvider {
  const files = createFileLookup(options);
  return {
    async getSuggestions(lines, cursorLine, cursorCol, { signal, force }) {
      const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
      const token = tokenAt(before, { isFirstLine: cursorLine === 0, isForced: force === true });
      if (token === undefined) return null;
      const items = await suggest(token, options.source, files, signal).catch(() => []);
      return asSuggestions(token, items);
    },
    applyCompletion(lines, cursorLine, cursorCol, item) {
      const line = lines[cursorLine] ?? "";
      const token = tokenAt(line.slice(0, cursorCol), { isFirstLine: cursorLine === 0, isForced: true });
      const start = token?.start ?? cursorCol;
      const after = line.slice(cursorCol);
      const value = options.show(item.value) + gapAfter(item.value, token, after, options.source);
      return {
        lines: lines.with(cursorLine, line.slice(0, start) + value + after),
        cursorLine,
        cursorCol: start + value.length,
      };
    },
  };
}

/** True when accepting the completion would change nothing. */
export function isTypedAlready(before: string, isFirstLine: boolean, value: string): boolean {
  const token = tokenAt(before, { isFirstLine, isForced: true });
  return token !== undefined && token.text.trimEnd() === value.trimEnd();
}

/** True when the typed text is a prefix of this completion. */
export function isBegunBy(before: string, isFirstLine: boolean, value: string): boolean {
  const token = tokenAt(before, { isFirstLine, isForced: false });
  return token !== undefined && value.toLowerCase().startsWith(token.text.toLowerCase());
}

/** True when `value` is a command that runs without arguments. */
export function runsBare(value: string, source: CompletionSource): boolean {
  const hint = hintFor(value, source);
  return hint !== undefined && !/^\/\S+ [^[]/.test(hint.usage);
}

function hintFor(value: string, source: CompletionSource): CommandHint | undefined {
  return source.commands().find(({ name, aliases = [] }) => [name, ...aliases].includes(value.slice(1)));
}

/** True where completions open without a key. */
export function isCompletable(before: string, isFirstLine: boolean): boolean {
  return tokenAt(before, { isFirstLine, isForced: false }) !== undefined;
}

function tokenAt(before: string, where: { isFirstLine: boolean; isForced: boolean }): Token | undefined {
  if (where.isFirstLine) {
    const command = /^\/(\S*)$/.exec(before);
    if (command !== null) return { kind: "command", start: 0, text: before };
    const args = /^\/(\S+)\s+(.*)$/.exec(before);
    if (args !== null) {
      const text = args[2] ?? "";
      return { kind: "arguments", start: before.length - text.length, text, command: args[1] ?? "" };
    }
  }
  return mentionTokenAt(before) ?? (where.isForced ? fileAt(before) : undefined);
}

function mentionTokenAt(before: string): Token | undefined {
  const mention = mentionAt(before);
  return mention === undefined ? undefined : { kind: "mention", start: mention.start, text: mention.text };
}

function fileAt(before: string): Token | undefined {
  const word = /\S+$/.exec(before)?.[0] ?? "";
  return word === "" ? undefined : { kind: "file", start: before.length - word.length, text: word };
}

async function suggest(
  token: Token,
  source: CompletionSource,
  files: FileLookup,
  signal: AbortSignal,
): Promise<readonly Completion[]> {
  switch (token.kind) {
    case "command":
      return matchingCommands(token.text.slice(1), source);
    case "arguments": {
      const completions = await source.commandArguments(token.command ?? "", token.text);
      if (completions.length > 0) return completions;
      const mention = mentionTokenAt(token.text);
      if (mention === undefined) return [];
      const start = token.text.length - mention.text.length;
      const inside = await suggest(mention, source, files, signal);
      return inside.map((item) => withValue(item, token.text.slice(0, start) + item.value));
    }
    case "mention": {
      const query = mentionAt(token.text)?.query ?? "";
      const members = bestFirst(source.members(), query, ({ value }) => value);
      const names = await files(query, signal, { isPatient: members.length === 0 });
      return [...members.map((member) => mentionOf(member)), ...names.map((name) => fileMention(name))];
    }
    default:
      return (await files(token.text, signal, { isPatient: true })).map((name) => ({ value: name, label: name }));
  }
}

/** One row per command, under the alias that is being typed if any. */
function matchingCommands(typed: string, source: CompletionSource): Completion[] {
  const named = source.commands().map((command) => ({ command, shown: nameFor(typed, command) }));
  return bestFirst(named, typed, ({ shown }) => shown).map(({ command, shown }) => {
    const { name, summary } = command;
    return {
      value: `/${shown}`,
      label: `/${shown}`,
      description: shown === name ? summary : `${summary} (/${name})`,
    };
  });
}

/** The exact name, else the first with this prefix, else the first that contains it. */
function nameFor(typed: string, { name, aliases = [] }: CommandHint): string {
  const names = [name, ...aliases];
  const wanted = typed.toLowerCase();
  const begins = names.find((one) => one === wanted) ?? names.find((one) => one.startsWith(wanted));
  return begins ?? names.find((one) => one.includes(wanted)) ?? name;
}

function mentionOf({ value, label, description }: Completion): Completion {
  return { value: `@${value}`, label: `@${label}`, description: description ?? "member" };
}

function fileMention(name: string): Completion {
  return {
    value: mentionOfFile(name),
    label: `@${name}`,
    description: name.endsWith("/") ? "directory" : "file",
  };
}

function asSuggestions(token: Token, completions: readonly Completion[]): AutocompleteSuggestions | null {
  const [first] = completions;
  // A list that only repeats what is typed would capture the next key.
  if (completions.length === 1 && token.kind !== "command" && first?.value === token.text) return null;
  const items = completions.slice(0, SUGGESTIONS_MAX).map((item) => safeItem(item));
  return items.length === 0 ? null : { items, prefix: token.text };
}

function safeItem({ value, label, description }: Completion): AutocompleteItem {
  const shown = { value, label: terminalSafeLine(label) };
  return description === undefined ? shown : { ...shown, description: terminalSafeLine(description) };
}

function withValue(item: Completion, value: string): Completion {
  return { ...item, value };
}

/** A space follows a finished word, except directories and commands without arguments. */
function gapAfter(value: string, token: Token | undefined, after: string, source: CompletionSource): string {
  if (value.endsWith("/") || after.startsWith(" ")) return "";
  if (token?.kind !== "command") return " ";
  const hint = hintFor(value, source);
  return hint === undefined || hint.usage.trim() === `/${hint.name}` ? "" : " ";
}

type FileLookup = (query: string, signal: AbortSignal, wait: { isPatient: boolean }) => Promise<readonly string[]>;

/** Requests files; if they are late, answers without them and calls back. */
function createFileLookup(options: CompletionOptions): FileLookup {
  let known: { query: string; names: readonly string[] } | undefined;
  return async (query, signal, { isPatient }) => {
    if (known?.query === query) {
      const { names } = known;
      known = undefined;
      return names;
    }
    const lookup = options.source.files(query, signal).catch(() => []);
    if (isPatient) return lookup;
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const cancel = options.clock.after(FILES_WAIT_MS, () => resolve(undefined));
    const names = await Promise.race([lookup, late]);
    cancel();
    if (names !== undefined) return names;
    void lookup.then((lateNames) => {
      if (signal.aborted || lateNames.length === 0) return;
      known = { query, names: lateNames };
      options.onLateFiles();
    });
    return [];
  };
}
