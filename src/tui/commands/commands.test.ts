import { describe, expect, test } from "vitest";
import { created, ended, joined, said, SETTINGS, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { createRecordingScreen, type ScreenState } from "../../../test/tui/command-screen.ts";
import type { EventDraft, SessionSummary } from "../../protocol/index.ts";
import { dropFrozenPages, empty, fold, messageAt, type Transcript } from "../../transcript/index.ts";
import { completeArguments, runCommandLine } from "./run-command.ts";
import { conversationMarkdown } from "./export.ts";
import { parseCommandLine } from "../../kit/text/command-line.ts";
import { commandNames, findCommand, screenCommands } from "./registry.ts";

const ada = { turnId: "t1", member: "ada" };
const answer = "Here:\n\n```ts\nconst a = 1;\n```\n\nand\n\n```sh\nnpm test\n```";
const TALK: EventDraft[] = [
  created({ title: "Fix the parser" }),
  joined("ada", { spec: { name: "ada", kind: "claude", model: "opus" } }),
  joined("bob"),
  said("m1", ["ada"], { text: "Please fix it." }),
  started("t1", "ada", { messageIds: ["m1"], model: "opus" }),
  { type: "tool_call_start", ...ada, toolCallId: "c1", name: "bash", args: {}, title: "npm test" },
  { type: "tool_result", ...ada, toolCallId: "c1", ok: true },
  { type: "text_delta", ...ada, segmentId: "s1", text: answer },
  {
    type: "change_report",
    ...ada,
    files: [{ path: "src/a.ts", status: "modified", added: 1, removed: 1, diff: "-old\n+new\n" }],
    truncatedCount: 2,
  },
  { type: "context_update", ...ada, used: 12_000, window: 200_000, compactAt: 160_000, measured: true },
  ended("t1", "ada", { durationMs: 65_000, usage: { inputTokens: 1200, outputTokens: 500, costUsd: 0.04 } }),
  said("m2", ["bob"], { text: "And you?" }),
  started("t2", "bob", { messageIds: ["m2"] }),
  ended("t2", "bob", { outcome: "errored", reason: "it broke" }),
];

const talk = (...more: EventDraft[]): Transcript => fold(empty("session"), stamped([...TALK, ...more]));

async function run(line: string, state: Partial<ScreenState> = {}) {
  const screen = createRecordingScreen({ transcript: talk(), ...state });
  expect(await runCommandLine(screen, line)).toBe("ran");
  return screen;
}

describe("what is a command", () => {
  test.each([
    ["/help", "help", ""],
    ["/to ada  hello\nworld ", "to", "ada  hello\nworld"],
    ["/q", "q", ""],
    ["/unknown-Thing x", "unknown-Thing", "x"],
  ])("%j is the command %s", (text, name, args) => {
    expect(parseCommandLine(text)).toEqual({ kind: "command", name, args });
  });

  test.each([
    "hello",
    " /help",
    "//help",
    "/usr/bin/env",
    "/usr/bin tells",
    "/",
    "/ help",
    "/1",
    "",
    "@ada /help",
    "\n/help",
  ])("%j is a message and runs nothing", async (text) => {
    const screen = createRecordingScreen();
    expect(parseCommandLine(text)).toEqual({ kind: "message" });
    expect(await runCommandLine(screen, text)).toBe("not-a-command");
    expect(screen.calls).toEqual([]);
  });

  test.each([
    ["/hlep", "Did you mean /help?"],
    ["/qui", "Did you mean /quit?"],
    ["/Mute ada", "Did you mean /mute or /unmute?"],
    ["/abor", "Did you mean /abort?"],
    ["/zzzzzzzz", "/help lists all commands."],
    ["/constructor", "/help lists all commands."],
  ])("%j is refused; only what has arguments goes back into the prompt; nothing near it is run", async (text, hint) => {
    const screen = await run(text);
    expect(screen.calls).toEqual([["say", expect.stringContaining(hint), "ask"]]);
    expect(screen.state.draft).toBe(text.includes(" ") ? text : "");
  });

  test("a refused name is repeated in a safe form and not at length", async () => {
    const screen = await run(`/x\u001b[2J${"y".repeat(500)}`);
    expect(screen.messages[0]).toMatch(/^There is no command \/xy{10,40}…\. /);
  });

  test("what is being written meanwhile is not overwritten", async () => {
    const screen = await run("/hlep me", { draft: "another thought" });
    expect(screen.state.draft).toBe("another thought");
  });

  test.each([
    ["/mute", "Which member? Usage: /mute NAME"],
    ["/mute eda", 'There is no member "eda". Did you mean ada? Usage: /mute NAME'],
    ["/unmute zorro", 'There is no member "zorro". Members: ada, bob. Usage: /unmute NAME'],
    ["/retry nobody", 'There is no member "nobody". Members: ada, bob. Usage: /retry [NAME]'],
    ["/round many", "How many rounds, from 1 to 100? Usage: /round [NUMBER]"],
    ["/round 0", "How many rounds, from 1 to 100? Usage: /round [NUMBER]"],
    ["/writable maybe", "On or off? Usage: /writable [on|off]"],
    ["/continue now", "This command takes no arguments. Usage: /continue"],
    ["/minutes eve", 'There is no member "eve". Members: ada, bob. Usage: /minutes [NAME]'],
    ["/to ada", "Name the members and what to tell them. Usage: /to NAME[,NAME] TEXT"],
    ["/to", "Name the members and what to tell them. Usage: /to NAME[,NAME] TEXT"],
    ["/interrupt eve", 'There is no member "eve". Members: ada, bob. Usage: /interrupt [NAME|all]'],
    ["/abort now", "This command takes no arguments. Usage: /stop"],
    ["/add", "Which member? Usage: /add NAME [KIND] [MODEL]"],
    [
      "/add Ada claude",
      '"Ada" is not a valid name: a member name is up to 32 lower-case letters, digits, - or _. Usage: /add NAME [KIND] [MODEL]',
    ],
    ["/add ada claude", 'There is already a member "ada". Usage: /add NAME [KIND] [MODEL]'],
    [
      "/add eve claud",
      'There is no agent "claud". Did you mean claude? Available: none. Kinds: claude, codex, cursor, pi, opencode, acp, openai, embedded. Usage: /add NAME [KIND] [MODEL]',
    ],
    [
      "/add eve",
      'There is no agent "eve". Available: none. Kinds: claude, codex, cursor, pi, opencode, acp, openai, embedded. Usage: /add NAME [KIND] [MODEL]',
    ],
    ["/remove", "Which member? Usage: /remove NAME"],
    ["/model nobody", 'There is no member "nobody". Members: ada, bob. Usage: /model [NAME [MODEL]]'],
    ["/rename", "What title? Usage: /rename TITLE"],
    [`/rename ${"x".repeat(201)}`, "The title has 201 characters; 200 is the limit. Usage: /rename TITLE"],
    ["/copy everything", '/copy takes a number, last, code or all, not "everything". Usage: /copy [N|last|code|all]'],
    ["/copy code 3", "There is no code block 3 in these answers. Usage: /copy [N|last|code|all]"],
    ["/raw maybe", "On or off? Usage: /raw [on|off]"],
    ["/theme drak", 'There is no theme "drak". Did you mean dark? Usage: /theme [NAME]'],
    ["/quit now", '/quit takes stop or nothing, not "now". Usage: /quit [stop]'],
    ["/sessions nope", 'There is no session "nope". Usage: /sessions [ID or TITLE]'],
    ["/help hlep", "There is no command /hlep. Did you mean /help? Usage: /help [COMMAND]"],
    ["/reset now", "This command takes no arguments. Usage: /reset"],
    ["/cost me", "This command takes no arguments. Usage: /cost"],
  ])("%j says what is wrong and what it takes; with arguments it goes back into the prompt", async (text, words) => {
    const screen = await run(text);
    expect(screen.calls).toEqual([["say", words, "bad"]]);
    expect(screen.state.draft).toBe(text.includes(" ") ? text : "");
  });

  test("a command that finds nothing is no wrong argument, and leaves the box empty", async () => {
    const screen = await run("/subagents");
    expect(screen.calls).toEqual([["say", "No subagents in the loaded messages."]]);
    expect(screen.state.draft).toBe("");
  });

  test.each(["/cost", "/copy", "/diff", "/diff ada", "/reset", "/save", "/stats", "/context", "/fork x", "/share"])(
    "%s without a session says so, without its usage",
    async (text) => {
      const screen = await run(text, { transcript: undefined });
      expect(screen.messages).toEqual(["Send a message first to start a session."]);
    },
  );

  test("a failure is said and loses nothing else", async () => {
    const screen = createRecordingScreen({ transcript: talk() });
    screen.doctor = () => Promise.reject(new Error("no disk"));
    expect(await runCommandLine(screen, "/doctor")).toBe("ran");
    expect(screen.messages.at(-1)).toBe("/doctor failed: no disk");
  });
});

describe("the list", () => {
  test("every command of this version is there, none of a later one, and no name stands twice", () => {
    const wanted =
      "help mute unmute retry continue round minutes to members add remove model writable permissions approvals status cost context clear new sessions resume rename fork archive delete copy raw diff queue interrupt abort reset compact pin unpin save export stats ping settings theme keys doctor inbox quit exit q search try";
    expect(wanted.split(" ").filter((name) => findCommand(name) === undefined)).toEqual([]);
    expect("search-all".split(" ").filter((name) => findCommand(name))).toEqual([]);
    expect(commandNames.length).toBe(new Set(commandNames).size);
    expect(screenCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases]).length).toBe(commandNames.length);
    expect(screenCommands.every(({ name, usage }) => usage === `/${name}` || usage.startsWith(`/${name} `))).toBe(true);
  });

  test("/help lists all of them in groups, and says of one what it takes", async () => {
    const screen = await run("/help");
    const [what, title, lines] = screen.calls[0] ?? [];
    expect([what, title]).toEqual(["showText", "Commands"]);
    expect((lines as string[]).join("\n")).toMatchInlineSnapshot(`
      "Messages
        /retry [NAME]                     Ask for another answer
        /to NAME[,NAME] TEXT              Message only these members
        /attach [PATH…|none]              Attach files to your next message
        /queue [TEXT]                     Show the queue or add to it
        /stop                             Stop everyone (also /abort)
        /interrupt [NAME|all]             Stop your turn, one member, or everyone
        /continue                         Continue what is paused or held
        /round [NUMBER]                   Discuss for another round
        /minutes [NAME]                   Summarize the discussion
        /budget [USD]                     Show or set this session's budget
        /shell COMMAND                    Run a command; output joins your message

      Members
        /model [NAME [MODEL]]             Change a member's model or effort
        /writable [on|off]                Let members edit and run commands
        /members                          Add, remove or mute members (also /agents)
        /effort [NAME [LEVEL]]            Set a member's reasoning effort
        /inbox                            Show who is waiting for you (also /requests)
        /add NAME [KIND] [MODEL]          Add a member
        /remove NAME                      Remove a member
        /mute NAME                        Stop asking a member
        /unmute NAME                      Ask a muted member again
        /permissions [forget N]           Review or revoke permissions (also /approvals)

      Sessions
        /rewind                           Go back to an earlier message
        /sessions [ID or TITLE]           Open another session (also /resume)
        /new                              Start a new session (also /clear)
        /status                           Show the session and its members (also /session)
        /compact [undo] [@NAME] [FOCUS]   Shorten the members' contexts, or undo it
        /fork [TITLE]                     Copy this session
        /rename TITLE                     Rename this session (also /name)
        /archive                          Archive or unarchive this session
        /share                            Share this session with your team
        /unshare                          Stop sharing and delete the server's copy
        /search [WORDS]                   Search all sessions
        /save [FILE]                      Save the conversation as Markdown
        /export [FORMAT] [FILE]           Export as Markdown, HTML or JSONL
        /pin                              Keep a message in every context
        /unpin                            Unpin a message
        /reset                            Make members forget this session
        /delete                           Move this session to the trash

      View
        /diff [NAME|session]              Show what changed
        /view [auto|columns|stack|focus]  Change how members are laid out
        /copy [N|last|code|all]           Copy an answer, its code or everything
        /cost                             Show tokens and cost (also /usage)
        /context                          Show how full each context is
        /find [TEXT]                      Find text in this session
        /subagents [NAME]                 Show what a subagent did
        /raw [on|off]                     Show raw Markdown
        /theme [NAME]                     Change the colours
        /stats                            Count messages, turns, tools and time

      Program
        /settings                         Change settings (also /config)
        /keys                             Show or change the keys (also /hotkeys, /keymap)
        /help [COMMAND]                   Explain the commands
        /doctor                           Check every agent and the installation
        /ping                             Measure the round trip to the server
        /try [NAME]                       Try a scripted answer from scout
        /quit [stop]                      Leave; work goes on unless stopped (also /exit, /q)

      A message may start with a path or with //. /keys shows the keys."
    `);
    expect((await run("/help /clear")).messages).toEqual(["/new: Start a new session (also /clear)"]);
  });

  test("arguments complete to members, kinds, keywords, themes and sessions", async () => {
    const screen = createRecordingScreen({ transcript: talk(), sessions: [session("01ABC")] });
    const values = async (name: string, prefix: string) =>
      (await completeArguments(screen, name, prefix)).map(({ value }) => value);
    expect(await values("mute", "")).toEqual(["ada", "bob"]);
    expect(await values("mute", "@b")).toEqual(["bob"]);
    expect(await values("interrupt", "a")).toEqual(["ada", "all"]);
    expect(await values("to", "a")).toEqual(["ada"]);
    expect(await values("to", "ada ")).toEqual([]);
    expect(await values("add", "eve c")).toEqual(["eve claude", "eve codex", "eve cursor"]);
    expect(await values("add", "cl")).toEqual(["claude"]);
    expect(await values("model", "bo")).toEqual(["bob"]);
    expect(await values("copy", "")).toEqual(["last", "code", "all"]);
    expect(await values("theme", "d")).toEqual(["dark"]);
    expect(await values("resume", "01")).toEqual(["01ABC"]);
    expect(await values("rename", "")).toEqual(["Fix the parser"]);
    expect(await values("rename", "Fix the")).toEqual(["Fix the parser"]);
    expect(await values("rename", "Byte colours")).toEqual([]);
    expect(await values("exit", "s")).toEqual(["stop"]);
    expect(await values("help", "th")).toEqual(["theme"]);
    expect(await values("nothing", "")).toEqual([]);
    screen.sessions = () => Promise.reject(new Error("away"));
    expect(await values("sessions", "")).toEqual([]);
  });
});

