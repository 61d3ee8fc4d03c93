/** Completions above the draft: members and commands at once, files and names on request. */
import { useEffect, useRef, useState } from "react";
import { bestFirst, mentionAt, mentionOfFile } from "../../kit/text/mention.ts";
import { membersInOrder } from "../../transcript/index.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { stateLabel } from "../members/member-name.tsx";
import type { PageStore } from "../store/page-store.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { membersOf } from "./command.ts";
import { findWebCommand, webCommands } from "./commands.ts";

const FILES_MAX = 50;

const EVERYONE = "all";

/** Debounce of typing. */
const QUIET_MS = 120;

export interface Completion {
  readonly suggestions: readonly Suggestion[];
  readonly chosen: number;
  readonly wanted: Wanted | undefined;
  /** The typed text is complete. */
  readonly isWhole: boolean;
  readonly move: (step: number) => void;
  readonly close: () => void;
}

interface CompletionQuery {
  /** Identifies the query. */
  readonly key: string;
  /** Shared by all words at this position: results for a shorter word may still match. */
  readonly scope: string;
  readonly wanted: Wanted;
}

export function useCompletion(text: string, caret: number): Completion {
  const store = useStore();
  const opening = useApp((state) => state.opening);
  const wanted = wantedAt(text, caret);
  const query = wanted === undefined ? undefined : queryFor(wanted, opening);
  const late = useLate(store, query);
  const [chosen, setChosen] = useState({ key: "", id: "" });
  const [closedKey, setClosed] = useState("");
  const key = query?.key ?? "";
  const suggestions = wanted === undefined || closedKey === key ? [] : suggestionsFor(store, wanted, late);
  // By identity: late files must not move another item under the pointer.
  const at = Math.max(
    0,
    suggestions.findIndex((one) => (chosen.key === key ? idOf(one) === chosen.id : one.value === wanted?.typed)),
  );
  return {
    suggestions,
    chosen: at,
    wanted,
    isWhole: wanted !== undefined && isWrittenOut(wanted, suggestions[at]),
    move(step) {
      const next = suggestions[(at + step + suggestions.length) % Math.max(1, suggestions.length)];
      if (next !== undefined) setChosen({ key, id: idOf(next) });
    },
    close: () => setClosed(key),
  };
}

/** A member and a file may have the same name. */
function idOf({ kind, value }: Suggestion): string {
  return `${kind} ${value}`;
}

function queryFor(wanted: Wanted, opening: number): CompletionQuery {
  const scope = `${opening} ${wanted.kind} ${wanted.command ?? ""} ${wanted.from}`;
  return { key: `${scope} ${wanted.typed}`, scope, wanted };
}

function suggestionsFor(store: PageStore, wanted: Wanted, late: readonly Suggestion[]): readonly Suggestion[] {
  if (wanted.kind === "command") return commandSuggestions(wanted.word);
  const all = wanted.kind === "mention" ? [...memberSuggestions(store, wanted.word), ...late] : late;
  // A list that only repeats what is typed would capture Enter.
  return all.length === 1 && all[0]?.value === wanted.typed ? [] : all;
}

/** Results for the word; until they arrive, matching results of the previous word. */
function useLate(store: PageStore, query: CompletionQuery | undefined): readonly Suggestion[] {
  const [late, setLate] = useState<{ query: CompletionQuery; suggestions: readonly Suggestion[] }>();
  const newest = useRef(query);
  newest.current = query;
  const [ask] = useState(() =>
    createLatestQuery<CompletionQuery, readonly Suggestion[]>({
      ask: async (question) =>
        newest.current?.key === question.key ? await lateSuggestions(store, question.wanted) : undefined,
      onAnswer(question, suggestions) {
        if (newest.current?.key === question.key) setLate({ query: question, suggestions });
      },
    }),
  );
  const key = query?.key;
  useEffect(() => {
    const { current } = newest;
    if (current === undefined || current.wanted.kind === "command") return undefined;
    const timer = setTimeout(() => ask(current), QUIET_MS);
    return () => clearTimeout(timer);
  }, [ask, key]);
  if (late === undefined || late.query.scope !== query?.scope) return [];
  if (late.query.key === key) return late.suggestions;
  const word = query.wanted.word.toLowerCase();
  return late.suggestions.filter(({ label }) => label.toLowerCase().includes(word));
}

/**
 * One request at a time; of those that arrive meanwhile only the newest is sent next, so that a slow or offline host
 * does not get a request per letter.
 */
interface LatestQueryOptions<Question, Answer> {
  /** Resolves with undefined when the answer is no longer needed. */
  readonly ask: (question: Question) => Promise<Answer | undefined>;
  /** Not called for overtaken or failed requests. */
  readonly onAnswer: (question: Question, answer: Answer) => void;
}

