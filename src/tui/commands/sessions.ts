/** /sessions, /new, /rename, /archive, /delete, /reset, /fork, /search, /find, /status. */
import { matchSessions } from "../../client/index.ts";
import { shortId } from "../../kit/short-id.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { commandResult } from "../../protocol/index.ts";
import {
  type CapMeter,
  capMeters,
  contextMeter,
  GUARD_LABELS,
  type Head,
  type MemberState,
  meterLine,
  roundLine,
  type ShownMessage,
} from "../../transcript/index.ts";
import { memberStatus } from "../app/chrome/format.ts";
import { formatMeter } from "../overlays/lists/session-lists.ts";
import { refuseArguments, sendCommand, sessionMembers, shownTranscript } from "./arguments.ts";
import { type CommandScreen, type ScreenCommand, UsageError } from "./command.ts";

export const status: ScreenCommand = {
  name: "status",
  aliases: ["session"],
  usage: "/status",
  summary: "Show the session and its members",
  group: "session",
  run(screen, args) {
    refuseArguments(args);
    screen.showText("Status", [...sessionLines(screen), connectionLine(screen)]);
  },
};

export const fork: ScreenCommand = {
  name: "fork",
  usage: "/fork [TITLE]",
  summary: "Copy this session",
  group: "session",
  async run(screen, args) {
    shownTranscript(screen);
    const title = args.trim();
    const seq = seqOf(screen.log.selected);
    const ack = await screen.command({
      type: "fork",
      ...(seq === undefined ? {} : { seq }),
      ...(title === "" ? {} : { title }),
    });
    if (!ack.ok) return screen.notify([ack.error.message, ack.error.hint ?? ""].join(" ").trim(), "bad");
    const left = screen.sessionId ?? "";
    const { sessionId } = commandResult("fork", ack);
    await screen.openSession(sessionId);
    screen.notify(`Now in a copy. The original is unchanged: ${shortId(left)}.`, "ok");
  },
};

/** Clears the members' memory; the log keeps everything. */
export const reset: ScreenCommand = {
  name: "reset",
  usage: "/reset",
  summary: "Make members forget this session",
  group: "session",
  async run(screen, args) {
    refuseArguments(args);
    shownTranscript(screen);
    const isSure = await screen.confirm(
      "Reset this session?",
      "Members forget everything so far, and the screen is cleared. The log keeps it.",
    );
    if (!isSure) return screen.notify("Nothing was reset.");
    await sendCommand(screen, { type: "clear" });
  },
};

export const archive: ScreenCommand = {
  name: "archive",
  usage: "/archive",
  summary: "Archive or unarchive this session",
  group: "session",
  async run(screen, args) {
    refuseArguments(args);
    const archived = !shownTranscript(screen).head.archived;
    const done = archived
      ? "This session is archived. /archive brings it back."
      : "This session is no longer archived.";
    await sendCommand(screen, { type: "archive", archived }, done);
  },
};

export const deleteSession: ScreenCommand = {
  name: "delete",
  usage: "/delete",
  summary: "Move this session to the trash",
  group: "session",
  async run(screen, args) {
    refuseArguments(args);
    const { title, sessionId } = shownTranscript(screen).head;
    const isSure = await screen.confirm(
      "Delete this session?",
      `"${terminalSafeLine(title)}" goes to the trash. To bring it back: roundtable sessions trash restore ${sessionId}`,
    );
    if (!isSure) return screen.notify("Nothing was deleted.");
    // Leave it first: a client that follows a deleted session is told that it is lost.
    await screen.openSession(undefined);
    try {
      await screen.deleteSession(sessionId);
    } catch (error) {
      await screen.openSession(sessionId);
      return screen.notify(`Not deleted: ${error instanceof Error ? error.message : String(error)}`, "bad");
    }
    screen.notify("The session is in the trash. Your first message starts a new one.", "ok");
  },
};

const TITLE_CHARS_MAX = 200;

export const rename: ScreenCommand = {
  name: "rename",
  aliases: ["name"],
  usage: "/rename TITLE",
  summary: "Rename this session",
  group: "session",
  complete: ({ transcript }, prefix) => {
    const title = transcript?.head.title ?? "";
    return title !== "" && title.startsWith(prefix) ? [{ value: title, label: title }] : [];
  },
  async run(screen, args) {
    const title = args.replaceAll(/\s+/g, " ").trim();
    if (title === "") throw new UsageError("What title?");
    if (title.length > TITLE_CHARS_MAX) {
      throw new UsageError(`The title has ${title.length} characters; ${TITLE_CHARS_MAX} is the limit.`);
    }
    await sendCommand(screen, { type: "rename", title }, `Renamed to "${title}".`);
  },
};

export const search: ScreenCommand = {
  name: "search",
  usage: "/search [WORDS]",
  summary: "Search all sessions",
  group: "session",
  run: (screen, args) => screen.showSearch(args),
};

