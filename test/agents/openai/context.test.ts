/** The context of a member is a fold of the log: what its model is told after a restart is what it would have been told. */
import { expect, test } from "vitest";
import { calls, delta, text, type Step } from "../fakes/model-server.ts";
import {
  counted,
  countOf,
  faultsOf,
  isSummary,
  plainBody,
  seatForContext,
  type ContextTable,
} from "./context-table.ts";

/** Both are told the same; gives what each sent to the model. */
async function compare(live: ContextTable, words = "and now?"): Promise<void> {
  const { server } = live;
  const copy = await live.restart();
  server.answer((asked) => counted(asked, "as before"));
  const from = server.asked.length;
  await live.say(words);
  const between = server.asked.length;
  await copy.say(words);
  const mine = server.asked.slice(from, between);
  const theirs = server.asked.slice(between);
  expect(mine.length).toBeGreaterThan(0);
  expect(theirs.map(plainBody)).toEqual(mine.map(plainBody));
  expect([...mine, ...theirs].flatMap(faultsOf)).toEqual([]);
}

test("[A480] after a restart the model is sent, message for message, what it would have been sent without", async () => {
  const table = await seatForContext({ files: { "a.txt": "hello\n".repeat(30), "b.txt": "b" } });
  const { server } = table;
  server.play(
    [delta({ reasoning: "hm" }), delta({ content: "Hal" }), { drop: true }],
    [
      delta({ content: "I look. " }),
      ...calls(
        { name: "read", args: '{ "path":  "a.txt" }', id: "x" },
        { name: "read", args: { path: "b.txt" }, id: "x" },
        { name: "read", args: { path: "missing" } },
        { name: "nothing", args: "{" },
      ),
    ],
    text("seen"),
  );
  await table.say("look at a and b");
  await compare(table);
  server.play(calls({ name: "finalize_task", args: { summary: "All done." } }));
  await table.say("finish");
  await compare(table);
  server.play([delta({}, "stop")]);
  await table.say("say nothing");
  await compare(table);
});

test("[A480] a turn that was stopped, one that failed and one that was cut off are the same for both", async () => {
  const table = await seatForContext({ files: { "a.txt": "hello" } });
  const { server } = table;
  server.play([...calls({ name: "read", args: { path: "a.txt" } })], [delta({ content: "I was go" }), { hang: true }]);
  await table.command({ type: "send", text: "go on", clientMessageId: "m-1" });
  await expect.poll(() => table.events("text_delta").length).toBe(1);
  await table.command({ type: "interrupt", scope: "all" });
  await table.idle();
  await compare(table);
  const stopped = server.asked.at(-1)?.messages ?? [];
  expect(stopped.slice(1, 5).map(({ role, content }) => [role, content])).toEqual([
    ["user", "go on"],
    ["assistant", null],
    ["tool", "hello"],
    ["assistant", "I was go\n\n(The user interrupted me here.)"],
  ]);
  server.play([delta({ content: "half" }), { raw: `data: {"error":{"message":"broken for good","code":400}}\n\n` }]);
  await table.say("fail");
  await compare(table);
});

test("[A480] a program that dies in the middle of a call leaves a conversation that is whole", async () => {
  const table = await seatForContext({ files: { "a.txt": "hello" } });
  const { server } = table;
  server.play(
    [...calls({ name: "read", args: { path: "a.txt" } }, { name: "ask_nobody" })],
    [delta({ content: "ha" }), { hang: true }],
  );
  await table.command({ type: "send", text: "go", clientMessageId: "m-1" });
  await expect.poll(() => table.events("text_delta").length).toBe(1);
  const next = await table.restart();
  server.answer((asked) => counted(asked, "on"));
  await next.say("go on");
  const asked = server.asked.at(-1);
  expect(asked === undefined ? [] : faultsOf(asked)).toEqual([]);
  expect(asked?.messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
    ["user", "go"],
    ["assistant", null],
    ["tool", "hello"],
    ["tool", expect.stringContaining("Unknown tool")],
    ["assistant", "ha\n\n(The program ended here before I was done.)"],
    ["user", "go on"],
  ]);
});

