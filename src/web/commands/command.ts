/** Interface of the page's commands, and what they may do with the page. */
import type { MemberSpec } from "../../protocol/index.ts";
import { membersInOrder } from "../../transcript/index.ts";
import type { PageStore } from "../store/page-store.ts";

export interface PageActions {
  readonly showHelp: () => void;
  /** Focuses the search field, optionally with a query. */
  readonly focusSearch: (text?: string) => void;
  /** At an event, or at the end. */
  readonly showReplay: (seq?: number) => void;
  /** Shows the models of all members, `member` first. */
  readonly showModels: (member?: string) => void;
  readonly showPermissions: () => void;
  /** Prints the whole session; rejects with a message when it cannot. */
  readonly print: () => Promise<void>;
}

export interface Named {
  readonly name: string;
  readonly fact: string;
}

export interface WebCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly usage: string;
  readonly summary: string;
  /** Completions for a required name; Enter accepts what is offered. */
  readonly names?: (store: PageStore) => readonly Named[] | Promise<readonly Named[]>;
  /** Rejects with a message for the user. */
  run(store: PageStore, args: string, actions: PageActions): Promise<void>;
}

/** Of the open session, or of the one that starts with the next message. */
export function membersOf(store: PageStore): readonly MemberSpec[] {
  const { transcript, planned } = store.getState();
  return transcript === undefined ? planned.members : membersInOrder(transcript.head).map(({ spec }) => spec);
}

export function memberNames(store: PageStore): string[] {
  return membersOf(store).map(({ name }) => name);
}

export function namedMembers(store: PageStore): Named[] {
  return memberNames(store).map((name) => ({ name, fact: "member" }));
}

/** With or without its @. */
export function nameIn(args: string): string {
  const name = args.trim().replace(/^@/, "");
  if (!/^\S+$/.test(name)) throw new Error("Which member? Give its name.");
  return name;
}

/** Throws with the list of members for an unknown name. */
export function memberNameIn(store: PageStore, args: string): string {
  const name = nameIn(args);
  const members = memberNames(store);
  if (members.includes(name)) return name;
  const who = members.length === 0 ? "nobody" : members.join(", ");
  throw new Error(`There is no member "${name.slice(0, 40)}" at the table. Members: ${who}.`);
}
