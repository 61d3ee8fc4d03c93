/** The page's commands, with the names they have in the terminal. Terminal-only commands are left out. */
import type { CommandBody } from "../../client/index.ts";
import type { MemberSpec } from "../../protocol/index.ts";
import { loadedMessagesBackward, membersInOrder, turnText } from "../../transcript/index.ts";
import { downloadSession, EXPORT_FORMATS, forkFrom, shareSession } from "../sessions/session-life.ts";
import type { PageStore } from "../store/page-store.ts";
import { storeTheme } from "../store/local-storage.ts";
import { applyTheme } from "../app/theme.tsx";
import { formatModelSwitch, memberCommands } from "./member-commands.ts";
import { memberNames, membersOf, nameIn, namedMembers, type PageActions, type WebCommand } from "./command.ts";

function sendCommand(
  body: (args: string, store: PageStore) => CommandBody,
  done?: (args: string) => string,
): WebCommand["run"] {
  return async (store, args) => {
    await store.command(body(args.trim(), store));
    if (done !== undefined) store.notify(done(args.trim()));
  };
}

export const webCommands: readonly WebCommand[] = [
  {
    name: "to",
    usage: "/to NAME TEXT",
    summary: "Message only one member",
    names: namedMembers,
    async run(store, args) {
      const [, name = "", text = ""] = /^@?(\S+)\s+([\s\S]+)$/.exec(args) ?? [];
      if (text === "") throw new Error("Usage: /to NAME TEXT");
      if (!(await store.send(`@${name} ${text}`))) throw new Error(store.getState().problem);
    },
  },
  {
    name: "queue",
    usage: "/queue TEXT",
    summary: "Queue a message for when the turn ends",
    async run(store, args) {
      if (args.trim() === "") throw new Error("Usage: /queue TEXT");
      if (!(await store.send(args, "queue"))) throw new Error(store.getState().problem);
    },
  },
  {
    name: "retry",
    usage: "/retry [NAME]",
    summary: "Ask for another answer",
    run: sendCommand((args) => (args === "" ? { type: "retry" } : { type: "retry", member: nameIn(args) })),
  },
  {
    name: "interrupt",
    usage: "/interrupt [all|NAME]",
    summary: "Stop your turn, one member, or everyone",
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
  {
    name: "stop",
    aliases: ["abort"],
    usage: "/stop",
    summary: "Stop everyone",
    run: sendCommand(() => ({ type: "interrupt", scope: "all" })),
  },
  {
    name: "continue",
    usage: "/continue",
    summary: "Continue what is paused or held",
    run: sendCommand(() => ({ type: "continue" })),
  },
  {
    name: "round",
    usage: "/round [NUMBER]",
    summary: "Discuss for another round",
    run: sendCommand((args) =>
      args === "" ? { type: "round" } : { type: "round", rounds: Number.parseInt(args, 10) },
    ),
  },
  {
    name: "minutes",
    usage: "/minutes [NAME]",
    summary: "Summarize the discussion",
    run: sendCommand((args) => (args === "" ? { type: "minutes" } : { type: "minutes", by: nameIn(args) })),
  },
  {
    name: "mute",
    usage: "/mute NAME",
    summary: "Stop asking a member",
    names: namedMembers,
    run: sendCommand(
      (args) => ({ type: "mute", member: nameIn(args) }),
      (name) => `${nameIn(name)} is muted.`,
    ),
  },
  {
    name: "unmute",
    usage: "/unmute NAME",
    summary: "Ask a muted member again",
    names: namedMembers,
    run: sendCommand(
      (args) => ({ type: "unmute", member: nameIn(args) }),
      (name) => `${nameIn(name)} is no longer muted.`,
    ),
  },
  ...memberCommands,
  {
    name: "model",
    usage: "/model [NAME [MODEL]]",
    summary: "Change a member's model",
    run: runModel,
  },
  {
    name: "effort",
    usage: "/effort NAME LEVEL",
    summary: "Set a member's reasoning effort",
    names: namedMembers,
    run: sendCommand(
      effortBody,
      (args) => `The new effort of ${nameIn(args.split(/\s+/)[0] ?? "")} applies from its next turn.`,
    ),
  },
  {
    name: "compact",
    usage: "/compact [undo] [@NAME] [FOCUS]",
    summary: "Shorten the members' contexts, or undo it",
    run: sendCommand(
      (args, store) => compactBody(args, memberNames(store)),
      (args) => (/^undo\b/.test(args) ? "Undone. The context is back to what it was." : "Compacting…"),
    ),
  },
  {
    name: "new",
    aliases: ["clear"],
    usage: "/new",
    summary: "Start a new session",
    run: async (store) => store.goTo({}),
  },
  {
    name: "sessions",
    aliases: ["resume"],
    usage: "/sessions",
    summary: "Open another session",
    run: async (_store, _args, actions) => actions.focusSearch(),
  },
  {
    name: "search",
    usage: "/search [WORDS]",
    summary: "Search all sessions",
    run: async (_store, args, actions) => actions.focusSearch(args.trim()),
  },
  {
    name: "rename",
    usage: "/rename TITLE",
    summary: "Rename this session",
    run: sendCommand((args) => {
      if (args === "") throw new Error("Usage: /rename TITLE");
      return { type: "rename", title: args };
    }),
  },
  {
    name: "fork",
    usage: "/fork [TITLE]",
    summary: "Copy this session",
    run: (store, args) => forkFrom(store, { title: args.trim() }),
  },
  {
    name: "archive",
    usage: "/archive",
    summary: "Archive this session",
    run: sendCommand(() => ({ type: "archive", archived: true })),
  },
  {
    name: "share",
    usage: "/share",
    summary: "Share this session with your team",
    run: (store) => shareSession(store, true),
  },
  {
    name: "unshare",
    usage: "/unshare",
    summary: "Stop sharing and delete the server's copy",
    run: (store) => shareSession(store, false),
  },
  {
    name: "export",
    usage: "/export [html|markdown|jsonl] [redact]",
    summary: "Export as HTML, Markdown or JSONL",
    async run(store, args) {
      const { sessionId } = store.getState();
      if (sessionId === undefined) throw new Error("Send a message first to start a session.");
      const options = args.split(/\s+/).filter((word) => word !== "");
      const isRedacted = options.includes("redact");
      const [named = "html", ...rest] = options.filter((word) => word !== "redact");
      const format = EXPORT_FORMATS.find((one) => one === named);
      if (format === undefined || rest.length > 0) throw new Error("Usage: /export [html|markdown|jsonl] [redact]");
      await downloadSession(store, { sessionId, format, isRedacted });
    },
  },
  {
    name: "print",
    usage: "/print",
    summary: "Print the whole session",
    run: (_store, _args, actions) => actions.print(),
  },
  {
    name: "replay",
    usage: "/replay [SEQ]",
    summary: "Replay this session, event by event",
    async run(store, args, actions) {
      if (store.getState().transcript === undefined) throw new Error("Send a message first to start a session.");
      const seq = args.trim();
      if (!/^\d{0,15}$/.test(seq)) throw new Error("Usage: /replay [SEQ], the number of an event");
      actions.showReplay(seq === "" ? undefined : Number(seq));
    },
  },
  {
    name: "copy",
    usage: "/copy",
    summary: "Copy the last answer",
    async run(store) {
      const { transcript } = store.getState();
      const messages = transcript === undefined ? [] : loadedMessagesBackward(transcript);
      for (const message of messages) {
        if (message.kind !== "turn" || turnText(message) === "") continue;
        await navigator.clipboard.writeText(turnText(message));
        return store.notify(`Copied the answer from ${message.member}.`);
      }
      throw new Error("There is no answer yet.");
    },
  },
  {
    name: "theme",
    usage: "/theme auto|light|dark",
    summary: "Change the colours",
    async run(_store, args) {
      const theme = args.trim();
      if (theme !== "auto" && theme !== "light" && theme !== "dark") throw new Error("Usage: /theme auto|light|dark");
      storeTheme(theme);
      applyTheme(theme);
    },
  },
  {
    name: "help",
    aliases: ["keys"],
    usage: "/help",
    summary: "Show commands and keys",
    run: async (_store, _args, actions) => actions.showHelp(),
  },
  {
    name: "try",
    usage: "/try [NAME]",
    summary: "Send a test phrase to the embedded scout",
    async run(store, args) {
      const scouts = membersOf(store).filter(isScout);
      if (scouts.length === 0) throw new Error("Only scout understands test phrases, and it isn't in this session.");
      const whom = scouts.map(({ name }) => `@${name}`).join(" ");
      if (!(await store.send(`${whom} /try ${args}`.trim()))) throw new Error(store.getState().problem);
    },
  },
];

function isScout({ name, kind, model = name }: MemberSpec): boolean {
  return kind === "embedded" && model === "scout";
}

/** A name has an @, or is the first word and a member's name. */
export function compactBody(args: string, members: readonly string[]): CommandBody {
  const [, undo, rest = ""] = /^(undo(?=\s|$))?\s*([\s\S]*)$/.exec(args.trim()) ?? [];
  const [, at = "", word = "", after = ""] = /^(@?)(\S+)\s*([\s\S]*)$/.exec(rest) ?? [];
  const isMember = members.includes(word);
  if (at !== "" && !isMember) throw new Error(`There is no member "${word.slice(0, 40)}" at the table.`);
  const member = isMember ? { member: word } : {};
  const focus = isMember ? after : rest;
  if (undo === undefined) return { type: "compact", ...member, ...(focus === "" ? {} : { focus }) };
  if (focus !== "") throw new Error("/compact undo takes only a member name.");
  return { type: "compact_undo", ...member };
}

function effortBody(args: string): CommandBody {
  const [, name = "", level = ""] = /^@?(\S+)\s+(\S+)$/.exec(args) ?? [];
  if (level === "") throw new Error("Usage: /effort NAME LEVEL");
  return { type: "switch_effort", member: name, ...(level === "default" ? {} : { effort: level }) };
}

/** Without a model it opens the picker. */
async function runModel(store: PageStore, args: string, actions: PageActions): Promise<void> {
  const [, name = "", model = ""] = /^@?(\S+)(?:\s+(.*\S))?\s*$/.exec(args.trim()) ?? [];
  const { transcript } = store.getState();
  if (transcript === undefined) {
    if (name === "" || model === "") throw new Error("Before the first message, use /model NAME MODEL");
    await store.command({ type: "switch_model", member: name, model });
    return store.notify(`${name} will use ${model}.`);
  }
  const members = membersInOrder(transcript.head);
  const member = members.find((one) => one.name === name);
  if (name !== "" && member === undefined) throw new Error(`There is no member "${name.slice(0, 40)}" at the table.`);
  if (member === undefined || model === "") return actions.showModels(member?.name);
  await store.command({ type: "switch_model", member: member.name, model });
  store.notify(formatModelSwitch(member, model));
}

/** By exact name or alias; suggestions are never executed. */
export function findWebCommand(name: string): WebCommand | undefined {
  return webCommands.find((one) => one.name === name || one.aliases?.includes(name));
}

export function unknownCommandMessage(name: string): string {
  if (name === "shell") {
    return "Shell commands only work in the terminal app. Put a space in front to send it as a message.";
  }
  return `There is no command /${name.slice(0, 40)}. See /help, or put a space in front to send it as a message.`;
}
