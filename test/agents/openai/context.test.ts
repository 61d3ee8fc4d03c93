/** The context of a member is a fold of the log: what its model is told after a restart is what it would have been told. */
import { expect, test } from "vitest";
import { calls, delta, text, type Step } from "../fakes/model-server.ts";
import { counted, countOf, faultsOf, isSummary, plainBody, startContextRun, type ContextRun } from "./context-run.ts";

/** Both are told the same; gives what each sent to the model. */
async function compare(live: ContextRun, text = "and now?"): Promise<void> {
  const { server } = live;
  const copy = await live.restart();
  server.answer((asked) => counted(asked, "as before"));
  const from = server.requests.length;
  await live.send(text);
  const between = server.requests.length;
  await copy.send(text);
  const mine = server.requests.slice(from, between);
  const theirs = server.requests.slice(between);
  expect(mine.length).toBeGreaterThan(0);
  expect(theirs.map(plainBody)).toEqual(mine.map(plainBody));
  expect([...mine, ...theirs].flatMap(faultsOf)).toEqual([]);
}

test("[A480] after a restart the model is sent, message for message, what it would have been sent without", async () => {
  const run = await startContextRun({ files: { "a.txt": "hello\n".repeat(30), "b.txt": "b" } });
  const { server } = run;
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
  await run.send("look at a and b");
  await compare(run);
  server.play(calls({ name: "finalize_task", args: { summary: "All done." } }));
  await run.send("finish");
  await compare(run);
  server.play([delta({}, "stop")]);
  await run.send("say nothing");
  await compare(run);
});

test("[A480] a turn that was stopped, one that failed and one that was cut off are the same for both", async () => {
  const run = await startContextRun({ files: { "a.txt": "hello" } });
  const { server } = run;
  server.play([...calls({ name: "read", args: { path: "a.txt" } })], [delta({ content: "I was go" }), { hang: true }]);
  await run.command({ type: "send", text: "go on", clientMessageId: "m-1" });
  await expect.poll(() => run.events("text_delta").length).toBe(1);
  await run.command({ type: "interrupt", scope: "all" });
  await run.idle();
  await compare(run);
  const stopped = server.requests.at(-1)?.messages ?? [];
  expect(stopped.slice(1, 5).map(({ role, content }) => [role, content])).toEqual([
    ["user", "go on"],
    ["assistant", null],
    ["tool", "hello"],
    ["assistant", "I was go\n\n(The user interrupted me here.)"],
  ]);
  server.play([delta({ content: "half" }), { raw: `data: {"error":{"message":"broken for good","code":400}}\n\n` }]);
  await run.send("fail");
  await compare(run);
});