export function createLatestQuery<Question, Answer>({
  ask,
  onAnswer,
}: LatestQueryOptions<Question, Answer>): (question: Question) => void {
  let isAsking = false;
  let waiting: { readonly question: Question } | undefined;

  async function run(question: Question): Promise<void> {
    isAsking = true;
    // Failures yield no completions; the command itself reports the reason.
    const answer = await ask(question).catch(() => undefined);
    isAsking = false;
    const next = waiting;
    waiting = undefined;
    if (next !== undefined) void run(next.question);
    else if (answer !== undefined) onAnswer(question, answer);
  }

  return (question) => {
    if (isAsking) waiting = { question };
    else void run(question);
  };
}

/** A completion of the word before the caret: a command, its name argument, a member, a file. */
interface Suggestion {
  readonly kind: "command" | "name" | "member" | "file";
  readonly label: string;
  readonly fact: string;
  /** Replaces the word; a space follows. */
  readonly value: string;
}

interface Wanted {
  readonly kind: "command" | "mention" | "name";
  /** The command that takes the name. */
  readonly command?: string;
  /** Without slash, at sign or quote. */
  readonly word: string;
  /** As typed: accepting a suggestion with this value would change nothing. */
  readonly typed: string;
  readonly from: number;
  readonly to: number;
}

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

/** One per command, under the alias that is typed. */
export function commandSuggestions(word: string): Suggestion[] {
  return webCommands.flatMap(({ name, aliases = [], usage, summary }) => {
    const typed = [name, ...aliases].find((one) => one.startsWith(word.toLowerCase()));
    if (typed === undefined) return [];
    return { kind: "command", label: usage.replace(`/${name}`, `/${typed}`), fact: summary, value: `/${typed}` };
  });
}

function memberSuggestions(store: PageStore, word: string): Suggestion[] {
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

/** Those that need a request. */
async function lateSuggestions(store: PageStore, { kind, command = "", word }: Wanted): Promise<Suggestion[]> {
  if (kind === "mention") return (await listFiles(store, word, FILES_MAX)).map(fileSuggestion);
  const names = (await findWebCommand(command)?.names?.(store)) ?? [];
  const begun = names.filter(({ name }) => name.startsWith(word.toLowerCase()));
  return begun.map(({ name, fact }) => ({ kind: "name", label: name, fact, value: name }));
}

function fileSuggestion(name: string): Suggestion {
  return { kind: "file", label: inPlainSight(`@${name}`), fact: "file", value: mentionOfFile(name) };
}

/** The word is a command, or exactly the chosen name: Enter need not accept it. */
function isWrittenOut(wanted: Wanted, chosen: Suggestion | undefined): boolean {
  return wanted.kind === "command" ? findWebCommand(wanted.word) !== undefined : chosen?.value === wanted.typed;
}

export function optionId(listId: string, at: number): string {
  return `${listId}-${at}`;
}

interface CompletionListProps {
  readonly id: string;
  readonly completion: Completion;
  readonly onChoose: (at: number) => void;
}

export function CompletionList({ id, completion: { suggestions, chosen }, onChoose }: CompletionListProps) {
  const current = useRef<HTMLLIElement>(null);
  useEffect(() => {
    current.current?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  if (suggestions.length === 0) return null;
  return (
    <ul id={id} className="completion" role="listbox" aria-label="Suggestions" tabIndex={0}>
      {suggestions.map((suggestion, at) => (
        <li
          key={idOf(suggestion)}
          id={optionId(id, at)}
          ref={at === chosen ? current : undefined}
          role="option"
          aria-selected={at === chosen}
          // The draft keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(at)}
        >
          <span className="suggested">{suggestion.label}</span>
          <span className="fact">{suggestion.fact}</span>
        </li>
      ))}
    </ul>
  );
}

/**
 * File names for completion, best first: of the session's directory, or of a new session's. Rejects when the host does
 * not answer.
 */
async function listFiles(store: PageStore, query: string, limit: number): Promise<readonly string[]> {
  const { sessionId } = store.getState();
  if (sessionId !== undefined) return namesIn(await store.command({ type: "list_files", query, limit }, sessionId));
  const answer = await store.ask(`/v1/files?${new URLSearchParams({ query, limit: String(limit) })}`);
  if (!answer.ok) throw new Error(`The files could not be listed (${answer.status}).`);
  return namesIn(await answer.json());
}

function namesIn(result: unknown): readonly string[] {
  const files = typeof result === "object" && result !== null && "files" in result ? result.files : [];
  return Array.isArray(files) ? files.filter((file) => typeof file === "string") : [];
}
