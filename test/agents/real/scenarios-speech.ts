/** Speaking, thinking, being steered and stopped, failing, and coming back. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import type { EventOf } from "../../../src/protocol/index.ts";
import { answerUntilEnd, grant } from "./answer-requests.ts";
import type { AgentName } from "./pins.ts";
import { livingProcesses, until } from "./processes.ts";
import type { Scenario } from "./scenario.ts";
import type { ServedSession } from "./served-session.ts";

const MUSING = /weigh the options first/;
/** Gemini takes each piece for a whole thought with a heading, which is how its models send them. */
const WHOLE_THOUGHT = '[[fake: thinking chunk=400 thinking="**Weighing**\\nI should weigh the options first."]]';
/** Over ACP opencode does not say that it begins anew, and goes on in the same message. */
const BROKEN_BEGINNING =
  "text from before the stream broke stays in front of the answer, because its retry is not reported over ACP";
const ANSWER = /^Here is a plain answer streamed in many small pieces\.[\s\S]*That is all\.$/;
const RECOVERED = "Recovered after the scripted failures.";
const NO_STEERING = "it takes no message in mid-turn; the message waits and is answered in the next turn";
const STOPPED_MS = 3_000;
const STARTED_MS = 60_000;

const text: Scenario = {
  name: "text",
  async run(session) {
    const { end, from } = await session.run("[[fake: text]]");
    assert.equal(end.outcome, "completed", why(end));
    assert.match(session.textSince(from), ANSWER);
    assert.ok(session.all("text_delta", from).length > 1, "the text came in one piece");
    assert.ok((end.usage?.outputTokens ?? 0) > 0, "no usage was reported");
  },
};

const thinking: Scenario = {
  name: "thinking",
  async run(session, agent) {
    const { end, from } = await session.run(agent === "gemini" ? WHOLE_THOUGHT : "[[fake: thinking]]");
    assert.equal(end.outcome, "completed", why(end));
    const thoughts = session.all("thinking_done", from).map((event) => event.text);
    assert.match(thoughts.join(""), MUSING);
    assert.equal(thoughts.length, 1, "thought more than once");
    assert.match(session.textSince(from), ANSWER);
  },
};

const steer: Scenario = {
  name: "steer",
  async run(session, agent) {
    const from = await session.send("[[fake: slow n=60 delay=40]]");
    await session.next("text_delta", { from });
    await session.command({
      type: "send",
      text: "and this [[fake: echo]]",
      clientMessageId: "steer",
      to: [session.members[0] ?? ""],
    });
    if (agent === "gemini") {
      const first = await session.next("turn_end", { from });
      const second = await session.next("turn_end", { from: session.events.indexOf(first) + 1 });
      assert.deepEqual([first.outcome, second.outcome], ["completed", "completed"]);
    } else {
      const end = await session.next("turn_end", { from });
      assert.equal(end.outcome, "completed", why(end));
      assert.equal(session.all("steering", from).length, 1, "the message did not go into the running turn");
    }
    assert.match(session.textSince(from), /you said: [\s\S]*and this/);
    return agent === "gemini" ? NO_STEERING : undefined;
  },
};

const interruptText: Scenario = {
  name: "interrupt in text",
  async run(session) {
    const from = await session.send("[[fake: slow n=400 delay=50]]");
    await session.next("text_delta", { from });
    await session.command({ type: "interrupt", scope: "all" });
    assert.equal((await session.next("turn_end", { from })).outcome, "interrupted");
    assert.match(session.textSince(from), /^word1/);
    await goesOn(session);
  },
};

const interruptTool: Scenario = {
  name: "interrupt in a tool",
  async run(session) {
    const from = await session.send('[[fake: tool command="tail -f /dev/null"]]');
    const ended = answerUntilEnd(session, from, grant);
    const tails = () => livingProcesses(session).filter(({ command }) => /(^|\/)tail -f/.test(command));
    const running = await until(tails, STARTED_MS, (found) => found.length > 0);
    assert.notDeepEqual(running, [], "the command was never started");
    await session.command({ type: "interrupt", scope: "all" });
    assert.equal((await ended).end.outcome, "interrupted");
    assert.deepEqual(await until(tails, STOPPED_MS, (found) => found.length === 0), [], "the command runs on");
    const results = session.all("tool_result", from);
    assert.equal(results.length, 1, "a tool call without its result");
    assert.equal(results[0]?.ok, false);
    await goesOn(session);
  },
};

/** What an end that should not be has to say. */
const why = ({ outcome, error }: EventOf<"turn_end">): string => error?.message ?? outcome;

async function goesOn(session: ServedSession): Promise<void> {
  const { end, from } = await session.run("afterwards [[fake: echo]]");
  assert.equal(end.outcome, "completed", why(end));
  assert.match(session.textSince(from), /you said: [\s\S]*afterwards/);
}

const resume: Scenario = {
  name: "resume after a restart",
  async run(session) {
    assert.equal((await session.run("remember the word teapot [[fake: echo]]")).end.outcome, "completed");
    await session.restart("SIGTERM");
    await remembers(session);
  },
};

const resumeKilled: Scenario = {
  name: "resume after a kill in mid-turn",
  async run(session) {
    assert.equal((await session.run("remember the word teapot [[fake: echo]]")).end.outcome, "completed");
    await session.next("text_delta", { from: await session.send("[[fake: slow n=400 delay=50]]") });
    await session.restart("SIGKILL");
    await remembers(session);
  },
};

