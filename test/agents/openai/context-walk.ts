/**
 * A random life of a member at a model server that misbehaves: tools, steers, interrupts, faults, pins, compactions and
 * undoing, with a window that fills. Every so often the session is cut off and opened by another program, and both are
 * told the same: what they send to the model must be the same too, and always valid.
 */
import { expect } from "vitest";
import { createRandom, type Random } from "../../session/random.ts";
import { calls, delta, DONE, type ModelRequest, type CallScript, type Step } from "../fakes/model-server.ts";
import { counted, countOf, faultsOf, isSummary, plainBody, startContextRun, type ContextRun } from "./context-run.ts";

const CALLS: readonly CallScript[] = [
  { name: "read", args: { path: "a.txt" } },
  { name: "read", args: '{"path" : "long.txt"}', id: "same" },
  { name: "list", id: "same" },
  { name: "search", args: { text: "needle" }, id: "" },
  { name: "nothing", args: "{" },
  { name: "read", args: '{"path":' },
];

export async function walkContext(seed: number, steps: number): Promise<void> {
  const random = createRandom(seed);
  const run = await startContextRun({
    window: 8_000,
    files: { "a.txt": "hello\n", "long.txt": "a line with a needle\n".repeat(150) },
  });
  let asked = 0;
  for (let step = 0; step < steps; step += 1) {
    run.server.answer((one) => answerTo(random, one));
    await act(run, random, step);
    const faults = run.server.requests.slice(asked).flatMap(faultsOf);
    expect(faults, `seed ${seed}, step ${step}`).toEqual([]);
    if (random.chance(0.35)) await compare(run, `seed ${seed}, step ${step}`);
    asked = run.server.requests.length;
  }
}

async function act(run: ContextRun, random: Random, step: number): Promise<void> {
  const pick = random.integer(12);
  if (pick === 0) await run.command({ type: "compact", ...(random.chance(0.5) ? { focus: "the figures" } : {}) });
  else if (pick === 1) await run.command({ type: "compact_undo" });
  else if (pick === 2) await pinOne(run, random);
  else if (pick === 5) await run.command({ type: "retry" });
  else if (pick === 3) {
    await run.command({ type: "send", text: `stop ${step}`, clientMessageId: `s${step}` });
    await wait(random.integer(12));
    await run.command({ type: "interrupt", scope: "all" });
  } else if (pick === 4) {
    await run.command({ type: "send", text: `steer ${step}`, clientMessageId: `s${step}` });
    await wait(random.integer(6));
    await run.command({ type: "steer", text: `and more ${step}`, clientMessageId: `m${step}` });
  } else
    await run.command({
      type: "send",
      text: `${step}: ${"words of the user. ".repeat(random.integer(30))}`,
      clientMessageId: `s${step}`,
    });
  await run.idle();
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function pinOne(run: ContextRun, random: Random): Promise<void> {
  const turns = run.events("turn_start").filter(({ depth }) => depth === 0);
  if (turns.length === 0) return;
  const { turnId, messageIds } = random.pick(turns);
  const messageId = random.chance(0.5) ? turnId : (messageIds[0] ?? turnId);
  await run.command({ type: "pin", messageId, pinned: random.chance(0.7) });
}

function answerTo(random: Random, asked: ModelRequest): readonly Step[] {
  if (isSummary(asked))
    return random.chance(0.2) ? [{ status: 400, body: "no" }] : counted(asked, "## Where things stand\nSummed up.");
  // A turn that has called a few tools comes to its end.
  const called = asked.messages.slice(asked.messages.findLastIndex(({ role }) => role === "user")).length;
  const pick = called > 6 ? 0 : random.integer(10);
  const text = "An answer of some words. ".repeat(random.integer(40));
  if (pick < 4) return counted(asked, text);
  if (pick === 4) return [delta({ content: "begun " }), { drop: true }];
  if (pick === 5) return [{ status: 400, body: { error: { message: "refused" } } }];
  if (pick === 6) return [delta({ content: "uncounted" }), delta({}, "stop"), DONE];
  const list = Array.from({ length: 1 + random.integer(3) }, () => random.pick(CALLS));
  const script = calls(...list).filter((one) => !("data" in one && hasUsage(one.data)));
  return [delta({ content: "I look. " }), ...script.slice(0, -1), usageOf(asked), DONE];
}

function usageOf(asked: ModelRequest): Step {
  return { data: { choices: [], usage: { prompt_tokens: countOf(asked), completion_tokens: 20 } } };
}

function hasUsage(data: unknown): boolean {
  return typeof data === "object" && data !== null && "usage" in data;
}

/** Both programs go on with the same words, at a server that behaves. */
async function compare(run: ContextRun, where: string): Promise<void> {
  const { server } = run;
  server.answer((one) => counted(one, "as before"));
  const copy = await run.restart();
  const sent = () => server.requests.filter((one) => isSummary(one) || one.messages.at(-1)?.content === "and now?");
  const from = sent().length;
  await run.send("and now?");
  const between = sent().length;
  await copy.send("and now?");
  await copy.session.close();
  const theirs = sent().slice(between);
  // Before it, a question of the turn that was stopped may still have been on its way to the server.
  const mine = sent().slice(from, between).slice(-theirs.length);
  expect(theirs.map(plainBody), where).toEqual(mine.map(plainBody));
  expect([...mine, ...theirs].flatMap(faultsOf), where).toEqual([]);
}
