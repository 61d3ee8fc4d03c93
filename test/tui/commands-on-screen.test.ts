/** Every command of the screen once, typed into the real program. What each does in detail is proven beside its file. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { screenCommands } from "../../src/tui/commands/registry.ts";
import { createHome, type Home } from "../cli/program.ts";
import { keys } from "./key-bytes.ts";
import { expectScreen, overlayRows } from "./screen-snapshot.ts";
import { openReadyTerminal } from "./test-terminal.ts";
import type { SeenTerminal } from "./terminal.ts";

const { enter, escape, down } = keys;

type Step = (seen: SeenTerminal, home: Home) => Promise<unknown>;

/** Runs it, sees an overlay with this word on its edge, and closes it. */
function opens(title: string, line: string, snapshot?: string): Step {
  return async (seen) => {
    seen.type(`${line}${enter}`);
    await seen.sees(`─ ${title}`);
    if (snapshot !== undefined) expectScreen(overlayRows(await seen.rests()), snapshot);
    seen.type(escape);
    await seen.losesSight(`─ ${title}`);
  };
}

function says(line: string, words: string | RegExp): Step {
  return async (seen) => {
    seen.type(`${line}${enter}`);
    await seen.sees(words);
  };
}

/** A line that was refused is in the box again, to be mended. */
function refuses(line: string, words: string): Step {
  return async (seen) => {
    seen.type(`${line}${enter}`);
    await seen.sees(words);
    await seen.sees(`❯ ${line}`);
    seen.type("\u0015");
    await seen.losesSight(`❯ ${line}`);
  };
}

/** Asks a member, and waits until it has answered. */
function asks(line: string, words: string): Step {
  return async (seen) => {
    seen.type(`${line}${enter}`);
    await seen.sees(words);
    await seen.losesSight("Esc stops");
  };
}

