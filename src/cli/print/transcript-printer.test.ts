import { expect, test } from "vitest";
import type { DraftOf, EventDraft } from "../../protocol/index.ts";
import { empty, fold, type Transcript } from "../../transcript/index.ts";
import { CAPABILITIES } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { colourStyle, plainStyle, type Style } from "../terminal/colours.ts";
import { TranscriptPrinter } from "./transcript-printer.ts";

const ESC = "\u001b";
const capabilities = { ...CAPABILITIES, switchModel: false };

/** Printed after every event, like a live run. */
function live(drafts: readonly EventDraft[], style: Style = plainStyle): string {
  let text = "";
  const printer = new TranscriptPrinter({ write: (more) => (text += more), style, wants: () => true });
  let transcript: Transcript = empty("session");
  for (const event of stamped(drafts)) {
    transcript = fold(transcript, [event]);
    printer.show(transcript);
  }
  printer.finish(transcript);
  return text;
}

/** Printed at once, like a stored session. */
function replay(drafts: readonly EventDraft[]): string {
  let text = "";
  const printer = new TranscriptPrinter({ write: (more) => (text += more), style: plainStyle, wants: () => true });
  printer.finish(fold(empty("session"), stamped(drafts)));
  return text;
}

const user: DraftOf<"user_message"> = {
  type: "user_message",
  messageId: "m1",
  text: "Where is it?",
  to: ["ada", "bob"],
  toAll: true,
  attachments: [],
};

function start(member: string, turnId = `t-${member}`): EventDraft {
  return {
    type: "turn_start",
    turnId,
    member,
    cause: "user",
    messageIds: ["m1"],
    rootMessageId: "m1",
    depth: 0,
    round: 1,
  };
}

function delta(member: string, text: string, segmentId = `s-${member}`): EventDraft {
  return { type: "text_delta", turnId: `t-${member}`, member, segmentId, text };
}

function done(member: string, text: string, segmentId = `s-${member}`): EventDraft {
  return { type: "text_done", turnId: `t-${member}`, member, segmentId, text };
}

function tool(member: string, toolCallId: string, title: string): EventDraft {
  return { type: "tool_call_start", turnId: `t-${member}`, member, toolCallId, name: "search", args: {}, title };
}

function toolEnd(member: string, toolCallId: string, error?: string): EventDraft {
  const base = { type: "tool_result", turnId: `t-${member}`, member, toolCallId } as const;
  return error === undefined
    ? { ...base, ok: true, result: "x" }
    : { ...base, ok: false, error: { code: "tool_error", message: error } };
}

function end(
  member: string,
  outcome: "completed" | "interrupted" | "errored" = "completed",
  message?: string,
): EventDraft {
  return {
    type: "turn_end",
    turnId: `t-${member}`,
    member,
    outcome,
    durationMs: 5,
    ...(message === undefined ? {} : { error: { code: "x", message, hint: "Try again." } }),
  };
}

test("one member streams until its turn ends; the others follow in full", () => {
  const drafts = [
    user,
    start("ada"),
    start("bob"),
    delta("bob", "Bob begins. "),
    delta("ada", "Ada too. "),
    delta("bob", "Bob ends."),
    delta("ada", "Ada ends."),
    end("ada"),
    end("bob"),
  ];
  expect(live(drafts)).toBe("● you\nWhere is it?\n\n● bob\nBob begins. Bob ends.\n\n● ada\nAda too. Ada ends.\n");
});

test("a turn printed live reads as the same turn read back", () => {
  const drafts = [
    user,
    start("ada"),
    tool("ada", "c1", "search it"),
    tool("ada", "c2", "read b.ts"),
    toolEnd("ada", "c2", "no such file"),
    toolEnd("ada", "c1"),
    delta("ada", "\n\nFound"),
    delta("ada", " it.\n\n"),
    done("ada", "\n\nFound it.\n\n"),
    tool("ada", "c3", "read a.ts"),
    toolEnd("ada", "c3"),
    delta("ada", "And more.\n", "s2"),
    done("ada", "And more.\n", "s2"),
    end("ada"),
  ];
  const text =
    "● you\nWhere is it?\n\n● ada\n· search it\n· read b.ts\n  ✗ no such file\n\nFound it.\n\n· read a.ts\n\nAnd more.\n";
  expect([live(drafts), replay(drafts)]).toEqual([text, text]);
});