test("[A480] what was told in the middle of a turn, and what is too large for an event, comes back too", async () => {
  const table = await seatForContext();
  const { server } = table;
  const gate = Promise.withResolvers<void>();
  server.play([delta({ content: "I st" }), { wait: gate.promise }, ...text("art")], text("both"));
  await table.command({ type: "send", text: `long ${"äöü ".repeat(60_000)}`, clientMessageId: "m-1" });
  await expect.poll(() => table.events("text_delta").length).toBe(1);
  await table.command({ type: "steer", text: "and be brief", clientMessageId: "m-2" });
  gate.resolve();
  await table.idle();
  expect(table.events("context_entry").map(({ entry, blob }) => entry?.kind ?? typeof blob?.sha256)).toEqual([
    "string",
    "replied",
    "steered",
    "replied",
  ]);
  await compare(table);
});

/** Every answer is a paragraph, so that a window of 4,000 tokens fills up in some turns. */
const PARAGRAPH = "A sentence of some length that says very little. ".repeat(30);

async function fill(table: ContextTable, turns: number): Promise<void> {
  table.server.answer((asked) =>
    counted(
      asked,
      isSummary(asked) ? "## Where things stand\nSummed up." : `answer ${asked.messages.length} ${PARAGRAPH}`,
    ),
  );
  for (let turn = 1; turn <= turns; turn += 1) await table.say(`question ${turn}`);
}

test("at four fifths of the window, by the model's own count, older turns are summed up and the last six stay", async () => {
  const table = await seatForContext({ window: 6_000 });
  const { server } = table;
  await fill(table, 14);
  const [compaction] = table.events("compaction");
  const at = server.asked.findIndex(isSummary);
  const [before, summary, after] = server.asked.slice(at - 1, at + 2);
  if (before === undefined || summary === undefined || after === undefined || compaction === undefined)
    throw new Error("nothing was compacted");
  // By the count of the server: what it had, its answer and the new question make four fifths.
  expect(countOf(before)).toBeLessThan(4_800);
  expect(summary.messages.map(({ role }) => role)).toEqual(["system", "user"]);
  expect(compaction).toMatchObject({
    member: "local",
    automatic: true,
    measured: true,
    summary: "## Where things stand\nSummed up.",
  });
  expect(compaction.before).toBeGreaterThanOrEqual(4_800);
  expect(compaction.after).toBeLessThan(compaction.before);
  const [system, told, ack, ...rest] = after.messages;
  expect(system).toEqual(before.messages[0]);
  expect(told?.content).toContain(`> ## Where things stand\n> Summed up.`);
  expect(told?.content).toContain("> question 1");
  expect(told?.content).toContain(table.log.sessionId);
  expect(ack?.role).toBe("assistant");
  // Six whole turns and the question that is asked now, each message as it was.
  expect(rest).toHaveLength(13);
  expect(rest.slice(0, -1)).toEqual([...before.messages.slice(-11), rest.at(-2)]);
  expect(faultsOf(after)).toEqual([]);
  const first = table.events("turn_start").find(({ turnId }) => turnId === compaction.firstKeptTurnId);
  expect(compaction.firstKeptSeq).toBe(first?.given?.fromSeq);
  expect(table.events("context_update").every(({ compactAt }) => compactAt === 4_800)).toBe(true);
  await compare(table);
});

test("between two automatic compactions there is a whole turn", async () => {
  const table = await seatForContext({ window: 3_000 });
  await fill(table, 10);
  const starts = table.events("turn_start").map(({ turnId }) => turnId);
  const places = table.events("compaction").map(({ turnId = "" }) => starts.indexOf(turnId));
  expect(places.length).toBeGreaterThan(1);
  for (const [index, place] of places.entries()) {
    if (index > 0) expect(place - (places[index - 1] ?? 0)).toBeGreaterThanOrEqual(2);
  }
  await compare(table);
});

test("a summary that cannot be had costs the turn nothing: it is said, and the oldest turns are forgotten", async () => {
  const table = await seatForContext({ window: 3_000 });
  const refuse: Step[] = [{ status: 400, body: { error: { message: "no summaries here" } } }];
  table.server.answer((asked) => (isSummary(asked) ? refuse : counted(asked, PARAGRAPH)));
  for (let turn = 1; turn <= 8; turn += 1) await table.say(`question ${turn}`);
  expect(table.events("turn_end").map(({ outcome }) => outcome)).toEqual(Array.from({ length: 8 }, () => "completed"));
  expect(table.events("compaction")).toEqual([]);
  const warnings = table.events("warning").find(({ code }) => code === "compaction_failed");
  expect(warnings?.message).toContain("no summaries here");
  expect(table.events("warning").some(({ code }) => code === "history_dropped")).toBe(true);
  await compare(table);
});

