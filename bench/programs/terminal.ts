/**
 * The terminal app in a pseudo-terminal of 120 × 40: `stream` lets three members speak at 200 tokens a second over a
 * session of 2,000 messages while keys are typed; `open` opens a session of 100,000 messages to its last words; `paint`
 * measures any program to its first words. `prepare N` makes a session of N messages.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { spawn, type IPty } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { longSessionDrafts } from "./long-session.ts";
import { percentile, report, rooms } from "./product.ts";

const [mode, ...rest] = process.argv.slice(2);
const SESSION = "01JN0000000000000000000001";
const TOKENS_PER_SECOND = 200;
const STREAM_MS = 10_000;
const KEY_EVERY_MS = 240;
const TICKS_PER_SECOND = 100;
const WAIT_MS = 60_000;
const DELTAS_PER_TURN = 40;
const prepared = process.env["ROUNDTABLE_BENCH_DATA"] ?? "";
/** What a run writes must not be there in the next one. */
const scratch = mkdtempSync(path.join(tmpdir(), "roundtable-bench-"));
const dataDir = mode === "prepare" ? prepared : path.join(scratch, "data");
const program = process.env["ROUNDTABLE_BENCH_PROGRAM"] ?? "";

async function prepare(messages: number): Promise<void> {
  const { openFileLog, empty, fold, toSnapshot } = await rooms();
  const log = await openFileLog({ dataDir, sessionId: SESSION });
  let transcript = empty(SESSION);
  for (const drafts of longSessionDrafts({ messages, deltasPerTurn: DELTAS_PER_TURN })) {
    const { events, committed } = log.append(drafts);
    transcript = fold(transcript, events);
    await committed;
  }
  const { pages, ...snapshot } = toSnapshot(transcript);
  await log.snapshots.save(snapshot, pages);
  await log.close();
  report({ messages: transcript.head.messageCount });
}

interface Seen {
  readonly pty: IPty;
  readonly startedAt: number;
  /** Resolves with when it was seen. */
  sees(test: (rows: readonly string[]) => boolean, what: string): Promise<number>;
}

function open(command: string, args: readonly string[], env: Record<string, string> = {}): Seen {
  const startedAt = performance.now();
  const pty = spawn(command, [...args], {
    cols: 120,
    rows: 40,
    cwd: scratch,
    env: { ...process.env, TERM: "xterm-256color", COLORTERM: "truecolor", ...env },
  });
  const terminal = new xterm.Terminal({ cols: 120, rows: 40, allowProposedApi: true });
  const looks = new Set<() => void>();
  terminal.onData((data) => pty.write(data));
  pty.onData((data) => terminal.write(data, () => looks.forEach((look) => look())));
  const rows = () =>
    Array.from({ length: 40 }, (_, row) => {
      const { active } = terminal.buffer;
      return active.getLine(active.baseY + row)?.translateToString(true) ?? "";
    });
  return {
    pty,
    startedAt,
    sees(test, what) {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const late = setTimeout(() => reject(new Error(`${what} was not seen:\n${rows().join("\n")}`)), WAIT_MS);
      const look = () => {
        if (!test(rows())) return;
        clearTimeout(late);
        looks.delete(look);
        resolve(performance.now());
      };
      looks.add(look);
      look();
      return promise;
    },
  };
}

/** The session of the data directory behind a server in this process; its members say what `speak` makes them say. */
async function serve(): Promise<{ url: string; token: string; speak: () => Promise<void> }> {
  const { claimServer, createHost, startServer } = await rooms();
  const version = (
    JSON.parse(readFileSync(path.join(path.dirname(program), "../package.json"), "utf8")) as {
      version: string;
    }
  ).version;
  const host = await createHost({ dataDir, version, agentFactory: () => createSpeaker() });
  const settings = { mode: "broadcast" as const, auto_rounds: 0, timeout: 3600, request_timeout: 3600, order: [] };
  const limits = { turns: 100_000, minutes: 1000, tokens: 1e9, usd: 1000 };
  const defaults = {
    cwd: dataDir,
    settings: { ...settings, limits, writable: false, preamble: "Advise." },
    members: [],
  };
  const { url, token } = await startServer({ host, pageFiles: [], defaults, port: 0, version });
  await claimServer(dataDir, { url, pid: process.pid, version, socket: host.socketPath }, token);
  return {
    url,
    token,
    async speak() {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const body = JSON.stringify({ type: "send", commandId: "go", text: "go", clientMessageId: "go" });
      await fetch(`${url}/v1/sessions/${SESSION}/commands`, { method: "POST", headers, body });
    },
  };
}

const WORDS =
  "The log is **appended** once, and `fdatasync` follows; see the [reader](https://example.org) for what is lost. ";
