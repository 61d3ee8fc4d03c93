/** /to, /attach, /shell, /retry, /queue, /interrupt and the commands of the council. */
import { firstWord } from "../../kit/text/command-line.ts";
import { createTruncatingBuffer } from "../../kit/text/truncating-buffer.ts";
import { type CapMeter, capMeters, formatMoney, type Head } from "../../transcript/index.ts";
import { formatFile } from "../app/chrome/chrome-rows.ts";
import type { ShellEnd } from "../app/options.ts";
import type { Completion } from "../input/prompt.ts";
import { completeMembers, memberArgument, refuseArguments, sendCommand } from "./arguments.ts";
import { type CommandScreen, type ScreenCommand, UnavailableError, UsageError } from "./command.ts";

/** Longer output keeps its beginning and end, with a note about the omitted middle. */
const OUTPUT_BYTES_MAX = 128 * 1024;

const NAME_CHARS_MAX = 40;

export const shell: ScreenCommand = {
  name: "shell",
  usage: "/shell COMMAND",
  summary: "Run a command; output joins your message",
  group: "talk",
  async run(screen, args) {
    const command = args.trim();
    if (command === "") throw new UsageError("Which command?");
    const { runShell, attached } = screen;
    if (runShell === undefined) throw new UnavailableError("Commands only run in an interactive terminal.");
    const buffer = createTruncatingBuffer(OUTPUT_BYTES_MAX);
    const stopping = new AbortController();
    const page = screen.showOutput(`$ ${command}`, { text: () => buffer.text(), onStop: () => stopping.abort() });
    const ended = runShell(command, {
      cwd: screen.transcript?.head.cwd,
      signal: stopping.signal,
      onOutput(text) {
        buffer.add(text);
        page.grew();
      },
    });
    const end = await ended.catch((error: unknown) => {
      page.ended("did not start");
      throw error;
    });
    const output = buffer.text().replace(/\n+$/, "");
    const exitText = formatExit(end);
    const file = attached.attachText(fileName(command), `$ ${command}\n${output}\n(${exitText})\n`);
    page.ended(exitText);
    if (file === undefined)
      screen.notify("The output was not attached: your message already has as many files as it can hold.");
    else if (!attached.isShown) screen.notify(`Attached: ${formatFile(file)}. /attach none removes it.`, "ok");
  },
};

export const attach: ScreenCommand = {
  name: "attach",
  usage: "/attach [PATH…|none]",
  summary: "Attach files to your next message",
  group: "talk",
  complete,
  async run(screen, args) {
    const paths = splitPaths(args);
    const { attached } = screen;
    if (paths.length === 0) return screen.notify(formatAttached(screen));
    if (paths.length === 1 && paths[0] === "none") {
      const had = attached.list.length > 0;
      attached.clear();
      return screen.notify(had ? "Attachments removed." : "Nothing attached.");
    }
    const problems = await attached.attach(paths);
    if (problems.length < paths.length && !attached.isShown) screen.notify(formatAttached(screen), "ok");
    if (problems.length > 0) throw new UsageError(problems.join(" "));
  },
};

const PATH = /"([^"]*)"|'([^']*)'|((?:[^\s\\]|\\.)+)/g;

const ROUNDS_MAX = 100;

export const round: ScreenCommand = {
  name: "round",
  usage: "/round [NUMBER]",
  summary: "Discuss for another round",
  group: "talk",
  async run(screen, args) {
    const rounds = roundsOf(args.trim());
    await sendCommand(screen, { type: "round", rounds });
  },
};

export const goOn: ScreenCommand = {
  name: "continue",
  usage: "/continue",
  summary: "Continue what is paused or held",
  group: "talk",
  async run(screen, args) {
    refuseArguments(args);
    await sendCommand(screen, { type: "continue" });
  },
};

export const budget: ScreenCommand = {
  name: "budget",
  usage: "/budget [USD]",
  summary: "Show or set this session's budget",
  group: "talk",
  async run(screen, args) {
    const { transcript, planned } = screen;
    const limits = (transcript?.head.settings ?? planned?.settings)?.limits;
    if (limits === undefined) throw new UnavailableError("The settings are not known yet.");
    const given = args.trim().replace(/^\$/, "");
    if (given === "") {
      const meter = transcript === undefined ? undefined : sessionBudget(transcript.head);
      const max = meter?.max ?? limits.session?.usd;
      return screen.notify(
        max === undefined ? "This session has no budget." : `This session's budget: ${formatMoney(max)}.`,
      );
    }
    const usd = Number(given);
    if (!/^\d{1,6}(?:\.\d{1,2})?$/.test(given) || usd <= 0) throw new UsageError("How many dollars?");
    const isPaused = transcript?.head.council.state === "paused";
    await sendCommand(
      screen,
      { type: "set_settings", settings: { limits: { ...limits, session: { ...limits.session, usd } } } },
      `This session's budget: ${formatMoney(usd)}.${isPaused ? " /continue goes on." : ""}`,
    );
  },
};

