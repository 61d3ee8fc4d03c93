/** /raw, /theme, /keys, /settings, /help, /copy and the commands of the program itself. */
import { firstWord } from "../../kit/text/command-line.ts";
import { isQuietTurn, isRunning, membersInOrder, type ShownMessage } from "../../transcript/index.ts";
import { clipboardAdvice, codeBlocks, codeByNumber, copyText } from "../log/copy-text.ts";
import { completeKeywords, nearNames, refuseArguments, shownTranscript, shownTurns } from "./arguments.ts";
import { type CommandGroup, type CommandScreen, type ScreenCommand, UnavailableError, UsageError } from "./command.ts";
import { conversationMarkdown } from "./export.ts";
import { formatCount } from "../../kit/text/format.ts";

const TARGETS = {
  last: "the last answer",
  code: "the last code block; code N copies block N",
  all: "the whole conversation as Markdown",
};

export const copy: ScreenCommand = {
  name: "copy",
  usage: "/copy [N|last|code|all]",
  summary: "Copy an answer, its code or everything",
  group: "view",
  complete: (_screen, prefix) => completeKeywords(TARGETS, prefix),
  async run(screen, args) {
    const { word, rest } = firstWord(args);
    switch (word) {
      case "":
        return give(screen, copyText(screen.log.selected ?? lastAnswer(screen)), "the message");
      case "last":
        return give(screen, copyText(lastAnswer(screen)), "the last answer");
      case "code":
        return give(screen, codeArgument(screen, screen.log.selected ?? lastAnswer(screen), rest), "the code");
      case "all": {
        const transcript = (await screen.loadAll()) ?? shownTranscript(screen);
        return give(screen, conversationMarkdown(transcript, screen.seenAs), "the conversation");
      }
      default:
        if (!/^\d+$/.test(word)) throw new UsageError(`/copy takes a number, last, code or all, not "${word}".`);
        return give(screen, codeArgument(screen, screen.log.selected ?? lastAnswer(screen), word), "the code");
    }
  },
};

/** Sends a scripted phrase to the embedded scout, so that every part of the screen can be seen without a model. */
const SCOUT = "scout";

export const tryPhrase: ScreenCommand = {
  name: "try",
  usage: "/try [NAME]",
  summary: "Try a scripted answer from scout",
  group: "program",
  async run(screen, args) {
    const { transcript } = screen;
    if (transcript !== undefined && !membersInOrder(transcript.head).some(({ name }) => name === SCOUT)) {
      throw new UnavailableError("Scripted answers need scout, which is not a member here.");
    }
    await screen.send(`@${SCOUT} /try ${args}`.trim(), "send");
  },
};

export const inbox: ScreenCommand = {
  name: "inbox",
  aliases: ["requests"],
  usage: "/inbox",
  summary: "Show who is waiting for you",
  group: "table",
  run(screen, args) {
    refuseArguments(args);
    screen.showInbox();
  },
};

export const ping: ScreenCommand = {
  name: "ping",
  usage: "/ping",
  summary: "Measure the round trip to the server",
  group: "program",
  async run(screen, args) {
    refuseArguments(args);
    screen.notify(`The server answered in ${Math.round(await screen.ping())} ms.`);
  },
};

export const doctor: ScreenCommand = {
  name: "doctor",
  usage: "/doctor",
  summary: "Check every agent and the installation",
  group: "program",
  async run(screen, args) {
    refuseArguments(args);
    screen.notify("Checking …");
    screen.showText("Doctor", await screen.doctor());
  },
};

export const quit: ScreenCommand = {
  name: "quit",
  aliases: ["exit", "q"],
  usage: "/quit [stop]",
  summary: "Leave; work goes on unless stopped",
  group: "program",
  complete: (_screen, prefix) => completeKeywords({ stop: "stop everyone first" }, prefix),
  run(screen, args) {
    if (args !== "" && args !== "stop") throw new UsageError(`/quit takes stop or nothing, not "${args}".`);
    if (args === "stop") {
      screen.notify("Stopping everyone, then leaving.");
      return screen.quit("stop");
    }
    const head = screen.transcript?.head;
    if (head === undefined || !isRunning(head)) screen.notify("Leaving.");
    screen.quit("detach");
  },
};

const GROUPS: Readonly<Record<CommandGroup, string>> = {
  talk: "Messages",
  table: "Members",
  session: "Sessions",
  view: "View",
  program: "Program",
};

export const raw: ScreenCommand = {
  name: "raw",
  usage: "/raw [on|off]",
  summary: "Show raw Markdown",
  group: "view",
  complete: (_screen, prefix) => completeKeywords({ on: "raw Markdown", off: "formatted text" }, prefix),
  run(screen, args) {
    if (args !== "" && args !== "on" && args !== "off") throw new UsageError("On or off?");
    const isRaw = args === "" ? !screen.view.isRaw : args === "on";
    screen.setView({ isRaw });
    screen.notify(isRaw ? "Showing raw Markdown. /raw switches back." : "Showing formatted text.");
  },
};

const VIEWS = {
  auto: "columns at a width of 140 or more, else a stack",
  columns: "members side by side",
  stack: "members one below the other",
  focus: "one member in full, one row for each of the others",
} as const;

export const view: ScreenCommand = {
  name: "view",
  usage: "/view [auto|columns|stack|focus]",
  summary: "Change how members are laid out",
  group: "view",
  complete: (_screen, prefix) => completeKeywords(VIEWS, prefix),
  async run(screen, args) {
    const { arrange } = screen;
    if (arrange === undefined) throw new UnavailableError("There is only one view here.");
    const wanted = args.trim() === "" ? await pickView(screen) : args.trim();
    if (wanted === undefined) return;
    if (!isView(wanted)) throw new UsageError(`There is no view "${wanted}".`);
    arrange(wanted);
    screen.notify(`View: ${wanted} (${VIEWS[wanted]}).`, "ok");
  },
};

