/** What a command of the page is, and what it may ask of the page around it. */
import type { MemberSpec } from "../../protocol/index.ts";
import { membersInOrder } from "../../transcript/index.ts";
import type { PageStore } from "../store/page-store.ts";

export interface PageActions {
  readonly showHelp: () => void;
  /** The field that finds sessions and what was said in them; with words in it, if there are some. */
  readonly focusSearch: (text?: string) => void;
  /** At an event, or at the end. */
  readonly showReplay: (seq?: number) => void;
  /** The models of the members; of one of them first. */
  readonly showModels: (member?: string) => void;
  /** What members may do without asking. */
  readonly showPermissions: () => void;
  /** The whole session; rejects with a sentence when it cannot be printed. */
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
  /** Who could be named first; only of a command that needs a name, since Enter takes what is offered. */
  readonly names?: (store: PageStore) => readonly Named[] | Promise<readonly Named[]>;
  /** Rejects with a sentence for the person. */
  run(store: PageStore, args: string, actions: PageActions): Promise<void>;
}

/** Of the open session, or of the one that begins with the next message. */
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

/** Of a member that sits at the table; else says who does. */
export function memberNameIn(store: PageStore, args: string): string {
  const name = nameIn(args);
  const members = memberNames(store);
  if (members.includes(name)) return name;
  const who = members.length === 0 ? "nobody" : members.join(", ");
  throw new Error(`There is no member "${name.slice(0, 40)}" at the table. Seated: ${who}.`);
}