const steps: Record<string, readonly Step[]> = {
  help: [opens("Commands", "/help", "help"), says("/help mute", "/mute NAME: ")],
  doctor: [opens("Doctor", "/doctor")],
  shell: [
    says("!echo seen by $((40 + 2))", "seen by 42"),
    async (seen) => {
      await seen.sees("exit code 0");
      seen.type(escape);
      await seen.losesSight("exit code 0");
    },
    says("/attach none", "Attachments removed."),
  ],
  inbox: [says("/inbox", "Nobody is waiting for an answer.")],
  try: [asks("/try error", "r ask scout again")],
  retry: [asks("/retry scout", "r ask scout again")],
  to: [asks("/to scout where is parseWidget", "src/parser.js")],
  attach: [
    says("/attach src/parser.js", "+ parser.js ("),
    refuses("/attach gone.md", "gone.md: there is no such file."),
    says("/attach none", "Attachments removed."),
  ],
  // With one member there is nothing to discuss; council.test.ts has a table of three.
  continue: [says("/continue", "Nothing is paused; there is nothing to continue.")],
  budget: [refuses("/budget much", "How many dollars?"), says("/budget 7.5", "This session's budget: $7.50.")],
  round: [refuses("/round many", "How many rounds, from 1 to 100?"), says("/round", "There is no discussion")],
  minutes: [
    refuses("/minutes nobody", 'There is no member "nobody"'),
    says("/minutes", "Not assessed: no model has read the positions."),
  ],
  interrupt: [
    says("@scout /try hang", "I hang now."),
    refuses("/interrupt nobody", 'There is no member "nobody"'),
    says("/interrupt", "Stopped scout."),
  ],
  queue: [
    async (seen) => {
      seen.type(`@scout /try hang${enter}`);
      await seen.sees("Esc stops");
      seen.type(`/queue for later${enter}`);
      await seen.sees("queued for scout: for later");
    },
    opens("Queue", "/queue", "queue"),
  ],
  stop: [
    says("/stop", "Stopped scout."),
    async (seen) => {
      seen.type(keys.altUp);
      await seen.sees("❯ @scout for later");
      seen.type("\u0015");
      await seen.losesSight("❯ @scout for later");
    },
  ],
  members: [opens("Members", "/members")],
  mute: [says("/mute scout", "scout muted")],
  unmute: [says("/unmute scout", "scout unmuted")],
  add: [says("/add eve embedded critic", "eve joined")],
  model: [
    says("/model eve historian", "eve now uses historian"),
    async (seen) => {
      seen.type(`/model${enter}`);
      await seen.sees("─ Models ─");
      seen.type(keys.tab);
      await seen.sees("Model of eve");
      seen.type(`Other${enter}`);
      await seen.sees("─ Model of eve");
      seen.type(`\u0015critic${enter}`);
      await seen.sees("eve now uses critic");
    },
  ],
  effort: [says("/effort eve high", "eve does not support a reasoning effort.")],
  subagents: [says("/subagents", "No subagents in the loaded messages.")],
  remove: [says("/remove eve", "eve was removed")],
  writable: [
    says("/writable", "Off: members only read and advise. /writable on lets them"),
    refuses("/writable perhaps", "On or off?"),
    says("/writable on", "Writable from the next turn. Members ask before each change"),
    says("/writable", "On: members can edit files"),
    says("/writable off", "Read-only from the next turn."),
  ],
  permissions: [
    opens("Permissions", "/permissions", "permissions"),
    says("/permissions forget 1", "There is nothing to revoke."),
  ],
  rewind: [opens("Rewind to before …", "/rewind")],
  rename: [says("/rename The parser", 'Renamed to "The parser".')],
  status: [opens("Status", "/status", "status")],
  cost: [opens("Cost", "/cost")],
  context: [opens("Context", "/context")],
  stats: [opens("Statistics", "/stats")],
  diff: [
    says("/diff", "Nothing has changed yet."),
    asks("@scout /try changes", "Done: reports changed files"),
    async (seen) => {
      seen.type(`/diff${enter}`);
      await seen.sees("+ const a = 2;");
      expectScreen(await seen.rests(), "diff");
      seen.type(escape);
      await seen.losesSight("+ const a = 2;");
    },
  ],
  copy: [says("/copy", /Copied .* If your terminal blocks clipboard access/)],
  save: [
    says("/save talk.md", "Saved to"),
    async (_seen, home) => expect(readFileSync(path.join(home.project, "talk.md"), "utf8")).toContain("## You"),
    says("/save talk.md", /already\s+exists;\s+choose\s+another\s+name\./),
  ],
  pin: [
    refuses("/pin this", "This command takes no arguments. Select a message first."),
    says("/pin", "Pinned. It stays in every context."),
  ],
  unpin: [says("/unpin", "Unpinned.")],
  // The embedded members have no context that grows; compaction has its own tests with a model.
  compact: [says("/compact", /compact/i), refuses("/compact @nobody", 'There is no member "nobody"')],
  export: [
    says("/export html talk.html", "Exported to"),
    async (_seen, home) =>
      expect(readFileSync(path.join(home.project, "talk.html"), "utf8")).toMatch(/^<!doctype html>/i),
  ],
  find: [says("/find parseWidget", /\/ parseWidget · \d+ of \d+/), says("/find", "Search closed.")],
  search: [opens("Search all sessions", "/search")],
  raw: [says("/raw", "Showing raw Markdown."), says("/raw off", "Showing formatted text.")],
  view: [
    says("/view stack", "View: stack (members one below the other)."),
    refuses("/view rows", 'There is no view "rows".'),
  ],
  theme: [says("/theme light", "Theme: light."), opens("Theme", "/theme", "theme-picker")],
  keys: [opens("Keys", "/keys")],
  settings: [opens("Settings", "/settings", "settings")],
  ping: [says("/ping", /The server answered in \d+ ms\./)],
  reset: [
    async (seen) => {
      seen.type(`/reset${enter}`);
      await seen.sees("─ Reset");
      expectScreen(overlayRows(await seen.rests()), "confirm-reset");
      seen.type("y");
      await seen.sees(/cleared · \d+ earlier messages are not shown/);
    },
  ],
  new: [says("/new", "One conversation, every coding agent at the table.")],
  sessions: [
    async (seen) => {
      seen.type(`/sessions${enter}`);
      await seen.sees("The parser");
      await seen.sees(/last answer, scout|No answer yet/);
      expectScreen(await seen.rests(), "session-picker");
      if (!/❯ .*The parser/.test(seen.text())) seen.type(down);
      await seen.sees(/❯ .*The parser/);
      seen.type(enter);
      await seen.sees(/^ The parser /m);
    },
  ],
  fork: [says("/fork Another way", "Now in a copy. The original is unchanged")],
  share: [says("/share", /This\s+machine\s+has\s+not\s+joined\s+a\s+team\s+yet/)],
  unshare: [
    says("/unshare", /the\s+session\s+is\s+not\s+shared\s+with\s+anyone/),
    refuses("/unshare it", "no arguments"),
  ],
  archive: [
    says("/archive", "This session is archived. /archive brings it back."),
    says("/archive", "This session is no longer archived."),
  ],
  delete: [
    async (seen) => {
      seen.type(`/delete${enter}`);
      await seen.sees("─ Delete this session?");
      seen.type("y");
      await seen.sees("The session is in the trash.");
    },
  ],
  quit: [says("/quit", "exit 0")],
};

test("every command does its work when it is typed, and says so; a near miss is never run", async ({
  onTestFinished: after,
}) => {
  expect(Object.keys(steps).toSorted()).toEqual(screenCommands.map(({ name }) => name).toSorted());
  const home = createHome();
  const seen = await openReadyTerminal(after, { home, columns: 100, rows: 30 });
  seen.type(`/membrs${enter}`);
  await seen.sees("/members");
  expect(seen.text()).not.toContain("─ Members");
  seen.type("\u0015");
  for (const [name, list] of Object.entries(steps)) {
    for (const step of list) {
      try {
        await step(seen, home);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        throw new Error(`/${name}: ${message}`, { cause: error });
      }
    }
  }
});
