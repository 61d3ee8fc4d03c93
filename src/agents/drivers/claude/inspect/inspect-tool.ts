/**
 * `inspect`: replaces the shell in a read-only session without a sandbox. Run by us, not by the agent's program,
 * without a shell.
 * Guarantees: nothing that the repository configures is run, not by git either: no pager, diff driver, filter,
 * signature program, file-system monitor or submodule; nothing is written; output and time are bounded.
 */
import type { HostToolSchema, Json } from "../../../../protocol/index.ts";
import { commandCall } from "../../../approvals/call-fields.ts";
import { describeCall } from "../../../approvals/describe-call.ts";
import type { Agent, AgentEvent, AnswerResult, AgentSetup } from "../../../port.ts";
import { fieldsOf, textsOf } from "../../../../kit/fields.ts";
import { checkCall, NotRun, PROGRAMS, type Inspection } from "./check-call.ts";
import { gitEnvironment, runGit, type GitEnd } from "../../../tools/git.ts";
import { findProgram, runProgram } from "../../../tools/run-program.ts";

const INSPECT_TOOL = "inspect";

export const INSPECT_SCHEMA: Omit<HostToolSchema, "name"> & { readonly name: string } = {
  name: INSPECT_TOOL,
  description:
    `Run one read-only program without a shell and return its output: ${PROGRAMS}. ` +
    "This session is read-only and has no shell, so there are no pipes, no redirection, no wildcards and no other programs.",
  inputSchema: {
    type: "object",
    properties: {
      argv: {
        type: "array",
        items: { type: "string" },
        minItems: 1,
        description: 'The program and its arguments, one item each, such as ["git", "log", "--oneline", "-20"].',
      },
    },
    required: ["argv"],
    additionalProperties: false,
  },
};

const RUNNING_MAX = 8;

interface InspectionSetup extends Pick<AgentSetup, "cwd" | "judge"> {
  /** Called before anything is started. Must not reject. */
  readonly prepare: () => Promise<void>;
}

/** The same agent; its calls of `inspect` are answered here, and everything else is forwarded. */
export function withInspection(agent: Agent, setup: InspectionSetup): Agent {
  return new InspectingAgent(agent, setup);
}

class InspectingAgent implements Agent {
  readonly #agent: Agent;
  readonly #setup: InspectionSetup;
  readonly #running = new Map<string, AbortController>();

  constructor(agent: Agent, setup: InspectionSetup) {
    this.#agent = agent;
    this.#setup = setup;
  }

  get capabilities(): Agent["capabilities"] {
    return this.#agent.capabilities;
  }

  async start(up: (event: AgentEvent) => void): Promise<void> {
    await this.#setup.prepare();
    await this.#agent.start((event) => {
      if (event.type === "host_call" && event.tool === INSPECT_TOOL)
        return void this.#inspect(event.callId, event.args);
      if (event.type === "request_withdrawn" && this.#running.has(event.callId)) return this.#stop(event.callId);
      if (event.type === "turn_done") this.#stopAll();
      return up(event);
    });
  }

  send(...input: Parameters<Agent["send"]>): void {
    this.#agent.send(...input);
  }

  interrupt(): void {
    this.#agent.interrupt();
  }

  compact(...focus: Parameters<NonNullable<Agent["compact"]>>): void {
    this.#agent.compact?.(...focus);
  }

  answer(...answer: Parameters<Agent["answer"]>): void {
    this.#agent.answer(...answer);
  }

  close(): Promise<void> {
    this.#stopAll();
    return this.#agent.close();
  }

  async #inspect(callId: string, args: Json): Promise<void> {
    const stop = new AbortController();
    const isTooMuch = this.#running.size >= RUNNING_MAX;
    this.#running.set(callId, stop);
    const answer = isTooMuch ? failed(`${RUNNING_MAX} are running already.`) : await this.#run(args, stop.signal);
    if (this.#running.delete(callId)) this.#agent.answer(callId, answer);
  }

  async #run(args: Json, signal: AbortSignal): Promise<AnswerResult> {
    const { cwd, judge } = this.#setup;
    const argv = textsOf(fieldsOf(args)?.["argv"]);
    try {
      const what = checkCall(argv, cwd);
      // Rules about commands apply here too.
      const call = describeCall({ tool: "Bash", call: commandCall(argv.join(" ")) }, cwd);
      const ruling = judge?.(call);
      if (ruling?.verdict === "deny") return failed(`A user rule denies this (${ruling.by}).`);
      return { result: await runInspection(what, { cwd, signal }), error: null };
    } catch (thrown) {
      return failed(thrown instanceof NotRun ? thrown.message : `It could not be run: ${String(thrown)}`);
    }
  }

  #stop(callId: string): void {
    this.#running.get(callId)?.abort();
    this.#running.delete(callId);
  }

  #stopAll(): void {
    for (const callId of this.#running.keys()) this.#stop(callId);
  }
}