function isView(name: string): name is keyof typeof VIEWS {
  return Object.hasOwn(VIEWS, name);
}

async function pickView(screen: CommandScreen): Promise<string | undefined> {
  const choices = Object.entries(VIEWS).map(([name, does]) => ({ label: name, description: does, value: name }));
  const at = choices.findIndex(({ value }) => value === (screen.view.arrangement ?? "auto"));
  return await screen.pick("View", choices, { at: Math.max(0, at) });
}

export const theme: ScreenCommand = {
  name: "theme",
  usage: "/theme [NAME]",
  summary: "Change the colours",
  group: "view",
  complete: (screen, prefix) =>
    screen.themes.filter((name) => name.startsWith(prefix)).map((name) => ({ value: name, label: name })),
  async run(screen, args) {
    const choices = screen.themes.map((name) => ({ label: name, value: name }));
    const at = Math.max(0, screen.themes.indexOf(screen.chosenTheme));
    const name = args === "" ? await screen.pick("Theme", choices, { at }) : args;
    if (name === undefined) return;
    if (!screen.themes.includes(name)) {
      const near = nearNames(name, screen.themes);
      const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `Themes: ${screen.themes.join(", ")}.`;
      throw new UsageError(`There is no theme "${name}". ${hint}`);
    }
    screen.setTheme(name);
    screen.notify(`Theme: ${name}.`, "ok");
  },
};

export const keys: ScreenCommand = {
  name: "keys",
  aliases: ["hotkeys", "keymap"],
  usage: "/keys",
  summary: "Show or change the keys",
  group: "program",
  run(screen, args) {
    refuseArguments(args);
    const longest = Math.max(0, ...screen.keys.map((key) => key.keys.length));
    const file = screen.keysPath?.slice(screen.keysPath.lastIndexOf("/") + 1);
    screen.showText(
      file === undefined ? "Keys" : `Keys, set in ${file} beside config.jsonc`,
      screen.keys.map((key) => `${key.keys.padEnd(longest)}  ${key.does}`),
    );
  },
};

export const settings: ScreenCommand = {
  name: "settings",
  aliases: ["config"],
  usage: "/settings",
  summary: "Change settings",
  group: "program",
  run(screen, args) {
    refuseArguments(args);
    screen.showSettings();
  },
};

/** `all` is called when help is shown, so that it includes commands registered later. */
export function createHelp(all: () => readonly ScreenCommand[]): ScreenCommand {
  return {
    name: "help",
    usage: "/help [COMMAND]",
    summary: "Explain the commands",
    group: "program",
    complete: (_screen, prefix) =>
      all()
        .filter(({ name }) => name.startsWith(prefix.replace(/^\//, "")))
        .map(({ name, summary }) => ({ value: name, label: name, description: summary })),
    run(screen, args) {
      const wanted = args.replace(/^\//, "");
      if (wanted === "") return screen.showText("Commands", helpLines(all()));
      const command = all().find(({ name, aliases = [] }) => name === wanted || aliases.includes(wanted));
      if (command === undefined) {
        const near = nearNames(
          wanted,
          all().map(({ name }) => name),
        );
        throw new UsageError(
          `There is no command /${wanted}.${near.length === 0 ? "" : ` Did you mean ${near.map((name) => `/${name}`).join(" or ")}?`}`,
        );
      }
      screen.notify(`${command.usage}: ${command.summary}${formatAliases(command)}`);
    },
  };
}

function helpLines(commands: readonly ScreenCommand[]): string[] {
  const longest = Math.max(...commands.map(({ usage }) => usage.length));
  const groups = Object.entries(GROUPS).flatMap(([group, title]) => {
    const lines = commands
      .filter((command) => command.group === group)
      .map((command) => `  ${command.usage.padEnd(longest)}  ${command.summary}${formatAliases(command)}`);
    return [title, lines, ""].flat();
  });
  return [...groups, "A message may start with a path or with //. /keys shows the keys."];
}

function formatAliases({ aliases = [] }: ScreenCommand): string {
  return aliases.length === 0 ? "" : ` (also ${aliases.map((alias) => `/${alias}`).join(", ")})`;
}

function lastAnswer(screen: CommandScreen): ShownMessage {
  const turn = shownTurns(shownTranscript(screen)).findLast(
    (one) => one.depth === 0 && copyText(one) !== "" && !isQuietTurn(one),
  );
  if (turn === undefined) throw new UnavailableError("Nobody has answered yet.");
  return turn;
}

/** By the number beside it; without one, the last of the answer. */
function codeArgument(screen: CommandScreen, message: ShownMessage, given: string): string {
  const blocks = codeBlocks(message);
  const block = given === "" ? blocks.at(-1) : codeByNumber(shownTranscript(screen), message, Number(given));
  if (block === undefined && blocks.length === 0) throw new UnavailableError("No code block in the last answer.");
  if (block === undefined) throw new UsageError(`There is no code block ${given} in these answers.`);
  return block;
}

async function give(screen: CommandScreen, text: string, what: string): Promise<void> {
  const hasLanded = await screen.copy(text);
  const size = `${formatCount(text.length)} ${text.length === 1 ? "character" : "characters"}`;
  if (hasLanded) screen.notify(`Copied ${what} (${size}).`, "ok");
  else screen.notify(`Copied ${what} (${size}). ${clipboardAdvice(text)}`);
}
