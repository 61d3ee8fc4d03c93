/**
 * One session whose members ask and change their mind, and three screens that answer, stop, take back and wait, in
 * random order. Judged by the log, by what the agents were told, and by what is listed as allowed.
 */
import { createHash } from "node:crypto";
import { coverKey, type Approval, type Cover } from "../../src/agents/index.ts";
import { isDenial, Permissions, type Ack, type EventOf, type Json } from "../../src/protocol/index.ts";
import { settle } from "./fake-clock.ts";
import { createRandom, type Random } from "./random.ts";
import { startSession, type SessionRun } from "./session-run.ts";
import { checkLog } from "./session-checker.ts";

const MEMBERS = ["ada", "bob", "cyd"];
const SCREENS = ["one", "two", "three"];
const COMMANDS = ["npm test", "ls", "rm -rf build", "git push"];
const STEPS = 40;
/** As different agents offer them: what lets the call run once is the first. */
const OFFERS: Approval["options"][] = [
  [
    { label: "Allow once", value: "allow" },
    { label: "Deny", value: "deny" },
  ],
  [
    { label: "Once", value: "accept" },
    { label: "For this session", value: "acceptForSession" },
    { label: "Stop", value: "cancel" },
  ],
  [
    { label: "Allow", value: "proceed_once", description: "allow_once" },
    { label: "Always", value: "table_always", description: "allow_always" },
    { label: "No", value: "no", description: "reject_once" },
  ],
];
const ANSWERS: Json[] = ["allow", "table_session", "table_always", "deny", false];
const UNFIT: Json[] = ["accept", "acceptForSession", "proceed_once", "table_session_edits", true, null, "", 1];

interface Walk {
  readonly random: Random;
  readonly run: SessionRun;
  /** What was kept for always. */
  readonly kept: Cover[];
  /** By the call's id, the agent's own word for once. */
  readonly asked: Map<string, { member: string; once: string }>;
  readonly wrong: string[];
}

export interface Walked {
  readonly wrong: readonly string[];
  readonly settled: number;
}

export async function walkRequests(seed: number): Promise<Walked> {
  const kept: Cover[] = [];
  const has = (cover: Cover) => kept.some((one) => coverKey(one) === coverKey(cover));
  const always = {
    file: "approvals.json",
    has,
    list: () => kept,
    add: async (covers: readonly Cover[]) => void kept.push(...covers.filter((cover) => !has(cover))),
    remove: async (cover: Cover) =>
      void kept.splice(0, kept.length, ...kept.filter((one) => coverKey(one) !== coverKey(cover))),
  };
  const behaviours = Object.fromEntries(MEMBERS.map((name) => [name, { script: () => [{ hang: true as const }] }]));
  const run = await startSession(behaviours, {
    settings: { writable: true, request_timeout: 60 },
    approvals: { rulesFor: () => [], always },
  });
  const walk: Walk = { random: createRandom(seed), run, kept, asked: new Map(), wrong: [] };
  for (let step = 0; step < STEPS; step += 1) await takeStep(walk);
  await run.command({ type: "interrupt", scope: "all" });
  await run.clock.advance(120_000);
  judge(walk);
  return { wrong: walk.wrong, settled: run.events("ui_request").length };
}

async function takeStep(walk: Walk): Promise<void> {
  const { random, run } = walk;
  const chance = random.integer(100);
  if (chance < 35) ask(walk);
  else if (chance < 70) await answer(walk);
  else if (chance < 76) withdraw(walk);
  else if (chance < 82) await run.command({ type: "interrupt", scope: "member", member: random.pick(MEMBERS) });
  else if (chance < 88) await run.clock.advance(random.pick([10, 1_000, 30_000]));
  else if (chance < 95) await revoke(walk);
  else await run.command({ type: "set_settings", settings: { writable: random.chance(0.8) } });
  if (random.chance(0.7)) await settle();
  await compareGrants(walk);
}

/** A member that does nothing is asked something first. */
function ask({ random, run, asked }: Walk): void {
  const member = random.pick(MEMBERS);
  const { session, agents } = run;
  const isBusy = Object.values(session.transcript.head.openTurns).some((turn) => turn.member === member);
  if (!isBusy) return void run.send("go", { to: [member] });
  const call = random.pick(COMMANDS);
  const options = random.pick(OFFERS);
  const callId = `call ${asked.size}`;
  asked.set(callId, { member, once: options[0]?.value ?? "" });
  const callHash = createHash("sha256").update(call).digest("hex");
  const request: Approval = { method: "approval", title: "Run?", tool: "shell", call, callHash, options };
  const timeout = random.chance(0.3) ? { timeoutMs: 1 + random.integer(2_000) } : {};
  agents.last(member).emit({ type: "request", callId, request, ...timeout });
}

