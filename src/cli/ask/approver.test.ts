import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterEach, describe, expect, test } from "vitest";
import { connect, listen, newDataDir, openHost, type Received } from "../../../test/host/open-host.ts";
import { SETTINGS } from "../../../test/host/scripted-agent.ts";
import type { Agent, AgentEvent, Approval, TurnInput } from "../../agents/index.ts";
import type { Client, CommandBody } from "../../client/index.ts";
import type { Host } from "../../host/index.ts";
import { failureLine, toFailure } from "../../kit/failure.ts";
import { createApprover, declinedHint, type Asker } from "./approver.ts";
import { checkAllowed } from "./choose-session.ts";
import { Question } from "./question.ts";
import { resultOf, type ResultLine } from "./result.ts";

const asker: Asker = { member: "ada", kind: "claude", cwd: realpathSync(tmpdir()), writable: true };

function wanting(tool: string, call: string): Approval {
  const callHash = createHash("sha256").update(call).digest("hex");
  const options = [
    { label: "Allow", value: "allow" },
    { label: "Always", value: "table_session" },
    { label: "Refuse", value: "deny" },
  ];
  return { method: "approval", title: "Run a command", tool, call, callHash, options };
}

describe("--allow", () => {
  test("approves a call once when a rule allows it, and nothing else", async () => {
    const approve = await createApprover(["shell: npm test*", "edit: src/**"]);
    const calls = [
      wanting("Bash", "npm test -- --watch=false"),
      wanting("Edit", '{"file_path":"src/a.ts","old_string":"a"}'),
      wanting("Bash", "npm test; rm -rf ."),
      wanting("Edit", '{"file_path":"../a.ts","old_string":"a"}'),
      wanting("mcp__x__y", "{}"),
    ];
    const decisions = await Promise.all(calls.map((call) => approve(call, asker)));
    expect(decisions.map((one) => ("answer" in one ? one.answer : one.declined.tool))).toEqual([
      "allow",
      "allow",
      "Bash",
      "Edit",
      "mcp__x__y",
    ]);
    expect(await approve(wanting("Bash", "npm test"), { ...asker, writable: false })).toMatchObject({
      declined: { rule: null },
    });
  });

  test("reports a declined call with the rule that would have allowed it, if there is one", async () => {
    const approve = await createApprover();
    const ruleFor = async (request: Approval) => {
      const decision = await approve(request, asker);
      return "declined" in decision ? decision.declined.rule : "allowed";
    };
    expect(await ruleFor(wanting("Bash", "npm run build"))).toBe("shell: npm run build");
    expect(await ruleFor(wanting("Write", '{"file_path":"src/a.ts"}'))).toBe("edit: src/a.ts");
    expect(await ruleFor(wanting("mcp__x__y", '{"a":1}'))).toBe("mcp__x__y");
    expect(await ruleFor(wanting("Bash", "a\nb"))).toBe(null);
    const text = declinedHint({ member: "ada", tool: "Bash", call: "", rule: "shell: echo 'a'" });
    expect(text).toBe(String.raw`; --allow 'shell: echo '\''a'\''' lets it run`);
  });

  test("proposes a rule that allows exactly the declined call, however the call is written", async () => {
    const lines = [
      "npm test",
      "echo 'it'\\''s' \"a b\"",
      "(cd src && npm test) | tee out.log",
      "node -e 'console.log(\"(x)\")'",
      "git commit -m \"Fix (parens) & 'quotes'\"",
      "ls src/*.ts | wc -l",
      'for f in a b; do echo "$f"; done',
      "echo $(date) > out.txt",
      "eval 'npm test'",
      " npm test ",
      "echo a: b",
      "/bin/bash -lc 'npm run \"a b\"'",
    ];
    for (const line of lines) {
      const decision = await (await createApprover())(wanting("Bash", line), asker);
      const text = "declined" in decision ? declinedHint(decision.declined) : "";
      const given = execFileSync("sh", [
        "-c",
        `printf %s ${text.replace(/^; --allow /, "").replace(/ lets it run$/, "")}`,
      ]);
      const approve = await createApprover([String(given)]);
      expect([line, await approve(wanting("Bash", line), asker)]).toEqual([line, { answer: "allow" }]);
      expect(await approve(wanting("Bash", `${line.trim()} && rm x`), asker)).toHaveProperty("declined");
    }
    const anything = await (await createApprover())(wanting("Bash", "rm *"), asker);
    expect(anything).toMatchObject({ declined: { rule: null } });
  });

  test("a call that may bypass a deny rule is allowed only by a rule for exactly that call", async () => {
    const request = { ...wanting("Bash", "eval 'npm test'"), opts: { doubt: "deny shell: rm *" } };
    const answers = ["shell", "shell: *", "shell: eval 'npm test'"].map(async (rule) =>
      (await createApprover([rule]))(request, asker),
    );
    expect((await Promise.all(answers)).map((one) => "answer" in one)).toEqual([false, false, true]);
  });

  test("an invalid rule, and any rule in a read-only run, fail with exit code 2 and a hint", async () => {
    const said = async (work: () => Promise<unknown>) => {
      try {
        return await work();
      } catch (error) {
        const failure = toFailure(error);
        return `${failure.exitCode} ${failureLine(failure)}`;
      }
    };
    expect(await said(() => createApprover(["shell(npm test*)"]))).toBe(
      '2 roundtable: --allow "shell(npm test*)" is not a rule. ' +
        'Use a tool, or a tool and a pattern: --allow "shell: npm test*", --allow "edit: src/**".\n',
    );
    expect(await said(async () => checkAllowed(["shell"], false))).toBe(
      "2 roundtable: --allow needs a writable session, and this one is read-only. Add --writable.\n",
    );
    expect(() => checkAllowed(["shell"], true)).not.toThrow();
    expect(() => checkAllowed(undefined, false)).not.toThrow();
  });
});

