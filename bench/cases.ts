/** Benchmark cases: what is measured, its baseline, and how a row is formatted. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { SERVER_FLAGS } from "../src/cli/connect/background-server.ts";
import type { Product } from "./pack.ts";

type Figures = Record<string, number>;
type Prepared = Record<string, string>;

export interface Case {
  readonly name: string;
  readonly bar: string;
  /** Default: RUNS of main.ts. */
  readonly runs?: number;
  prepare?(product: Product): Prepared;
  cleanUp?(prepared: Prepared): void;
  /** Interleaved, so that noise of the machine affects all of them. */
  readonly variants: Readonly<Record<string, (product: Product, prepared: Prepared) => Figures>>;
  show(medians: Readonly<Record<string, Figures>>): string;
  /** The figures that the bar is about, for the table. Default: the result of `show`. */
  value?(medians: Readonly<Record<string, Figures>>): string;
}

/** Runs one of bench/programs/ in a new process and parses the figures it prints. */
function program(name: string, args: readonly string[], nodeFlags: readonly string[] = []) {
  return (product: Product, prepared: Prepared): Figures => {
    const file = path.join(import.meta.dirname, "programs", `${name}.ts`);
    const env = { ...process.env, ROUNDTABLE_BENCH_ROOMS: product.rooms, ...prepared };
    const result = spawnSync(process.execPath, [...nodeFlags, file, ...args], {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (result.status !== 0)
      throw new Error(`bench program ${name} ${args.join(" ")} failed (${result.status ?? result.signal})`);
    return JSON.parse(result.stdout.trim().split("\n").at(-1) ?? "{}") as Figures;
  };
}

const rounded = (value: number | undefined) => Math.round(value ?? Number.NaN).toLocaleString("en");
const times = (a: number | undefined, b: number | undefined) => ((a ?? Number.NaN) / (b ?? Number.NaN)).toFixed(2);

export const cases: readonly Case[] = [
  {
    name: "append with fdatasync, 250-byte events",
    bar: "≥ 0.5 × bare file loop",
    variants: { bare: program("append", ["bare"]), ours: program("append", ["ours"]) },
    show: ({ bare, ours }) =>
      `${rounded(ours?.["eventsPerSecond"])}/s beside ${rounded(bare?.["eventsPerSecond"])}/s: ${times(ours?.["eventsPerSecond"], bare?.["eventsPerSecond"])} ×`,
    value: ({ bare, ours }) => `${times(ours?.["eventsPerSecond"], bare?.["eventsPerSecond"])} ×`,
  },
  {
    name: "acknowledge at 5,000 events/s",
    bar: "p99 ≤ 10 ms",
    variants: { bare: program("acknowledge", ["bare"]), ours: program("acknowledge", ["ours"]) },
    show: ({ bare, ours }) =>
      `p50 ${ours?.["p50Ms"]?.toFixed(2)} ms, p99 ${ours?.["p99Ms"]?.toFixed(2)} ms beside ${bare?.["p50Ms"]?.toFixed(2)} and ${bare?.["p99Ms"]?.toFixed(2)} ms bare`,
    value: ({ ours }) => `p99 ${ours?.["p99Ms"]?.toFixed(1)} ms`,
  },
  {
    name: "team server: store 250-byte events in PostgreSQL, batches of 20",
    bar: "≥ 0.5 × bare batched inserts",
    variants: { both: program("ingest", []) },
    show: ({ both }) =>
      `${rounded(both?.["oursPerSecond"])}/s beside ${rounded(both?.["barePerSecond"])}/s: ${times(both?.["oursPerSecond"], both?.["barePerSecond"])} ×`,
    value: ({ both }) => `${times(both?.["oursPerSecond"], both?.["barePerSecond"])} ×`,
  },
  {
    name: "fold of text deltas, three members at once",
    bar: "≥ 1,000,000/s, the same at any length",
    variants: {
      short: program("fold", ["10"]),
      long: program("fold", ["100000"]),
      shortSingle: program("fold", ["10", "one-by-one"]),
      longSingle: program("fold", ["100000", "one-by-one"]),
    },
    show: ({ short, long, shortSingle, longSingle }) =>
      `${rounded(short?.["deltasPerSecond"])}/s in a session of 10 messages, ${rounded(long?.["deltasPerSecond"])}/s in one of 100,000; ` +
      `one by one ${rounded(shortSingle?.["deltasPerSecond"])}/s and ${rounded(longSingle?.["deltasPerSecond"])}/s`,
    value: ({ short, long }) =>
      `${rounded(short?.["deltasPerSecond"])}/s; ${rounded(long?.["deltasPerSecond"])}/s at 100,000 messages`,
  },
  {
    name: "open a session of 1,000,000 events to its last screen",
    bar: "with snapshot ≤ 300 ms, ≤ 200 MB; without ≤ 2 × bare `JSON.parse`, ≤ 300 MB",
    prepare(product) {
      const directory = mkdtempSync(path.join(product.scratch, "open-"));
      program("open", ["prepare"])(product, { ROUNDTABLE_BENCH_DATA: directory });
      return { ROUNDTABLE_BENCH_DATA: directory };
    },
    cleanUp: ({ ROUNDTABLE_BENCH_DATA }) => rmSync(ROUNDTABLE_BENCH_DATA ?? "", { recursive: true, force: true }),
    variants: {
      bare: program("open", ["bare"]),
      without: program("open", ["without"]),
      with: program("open", ["with"]),
    },
    show: ({ bare, without, with: kept }) =>
      `with ${rounded(kept?.["ms"])} ms, ${rounded(kept?.["rssMb"])} MB; without ${rounded(without?.["ms"])} ms = ${times(without?.["ms"], bare?.["ms"])} × bare (${rounded(bare?.["ms"])} ms), ${rounded(without?.["rssMb"])} MB`,
    value: ({ bare, without, with: kept }) =>
      `with ${rounded(kept?.["ms"])} ms, ${rounded(kept?.["rssMb"])} MB; without ${times(without?.["ms"], bare?.["ms"])} ×, ${rounded(without?.["rssMb"])} MB`,
  },
  {
    name: "search among 1,000,000 events",
    bar: "≤ 50 ms",
    prepare: (product) => filledBy("search", product),
    cleanUp: removeData,
    variants: { ours: program("search", ["ask"], SERVER_FLAGS) },
    show: ({ ours }) =>
      `p50 ${ours?.["p50Ms"]?.toFixed(1)} ms, p99 ${ours?.["p99Ms"]?.toFixed(1)} ms, the longest ${ours?.["longestMs"]?.toFixed(1)} ms, ${rounded(ours?.["rssMb"])} MB`,
    value: ({ ours }) => `p99 ${ours?.["p99Ms"]?.toFixed(1)} ms`,
  },
  {
    name: "10,000 sessions of 1 GB together",
    bar: "list ≤ 200 ms, start ≤ 1 s, open any ≤ 300 ms, search ≤ 50 ms, ≤ 200 MB",
    prepare: (product) => filledBy("scale", product),
    cleanUp: removeData,
    variants: { ours: program("scale", ["ask"], SERVER_FLAGS) },
    show: ({ ours }) =>
      `list ${rounded(ours?.["listMs"])} ms (again ${rounded(ours?.["againMs"])} ms), start and list ${rounded(ours?.["startMs"])} ms, open ${rounded(ours?.["openMs"])} ms at most, search p99 ${ours?.["searchMs"]?.toFixed(1)} ms, ${rounded(ours?.["rssMb"])} MB at most`,
    value: ({ ours }) =>
      `${rounded(ours?.["listMs"])} ms, ${rounded(ours?.["startMs"])} ms, ${rounded(ours?.["openMs"])} ms, ${ours?.["searchMs"]?.toFixed(1)} ms, ${rounded(ours?.["rssMb"])} MB`,
  },
  {
    name: "first reader of a session of 1,000,000 events without a snapshot, at a server",
    bar: "≤ 3 s, the second does not pay again",
    prepare(product) {
      const prepared = filledBy("open", product);
      return { ...prepared, ROUNDTABLE_BENCH_PROGRAM: product.program };
    },
    cleanUp: removeData,
    variants: { ours: program("open", ["served"]) },
    show: ({ ours }) =>
      `first ${rounded(ours?.["firstMs"])} ms, saved after ${rounded(ours?.["savedMs"])} ms, second ${rounded(ours?.["secondMs"])} ms`,
  },
  {
    name: "memory: a server after ten minutes of load (880 sessions, 21,120 connections) and ten idle ones",
    bar: "≤ 60 MB and no open file more than at its start",
    runs: 1,
    prepare: (product) => ({ ROUNDTABLE_BENCH_PROGRAM: product.program }),
    variants: {
      ours: program("soak", [
        process.env["ROUNDTABLE_BENCH_LOAD_S"] ?? "600",
        process.env["ROUNDTABLE_BENCH_IDLE_S"] ?? "600",
      ]),
    },
    show: ({ ours }) =>
      `${rounded(ours?.["sessions"])} sessions, ${rounded(ours?.["connections"])} connections: ${rounded(ours?.["startMb"])} MB and ${ours?.["startFiles"]} files at the start, ${rounded(ours?.["loadedMb"])} MB and ${ours?.["loadedFiles"]} under load, ${rounded(ours?.["afterMb"])} MB and ${ours?.["afterFiles"]} after the rest`,
    value: ({ ours }) =>
      `${rounded((ours?.["afterMb"] ?? 0) - (ours?.["startMb"] ?? 0))} MB more, ${rounded((ours?.["afterFiles"] ?? 0) - (ours?.["startFiles"] ?? 0))} open files more`,
  },
  {
    name: "`roundtable --version`",
    bar: "≤ 2 × bare `node -e 0`",
    variants: { bare: program("start", ["bare"]), ours: program("start", ["version"]) },
    show: ({ bare, ours }) =>
      `${rounded(ours?.["ms"])} ms beside ${rounded(bare?.["ms"])} ms: ${times(ours?.["ms"], bare?.["ms"])} ×`,
    value: ({ bare, ours }) => `${times(ours?.["ms"], bare?.["ms"])} ×`,
  },
  {
    name: "`roundtable -p` to first text",
    bar: "≤ 300 ms over bare Node start",
    variants: { bare: program("start", ["bare"]), ours: program("start", ["first-text"]) },
    show: ({ bare, ours }) =>
      `${rounded(ours?.["ms"])} ms, ${rounded((ours?.["ms"] ?? 0) - (bare?.["ms"] ?? 0))} ms over bare Node (${rounded(bare?.["ms"])} ms)`,
    value: ({ bare, ours }) => `${rounded((ours?.["ms"] ?? 0) - (bare?.["ms"] ?? 0))} ms`,
  },
  {
    name: "first text of the embedded members among 10,000 files",
    bar: "≤ 150 ms",
    prepare(product) {
      const directory = mkdtempSync(path.join(product.scratch, "repository-"));
      program("first-text", ["prepare"])(product, { ROUNDTABLE_BENCH_REPOSITORY: directory });
      return { ROUNDTABLE_BENCH_REPOSITORY: directory };
    },
    cleanUp: ({ ROUNDTABLE_BENCH_REPOSITORY }) =>
      rmSync(ROUNDTABLE_BENCH_REPOSITORY ?? "", { recursive: true, force: true }),
    variants: {
      scout: program("first-text", ["scout"]),
      historian: program("first-text", ["historian"]),
      critic: program("first-text", ["critic"]),
    },
    show: (medians) =>
      Object.entries(medians)
        .map(([name, { firstMs, doneMs }]) => `${name} ${rounded(firstMs)} ms (whole answer ${rounded(doneMs)} ms)`)
        .join(", "),
    value: (medians) =>
      `${rounded(Math.max(...Object.values(medians).map(({ firstMs }) => firstMs ?? Number.NaN)))} ms`,
  },
  {
    name: "fan-out of 5,000 events/s to 50 and 500 clients",
    bar: "nothing lost, p99 ≤ 30 ms, CPU ≤ 1.5 × bare node:http, ≤ 160 MB",
    variants: {
      bare: program("fan-out", ["bare"]),
      sse: program("fan-out", ["sse"], SERVER_FLAGS),
      ws: program("fan-out", ["ws"], SERVER_FLAGS),
    },
    show: (medians) =>
      [50, 500]
        .map((clients) => `to ${clients}: ${Object.entries(medians).map(fanOutCell(clients, medians)).join("; ")}`)
        .join(". "),
    value: fanOutValue,
  },
  {
    name: "fan-out beside 20 clients that never read",
    bar: "memory flat, the others unaffected",
    variants: {
      alone: program("fan-out", ["alone"], SERVER_FLAGS),
      ours: program("fan-out", ["unread"], SERVER_FLAGS),
    },
    show: ({ alone, ours }) => `${besideCell(ours)}. ${aloneCell(alone)}`,
    value: ({ ours }) => besideValue(ours),
  },
  {
    name: "fan-out beside one stalled client, 200 MB of events",
    bar: "≤ 16 MB more, the others unaffected",
    variants: {
      alone: program("fan-out", ["unstalled"], SERVER_FLAGS),
      sse: program("fan-out", ["stalled-sse"], SERVER_FLAGS),
      ws: program("fan-out", ["stalled-ws"], SERVER_FLAGS),
    },
    show: ({ alone, sse, ws }) => `SSE: ${besideCell(sse)}. WebSocket: ${besideCell(ws)}. ${aloneCell(alone)}`,
    value: ({ sse, ws }) => `SSE ${besideValue(sse)}; WebSocket ${besideValue(ws)}`,
  },
  {
    name: "fan-out: send to first broadcast",
    bar: "p50 ≤ 5 ms",
    variants: { bare: program("first-broadcast", ["bare"]), ours: program("first-broadcast", ["ours"]) },
    show: ({ bare, ours }) =>
      `p50 ${ours?.["p50Ms"]?.toFixed(2)} ms, p99 ${ours?.["p99Ms"]?.toFixed(2)} ms beside ${bare?.["p50Ms"]?.toFixed(2)} and ${bare?.["p99Ms"]?.toFixed(2)} ms for a write and its fdatasync`,
    value: ({ ours }) => `p50 ${ours?.["p50Ms"]?.toFixed(1)} ms`,
  },
  {
    name: "terminal: three members × 200 tokens/s over 2,000 messages, 120 × 40",
    bar: "≤ 250 µs CPU a token, key echo p95 ≤ 15 ms, ≤ 130 MB",
    prepare: (product) => terminalSession(product, 2_000),
    cleanUp: removeData,
    variants: { ours: program("terminal", ["stream"]) },
    show: ({ ours }) =>
      `${rounded(ours?.["cpuUs"])} µs, key echo p50 ${ours?.["echoP50Ms"]?.toFixed(1)} ms, p95 ${ours?.["echoP95Ms"]?.toFixed(1)} ms, ${rounded(ours?.["rssMb"])} MB`,
  },
  {
    name: "terminal: the panel of an answer of 16,000 characters, each piece of four",
    bar: "≤ 0.5 × a new panel",
    variants: { ours: program("panel-cost", []) },
    show: ({ ours }) =>
      `${rounded(ours?.["keptUs"])} µs CPU per chunk, a new panel takes ${rounded(ours?.["anewUs"])} µs: ${times(ours?.["keptUs"], ours?.["anewUs"])} ×`,
    value: ({ ours }) => `${times(ours?.["keptUs"], ours?.["anewUs"])} ×`,
  },
  {
    name: "terminal: three members × 100 tokens/s in columns over 2,000 messages, 220 × 60",
    bar: "CPU a token ≤ 1.2 × the stack view, ≥ 30 updates/s, gap p95 ≤ 50 ms, key echo p95 ≤ 12 ms, ≤ 110 MB",
    prepare: (product) => terminalSession(product, 2_000),
    cleanUp: removeData,
    variants: {
      stack: program("terminal", ["stream", "stack", "220", "60", "100"]),
      columns: program("terminal", ["stream", "columns", "220", "60", "100"]),
    },
    show: ({ stack, columns }) =>
      `${rounded(columns?.["cpuUs"])} µs CPU a token beside ${rounded(stack?.["cpuUs"])} µs: ${times(columns?.["cpuUs"], stack?.["cpuUs"])} ×; ${columns?.["updatesPerSecond"]?.toFixed(1)} updates/s, gap p95 ${columns?.["gapP95Ms"]?.toFixed(0)} ms, key echo p95 ${columns?.["echoP95Ms"]?.toFixed(1)} ms, ${rounded(columns?.["rssMb"])} MB`,
    value: ({ stack, columns }) =>
      `${times(columns?.["cpuUs"], stack?.["cpuUs"])} ×, ${columns?.["updatesPerSecond"]?.toFixed(1)}/s, p95 ${columns?.["gapP95Ms"]?.toFixed(0)} ms, echo ${columns?.["echoP95Ms"]?.toFixed(1)} ms, ${rounded(columns?.["rssMb"])} MB`,
  },
  {
    name: "terminal: attach to a session of 100,000 messages, to its last words",
    bar: "≤ 500 ms",
    prepare: (product) => terminalSession(product, 100_000),
    cleanUp: removeData,
    variants: { bare: program("start", ["bare"]), ours: program("terminal", ["open"]) },
    show: ({ bare, ours }) =>
      `${rounded(ours?.["ms"])} ms, ${rounded(ours?.["rssMb"])} MB (bare Node start ${rounded(bare?.["ms"])} ms)`,
  },
  {
    name: "terminal: start to first paint",
    bar: "≤ 0.75 × the fastest of Claude Code, Codex and Pi",
    prepare: (product) => ({
      ROUNDTABLE_BENCH_PROGRAM: product.program,
      ROUNDTABLE_HOME: mkdtempSync(path.join(product.scratch, "paint-")),
      ROUNDTABLE_BACKGROUND: "0",
    }),
    variants: {
      bare: program("start", ["bare"]),
      ours: program("terminal", ["paint"]),
      "Claude Code": program("agent-on-screen", ["paint", "claude"]),
      Codex: program("agent-on-screen", ["paint", "codex"]),
      Pi: program("agent-on-screen", ["paint", "pi"]),
    },
    show: (medians) =>
      Object.entries(medians)
        .map(([name, { ms }]) => `${name} ${rounded(ms)} ms`)
        .join(", "),
    value: ({ ours, "Claude Code": claude, Codex: codex, Pi: pi }) =>
      `${times(ours?.["ms"], claude?.["ms"])} × Claude Code, ${times(ours?.["ms"], pi?.["ms"])} × Pi, ${times(ours?.["ms"], codex?.["ms"])} × Codex`,
  },
  {
    name: "terminal: app and server with a new session, idle",
    bar: "app ≤ 90 MB, together ≤ 140 MB",
    prepare: ({ program: file }) => ({ ROUNDTABLE_BENCH_PROGRAM: file }),
    variants: { ours: program("terminal", ["idle"]) },
    show: ({ ours }) =>
      `app ${rounded(ours?.["appMb"])} MB, together ${rounded(ours?.["togetherMb"])} MB with what they share counted once`,
  },
  {
    name: "text on both screens while a member streams 100 words/s",
    bar: "≥ 30 updates/s, gap p95 ≤ 50 ms, longest ≤ 120 ms",
    prepare: (product) => ({ ROUNDTABLE_BENCH_PROGRAM: product.program }),
    variants: {
      pipe: program("text-gaps", ["pipe"]),
      terminal: program("text-gaps", ["terminal"]),
      page: program("text-gaps", ["page"]),
    },
    show: ({ pipe, terminal, page }) =>
      `terminal ${gapsCell(terminal)}; page ${gapsCell(page)}; the words at the agent's own pipe ${gapsCell(pipe)}`,
    value: ({ terminal, page }) => `terminal ${gapsValue(terminal)}; page ${gapsValue(page)}`,
  },
  {
    name: "page: three members × 200 deltas/s, 20,000 characters of Markdown each, five times",
    bar: "no task over 50 ms, no delta lost, memory flat",
    prepare: (product) => pageSession(product, 40),
    cleanUp: removeData,
    variants: { bare: program("page", ["bare"]), ours: program("page", ["stream"]) },
    show: ({ bare, ours }) =>
      `${rounded(ours?.["over50"])} tasks over 50 ms, the longest ${rounded(ours?.["longestMs"])} ms (${ours?.["longestCpuMs"]?.toFixed(1)} ms of its own CPU) beside ${rounded(bare?.["over50"])}, ${rounded(bare?.["longestMs"])} ms (${bare?.["longestCpuMs"]?.toFixed(1)} ms) of a bare page; ${rounded(ours?.["lost"])} answers not whole; heap ${ours?.["heapMb"]?.toFixed(1)} MB, ${ours?.["grownMb"]?.toFixed(1)} MB more than after the third time`,
    value: ({ ours }) =>
      `${rounded(ours?.["over50"])} tasks, ${rounded(ours?.["lost"])} lost, ${ours?.["grownMb"]?.toFixed(1)} MB more`,
  },
  ...["3", "6"].map((count): Case => ({
    name: `page: ${count} members × 100 tokens/s in columns, ten answers of 20,000 characters each`,
    bar: "≥ 30 text updates/s, no task over 50 ms, heap flat",
    runs: 1,
    prepare: (product) => pageSession(product, 40, { ROUNDTABLE_BENCH_MEMBERS: count }),
    cleanUp: removeData,
    variants: { ours: program("page", ["columns"]) },
    show: ({ ours }) =>
      `${ours?.["updatesPerSecond"]?.toFixed(1)} text updates/s in the slowest column; ${rounded(ours?.["over50"])} tasks over 50 ms, the longest ${rounded(ours?.["longestMs"])} ms (${ours?.["longestCpuMs"]?.toFixed(1)} ms of its own CPU); heap ${ours?.["heapMb"]?.toFixed(1)} MB, ${ours?.["grownMb"]?.toFixed(1)} MB more than after the third answer`,
    value: ({ ours }) =>
      `${ours?.["updatesPerSecond"]?.toFixed(0)}/s, ${rounded(ours?.["over50"])} tasks, ${ours?.["grownMb"]?.toFixed(1)} MB more`,
  })),
  {
    name: "page: a session of 10,000 messages, opened and scrolled, Home and End",
    bar: "first content ≤ 350 ms, Home and End ≤ 200 ms, 60 frames/s, no frame over 33 ms",
    prepare: (product) => pageSession(product, 10_000),
    cleanUp: removeData,
    variants: { ours: program("page", ["open"]) },
    show: ({ ours }) =>
      `first content ${rounded(ours?.["firstMs"])} ms; Home ${rounded(ours?.["homeMs"])} ms, End ${rounded(ours?.["endMs"])} ms; ${rounded(ours?.["perSecond"])} frames/s, p99 ${ours?.["p99Ms"]?.toFixed(1)} ms, ${rounded(ours?.["over33"])} over 33 ms, the longest ${rounded(ours?.["longestMs"])} ms (${ours?.["longestCpuMs"]?.toFixed(1)} ms of its own CPU)`,
    value: ({ ours }) =>
      `${rounded(ours?.["firstMs"])} ms, Home ${rounded(ours?.["homeMs"])} ms, End ${rounded(ours?.["endMs"])} ms, ${rounded(ours?.["perSecond"])}/s, ${rounded(ours?.["over33"])} over 33 ms`,
  },
  ...(["claude", "codex", "pi"] as const).map((agent): Case => ({
    name: `agents: ${agent}, warm, beside the bare program`,
    bar: "≤ 5 ms more to first text",
    prepare: ({ program: file }) => ({ ROUNDTABLE_BENCH_PROGRAM: file }),
    variants: {
      clocked: program("real-agent", ["clocked", agent]),
      beside: program("real-agent", ["beside", agent]),
    },
    show: ({ clocked, beside }) =>
      `first text ${clocked?.["addedMs"]?.toFixed(1)} ms after the agent's own; turn by turn in one run ${beside?.["oursMs"]?.toFixed(1)} ms beside ${beside?.["bareMs"]?.toFixed(1)} ms (a bare reader with the table's tools ${beside?.["seatedMs"]?.toFixed(1)} ms)`,
  })),
  ...(["claude", "codex", "pi"] as const).map((agent): Case => ({
    name: `agents: ${agent} on a screen, beside its own terminal program`,
    bar: "≤ 5 ms more to first text, CPU ≤ 1 ×",
    prepare: ({ program: file }) => ({ ROUNDTABLE_BENCH_PROGRAM: file }),
    variants: {
      own: program("agent-on-screen", ["own", agent]),
      ours: program("agent-on-screen", ["ours", agent]),
    },
    show: ({ own, ours }) =>
      `Enter to first text ${ours?.["firstMs"]?.toFixed(1)} ms beside ${own?.["firstMs"]?.toFixed(1)} ms; an answer of 600 pieces: agent, server and our terminal app ${rounded(ours?.["cpuMs"])} ms beside ${rounded(own?.["cpuMs"])} ms: ${times(ours?.["cpuMs"], own?.["cpuMs"])} × (the third and fourth after the start ${rounded(ours?.["newCpuMs"])} ms beside ${rounded(own?.["newCpuMs"])} ms: ${times(ours?.["newCpuMs"], own?.["newCpuMs"])} ×)`,
  })),
  {
    name: "agents: the server itself, five idle members at the table",
    bar: "≤ 120 MB",
    prepare: ({ program: file }) => ({ ROUNDTABLE_BENCH_PROGRAM: file }),
    variants: { ours: program("real-agent", ["idle"]) },
    show: ({ ours }) =>
      `${rounded(ours?.["rssMb"])} MB, at most ${rounded(ours?.["peakMb"])} MB while all five speak${ours?.["failed"] === 0 ? "" : `, ${ours?.["failed"]} DID NOT ANSWER`}`,
  },
  {
    name: "sandbox: start of an agent's program in a writable session, to its first line",
    bar: "≤ 15 ms more than without",
    runs: 20,
    variants: { plain: program("agent-start", ["plain"]), sandboxed: program("agent-start", ["sandboxed"]) },
    show: ({ plain, sandboxed }) =>
      `${sandboxed?.["ms"]?.toFixed(1)} ms beside ${plain?.["ms"]?.toFixed(1)} ms: ${((sandboxed?.["ms"] ?? Number.NaN) - (plain?.["ms"] ?? Number.NaN)).toFixed(1)} ms more (medians of 20, in turns)`,
    value: ({ plain, sandboxed }) =>
      `${((sandboxed?.["ms"] ?? Number.NaN) - (plain?.["ms"] ?? Number.NaN)).toFixed(1)} ms more`,
  },
];

function gapsValue({ perSecond, p95Ms, longestMs }: Figures = {}): string {
  return `${perSecond?.toFixed(1)}/s, p95 ${rounded(p95Ms)} ms, longest ${rounded(longestMs)} ms`;
}

function gapsCell({ perSecond, p50Ms, p95Ms, longestMs, serverCpuMs, screenCpuMs }: Figures = {}): string {
  const cpu =
    serverCpuMs === undefined
      ? ""
      : `, CPU of server and screen ${rounded(serverCpuMs)} and ${rounded(screenCpuMs)} ms`;
  return `${perSecond?.toFixed(1)}/s, gap p50 ${rounded(p50Ms)} ms, p95 ${rounded(p95Ms)} ms, longest ${rounded(longestMs)} ms${cpu}`;
}

function terminalSession(product: Product, messages: number): Prepared {
  return sessionOf("terminal", product, messages);
}

function pageSession(product: Product, messages: number, more: Prepared = {}): Prepared {
  return sessionOf("page", product, messages, more);
}

function sessionOf(name: string, product: Product, messages: number, more: Prepared = {}): Prepared {
  const prepared = {
    ...more,
    ROUNDTABLE_BENCH_DATA: mkdtempSync(path.join(product.scratch, `${name}-`)),
    ROUNDTABLE_BENCH_PROGRAM: product.program,
  };
  program(name, ["prepare", String(messages)])(product, prepared);
  return prepared;
}

/** A data directory filled by the program. */
function filledBy(name: string, product: Product): Prepared {
  const prepared = { ROUNDTABLE_BENCH_DATA: mkdtempSync(path.join(product.scratch, `${name}-`)) };
  program(name, ["prepare"])(product, prepared);
  return prepared;
}

function removeData({ ROUNDTABLE_BENCH_DATA }: Prepared): void {
  rmSync(ROUNDTABLE_BENCH_DATA ?? "", { recursive: true, force: true });
}

/** CPU per delivered event, with and without the cost of creating and storing the events. */
function fanOutCell(clients: number, medians: Readonly<Record<string, Figures>>) {
  return ([name, figures]: [string, Figures]): string => {
    const of = (key: string) => figures[`${key}At${clients}`];
    const bare = medians["bare"]?.[`cpuUsAt${clients}`];
    const lost = of("faults") === 0 ? "0 lost" : `${of("faults")} FAULTS`;
    return `${name} ${lost}, ${rounded((of("share") ?? Number.NaN) * 100)} % of ${rounded(of("perSecond"))}/s, p99 ${rounded(of("p99Ms"))} ms, ${of("cpuUs")?.toFixed(2)} µs = ${times(of("cpuUs"), bare)} × (${of("fanOutUs")?.toFixed(2)} µs without the events themselves), ${rounded(of("rssMb"))} MB`;
  };
}

/** Growth of the same server in the same time without idle clients. */
function aloneCell(alone: Figures | undefined): string {
  return `Without any: ${alone?.["grownMb"]?.toFixed(1)} MB more, of that ${alone?.["laterMb"]?.toFixed(1)} MB after the first seconds`;
}

function besideCell(figures: Figures | undefined): string {
  const { grownMb, laterMb, rssMb, faults, share, perSecond, p99Ms, p99BeforeMs } = figures ?? {};
  return `${grownMb?.toFixed(1)} MB more than before (${rounded(rssMb)} MB), of that ${laterMb?.toFixed(1)} MB after the first seconds; the others: ${faults} faults, ${rounded((share ?? Number.NaN) * 100)} % of ${rounded(perSecond)}/s, p99 ${rounded(p99Ms)} ms, ${rounded(p99BeforeMs)} ms before`;
}

/** Maximum over both transports and both numbers of clients. */
function fanOutValue(medians: Readonly<Record<string, Figures>>): string {
  const worst = (key: string, share: (clients: number) => number = () => 1) =>
    Math.max(
      ...[50, 500].flatMap((clients) =>
        ["sse", "ws"].map((name) => (medians[name]?.[`${key}At${clients}`] ?? Number.NaN) / share(clients)),
      ),
    );
  const cpu = worst("cpuUs", (clients) => medians["bare"]?.[`cpuUsAt${clients}`] ?? Number.NaN);
  return `${worst("faults")} lost, p99 ${rounded(worst("p99Ms"))} ms, ${cpu.toFixed(2)} ×, ${rounded(worst("rssMb"))} MB`;
}

function besideValue({ grownMb, p99Ms }: Figures = {}): string {
  return `${grownMb?.toFixed(1)} MB more, others p99 ${rounded(p99Ms)} ms`;
}
