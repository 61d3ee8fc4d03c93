/** The commands of the page, under the names they have in the terminal. What only a terminal can do is not among them. */
import type { CommandBody } from "../../client/index.ts";
import { loadedMessagesBackward, membersInOrder, turnText } from "../../transcript/index.ts";
import type { PageStore } from "../store/page-store.ts";
import { keepLook } from "../store/kept.ts";
import { applyLook } from "../app/look.ts";

/** What a command may ask of the page around it. */
export interface PageDoors {
  readonly showHelp: () => void;
  readonly focusSearch: () => void;
  readonly showReplay: () => void;
}

export interface WebCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly usage: string;
  readonly summary: string;
  /** Rejects with a sentence for the person. */
  run(store: PageStore, args: string, doors: PageDoors): Promise<void>;
}

function wish(
  body: (args: string, store: PageStore) => CommandBody,
  done?: (args: string) => string,
): WebCommand["run"] {
  return async (store, args) => {
    await store.command(body(args.trim(), store));
    if (done !== undefined) store.say(done(args.trim()));
  };
}

export const webCommands: readonly WebCommand[] = [
  {
    name: "to",
    usage: "/to NAME TEXT",
    summary: "write to one member",
    async run(store, args) {
      const [, name = "", text = ""] = /^@?(\S+)\s+([\s\S]+)$/.exec(args) ?? [];
      if (text === "") throw new Error("Usage: /to NAME TEXT");
      if (!(await store.send(`@${name} ${text}`))) throw new Error(store.getState().problem);
    },
  },
  {
    name: "queue",
    usage: "/queue TEXT",
    summary: "write for when the turn has ended",
    async run(store, args) {
      if (args.trim() === "") throw new Error("Usage: /queue TEXT");
      if (!(await store.send(args, "queue"))) throw new Error(store.getState().problem);
    },
  },
  {
    name: "retry",
    usage: "/retry [NAME]",
    summary: "ask again",
    run: wish((args) => (args === "" ? { type: "retry" } : { type: "retry", member: nameIn(args) })),
  },
  {
    name: "interrupt",
    aliases: ["stop"],
    usage: "/interrupt [all|NAME]",
    summary: "stop your turns, one member, or everything",
    async run(store, args) {
      const whom = args.trim();
      if (whom === "") await store.interrupt();
      else
        await store.command(
          whom === "all"
            ? { type: "interrupt", scope: "all" }
            : { type: "interrupt", scope: "member", member: nameIn(whom) },
        );
    },
  },
  { name: "continue", usage: "/continue", summary: "go on after a pause", run: wish(() => ({ type: "continue" })) },
  {
    name: "round",
    usage: "/round [NUMBER]",
    summary: "let everyone speak again",
    run: wish((args) => (args === "" ? { type: "round" } : { type: "round", rounds: Number.parseInt(args, 10) })),
  },
  {
    name: "minutes",
    usage: "/minutes [NAME]",
    summary: "have the discussion written up",
    run: wish((args) => (args === "" ? { type: "minutes" } : { type: "minutes", by: nameIn(args) })),
  },
  {
    name: "mute",
    usage: "/mute NAME",
    summary: "a member is no longer asked",
    run: wish(
      (args) => ({ type: "mute", member: nameIn(args) }),
      (name) => `${nameIn(name)} is muted.`,
    ),
  },
  {
    name: "unmute",
    usage: "/unmute NAME",
    summary: "a muted member is asked again",
    run: wish(
      (args) => ({ type: "unmute", member: nameIn(args) }),
      (name) => `${nameIn(name)} is asked again.`,
    ),
  },
  {
    name: "model",
    usage: "/model NAME MODEL",
    summary: "a member uses another model",
    run: wish((args) => {
      const [, member = "", model = ""] = /^@?(\S+)\s+(\S+)$/.exec(args) ?? [];
      if (model === "") throw new Error("Usage: /model NAME MODEL");
      return { type: "switch_model", member, model };
    }),
  },
  {
    name: "compact",
    usage: "/compact [NAME]",
    summary: "make a member's context shorter",
    run: wish((args) => (args === "" ? { type: "compact" } : { type: "compact", member: nameIn(args) })),
  },
  {
    name: "new",
    aliases: ["clear"],
    usage: "/new",
    summary: "begin another session",
    run: async (store) => store.goTo({}),
  },
  {
    name: "sessions",
    aliases: ["resume"],
    usage: "/sessions",
    summary: "find a session",
    run: async (_store, _args, doors) => doors.focusSearch(),
  },
  {
    name: "rename",
    usage: "/rename TITLE",
    summary: "give the session another title",
    run: wish((args) => {
      if (args === "") throw new Error("Usage: /rename TITLE");
      return { type: "rename", title: args };
    }),
  },
  {
    name: "archive",
    usage: "/archive",
    summary: "put the session away",
    run: wish(() => ({ type: "archive", archived: true })),
  },
  {
    name: "replay",
    usage: "/replay",
    summary: "see the session again, event by event",
    async run(store, _args, doors) {
      if (store.getState().transcript === undefined) throw new Error("There is no session yet to replay.");
      doors.showReplay();
    },
  },
  {
    name: "copy",
    usage: "/copy",
    summary: "copy the last answer",
    async run(store) {
      const { transcript } = store.getState();
      const messages = transcript === undefined ? [] : loadedMessagesBackward(transcript);
      for (const message of messages) {
        if (message.kind !== "turn" || turnText(message) === "") continue;
        await navigator.clipboard.writeText(turnText(message));
        return store.say(`The answer of ${message.member} was copied.`);
      }
      throw new Error("There is no answer yet.");
    },
  },
  {
    name: "theme",
    usage: "/theme auto|light|dark",
    summary: "the look of the page",
    async run(_store, args) {
      const look = args.trim();
      if (look !== "auto" && look !== "light" && look !== "dark") throw new Error("Usage: /theme auto|light|dark");
      keepLook(look);
      applyLook(look);
    },
  },
  {
    name: "help",
    aliases: ["keys"],
    usage: "/help",
    summary: "commands and keys",
    run: async (_store, _args, doors) => doors.showHelp(),
  },
  {
    name: "try",
    usage: "/try NAME",
    summary: "show one screen without a model",
    async run(store, args) {
      if (!(await store.send(`/try ${args}`))) throw new Error(store.getState().problem);
    },
  },
];

function nameIn(args: string): string {
  const name = args.trim().replace(/^@/, "");
  if (!/^\S+$/.test(name)) throw new Error("Which member? Give its name.");
  return name;
}

/** By its whole name or alias; never by something near it. */
export function findWebCommand(name: string): WebCommand | undefined {
  return webCommands.find((one) => one.name === name || one.aliases?.includes(name));
}

export function unknownCommandWords(name: string): string {
  return `There is no command /${name.slice(0, 40)}; /help lists them. With a space before it, it is sent as a message.`;
}

export function memberNames(store: PageStore): string[] {
  const { transcript } = store.getState();
  const members = transcript === undefined ? store.defaults.members : membersInOrder(transcript.head);
  return members.map(({ name }) => name);
}