function sessionBudget(head: Head): CapMeter | undefined {
  return capMeters(head).find(({ scope, limit }) => scope === "session" && limit === "usd");
}

export const minutes: ScreenCommand = {
  name: "minutes",
  usage: "/minutes [NAME]",
  summary: "Summarize the discussion",
  group: "talk",
  complete: (screen, prefix) => completeMembers(screen, prefix),
  async run(screen, args) {
    const given = args.trim();
    const by = given === "" ? {} : { by: memberArgument(screen, given) };
    await sendCommand(screen, { type: "minutes", ...by });
  },
};

const EVERYTHING = { value: "all", label: "all", description: "everyone" };

export const interrupt: ScreenCommand = {
  name: "interrupt",
  usage: "/interrupt [NAME|all]",
  summary: "Stop your turn, one member, or everyone",
  group: "talk",
  complete: (screen, prefix) => completeMembers(screen, prefix, [EVERYTHING]),
  async run(screen, args) {
    const given = args.trim();
    if (given === "") return screen.interrupt("own");
    if (given === "all") return screen.interrupt("all");
    const member = memberArgument(screen, given);
    await sendCommand(screen, { type: "interrupt", scope: "member", member }, `Stopped ${member}.`);
  },
};

export const stop: ScreenCommand = {
  name: "stop",
  aliases: ["abort"],
  usage: "/stop",
  summary: "Stop everyone",
  group: "talk",
  async run(screen, args) {
    refuseArguments(args);
    await screen.interrupt("all");
  },
};

export const queue: ScreenCommand = {
  name: "queue",
  usage: "/queue [TEXT]",
  summary: "Show the queue or add to it",
  group: "talk",
  async run(screen, args) {
    if (args.trim() === "") return screen.showQueue();
    await screen.send(args, "queue");
  },
};

/** Repeats the last failed turn, or the last one of the named member. */
export const retry: ScreenCommand = {
  name: "retry",
  usage: "/retry [NAME]",
  summary: "Ask for another answer",
  group: "talk",
  complete: (screen, prefix) => completeMembers(screen, prefix),
  async run(screen, args) {
    const given = args.trim();
    const member = given === "" ? undefined : memberArgument(screen, given);
    const body = member === undefined ? { type: "retry" as const } : { type: "retry" as const, member };
    await sendCommand(screen, body);
  },
};

export const to: ScreenCommand = {
  name: "to",
  usage: "/to NAME[,NAME] TEXT",
  summary: "Message only these members",
  group: "talk",
  complete: (screen, prefix) => (/\s/.test(prefix) ? [] : completeMembers(screen, prefix)),
  async run(screen, args) {
    const { word, rest } = firstWord(args);
    const names = word.split(",").filter((name) => name !== "");
    if (names.length === 0 || rest === "") throw new UsageError("Name the members and what to tell them.");
    const members = names.map((name) => memberArgument(screen, name));
    await screen.send(`${members.map((name) => `@${name}`).join(" ")} ${rest}`, "send");
  },
};

function roundsOf(given: string): number {
  if (given === "") return 1;
  const rounds = Number(given);
  if (!/^\d{1,3}$/.test(given) || rounds < 1 || rounds > ROUNDS_MAX) {
    throw new UsageError(`How many rounds, from 1 to ${ROUNDS_MAX}?`);
  }
  return rounds;
}

function formatAttached({ attached: { list } }: CommandScreen): string {
  if (list.length === 0) return "Nothing attached. /attach PATH attaches a file.";
  return `Attached: ${list.map(formatFile).join(", ")}.`;
}

/** Completes the last path. */
async function complete(screen: CommandScreen, prefix: string): Promise<Completion[]> {
  const written = /(?:[^\s\\]|\\.)*$/.exec(prefix)?.[0] ?? "";
  const before = prefix.slice(0, prefix.length - written.length);
  const none: Completion[] =
    screen.attached.list.length > 0 && before === "" && "none".startsWith(written)
      ? [{ value: "none", label: "none", description: "remove all attachments" }]
      : [];
  const paths = await screen.attached.complete(written.replaceAll(/\\(.)/g, "$1"));
  return [...none, ...paths.map((path) => ({ value: before + path.replaceAll(/[\s\\"']/g, "\\$&"), label: path }))];
}

/** Splits as a shell does, so that a path dropped onto the terminal stays one: quotes, and backslash before a space. */
export function splitPaths(args: string): string[] {
  return [...args.matchAll(PATH)].map(
    ([, double, single, bare = ""]) => double ?? single ?? bare.replaceAll(/\\(.)/g, "$1"),
  );
}

function formatExit({ code, signal, isStopped }: ShellEnd): string {
  if (isStopped) return "stopped by you";
  return signal === null ? `exit code ${code ?? "unknown"}` : `ended by ${signal}`;
}

/** A file name that is valid on every platform. */
function fileName(command: string): string {
  const slug = command.replaceAll(/[^\p{L}\p{N}.]+/gu, "-").replaceAll(/^[-.]+|[-.]+$/g, "");
  return `${slug.slice(0, NAME_CHARS_MAX) || "command"}.txt`;
}