test("undone, the model is sent again what it was sent before, and after a restart too", async () => {
  const table = await seatForContext({ window: 20_000 });
  const { server } = table;
  await fill(table, 9);
  const whole = server.asked.at(-1)?.messages ?? [];
  expect(await table.command({ type: "compact", focus: "the figures" })).toMatchObject({
    ok: true,
    result: { started: ["local"], refused: [] },
  });
  await table.idle();
  expect(server.asked.at(-1)?.messages.at(-1)?.content).toContain("> the figures");
  expect(table.events("compaction")).toMatchObject([{ focus: "the figures", folded: 3 }]);
  const folded = await table.restart();
  await folded.say("after");
  const [, told, , ...kept] = server.asked.at(-1)?.messages ?? [];
  expect(told?.content).toContain("Summed up.");
  expect(kept.slice(0, -1)).toEqual([...whole.slice(-11), expect.anything()]);
  expect(await table.command({ type: "compact_undo" })).toMatchObject({ ok: true, result: { member: "local" } });
  const copy = await table.restart();
  for (const one of [table, copy]) {
    await one.say("after");
    expect(server.asked.at(-1)?.messages.slice(0, whole.length)).toEqual(whole);
    expect(server.asked.at(-1)?.messages).toHaveLength(whole.length + 2);
  }
  expect(await table.command({ type: "compact_undo" })).toMatchObject({ error: { code: "conflict" } });
});

test("what is pinned stays: a turn whole, of a message what was asked, and what others said as a quote", async () => {
  const table = await seatForContext({ window: 20_000, files: { "a.txt": "the content of a" } });
  const { server } = table;
  server.play(calls({ name: "read", args: { path: "a.txt" } }), text("I have read a."));
  await table.say("read a");
  await fill(table, 2);
  const [first, second] = table.events("turn_start");
  const pins = [first?.turnId ?? "", second?.messageIds[0] ?? ""];
  for (const messageId of pins) await table.command({ type: "pin", messageId, pinned: true });
  await fill(table, 6);
  await table.command({ type: "compact" });
  await table.idle();
  await table.say("what now?");
  const messages = server.asked.at(-1)?.messages ?? [];
  expect(messages.slice(3, 9).map(({ role, content }) => [role, content])).toEqual([
    ["user", "read a"],
    ["assistant", null],
    ["tool", "the content of a"],
    ["assistant", "I have read a."],
    ["user", "question 1"],
    ["assistant", "(My answer is part of the hand-over.)"],
  ]);
  expect(table.events("compaction")[0]?.pinned?.map(({ turnId, whole }) => [turnId, whole])).toEqual([
    [first?.turnId, true],
    [second?.turnId, false],
  ]);
  await compare(table);
});

test("cut off at any event around a compaction, the context is the whole one or the folded one, never a mixture", async () => {
  const table = await seatForContext({ window: 20_000 });
  const { server } = table;
  await fill(table, 9);
  const whole = server.asked.at(-1)?.messages ?? [];
  const from = table.log.disk.events.length;
  await table.command({ type: "compact" });
  await table.idle();
  await table.say("after");
  const { events } = table.log.disk;
  const at = events.findIndex(({ type }) => type === "compaction");
  for (let cut = from; cut <= events.length; cut += 1) {
    const copy = await table.restart({ cut });
    await copy.say("and now?");
    const asked = server.asked.at(-1);
    expect([cut, asked === undefined ? [] : faultsOf(asked)]).toEqual([cut, []]);
    const [, first] = asked?.messages ?? [];
    if (cut <= at) expect(asked?.messages.slice(0, whole.length)).toEqual(whole);
    else expect(first?.content).toContain("Summed up.");
    await copy.session.close();
  }
});

test("with two members at the table each has its own context, and what others said comes back with it", async () => {
  const table = await seatForContext({ members: ["ada", "bob"], window: 20_000 });
  await fill(table, 3);
  const copy = await table.restart();
  const from = table.server.asked.length;
  await table.say("and now?");
  const between = table.server.asked.length;
  await copy.say("and now?");
  const systemOf = (body: unknown) => JSON.stringify(body).slice(0, 300);
  const sorted = (bodies: unknown[]) => bodies.sort((one, other) => systemOf(one).localeCompare(systemOf(other)));
  const mine = sorted(table.server.asked.slice(from, between).map(plainBody));
  expect(mine).toHaveLength(2);
  expect(sorted(table.server.asked.slice(between).map(plainBody))).toEqual(mine);
});

