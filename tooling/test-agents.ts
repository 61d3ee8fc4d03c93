/**
 * `npm run test:agents [-- FLAGS] [AGENT…]`: tries the real agent programs through Roundtable against a model server on
 * loopback. What came of it is kept in docs/trials.json and shown by the table in docs/agents.md, when all of them were
 * tried and none failed.
 *   --only WORD     scenarios whose name has the word       --cache DIR    where the programs are kept
 *   --jobs N        agents that are tried at the same time  --missing      only what no result was kept of
 *   --program FILE  Roundtable itself, else it is packed    --write        keeps every result, as soon as it is there
 */
import { chmodSync } from "node:fs";
import { parseArgs } from "node:util";
import path from "node:path";
import { packProduct } from "../bench/pack.ts";
import { installForHere, usualCacheDir, type Installed } from "../test/agents/real/install-agent.ts";
import { startModelServer } from "../test/agents/real/model-server.ts";
import { pins, type Pin } from "../test/agents/real/pins.ts";
import { writeReport } from "../test/agents/real/report.ts";
import { scenarios } from "../test/agents/real/scenarios.ts";
import { subjectOf } from "../test/agents/real/subjects.ts";
import { readTrials, recordTrial, reportsOf } from "../test/agents/real/trials.ts";
import { tryScenario, type Result } from "../test/agents/real/try-scenario.ts";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: "" },
    cache: { type: "string", default: process.env["ROUNDTABLE_TEST_AGENTS"] ?? usualCacheDir() },
    program: { type: "string" },
    write: { type: "boolean", default: false },
    jobs: { type: "string", default: "1" },
    missing: { type: "boolean", default: false },
  },
});

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
const root = path.join(import.meta.dirname, "..");
const product = flags.program === undefined ? packProduct() : undefined;
// Some trials are run by a user without rights.
if (product !== undefined) chmodSync(product.scratch, 0o755);
const roundtable = [process.execPath, flags.program ?? product?.program ?? ""];
const server = await startModelServer();
const trialsFile = path.join(root, "docs", "trials.json");
let failures = 0;
const wanted = pins.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const kept: (() => void)[] = [];
try {
  // The slowest first, so that it does not run on alone.
  const waiting = wanted.toReversed();
  const work = async (): Promise<void> => {
    for (let pin = waiting.shift(); pin !== undefined; pin = waiting.shift()) {
      const installed = tryInstall(pin);
      if (installed !== undefined) await tryAgent(pin, installed);
    }
  };
  await Promise.all(Array.from({ length: Number(flags.jobs) }, work));
} finally {
  await server.close();
  product?.remove();
}
const isWhole = positionals.length === 0 && flags.only === "";
if (isWhole && failures === 0) for (const keep of kept) keep();
if (isWhole || flags.write) {
  const { reports, facts } = reportsOf(
    readTrials(trialsFile),
    scenarios.map(({ name }) => name),
  );
  writeReport(path.join(root, "docs", "agents.md"), reports, facts);
}
process.exitCode = failures === 0 ? 0 : 1;

/** Not every program is there for every machine: that is a failure of the run, and the others are tried all the same. */
function tryInstall(pin: Pin): Installed | undefined {
  try {
    const installed = installForHere(pin, flags.cache);
    if (installed.version !== pin.version) {
      const instead = `${pin.version} cannot be installed here, so ${installed.version} is tried`;
      process.stdout.write(`${pin.name} · ${instead}\n`);
    }
    return installed;
  } catch (error) {
    failures++;
    const why = error instanceof Error ? error.message : String(error);
    process.stdout.write(`${pin.name} · cannot be installed on ${process.platform} ${process.arch}: ${why}\n`);
    return undefined;
  }
}

async function tryAgent(pin: Pin, { command, version }: Installed): Promise<void> {
  const subject = subjectOf(pin.name, command, server.url);
  const tried = flags.missing ? readTrials(trialsFile).agents[pin.name]?.results : undefined;
  for (const scenario of scenarios.filter(({ name }) => name.includes(flags.only) && tried?.[name] === undefined)) {
    const result = await tryScenario({ agent: pin.name, subject, scenario, roundtable });
    const keep = (): void => recordTrial(trialsFile, { pin, version }, { scenario: scenario.name, result });
    if (flags.write) keep();
    else kept.push(keep);
    if (result.outcome === "fail") failures++;
    show(pin.name, scenario.name, result);
  }
}

function show(agent: string, scenario: string, result: Result): void {
  const time = "ms" in result ? ` ${(result.ms / 1000).toFixed(1)} s` : "";
  const more = "why" in result ? `: ${result.why}` : "note" in result ? `: ${result.note}` : "";
  process.stdout.write(`${agent} · ${scenario} · ${result.outcome}${time}${more}\n`);
  if (result.outcome === "fail") process.stdout.write(result.events.map((line) => `    ${line}\n`).join(""));
}