test("[A480] a program that dies in the middle of a call leaves a conversation that is whole", async () => {
  const run = await startContextRun({ files: { "a.txt": "hello" } });
  const { server } = run;
  server.play(
    [...calls({ name: "read", args: { path: "a.txt" } }, { name: "ask_nobody" })],
    [delta({ content: "ha" }), { hang: true }],
  );
  await run.command({ type: "send", text: "go", clientMessageId: "m-1" });
  await expect.poll(() => run.events("text_delta").length).toBe(1);
  const next = await run.restart();
  server.answer((asked) => counted(asked, "on"));
  await next.send("go on");
  const asked = server.requests.at(-1);
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

test("[A480] restores steers and bodies too large for an event", async () => {
  const run = await startContextRun();
  const { server } = run;
  const gate = Promise.withResolvers<void>();
  server.play([delta({ content: "I st" }), { wait: gate.promise }, ...text("art")], text("both"));
  await run.command({ type: "send", text: `long ${"äöü ".repeat(60_000)}`, clientMessageId: "m-1" });
  await expect.poll(() => run.events("text_delta").length).toBe(1);
  await run.command({ type: "steer", text: "and be brief", clientMessageId: "m-2" });
  gate.resolve();
  await run.idle();
  expect(run.events("context_entry").map(({ entry, blob }) => entry?.kind ?? typeof blob?.sha256)).toEqual([
    "string",
    "replied",
    "steered",
    "replied",
  ]);
  await compare(run);
});

/** Every answer is a paragraph, so that a window of 4,000 tokens fills up in some turns. */
const PARAGRAPH = "A sentence of some length that says very little. ".repeat(30);

async function fill(run: ContextRun, turns: number): Promise<void> {
  run.server.answer((asked) =>
    counted(
      asked,
      isSummary(asked) ? "## Where things stand\nSummed up." : `answer ${asked.messages.length} ${PARAGRAPH}`,
    ),
  );
  for (let turn = 1; turn <= turns; turn += 1) await run.send(`question ${turn}`);
}

test("at four fifths of the window, by the model's own count, older turns are summed up and the last six stay", async () => {
  const run = await startContextRun({ window: 6_000 });
  const { server } = run;
  await fill(run, 14);
  const [compaction] = run.events("compaction");
  const at = server.requests.findIndex(isSummary);
  const [before, summary, after] = server.requests.slice(at - 1, at + 2);
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
  expect(told?.content).toContain(run.log.sessionId);
  expect(ack?.role).toBe("assistant");
  // Six whole turns and the question that is asked now, each message as it was.
  expect(rest).toHaveLength(13);
  expect(rest.slice(0, -1)).toEqual([...before.messages.slice(-11), rest.at(-2)]);
  expect(faultsOf(after)).toEqual([]);
  const first = run.events("turn_start").find(({ turnId }) => turnId === compaction.firstKeptTurnId);
  expect(compaction.firstKeptSeq).toBe(first?.given?.fromSeq);
  expect(run.events("context_update").every(({ compactAt }) => compactAt === 4_800)).toBe(true);
  await compare(run);
});

test("between two automatic compactions there is a whole turn", async () => {
  const run = await startContextRun({ window: 3_000 });
  await fill(run, 10);
  const starts = run.events("turn_start").map(({ turnId }) => turnId);
  const indexes = run.events("compaction").map(({ turnId = "" }) => starts.indexOf(turnId));
  expect(indexes.length).toBeGreaterThan(1);
  for (const [at, index] of indexes.entries()) {
    if (at > 0) expect(index - (indexes[at - 1] ?? 0)).toBeGreaterThanOrEqual(2);
  }
  await compare(run);
});

test("a failed summary does not fail the turn: it warns and drops the oldest turns", async () => {
  const run = await startContextRun({ window: 3_000 });
  const refuse: Step[] = [{ status: 400, body: { error: { message: "no summaries here" } } }];
  run.server.answer((asked) => (isSummary(asked) ? refuse : counted(asked, PARAGRAPH)));
  for (let turn = 1; turn <= 8; turn += 1) await run.send(`question ${turn}`);
  expect(run.events("turn_end").map(({ outcome }) => outcome)).toEqual(Array.from({ length: 8 }, () => "completed"));
  expect(run.events("compaction")).toEqual([]);
  const warnings = run.events("warning").find(({ code }) => code === "compaction_failed");
  expect(warnings?.message).toContain("no summaries here");
  expect(run.events("warning").some(({ code }) => code === "history_dropped")).toBe(true);
  await compare(run);
});

test("undone, the model is sent again what it was sent before, and after a restart too", async () => {
  const run = await startContextRun({ window: 20_000 });
  const { server } = run;
  await fill(run, 9);
  const whole = server.requests.at(-1)?.messages ?? [];
  expect(await run.command({ type: "compact", focus: "the figures" })).toMatchObject({
    ok: true,
    result: { started: ["local"], refused: [] },
  });
  await run.idle();
  expect(server.requests.at(-1)?.messages.at(-1)?.content).toContain("> the figures");
  expect(run.events("compaction")).toMatchObject([{ focus: "the figures", folded: 3 }]);
  const folded = await run.restart();
  await folded.send("after");
  const [, told, , ...kept] = server.requests.at(-1)?.messages ?? [];
  expect(told?.content).toContain("Summed up.");
  expect(kept.slice(0, -1)).toEqual([...whole.slice(-11), expect.anything()]);
  expect(await run.command({ type: "compact_undo" })).toMatchObject({ ok: true, result: { member: "local" } });
  const copy = await run.restart();
  for (const one of [run, copy]) {
    await one.send("after");
    expect(server.requests.at(-1)?.messages.slice(0, whole.length)).toEqual(whole);
    expect(server.requests.at(-1)?.messages).toHaveLength(whole.length + 2);
  }
  expect(await run.command({ type: "compact_undo" })).toMatchObject({ error: { code: "conflict" } });
});

test("what is pinned stays: a turn whole, of a message what was asked, and what others said as a quote", async () => {
  const run = await startContextRun({ window: 20_000, files: { "a.txt": "the content of a" } });
  const { server } = run;
  server.play(calls({ name: "read", args: { path: "a.txt" } }), text("I have read a."));
  await run.send("read a");
  await fill(run, 2);
  const [first, second] = run.events("turn_start");
  const pins = [first?.turnId ?? "", second?.messageIds[0] ?? ""];
  for (const messageId of pins) await run.command({ type: "pin", messageId, pinned: true });
  await fill(run, 6);
  await run.command({ type: "compact" });
  await run.idle();
  await run.send("what now?");
  const messages = server.requests.at(-1)?.messages ?? [];
  expect(messages.slice(3, 9).map(({ role, content }) => [role, content])).toEqual([
    ["user", "read a"],
    ["assistant", null],
    ["tool", "the content of a"],
    ["assistant", "I have read a."],
    ["user", "question 1"],
    ["assistant", "(My answer is part of the hand-over.)"],
  ]);
  expect(run.events("compaction")[0]?.pinned?.map(({ turnId, whole }) => [turnId, whole])).toEqual([
    [first?.turnId, true],
    [second?.turnId, false],
  ]);
  await compare(run);
});

test("cut off at any event around a compaction, the context is the whole one or the folded one, never a mixture", async () => {
  const run = await startContextRun({ window: 20_000 });
  const { server } = run;
  await fill(run, 9);
  const whole = server.requests.at(-1)?.messages ?? [];
  const from = run.log.disk.events.length;
  await run.command({ type: "compact" });
  await run.idle();
  await run.send("after");
  const { events } = run.log.disk;
  const at = events.findIndex(({ type }) => type === "compaction");
  for (let cut = from; cut <= events.length; cut += 1) {
    const copy = await run.restart({ cut });
    await copy.send("and now?");
    const asked = server.requests.at(-1);
    expect([cut, asked === undefined ? [] : faultsOf(asked)]).toEqual([cut, []]);
    const [, first] = asked?.messages ?? [];
    if (cut <= at) expect(asked?.messages.slice(0, whole.length)).toEqual(whole);
    else expect(first?.content).toContain("Summed up.");
    await copy.session.close();
  }
});

test("with two members each restores its own context and the other's messages", async () => {
  const run = await startContextRun({ members: ["ada", "bob"], window: 20_000 });
  await fill(run, 3);
  const copy = await run.restart();
  const from = run.server.requests.length;
  await run.send("and now?");
  const between = run.server.requests.length;
  await copy.send("and now?");
  const systemOf = (body: unknown) => JSON.stringify(body).slice(0, 300);
  const sorted = (bodies: unknown[]) => bodies.sort((one, other) => systemOf(one).localeCompare(systemOf(other)));
  const mine = sorted(run.server.requests.slice(from, between).map(plainBody));
  expect(mine).toHaveLength(2);
  expect(sorted(run.server.requests.slice(between).map(plainBody))).toEqual(mine);
});

test("where nobody tells the window, a conversation that the server refuses as too long is summed up, not cut", async () => {
  const run = await startContextRun();
  const { server } = run;
  const tooLong: Step[] = [{ status: 400, body: { error: { code: "context_length_exceeded", message: "too long" } } }];
  server.answer((asked) => {
    if (isSummary(asked)) return counted(asked, "Summed up.");
    return asked.messages.length > 20 ? tooLong : counted(asked, PARAGRAPH);
  });
  for (let turn = 1; turn <= 11; turn += 1) await run.send(`question ${turn}`);
  expect(run.events("turn_end").map(({ outcome }) => outcome)).toEqual(Array.from({ length: 11 }, () => "completed"));
  expect(run.events("compaction")).toMatchObject([{ automatic: true, summary: "Summed up." }]);
  expect(run.events("warning")).toEqual([]);
  await compare(run);
});

test("what is only heard of and pinned is quoted word for word, and the user's words are kept as far as there is room", async () => {
  const run = await startContextRun({ members: ["ada", "bob"], window: 200_000 });
  const { server } = run;
  server.answer((asked) => counted(asked, isSummary(asked) ? "Summed up." : `a plain answer ${PARAGRAPH}`));
  const send = (text: string, to: string) =>
    run.command({ type: "send", text, to: [to], clientMessageId: text }).then(() => run.idle());
  await send("only for ada: the code is 4711", "ada");
  await run.command({ type: "pin", messageId: run.events("user_message")[0]?.messageId ?? "", pinned: true });
  await send(`the first wish ${"w".repeat(50_000)}`, "bob");
  for (let turn = 1; turn <= 8; turn += 1) await send(`wish ${turn}`, "bob");
  await run.command({ type: "compact", member: "bob" });
  await run.idle();
  const [compaction] = run.events("compaction");
  expect(compaction?.quoted).toEqual([run.events("user_message")[0]?.messageId]);
  expect(compaction?.told).toContain("> only for ada: the code is 4711");
  expect(compaction?.words?.map((text) => text.slice(0, 14))).toEqual(["the first wish", "wish 1", "wish 2"]);
  expect(compaction?.words?.[0]?.length).toBeLessThan(5_000);
});

test("an undo that would no longer fit into the window is refused with the figures; one that fits holds off the next compaction", async () => {
  const run = await startContextRun({ window: 6_000 });
  await fill(run, 14);
  expect(run.events("compaction").length).toBeGreaterThan(0);
  const refused = await run.command({ type: "compact_undo" });
  expect(refused).toMatchObject({ error: { code: "too_large", message: expect.stringContaining("takes 6000") } });
  const roomy = await startContextRun({ window: 6_000 });
  await fill(roomy, 8);
  await roomy.command({ type: "compact" });
  await roomy.idle();
  expect(await roomy.command({ type: "compact_undo" })).toMatchObject({ ok: true });
  const from = roomy.server.requests.length;
  await roomy.send("and on");
  expect(roomy.server.requests.slice(from).filter(isSummary)).toEqual([]);
  expect(roomy.events("context_update").at(-1)?.compactAt).toBe(5_700);
});

test.each([
  ["an interrupt", undefined, "interrupted"],
  ["its deadline", { summaryMs: 50 }, "it took too long"],
])(
  "a compaction between turns stops at %s with a reason, and the context is unchanged",
  async (_by, limits, reason) => {
    const run = await startContextRun({ window: 20_000, ...(limits === undefined ? {} : { limits }) });
    const { server } = run;
    await fill(run, 8);
    const whole = server.requests.at(-1)?.messages ?? [];
    server.answer((asked) => (isSummary(asked) ? [{ hang: true }] : counted(asked, "on")));
    await run.command({ type: "compact" });
    await expect.poll(() => server.requests.filter(isSummary).length).toBe(1);
    if (limits === undefined) await run.command({ type: "interrupt", scope: "all" });
    await run.idle();
    expect(run.events("compaction_failed").map((one) => one.reason)).toEqual([reason]);
    expect(run.events("compaction")).toEqual([]);
    await run.send("and now?");
    expect(server.requests.at(-1)?.messages.slice(0, whole.length)).toEqual(whole);
  },
);

test("with too few turns there is nothing to compact, with a message", async () => {
  const run = await startContextRun({ window: 20_000 });
  await fill(run, 2);
  await run.command({ type: "compact" });
  await run.idle();
  expect(run.events("compaction_failed").map(({ reason }) => reason)).toEqual([
    "Nothing to compact: local has only 2 turns.",
  ]);
});