async function answer({ random, run, wrong }: Walk): Promise<void> {
  const all = run.events("ui_request");
  if (all.length === 0) return;
  // Mostly one that is open; now and then one that is settled.
  const open = run.session.transcript.head.requests;
  const { requestId, request } = open.length === 0 || random.chance(0.1) ? random.pick(all) : random.pick(open);
  const isFit = random.chance(0.85);
  const result = random.pick(isFit ? ANSWERS : UNFIT);
  const reason = random.chance(0.2) ? { reason: "use pnpm" } : {};
  const command = { type: "answer", requestId, result, ...reason } as const;
  // Two screens at once.
  const screens = random.chance(0.3) ? [random.pick(SCREENS), random.pick(SCREENS)] : [random.pick(SCREENS)];
  const acks = await Promise.all(screens.map((screen) => run.command(command, screen)));
  const taken = acks.filter(({ ok }) => ok).length;
  const isOffered = result === false || (request as Approval).options.some(({ value }) => value === result);
  const isYesWithReason = "reason" in reason && !isDenial(request as Approval, result);
  if (taken > 1) wrong.push(`${requestId} was settled by ${taken} screens`);
  if (taken > 0 && (!isOffered || isYesWithReason)) wrong.push(`${requestId} took ${JSON.stringify(command)}`);
}

function withdraw({ random, run, asked }: Walk): void {
  const calls = [...asked];
  if (calls.length === 0) return;
  const [callId, { member }] = random.pick(calls);
  run.agents.last(member).emit({ type: "request_withdrawn", callId });
}

async function revoke({ random, run }: Walk): Promise<void> {
  const ids = (await listed(run)).flatMap(({ permissionId }) => permissionId ?? []);
  if (ids.length === 0) return;
  await run.command({ type: "revoke_permission", permissionId: random.pick(ids) }, random.pick(SCREENS));
}

async function listed(run: SessionRun): Promise<Permissions["permissions"]> {
  const ack: Ack = await run.command({ type: "list_permissions" });
  return ack.ok ? Permissions.parse(ack.result).permissions : [];
}

/** What is listed as allowed is what the log says: each answer that reaches further, less what was taken back. */
async function compareGrants({ run, kept, wrong }: Walk): Promise<void> {
  const covers = new Map(run.events("ui_request").map((one) => [one.requestId, one.request.opts?.["covers"]]));
  const [session, always] = [new Set<string>(), new Set<string>()];
  for (const event of run.all()) {
    if (event.type === "ui_response") {
      const given = (covers.get(event.requestId) ?? []) as unknown as Cover[];
      const reach = event.result === "table_session" ? session : event.result === "table_always" ? always : undefined;
      for (const cover of given) reach?.add(cover.text);
    } else if (event.type === "permission_revoked") {
      (event.reach === "session" ? session : always).delete(event.cover?.text ?? "");
    }
  }
  const rules = (await listed(run)).map(({ reach, rule }) => `${reach} ${rule}`).toSorted();
  const wanted = [...session]
    .map((text) => `session shell: ${text}`)
    .concat([...always].map((text) => `always shell: ${text}`))
    .toSorted();
  if (rules.join("\n") !== wanted.join("\n"))
    wrong.push(`listed ${rules.join(", ")}; the log says ${wanted.join(", ")}`);
  if (kept.length !== always.size) wrong.push(`${kept.length} are kept for always, ${always.size} in the log`);
}

function judge({ run, asked, wrong }: Walk): void {
  checkLog(run.all(), { settled: true });
  const responses = Map.groupBy(run.events("ui_response"), ({ requestId }) => requestId);
  const cancelled = Map.groupBy(run.events("ui_cancelled"), ({ requestId }) => requestId);
  for (const event of run.events("ui_request")) {
    const given = responses.get(event.requestId) ?? [];
    const times = given.length + (cancelled.get(event.requestId)?.length ?? 0);
    if (times !== 1) wrong.push(`${event.requestId} was settled ${times} times`);
    wrong.push(...given.filter((one) => !isChoice(event, one)).map((one) => `${JSON.stringify(one)} was not offered`));
  }
  const told = MEMBERS.flatMap((member) => run.agents.of(member).flatMap((agent) => agent.answers));
  for (const [callId, { once }] of asked) {
    const results = told.filter((one) => one.callId === callId).map(({ result }) => result.result);
    if (results.length > 1) wrong.push(`${callId} was answered ${results.length} times`);
    if (results.some((result) => result !== once && result !== false && result !== null)) {
      wrong.push(`${callId} was told ${JSON.stringify(results)}, its once is ${once}`);
    }
  }
}

function isChoice({ request }: EventOf<"ui_request">, { result }: EventOf<"ui_response">): boolean {
  return result === false || (request.method === "approval" && request.options.some(({ value }) => value === result));
}