const session = (sessionId: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId,
  title: "parser",
  cwd: "/project",
  members: ["ada"],
  messages: 3,
  turns: 1,
  createdTs: 0,
  updatedTs: 0,
  archived: false,
  status: "idle",
  seq: 9,
  ...more,
});

describe("sessions", () => {
  test.each(["/new", "/clear"])("%s opens a new session and says where the old one is", async (text) => {
    expect((await run(text)).calls).toEqual([
      ["openSession", undefined],
      ["say", "Your first message starts a new session. /sessions has the last one."],
    ]);
  });

  test("/sessions and /resume pick one, a new one, or none; an id or its beginning opens it at once", async () => {
    const sessions = [session("01ABC"), session("01ABD"), session("02X")];
    const picked = await run("/resume", { sessions, pickedSession: { sessionId: "01ABC" } });
    expect(picked.calls.map(([what]) => what)).toEqual(["pickSession", "openSession"]);
    expect(picked.calls.slice(0, 2)).toEqual([
      ["pickSession", { sessions }],
      ["openSession", "01ABC"],
    ]);
    expect((await run("/sessions", { sessions, pickedSession: {} })).calls[1]).toEqual(["openSession", undefined]);
    expect((await run("/sessions", { sessions })).calls.length).toBe(1);
    expect((await run("/sessions 02", { sessions })).calls[0]).toEqual(["openSession", "02X"]);
    const several = await run("/sessions 01AB", { sessions, pickedSession: { sessionId: "01ABD" } });
    expect(several.calls.slice(0, 2)).toEqual([
      ["pickSession", { sessions: sessions.slice(0, 2), query: "01AB" }],
      ["openSession", "01ABD"],
    ]);
    expect((await run("/sessions 02X", { sessions, sessionId: "02X" })).messages).toEqual([
      "You are already in that session.",
    ]);
  });

  test("a session that is not loaded yet is opened when it is picked", async () => {
    const sessions = [session("02X")];
    const screen = await run("/sessions 02X", { sessions, sessionId: "02X", transcript: undefined });
    expect(screen.calls[0]).toEqual(["openSession", "02X"]);
  });

  test("/reset asks first and does nothing on a no", async () => {
    const screen = await run("/reset", { confirms: false });
    expect(screen.calls.map(([what]) => what)).toEqual(["confirm", "say"]);
    expect(screen.messages).toEqual(["Nothing was reset."]);
  });

  test("/save writes Markdown under the title or the given name and says where", async () => {
    const screen = await run("/save");
    expect(screen.calls).toEqual([
      ["saveFile", "fix-the-parser.md", conversationMarkdown(talk())],
      ["say", "Saved to /project/fix-the-parser.md.", "ok"],
    ]);
    expect((await run("/save notes/today.md")).calls[0]?.[1]).toBe("notes/today.md");
  });

  test("the conversation as Markdown", () => {
    expect(conversationMarkdown(talk())).toMatchInlineSnapshot(`
      "# Fix the parser

      - Session: session
      - Directory: /project
      - Members: ada, bob
      - Began: 2023-11-14 22:13

      ## You → ada · 2023-11-14 22:13

      Please fix it.

      ## ada (opus) · 2023-11-14 22:13

      - tool npm test: success
      - modified src/a.ts

      Here:

      \`\`\`ts
      const a = 1;
      \`\`\`

      and

      \`\`\`sh
      npm test
      \`\`\`

      ## You → bob · 2023-11-14 22:13

      And you?

      ## bob · 2023-11-14 22:13

      > failed: it broke
      "
    `);
  });

  test("a saved conversation holds nothing that acts on a terminal", () => {
    const text = conversationMarkdown(talk(said("m3", ["ada"], { text: "a\u001b]0;owned\u0007b\u202ec\td" })));
    expect(text).toContain("\n\nab⟨U+202E⟩c\td\n");
  });

  test("a saved conversation of a team says who wrote what", () => {
    const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    const text = conversationMarkdown(talk(said("m3", ["ada"], { text: "hello", clientId: `bob.${id}.0000` })));
    expect(text).toMatch(/^## bob( → ada)? · .+\n\nhello$/m);
    expect(text).toMatch(/^## You/m);
    const owner = { id: "01ARZ3NDEKTSV4RRFFQ69G5FAW", name: "carol" };
    expect(conversationMarkdown(talk(), { me: id, owner })).toMatch(/^## carol/m);
  });

  test("older pages that are not loaded, and what a reset hides, are named in the text", async () => {
    const many = Array.from({ length: 200 }, (_, index) => said(`x${index}`, ["ada"], { text: `message ${index}` }));
    const whole = talk(...many, { type: "session_clear" }, said("last", ["ada"], { text: "anew" }));
    expect(conversationMarkdown(whole)).toContain(
      "> The session was reset; what was said before is not part of this text.",
    );
    expect(conversationMarkdown(whole)).not.toContain("message 7");
    const long = talk(...many);
    const cut = dropFrozenPages(long, 0);
    const absent = long.head.messageCount - [...cut.live].reduce((sum, page) => sum + page.messages.length, 0);
    expect(absent).toBeGreaterThan(0);
    expect(conversationMarkdown(cut)).toContain(`> ${absent} older messages not loaded, and so missing here.`);
    expect((await run("/save", { transcript: cut, whole: long })).messages).toEqual([
      "Saved to /project/fix-the-parser.md.",
    ]);
    expect((await run("/save", { transcript: cut })).messages[0]).toContain(`without ${absent} older messages`);
  });
});

describe("looking", () => {
  test("/copy copies the marked message, the last answer, its code or everything, as it was written", async () => {
    expect((await run("/copy")).calls).toEqual([
      ["copy", answer],
      ["say", `Copied the message (${answer.length} characters).`, "ok"],
    ]);
    const marked = messageAt(talk(), 0);
    expect((await run("/copy", { selected: marked })).calls[0]).toEqual(["copy", "Please fix it."]);
    expect((await run("/copy last", { selected: marked })).calls[0]).toEqual(["copy", answer]);
    expect((await run("/copy code")).calls[0]).toEqual(["copy", "npm test"]);
    expect((await run("/copy code 1")).calls[0]).toEqual(["copy", "const a = 1;"]);
    expect((await run("/copy 2")).calls[0]).toEqual(["copy", "npm test"]);
    expect((await run("/copy all")).calls[0]).toEqual(["copy", conversationMarkdown(talk())]);
    expect((await run("/copy code", { selected: marked })).messages[0]).toContain("No code block in the last answer.");
  });

  test("a turn that adds nothing to a discussion is not the last answer", async () => {
    const round = { cause: "round", round: 2, rootMessageId: "m1" } as const;
    const quiet: EventDraft = {
      type: "text_done",
      turnId: "t3",
      member: "bob",
      segmentId: "s3",
      text: "Nothing to add.",
    };
    const transcript = talk(started("t3", "bob", round), quiet, ended("t3", "bob"));
    expect((await run("/copy last", { transcript })).calls[0]).toEqual(["copy", answer]);
    const last = messageAt(transcript, transcript.head.messageCount - 1);
    expect((await run("/copy", { transcript, selected: last })).calls[0]).toEqual(["copy", "Nothing to add."]);
  });

  test("a copy that the terminal may block says what to use instead", async () => {
    expect((await run("/copy code 1", { copies: false })).messages).toEqual([
      "Copied the code (12 characters). If your terminal blocks clipboard access, use /save.",
    ]);
  });

  test("/diff shows every change that was reported", async () => {
    expect((await run("/diff")).calls).toEqual([
      [
        "showDiff",
        "Changes",
        ["ada changed 3 files", "modified src/a.ts (+1 −1)", "-old", "+new", "… and 2 more that were not reported", ""],
      ],
    ]);
    const nothing = fold(empty("session"), stamped(TALK.slice(0, 3)));
    expect((await run("/diff", { transcript: nothing })).messages).toEqual(["Nothing has changed yet."]);
    expect((await run("/diff bob")).messages).toEqual(["bob has not changed anything."]);
  });

  test("/cost, /context, /stats and /status show the figures of the session", async () => {
    const pages = await Promise.all(["/cost", "/context", "/stats", "/status"].map((line) => run(line)));
    const text = pages.map((screen) =>
      screen.calls.map(([, title, lines]) => [title, ...(lines as string[])].join("\n")),
    );
    expect(text.flat().join("\n\n")).toMatchInlineSnapshot(`
      "Cost
      ada
        1 turn · 1.2k tokens in, 500 out · $0.04
      bob
        1 turn · 0 tokens in, 0 out · cost unknown
      total
        2 turns · 1.2k tokens in, 500 out · $0.04

      Context
      ada
        ctx ▰▱▱▱▱▱▱▱▱▱ 12k/200k (6%)
        148k until compaction
      bob
        not reported

      Statistics
      events        14
      messages      4 (2 from users)
      turns         2
        completed   1
        stopped     0
        failed      1
        timed out   0
      tool calls    1
      requests      0
      time in turns 1:06
      shown         4 messages

      Status
      session    session
      title      Fix the parser
      directory  /project
      mode       broadcast, can edit
      members    ○ ada (idle) · opus · ctx ▰▱▱▱▱▱▱▱▱▱ 12k/200k (6%)
                 ✗ bob (failed)
      limits     this message: 0/40 turns · 0/30 min · 0/2M tokens · $0/$5
                 the session: 2/400 turns · 0.1/300 min · 1700/20M tokens · $0.04/$50
      queue      0 waiting
      requests   0 waiting for you
      connection online"
    `);
    expect((await run("/status", { transcript: undefined })).calls[0]?.[2]).toEqual([
      "no session yet; your first message starts one",
      "connection online",
    ]);
  });

  test("/status says how far the discussion is and how much of every limit is used, of the message and of the session", async () => {
    const limits = { turns: 2, minutes: 30, tokens: 2_000_000, usd: 5 };
    const events = stamped([
      created({ settings: { ...SETTINGS, limits } }),
      joined("ada"),
      joined("bob"),
      said("m1", ["ada", "bob"], { toAll: true }),
      ...["ada", "bob"].flatMap((member) => [
        started(`t${member}`, member, { rootMessageId: "m1", round: 1 }),
        ended(`t${member}`, member, { usage: { inputTokens: 12_000, outputTokens: 345, costUsd: 0.04 } }),
      ]),
      { type: "council_paused", why: "limit", limit: "turns", scope: "message", message: "2 turns." },
    ]);
    const page = await run("/status", { transcript: fold(empty("session"), events) });
    const lines = page.calls.flatMap(([, , lines]) => lines as string[]);
    expect(lines.filter((line) => /discussion|message:|session:/.test(line))).toEqual([
      "discussion round 1 of 4 · paused",
      "limits     this message: 2/2 turns (reached) · 0/30 min · 24.7k/2M tokens · $0.08/$5",
      "           the session: 2/20 turns · 0/300 min · 24.7k/20M tokens · $0.08/$50",
    ]);
  });

  test("/raw turns round or is set; /theme is picked or named", async () => {
    expect((await run("/raw")).calls[0]).toEqual(["setView", { isRaw: true }]);
    expect((await run("/raw off")).calls[0]).toEqual(["setView", { isRaw: false }]);
    expect((await run("/theme light")).calls).toEqual([
      ["setTheme", "light"],
      ["say", "Theme: light.", "ok"],
    ]);
    expect((await run("/theme", { pickLabel: "dark" })).calls[1]).toEqual(["setTheme", "dark"]);
    expect((await run("/theme")).calls.length).toBe(1);
  });

  test("/find finds and counts; without a text it ends", async () => {
    expect((await run("/find the parser", { matches: 3 })).calls).toEqual([
      ["search", "the parser"],
      ["say", '"the parser": 3 matches.'],
    ]);
    expect((await run("/find x")).messages).toEqual(['"x": no match.']);
    expect((await run("/find")).calls[0]).toEqual(["endSearch"]);
  });

  test("commands that open something open it", async () => {
    const opened = await Promise.all(
      ["/members", "/agents", "/queue", "/settings", "/inbox"].map(async (line) => (await run(line)).calls[0]),
    );
    expect(opened).toEqual([["showMembers"], ["showMembers"], ["showQueue"], ["showSettings"], ["showInbox"]]);
    expect((await run("/keys")).calls).toEqual([["showText", "Keys", ["Enter        send", "Shift+Enter  new line"]]]);
    expect((await run("/doctor")).calls.at(-1)).toEqual(["showText", "Doctor", ["node: ok"]]);
    expect((await run("/ping")).messages).toEqual(["The server answered in 12 ms."]);
  });
});

describe("talking and leaving", () => {
  test("/to says it to the named members only", async () => {
    expect((await run("/to ada,@bob have a look\nat this")).calls).toEqual([
      ["send", "@ada @bob have a look\nat this", "send"],
    ]);
    expect((await run("/to eve hi", { transcript: undefined })).calls).toEqual([["send", "@eve hi", "send"]]);
  });

  test("/queue TEXT waits its turn; /interrupt and /stop stop what they say", async () => {
    expect((await run("/queue later on")).calls).toEqual([["send", "later on", "queue"]]);
    expect((await run("/interrupt")).calls).toEqual([["interrupt", "own"]]);
    expect((await run("/interrupt all")).calls).toEqual([["interrupt", "all"]]);
    expect((await run("/abort")).calls).toEqual([["interrupt", "all"]]);
    expect((await run("/stop")).calls).toEqual([["interrupt", "all"]]);
  });

  test("/quit detaches; /quit stop stops first", async () => {
    expect((await run("/quit")).calls).toEqual([
      ["say", "Leaving."],
      ["quit", "detach"],
    ]);
    const running = talk(said("m3", ["ada"]), started("t3", "ada"), started("t4", "bob"));
    expect((await run("/exit", { transcript: running })).calls).toEqual([["quit", "detach"]]);
    expect((await run("/q stop")).calls).toEqual([
      ["say", "Stopping everyone, then leaving."],
      ["quit", "stop"],
    ]);
  });
});