test("a run with declined calls exits with 5, unless a worse exit code applies", () => {
  const declined = [{ member: "ada", tool: "Bash", call: "npm test", rule: null }];
  const answer = { member: "ada", outcome: "completed", text: "", turns: 1, durationMs: 1 } as const;
  const result = (outcome: "completed" | "errored", ending: "answered" | "timeout") =>
    resultOf({ sessionId: "S", durationMs: 1, ending, answers: [{ ...answer, outcome }], declined });
  expect(result("completed", "answered")).toMatchObject({
    subtype: "error_declined",
    exit_code: 5,
    is_error: true,
    declined,
  });
  expect(result("errored", "answered").exit_code).toBe(1);
  expect(result("completed", "timeout").exit_code).toBe(3);
});

/** Requests to run each line of its message in turn, and reports the outcomes. */
class Asking implements Agent {
  readonly capabilities = {
    steer: false,
    keepsContext: false,
    tools: true,
    requests: true,
    images: false,
    switchModel: false,
  };
  #up: (event: AgentEvent) => void = () => {};
  #left: string[] = [];
  #turnId = "";
  #heard: string[] = [];

  async start(up: (event: AgentEvent) => void): Promise<void> {
    this.#up = up;
  }

  send(input: Parameters<Agent["send"]>[0]): void {
    const { turnId, text } = input as TurnInput;
    this.#turnId = turnId;
    this.#left = text.split("\n").filter((line) => line.startsWith("npm"));
    queueMicrotask(() => this.#next());
  }

  answer(_callId: string, { result }: { result: unknown }): void {
    this.#heard.push(String(result));
    this.#next();
  }

  interrupt(): void {}
  async close(): Promise<void> {}

  #next(): void {
    const turnId = this.#turnId;
    const command = this.#left.shift();
    if (command !== undefined) {
      const request = wanting("Bash", command);
      return this.#up({ type: "request", callId: command, request });
    }
    const text = this.#heard.join(" ");
    this.#up({ type: "text_delta", text });
    return this.#up({ type: "turn_done", turnId, outcome: "completed" });
  }
}

let host: Host | undefined;
afterEach(async () => {
  await host?.close();
  host = undefined;
});

async function sitWithAda(): Promise<{ client: Client; sessionId: string; heard: Received }> {
  const cwd = newDataDir();
  host = await openHost(cwd, { agentFactory: () => new Asking() });
  const client = await connect(host);
  const settings = { ...SETTINGS, writable: true, order: ["ada"] };
  const members = [{ name: "ada", kind: "claude" } as const];
  const { sessionId } = await client.create({ cwd, title: "t", settings, members });
  return { client, sessionId, heard: await listen(await connect(host), sessionId) };
}

const output = { events() {}, show() {}, end() {}, abandon() {} };

test("a one-shot run approves what --allow allows, and declines, reports and lists the rest", async () => {
  const { client, sessionId, heard } = await sitWithAda();
  const warned: string[] = [];
  const warn = (line: string) => warned.push(line);
  const approver = await createApprover(["shell: npm test*"]);
  const question = new Question({ client, output, startMs: 0, warn, approver });
  const result: ResultLine = await question.ask({ sessionId, isNew: true }, { text: "npm test\nnpm publish" });
  expect(result).toMatchObject({
    result: "allow false",
    exit_code: 5,
    declined: [{ member: "ada", tool: "Bash", call: "npm publish", rule: "shell: npm publish" }],
  });
  expect(warned).toEqual([
    "ada asks: $ npm publish: denied, because a one-shot run cannot ask you; --allow 'shell: npm publish' lets it run",
  ]);
  // Approved once: nothing is remembered.
  expect(heard.events.flatMap((one) => (one.type === "ui_response" ? [one["result"]] : []))).toEqual(["allow", false]);
});

test("a request whose event was lost in a resync is still answered", async () => {
  const { client, sessionId } = await sitWithAda();
  const subscribe: Client["subscribe"] = async (id, cursor, onEvents, options = {}) => {
    const subscription = await client.subscribe(id, cursor, (events) => {
      const isAsked = events.some(({ type }) => type === "ui_request");
      if (!isAsked) return onEvents(events);
      subscription.close();
      return options.onResync?.("the client reads too slowly");
    });
    return subscription;
  };
  const slow = Object.assign(Object.create(client) as Client, {
    subscribe,
    snapshot: (id: string) => client.snapshot(id),
    page: (id: string, page: number) => client.page(id, page),
    command: (id: string, body: CommandBody) => client.command(id, body),
    onStore: () => {},
    onClose: () => {},
  });
  const approver = await createApprover();
  const question = new Question({ client: slow, output, startMs: 0, warn: () => {}, approver });
  const result = await question.ask({ sessionId, isNew: false }, { text: "npm test", timeoutMs: 20_000 });
  expect([result.result, result.declined.length]).toEqual(["false", 1]);
});