test("in a later round a turn that adds nothing is one line, live and replayed; any other is printed in full", () => {
  const later = (member: string): EventDraft => ({ ...start(member), cause: "round", round: 2 }) as EventDraft;
  const looks = (member: string, count: number): EventDraft[] =>
    Array.from({ length: count }, (_, at) => [
      { ...tool(member, `${member}${at}`, `read ${at}`), kind: "read" } as EventDraft,
      toolEnd(member, `${member}${at}`),
    ]).flat();
  const drafts: EventDraft[] = [
    user,
    start("ada"),
    delta("ada", "Nothing to add."),
    end("ada"),
    later("bob"),
    delta("bob", "Nothing "),
    delta("bob", "to add."),
    done("bob", "Nothing to add."),
    end("bob"),
    later("cyd"),
    delta("cyd", "Nothing to add, "),
    delta("cyd", "but line 7."),
    end("cyd"),
    later("dan"),
    tool("dan", "c1", "read a.ts"),
    toolEnd("dan", "c1"),
    delta("dan", "Nothing to add."),
    end("dan"),
    later("eve"),
    ...looks("eve", 3),
    delta("eve", "Nothing to add."),
    end("eve"),
    later("fay"),
    ...looks("fay", 4),
    delta("fay", "Nothing to add."),
    end("fay"),
  ];
  const text = [
    "● you\nWhere is it?\n",
    "● ada\nNothing to add.\n",
    "— bob has nothing to add (round 2)\n",
    "● cyd (round 2)\nNothing to add, but line 7.\n",
    "● dan (round 2)\n· read a.ts\n\nNothing to add.\n",
    "— eve has nothing to add (round 2)\n",
    "● fay (round 2)\n· read 0\n· read 1\n· read 2\n· read 3\n\nNothing to add.\n",
  ].join("\n");
  expect([live(drafts), replay(drafts)]).toEqual([text, text]);
});

test("an answer in a later round is streamed as soon as it is too long to add nothing", () => {
  const answer = "The lock is taken twice. ".repeat(12);
  const first = { ...start("ada"), cause: "round", round: 2 } as EventDraft;
  expect(live([user, first, delta("ada", answer)])).toContain(`● ada (round 2)\n${answer.trim()}`);
  let text = "";
  const printer = new TranscriptPrinter({ write: (more) => (text += more), style: plainStyle, wants: () => true });
  printer.show(fold(empty("session"), stamped([user, first, delta("ada", answer)])));
  expect(text).toContain("The lock is taken twice.");
});

test("how a turn ended is printed, with its hint", () => {
  const drafts = [
    user,
    start("ada"),
    delta("ada", "half a sen"),
    end("ada", "interrupted"),
    start("bob"),
    end("bob", "errored", "The model is gone."),
  ];
  const text =
    "● you\nWhere is it?\n\n● ada\nhalf a sen\n\n[interrupted]\n\n● bob\n[failed: The model is gone.]\nTry again.\n";
  expect([live(drafts), replay(drafts)]).toEqual([text, text]);
});

test("a turn without text says so, and so does one still running", () => {
  const drafts = [user, start("ada"), end("ada"), start("bob"), delta("bob", "Wait")];
  expect(live(drafts)).toBe("● you\nWhere is it?\n\n● ada\n(no answer)\n\n● bob\nWait\n\n[still running]\n");
});

test("retracted text is marked, and the text after it counts", () => {
  const drafts: EventDraft[] = [
    user,
    start("ada"),
    delta("ada", "Wrong"),
    { type: "text_retracted", turnId: "t-ada", member: "ada", segmentId: "s-ada" },
    delta("ada", "Right", "s2"),
    end("ada"),
  ];
  const marked = "● you\nWhere is it?\n\n● ada\nWrong\n\n[retracted by the agent; restarting this part]\n\nRight\n";
  expect([live(drafts), replay(drafts)]).toEqual([marked, "● you\nWhere is it?\n\n● ada\nRight\n"]);
});