function failed(error: string): AnswerResult {
  return { result: null, error };
}

const OUTPUT_BYTES_MAX = 64 * 1024;
const COMPLAINT_BYTES_MAX = 2 * 1024;
const SETTINGS_BYTES_MAX = 1024 * 1024;
const TIME_MS_MAX = 20_000;

interface InspectionRun {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Output of the command. Rejects with `NotRun`, in words for the model, when it failed. */
export async function runInspection(what: Inspection, run: InspectionRun): Promise<string> {
  const output = collector(OUTPUT_BYTES_MAX);
  const complaint = collector(COMPLAINT_BYTES_MAX);
  const bounds = {
    ...run,
    timeoutMs: TIME_MS_MAX,
    onOutput: output.add,
    onComplaint: (bytes: Buffer): void => void complaint.add(bytes),
  };
  const end =
    what.program === "git"
      ? await runGit({ ...bounds, args: await gitArguments(what, run) })
      : await runOnPath(what.program, { ...bounds, args: what.args });
  if (end === "done") return output.text();
  if (end === "enough") return `${output.text()}\n[cut after ${OUTPUT_BYTES_MAX} bytes: ask for less]`;
  const printed = [output.text(), complaint.text()].filter((text) => text.trim() !== "").join("\n");
  throw new NotRun(printed === "" ? (ENDS[end] ?? "It failed and gave no reason.") : printed);
}

const ENDS: Readonly<Partial<Record<GitEnd, string>>> = {
  absent: "This program is not installed here.",
  timed_out: `It took longer than ${TIME_MS_MAX / 1000} s and was stopped.`,
  aborted: "It was stopped.",
};

async function runOnPath(name: string, run: Omit<Parameters<typeof runProgram>[1], "env">): Promise<GitEnd> {
  const program = await findProgram(name, { path: process.env["PATH"] ?? "", cwd: run.cwd });
  return program === undefined ? "absent" : runProgram(program, { ...run, env: gitEnvironment(process.env) });
}

const NO_PROGRAM = "false";

/** A repository may configure programs; each of these would be run by one of our five commands. */
const QUIET = [
  "core.quotePath=false",
  "log.showSignature=false",
  "diff.external=",
  "diff.submodule=short",
  "diff.autoRefreshIndex=false",
  "status.submoduleSummary=false",
  "safe.bareRepository=explicit",
  ...["gpg", "gpg.openpgp", "gpg.x509", "gpg.ssh"].map((name) => `${name}.program=${NO_PROGRAM}`),
];

const PLAIN_DIFF = ["--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];

const FIXED: Readonly<Record<string, readonly string[]>> = {
  log: [...PLAIN_DIFF, "--no-show-signature"],
  show: [...PLAIN_DIFF, "--no-show-signature"],
  diff: PLAIN_DIFF,
  blame: ["--no-textconv"],
  status: ["--ignore-submodules=all"],
};

async function gitArguments(
  { command, args }: Extract<Inspection, { program: "git" }>,
  run: InspectionRun,
): Promise<string[]> {
  const settings = [...QUIET, ...(await withoutFilters(run))];
  return ["--no-pager", ...settings.flatMap((one) => ["-c", one]), command, ...(FIXED[command] ?? []), ...args];
}

/** To compare a file in the working tree, git would run its configured filters. Each is set to nothing. */
async function withoutFilters(run: InspectionRun): Promise<string[]> {
  const names = collector(SETTINGS_BYTES_MAX);
  const args = ["config", "--list", "--name-only", "-z"];
  const end = await runGit({ ...run, timeoutMs: TIME_MS_MAX, args, onOutput: names.add });
  if (end === "absent") throw new NotRun("git is not installed here.");
  if (end !== "done") throw new NotRun("The configuration of git could not be read.");
  const filters = names
    .text()
    .split("\0")
    .flatMap((name) => /^filter\.(.+)\.[^.]+$/s.exec(name)?.[1] ?? []);
  return [...new Set(filters)].flatMap((name) => {
    if (/[=\n]/.test(name)) throw new NotRun("The configuration of git names a filter that cannot be disabled.");
    const key = `filter.${name}`;
    return [`${key}.clean=`, `${key}.smudge=`, `${key}.process=`, `${key}.required=false`];
  });
}

function collector(bytesMax: number): { add: (bytes: Buffer) => boolean; text: () => string } {
  const chunks: Buffer[] = [];
  let left = bytesMax;
  return {
    add(bytes) {
      chunks.push(bytes.subarray(0, left));
      left -= Math.min(left, bytes.length);
      return left > 0;
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}