export const find: ScreenCommand = {
  name: "find",
  usage: "/find [TEXT]",
  summary: "Find text in this session",
  group: "view",
  run(screen, args) {
    if (args === "") {
      screen.log.endSearch();
      return screen.notify("Search closed.");
    }
    screen.log.search(args);
    const state = screen.log.searchState;
    const more = state !== undefined && state.pagesLeft > 0 ? `, ${state.pagesLeft} older pages still to search` : "";
    const count = state?.count ?? 0;
    screen.notify(`"${args}": ${count === 0 ? "no match" : `${count} ${count === 1 ? "match" : "matches"}`}${more}.`);
  },
};

/** The current session is left as it is; nothing is deleted. */
export const newSession: ScreenCommand = {
  name: "new",
  aliases: ["clear"],
  usage: "/new",
  summary: "Start a new session",
  group: "session",
  async run(screen, args) {
    refuseArguments(args);
    const isLeft = screen.sessionId !== undefined;
    await screen.openSession(undefined);
    screen.notify(`Your first message starts a new session.${isLeft ? " /sessions has the last one." : ""}`);
  },
};

export const sessions: ScreenCommand = {
  name: "sessions",
  aliases: ["resume"],
  usage: "/sessions [ID or TITLE]",
  summary: "Open another session",
  group: "session",
  complete: async (screen, prefix) =>
    (await screen.sessions())
      .filter(({ sessionId, title }) => {
        return sessionId.includes(prefix.toUpperCase()) || title.toLowerCase().includes(prefix.toLowerCase());
      })
      .map(({ sessionId, title }) => ({ value: sessionId, label: shortId(sessionId), description: title })),
  async run(screen, args) {
    const all = await screen.sessions();
    const { sessions: matches } = matchSessions(all, args);
    const [only] = matches;
    if (args !== "" && only === undefined) throw new UsageError(`There is no session "${args}".`);
    if (only !== undefined && matches.length === 1) return open(screen, only.sessionId);
    // Several matches: let the user choose.
    const picked = await screen.pickSession(args === "" ? { sessions: all } : { sessions: matches, query: args });
    if (picked !== undefined) await open(screen, picked.sessionId);
  },
};

async function open(screen: CommandScreen, sessionId: string | undefined): Promise<void> {
  // Not loaded yet: open it again.
  const isShown = sessionId !== undefined && sessionId === screen.sessionId && screen.transcript !== undefined;
  if (isShown) return screen.notify("You are already in that session.");
  await screen.openSession(sessionId);
  if (sessionId === undefined) screen.notify("Your first message starts a new session.");
}

/** Includes the whole turn; of a running one, what there is so far. */
function seqOf(message: ShownMessage | undefined): number | undefined {
  return message?.kind === "turn" ? message.end?.seq : message?.seq;
}

function sessionLines(screen: CommandScreen): string[] {
  if (screen.sessionId === undefined) return ["no session yet; your first message starts one"];
  const head = screen.transcript?.head;
  if (head === undefined) return [`session    ${screen.sessionId}`, "           loading …"];
  return [
    `session    ${head.sessionId}`,
    `title      ${head.title}`,
    `directory  ${head.cwd}`,
    `mode       ${head.settings?.mode ?? "unknown"}${head.settings?.writable === true ? ", can edit" : ""}`,
    ...sessionMembers(screen).map((member, index) => {
      const { glyph, word } = memberStatus(member);
      const fields = [`${glyph} ${member.name} (${word})`, modelOf(member), guardOf(member), contextOf(head, member)];
      const facts = fields.filter(Boolean);
      return `${index === 0 ? "members    " : "           "}${facts.join(" · ")}`;
    }),
    ...councilLines(head, screen.now),
    `queue      ${head.queue.length} waiting`,
    `requests   ${head.requests.length} waiting for you`,
  ];
}

function modelOf({ model, spec }: MemberState): string {
  return model ?? spec.model ?? "";
}

function guardOf({ guard }: MemberState): string {
  return guard === undefined ? "" : GUARD_LABELS[guard.kind];
}

function contextOf(head: Head, { name }: MemberState): string {
  const meter = contextMeter(head, name);
  return meter === undefined ? "" : formatMeter(meter);
}

/** Progress of the discussion and use of its limits. */
function councilLines(head: Head, now: number): string[] {
  const round = roundLine(head);
  const meters = Object.groupBy(capMeters(head, now), ({ scope }) => scope);
  return [
    ...(round === "" ? [] : [`discussion ${round}`]),
    ...metersLine("limits     this message:", meters.message),
    ...metersLine("           the session:", meters.session),
  ];
}

function metersLine(of: string, meters: readonly CapMeter[] = []): string[] {
  const texts = meters.map((meter) => `${meterLine(meter)}${meter.isReached ? " (reached)" : ""}`);
  return texts.length === 0 ? [] : [`${of} ${texts.join(" · ")}`];
}

function connectionLine({ connection }: CommandScreen): string {
  return `connection ${connection.state}${connection.reason === "" ? "" : `: ${connection.reason}`}`;
}