/** By its own session, not because the conversation was sent again. */
async function remembers(session: ServedSession): Promise<void> {
  const { end, from } = await session.run("and now? [[fake: echo]]");
  assert.equal(end.outcome, "completed", why(end));
  assert.match(session.textSince(from), /^turn [2-9]; you said: [\s\S]*teapot/);
  const ids = new Set(session.all("member_session").map(({ nativeSessionId }) => nativeSessionId));
  assert.equal(ids.size, 1, "it began a session of its own anew");
}

const resumeGone: Scenario = {
  name: "resume when its session is gone",
  async run(session, agent) {
    assert.equal((await session.run("remember the word teapot [[fake: echo]]")).end.outcome, "completed");
    await session.restart("SIGTERM");
    // Its program starts with the next turn.
    for (const folder of STORES[agent]) rmSync(path.join(session.home, folder), { recursive: true, force: true });
    const { end, from } = await session.run("and now? [[fake: echo]]");
    assert.equal(end.outcome, "completed", why(end));
    const warnings = session.all("warning", from).map(({ code }) => code);
    assert.ok(warnings.includes("session_lost"), `no word of it: ${warnings.join(", ")}`);
    assert.match(session.textSince(from), /teapot/);
    assert.equal(session.all("session_resume").length, 1);
  },
};

/** Where each program keeps its sessions, in its home. */
const STORES: Readonly<Record<AgentName, readonly string[]>> = {
  claude: [".claude/projects"],
  codex: [".codex/sessions", ".codex/state_5.sqlite", ".codex/thread_history_1.sqlite"],
  pi: [".pi/agent/sessions"],
  gemini: [".gemini/tmp"],
  opencode: [".local/share/opencode"],
};

const NOT_COMPACTED = "none of the commands that it takes over ACP does it";

const compact: Scenario = {
  name: "compact",
  notOffered: (agent) => (agent === "gemini" ? NOT_COMPACTED : undefined),
  async run(session) {
    for (const word of ["teapot", "kettle", "saucer"]) {
      const { end } = await session.run(`remember the word ${word} [[fake: text]]`);
      assert.equal(end.outcome, "completed", why(end));
    }
    const from = session.events.length;
    await session.command({ type: "compact", member: session.members[0] ?? "" });
    const end = await Promise.race([session.next("compaction", { from }), session.next("compaction_failed", { from })]);
    assert.equal(end.type, "compaction", JSON.stringify(end));
    assert.equal(end.type === "compaction" && end.native, true);
    assert.equal(session.textSince(from), "", "what it said meanwhile was taken for an answer");
    await goesOn(session);
    await session.restart("SIGTERM");
    await goesOn(session);
    const ids = new Set(session.all("member_session").map(({ nativeSessionId }) => nativeSessionId));
    assert.equal(ids.size, 1, "it began a session of its own anew");
    const { before, after, summary } = end;
    return `${before} to ${after} tokens${summary === "" ? "" : ", and the summary"}`;
  },
};

const models: Scenario = {
  name: "its models",
  async run(session) {
    await goesOn(session);
    const { models: offered } = await session.next("member_models");
    assert.ok(offered.length > 0);
    return `${offered.length} offered, first \`${offered[0]?.id ?? ""}\``;
  },
};

const providerError: Scenario = {
  name: "provider error",
  async run(session) {
    const { end } = await session.run('[[fake: error status=400 message="bad luck"]]');
    assert.equal(end.outcome, "errored");
    assert.match(JSON.stringify(end.error), /bad luck/);
    const refused = await session.run("[[fake: unauthorized]]");
    assert.equal(refused.end.outcome, "errored");
    await goesOn(session);
    return `reported as \`${end.error?.code}\` and \`${refused.end.error?.code}\``;
  },
};

const dropped: Scenario = {
  name: "dropped stream",
  async run(session, agent) {
    // The server counts failures by prompt, and all agents ask the same one.
    const { end, from } = await session.run(`${agent} ${Date.now()} [[fake: drop after=40 times=1]]`);
    const isBreakSeen = session.all("text_delta", from)[0]?.text.startsWith("Here") === true;
    const said = session.textSince(from);
    const keepsBeginning = agent === "opencode" && said !== RECOVERED;
    if (keepsBeginning) assert.ok(said.endsWith(RECOVERED), said);
    else if (end.outcome === "completed") assert.equal(said, RECOVERED);
    else assert.equal(end.outcome, "errored");
    const retries = session.all("retrying", from).length;
    await goesOn(session);
    if (keepsBeginning) return BROKEN_BEGINNING;
    if (!isBreakSeen) return "nothing of the broken answer reached us";
    if (end.outcome === "errored") return `ends errored: ${end.error?.message ?? ""}`;
    return retries > 0 ? "its retry is shown" : "it tries again without saying so";
  },
};

const parallel: Scenario = {
  name: "8 parallel turns",
  agentCount: 8,
  async run(session) {
    const from = await session.send("[[fake: slow n=60 delay=40]]", session.members);
    const ends = await Promise.all(
      session.members.map((name) => session.next("turn_end", { from, fits: ({ member }) => member === name })),
    );
    assert.deepEqual(
      ends.map(({ outcome, error }) => (error === undefined ? outcome : `${error.message} ${error.detail ?? ""}`)),
      session.members.map(() => "completed"),
    );
    for (const name of session.members) assert.match(session.textSince(from, name), /^word1 [\s\S]*word60\s*$/);
    const firstEnd = Math.min(...ends.map(({ seq }) => seq));
    const begun = session.all("turn_start", from).filter(({ seq }) => seq < firstEnd).length;
    assert.equal(begun, session.members.length, "they did not work at the same time");
    return undefined;
  },
};

export const speechScenarios = {
  text,
  thinking,
  steer,
  interruptText,
  interruptTool,
  resume,
  resumeKilled,
  resumeGone,
  compact,
  models,
  providerError,
  dropped,
  parallel,
};