const BLOCK = `\n\n- one item\n- another item with \`code\`\n\n\`\`\`ts\nconst held = await log.append(drafts);\nif (!held.ok) throw new Error("full");\n\`\`\`\n\n`;
const SPEECH = (WORDS.repeat(6) + BLOCK).repeat(60);

function createSpeaker() {
  type Up = (event: { type: string } & Record<string, unknown>) => void;
  let up: Up = () => {};
  return {
    capabilities: {
      steer: false,
      keepsContext: true,
      tools: false,
      requests: false,
      images: false,
      switchModel: false,
    },
    start: async (to: Up) => void (up = to),
    send(input: { kind: string; turnId?: string }) {
      if (input.kind !== "turn") return;
      const begun = performance.now();
      let said = 0;
      const timer = setInterval(() => {
        const due = Math.floor(((performance.now() - begun) * TOKENS_PER_SECOND) / 1_000);
        for (; said < due; said++) up({ type: "text_delta", text: SPEECH.slice(said * 4, said * 4 + 4) });
        if (performance.now() - begun < STREAM_MS) return;
        clearInterval(timer);
        up({ type: "turn_done", turnId: input.turnId, outcome: "completed" });
      }, 5);
    },
    interrupt() {},
    answer() {},
    close: async () => {},
  } as never;
}

function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function rssMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

const isShown = (rows: readonly string[]) => rows.some((row) => row.includes("fourth file"));

type Server = Awaited<ReturnType<typeof serve>>;

/** As users do it: the running server of the data directory is found. */
function start(...args: string[]): Seen {
  return open(process.execPath, [program, "chat", "--data-dir", dataDir, ...args]);
}

/** What a program keeps for its next start (compiled code) it writes when it is left as users leave it. */
async function startAndLeave(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen = start("--new");
  seen.pty.onExit(() => resolve());
  await seen.sees((rows) => rows.some((row) => row.startsWith("›")), "the input");
  seen.pty.write("\u0004");
  await promise;
}

async function attach(): Promise<{ seen: Seen; server: Server; openedMs: number }> {
  const server = await serve();
  await startAndLeave();
  const seen = start(SESSION);
  const openedAt = await seen.sees(isShown, "the end of the session");
  return { seen, server, openedMs: openedAt - seen.startedAt };
}

async function stream(): Promise<void> {
  const { seen, server } = await attach();
  const { pid } = seen.pty;
  await seen.sees((rows) => rows.some((row) => row.startsWith("›")), "the input");
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const before = cpuSeconds(pid);
  await server.speak();
  await seen.sees((rows) => rows.some((row) => row.includes("working")), "the members at work");
  const echoes: number[] = [];
  const until = performance.now() + STREAM_MS - 1_000;
  for (let typed = "x"; performance.now() < until; typed += "x") {
    const at = performance.now();
    const echo = seen.sees((rows) => rows.some((row) => row.startsWith("›") && row.includes(typed)), "the echo");
    seen.pty.write("x");
    echoes.push((await echo) - at);
    await new Promise((resolve) => setTimeout(resolve, KEY_EVERY_MS));
  }
  await seen.sees((rows) => !rows.some((row) => row.includes("working")), "the end");
  const cpuUs = ((cpuSeconds(pid) - before) * 1e6) / ((3 * TOKENS_PER_SECOND * STREAM_MS) / 1_000);
  echoes.sort((a, b) => a - b);
  report({ cpuUs, echoP50Ms: percentile(echoes, 0.5), echoP95Ms: percentile(echoes, 0.95), rssMb: rssMb(pid) });
  seen.pty.kill("SIGKILL");
}

async function paint(command: string, args: readonly string[]): Promise<void> {
  const seen = open(command, args);
  const at = await seen.sees((rows) => rows.some((row) => row.trim() !== ""), "the first words");
  report({ ms: at - seen.startedAt });
  seen.pty.kill("SIGKILL");
}

if (mode !== "prepare" && prepared !== "") cpSync(prepared, dataDir, { recursive: true });
if (mode === "prepare") {
  await prepare(Number(rest[0]));
} else if (mode === "stream") {
  await stream();
} else if (mode === "open") {
  const { seen, openedMs } = await attach();
  report({ ms: openedMs, rssMb: rssMb(seen.pty.pid) });
  seen.pty.kill("SIGKILL");
} else if (mode === "paint") {
  const [command = process.execPath, ...args] = rest.length > 0 ? rest : [process.execPath, program, "chat", "--new"];
  await paint(command, args);
} else {
  throw new Error(`unknown mode ${mode}`);
}
rmSync(scratch, { recursive: true, force: true });
process.exit(0);