test("a message that came through a team's server has the name of its author", () => {
  const drafts = [Object.assign({}, user, { clientId: "bob.Q7XK" }), start("ada"), delta("ada", "There"), end("ada")];
  expect(replay(drafts)).toBe("● bob\nWhere is it?\n\n● ada\nThere\n");
});
test("a final text that differs from the streamed one is printed again", () => {
  const drafts = [user, start("ada"), delta("ada", "Helo"), done("ada", "Hello"), end("ada")];
  expect(live(drafts)).toBe(
    "● you\nWhere is it?\n\n● ada\nHelo\n\n[retracted by the agent; restarting this part]\n\nHello\n",
  );
});

test("no member can pass for another: a body line that looks like a header is indented", () => {
  const drafts = [
    user,
    start("ada"),
    delta("ada", "I agree.\n● b"),
    delta("ada", "ob\nKill it.\n"),
    delta("ada", "●"),
    end("ada"),
  ];
  const text = "● you\nWhere is it?\n\n● ada\nI agree.\n ● bob\nKill it.\n ●\n";
  expect([live(drafts), replay(drafts)]).toEqual([text, text]);
});

test("no field of a member's output reaches the terminal as a control sequence", () => {
  const evil = `x${ESC}]52;c;ZXZpbA==\u0007${ESC}[2J\u009b31m\u202ey`;
  const drafts: EventDraft[] = [
    { ...user, text: evil },
    start("ada"),
    tool("ada", "c1", evil),
    toolEnd("ada", "c1", evil),
    { type: "ui_notify", turnId: "t-ada", member: "ada", message: evil, notifyType: "info" },
    delta("ada", evil),
    end("ada", "errored", evil),
    { type: "warning", code: "w", message: evil },
    { type: "a_new_type", whatever: evil } as unknown as EventDraft,
  ];
  const own = new RegExp(`${ESC}\\[(?:[0-9;]*)m`, "g");
  // oxlint-disable-next-line no-control-regex -- naming control characters is the purpose here.
  const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;
  expect(unsafe.test(live(drafts, colourStyle).replaceAll(own, ""))).toBe(false);
  expect(live(drafts)).not.toContain(ESC);
});

test("an event of an unknown type is named, not dropped", () => {
  expect(replay([user, { type: "a_new_type", x: 1 } as unknown as EventDraft])).toBe(
    "● you\nWhere is it?\n— event a_new_type\n".replace("?\n—", "?\n\n—"),
  );
});

test("only our own names and lines are coloured, by the member's chosen colour or its name", () => {
  const joined: EventDraft = {
    type: "member_joined",
    member: "ada",
    spec: { name: "ada", kind: "embedded", color: "red" },
    capabilities,
  };
  const text = live([joined, user, start("ada"), delta("ada", "Hi"), end("ada")], colourStyle);
  expect(text.slice(text.indexOf("Where"))).toBe(`Where is it?\n\n${ESC}[1;31m● ada${ESC}[0m\nHi\n`);
});

test("random interleavings of three members are never mixed, and every word is printed once", () => {
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
  let state = seed;
  const random = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  for (let round = 0; round < 200; round++) {
    const answer = (name: string) =>
      Array.from({ length: 1 + Math.floor(random() * 6) }, (_, at) => delta(name, `${name}${at} `));
    const scripts = ["ada", "bob", "cyd"].map((name) => [start(name)].concat(answer(name), end(name)));
    const drafts: EventDraft[] = [];
    while (scripts.some((script) => script.length > 0)) {
      const next = scripts[Math.floor(random() * 3)]?.shift();
      if (next !== undefined) drafts.push(next);
    }
    const parts = (text: string) =>
      text
        .split("\n\n")
        .map((part) => part.trim())
        .sort();
    expect(parts(live(drafts)), `seed ${seed}`).toEqual(parts(replay(drafts)));
  }
});