test("where nobody tells the window, a conversation that the server refuses as too long is summed up, not cut", async () => {
  const table = await seatForContext();
  const { server } = table;
  const tooLong: Step[] = [{ status: 400, body: { error: { code: "context_length_exceeded", message: "too long" } } }];
  server.answer((asked) => {
    if (isSummary(asked)) return counted(asked, "Summed up.");
    return asked.messages.length > 20 ? tooLong : counted(asked, PARAGRAPH);
  });
  for (let turn = 1; turn <= 11; turn += 1) await table.say(`question ${turn}`);
  expect(table.events("turn_end").map(({ outcome }) => outcome)).toEqual(Array.from({ length: 11 }, () => "completed"));
  expect(table.events("compaction")).toMatchObject([{ automatic: true, summary: "Summed up." }]);
  expect(table.events("warning")).toEqual([]);
  await compare(table);
});

test("what is only heard of and pinned is quoted word for word, and the user's words are kept as far as there is room", async () => {
  const table = await seatForContext({ members: ["ada", "bob"], window: 200_000 });
  const { server } = table;
  server.answer((asked) => counted(asked, isSummary(asked) ? "Summed up." : `a plain answer ${PARAGRAPH}`));
  const say = (text: string, to: string) =>
    table.command({ type: "send", text, to: [to], clientMessageId: text }).then(() => table.idle());
  await say("only for ada: the code is 4711", "ada");
  await table.command({ type: "pin", messageId: table.events("user_message")[0]?.messageId ?? "", pinned: true });
  await say(`the first wish ${"w".repeat(50_000)}`, "bob");
  for (let turn = 1; turn <= 8; turn += 1) await say(`wish ${turn}`, "bob");
  await table.command({ type: "compact", member: "bob" });
  await table.idle();
  const [compaction] = table.events("compaction");
  expect(compaction?.quoted).toEqual([table.events("user_message")[0]?.messageId]);
  expect(compaction?.told).toContain("> only for ada: the code is 4711");
  expect(compaction?.words?.map((text) => text.slice(0, 14))).toEqual(["the first wish", "wish 1", "wish 2"]);
  expect(compaction?.words?.[0]?.length).toBeLessThan(5_000);
});

test("an undo that would no longer fit into the window is refused with the figures; one that fits holds off the next compaction", async () => {
  const table = await seatForContext({ window: 6_000 });
  await fill(table, 14);
  expect(table.events("compaction").length).toBeGreaterThan(0);
  const refused = await table.command({ type: "compact_undo" });
  expect(refused).toMatchObject({ error: { code: "too_large", message: expect.stringContaining("takes 6000") } });
  const roomy = await seatForContext({ window: 6_000 });
  await fill(roomy, 8);
  await roomy.command({ type: "compact" });
  await roomy.idle();
  expect(await roomy.command({ type: "compact_undo" })).toMatchObject({ ok: true });
  const from = roomy.server.asked.length;
  await roomy.say("and on");
  expect(roomy.server.asked.slice(from).filter(isSummary)).toEqual([]);
  expect(roomy.events("context_update").at(-1)?.compactAt).toBe(5_700);
});

test.each([
  ["an interrupt", undefined, "interrupted"],
  ["its deadline", { summaryMs: 50 }, "it took too long"],
])("a compaction between turns stops at %s, says so, and the context stays whole", async (_by, limits, reason) => {
  const table = await seatForContext({ window: 20_000, ...(limits === undefined ? {} : { limits }) });
  const { server } = table;
  await fill(table, 8);
  const whole = server.asked.at(-1)?.messages ?? [];
  server.answer((asked) => (isSummary(asked) ? [{ hang: true }] : counted(asked, "on")));
  await table.command({ type: "compact" });
  await expect.poll(() => server.asked.filter(isSummary).length).toBe(1);
  if (limits === undefined) await table.command({ type: "interrupt", scope: "all" });
  await table.idle();
  expect(table.events("compaction_failed").map((one) => one.reason)).toEqual([reason]);
  expect(table.events("compaction")).toEqual([]);
  await table.say("and now?");
  expect(server.asked.at(-1)?.messages.slice(0, whole.length)).toEqual(whole);
});

test("with too few turns there is nothing to fold, and that is said", async () => {
  const table = await seatForContext({ window: 20_000 });
  await fill(table, 2);
  await table.command({ type: "compact" });
  await table.idle();
  expect(table.events("compaction_failed").map(({ reason }) => reason)).toEqual([
    "Nothing to compact: local has only 2 turns.",
  ]);
});
