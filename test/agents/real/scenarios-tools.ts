/** Tools: the agent's own, with and without asking, and those of the table. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { hostToolSchemas, type Json } from "../../../src/protocol/index.ts";
import { answerUntilEnd, grant, refuse, type Decide } from "./answer-requests.ts";
import type { AgentName } from "./pins.ts";
import type { Scenario } from "./scenario.ts";
import type { ServedSession } from "./served-session.ts";

const tool: Scenario = {
  name: "tool",
  async run(session) {
    const from = await session.send('[[fake: tool command="echo from-the-tool"]]');
    const { end } = await answerUntilEnd(session, from, grant);
    assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
    oneGoodResult(session, from);
    assert.match(session.textSince(from), /last result: [\s\S]*from-the-tool/);
  },
};

const granted: Scenario = {
  name: "approval granted",
  async run(session, agent) {
    const from = await session.send(write(session, agent));
    const { end, asked } = await answerUntilEnd(session, from, grant);
    assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
    assert.deepEqual(
      asked.map(({ method }) => method),
      ["approval"],
    );
    assert.ok(existsSync(path.join(session.project, "written.txt")), "nothing was written");
    oneGoodResult(session, from);
    return session.all("change_report", from).length === 1 ? undefined : "the turn has no report of the changed file";
  },
};

const refused: Scenario = {
  name: "approval refused",
  async run(session, agent) {
    const from = await session.send(write(session, agent));
    const { end, asked } = await answerUntilEnd(session, from, refuse);
    assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
    assert.deepEqual(
      asked.map(({ method }) => method),
      ["approval"],
    );
    assert.ok(!existsSync(path.join(session.project, "written.txt")), "it wrote in spite of the refusal");
    assert.deepEqual(
      session.all("tool_result", from).map(({ error }) => error?.code),
      ["tool_denied"],
    );
    const { end: next } = await session.run("afterwards [[fake: echo]]");
    assert.equal(next.outcome, "completed", next.error?.message ?? next.outcome);
  },
};

function write(session: ServedSession, agent: AgentName): string {
  const file = path.join(session.project, "written.txt");
  if (agent !== "codex") return `[[fake: tool kind=write path="${file}"]]`;
  return '[[fake: tool name=apply_patch input="*** Begin Patch\\n*** Add File: written.txt\\n+x\\n*** End Patch\\n"]]';
}

function oneGoodResult(session: ServedSession, from: number): void {
  assert.equal(session.all("tool_call_start", from).length, 1, "not one tool call");
  assert.deepEqual(
    session.all("tool_result", from).map(({ ok, error }) => error?.message ?? ok),
    [true],
  );
}

interface Call {
  readonly name: string;
  readonly args: Json;
  readonly answer?: Decide;
  readonly result: RegExp;
  readonly check?: (session: ServedSession, from: number) => void;
}

const NOT_YET = "Roundtable does not offer this tool yet";

function ourTool(
  { name, args, answer = () => undefined, result, check }: Call,
  more: Partial<Scenario> = {},
): Scenario {
  const isOffered = hostToolSchemas().some((schema) => schema.name === name);
  return {
    name: `our tool \`${name}\``,
    ...(isOffered ? {} : { notOffered: () => NOT_YET }),
    async run(session) {
      const from = await session.send(`[[fake: tool name=${name} args=${JSON.stringify(args)}]]`);
      const { end } = await answerUntilEnd(session, from, (request) => answer(request) ?? grant(request));
      assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
      assert.match(session.textSince(from), /last result: /);
      assert.match(session.textSince(from), result);
      oneGoodResult(session, from);
      check?.(session, from);
    },
    ...more,
  };
}

const question = {
  title: "Colours",
  questions: [
    {
      id: "colour",
      text: "Which one?",
      options: [
        { label: "Blue", value: "blue" },
        { label: "Red", value: "red" },
      ],
      multiple: false,
      freeText: false,
    },
  ],
};

export const toolScenarios = {
  tool,
  granted,
  refused,
  agentsMessage: ourTool(
    { name: "agents_message", args: { to: "scout", text: "which files are here?" }, result: /scout|file/i },
    { others: [{ name: "scout", kind: "embedded" }] },
  ),
  agentsList: ourTool({ name: "agents_list", args: {}, result: /"?you"?\W+ann/ }),
  userQuestion: ourTool({
    name: "user_question",
    args: question,
    answer: ({ method }) => (method === "question" ? { colour: "blue" } : undefined),
    result: /blue/,
  }),
  planUpdate: ourTool({
    name: "plan_update",
    args: { items: [{ text: "look", status: "in_progress" }] },
    result: /ok/,
    check(session, from) {
      assert.deepEqual(
        session.all("plan_update", from).map(({ items }) => items),
        [[{ text: "look", status: "in_progress" }]],
      );
    },
  }),
  confirm: ourTool({
    name: "ui_confirm",
    args: { title: "Sure?", message: "Really?" },
    answer: ({ method }) => (method === "confirm" ? true : undefined),
    result: /true/,
  }),
};
