/** The port without a token: a member must not be able to answer what it asks for itself; the user's own programs can. */
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLinggenClient, type LinggenClient } from "../../edges/linggen/test/linggen-client.ts";
import { startServing, type Serving } from "./serve-program.ts";

const onLinux = test.skipIf(process.platform !== "linux");
const program = fileURLToPath(new URL("programs/answer-approval.ts", import.meta.url));

let serving: Serving;
let url: string;
let client: LinggenClient;

beforeAll(async () => {
  serving = await startServing({}, ["--compat", "001,004", "--compat-port", "0"]);
  url = /http:\/\/127\.0\.0\.1:\d+(?=\D*\n)(?!\/#)/.exec(serving.printed().replace(serving.link, ""))?.[0] ?? "";
  client = await openLinggenClient(url, serving.home.project);
});
afterAll(async () => {
  client.close();
  await serving.stop();
});

/** Asks scout for a request of this kind; resolves with its id and how it ended, once it is answered. */
async function ask(kind: string): Promise<string> {
  const before = client.frames.at(-1);
  await client.chat(`/try ${kind}`, { agent_id: "scout" });
  const frame = await client.seesKind("ask_user", before);
  return String((frame.data as { question_id?: unknown }).question_id);
}

interface Answered {
  readonly status: number;
  readonly error?: string;
}

interface Way {
  readonly way?: string;
  /** What stands in front of the command. */
  readonly behind?: readonly string[];
  readonly env?: Record<string, string>;
}

async function answerFrom(
  questionId: string,
  label: string,
  { way = "plain", behind = [], env = {} }: Way,
): Promise<Answered> {
  const body = JSON.stringify({
    question_id: questionId,
    answers: [{ question_index: 0, selected: [label], custom_text: null }],
  });
  const port = new URL(url).port;
  const [file, ...args] = [...behind, process.execPath, program, port, body, way];
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  for await (const part of child.stdout) printed += String(part);
  return JSON.parse(printed) as Answered;
}

const hasBwrap = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-pid", "true"]).status === 0;
if (!hasBwrap) process.stderr.write("bwrap is missing: a peer in another pid namespace is not tried\n");

const MEMBERS: [string, Way][] = [
  ["a process with a member's mark", { env: { ROUNDTABLE_RUN: "a member's" } }],
  [
    "a child of one, without the mark",
    { behind: ["/bin/sh", "-c", 'env -u ROUNDTABLE_RUN "$@"; true', "sh"], env: { ROUNDTABLE_RUN: "x" } },
  ],
  ["a daemon with an empty environment", { behind: ["/bin/sh", "-c", '(env -i setsid "$@" &) | cat', "sh"] }],
  ["a proxy", { way: "forward" }],
  ["a connection that a marked process holds too", { way: "lend" }],
  ...(hasBwrap
    ? [
        [
          "a process in another pid namespace",
          { behind: ["bwrap", "--dev-bind", "/", "/", "--unshare-pid"] },
        ] satisfies [string, Way],
      ]
    : []),
];

onLinux(
  "an approval is not answered from a member's processes, stays open, and is answered from a program of the user's",
  async () => {
    const id = await ask("approval");
    for (const [who, way] of MEMBERS) {
      for (const label of ["Allow once", "Cancel"]) {
        const { status, error } = await answerFrom(id, label, way);
        expect({ who, status }).toEqual({ who, status: 403 });
        expect(error).toMatch(
          /^Approvals cannot be answered on a port without a token, because .+\. Answer in the terminal app/,
        );
      }
    }
    expect(await client.get("/api/pending-ask-user")).toMatchObject([{ question_id: id }]);
    expect(await answerFrom(id, "Allow once", {})).toEqual({ status: 200 });
    expect(await client.get("/api/pending-ask-user")).toEqual([]);
  },
);

onLinux("so it is with a yes or no; what only asks for an opinion is answered from anywhere", async () => {
  const member = { env: { ROUNDTABLE_RUN: "a member's" } };
  const confirm = await ask("confirm");
  expect(await answerFrom(confirm, "Yes", member)).toMatchObject({ status: 403 });
  expect(await answerFrom(confirm, "Yes", {})).toMatchObject({ status: 200 });
  const input = await ask("select");
  expect((await answerFrom(input, "no such", member)).status).toBe(400);
});
