/**
 * Benchmarks of the packed product: `npm run bench [-- NAME…]`. Every case runs beside its baseline, interleaved, five
 * times. `--write` updates docs/benchmarks.json and the table of docs/benchmarks.md after each case; cases that were
 * not measured keep their row.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { cases, type Case } from "./cases.ts";
import { packProduct, type Product } from "./pack.ts";

const RUNS = 5;
const BEGIN = "<!-- figures -->";
const END = "<!-- /figures -->";
const DOCUMENT = "docs/benchmarks.md";
const DATA = "docs/benchmarks.json";

/** One row: the table shows `value`, the JSON file everything. */
interface Row {
  readonly name: string;
  readonly bar: string;
  readonly value: string;
  readonly detail: string;
}

const {
  values: { write, help },
  positionals: wanted,
} = parseArgs({
  options: { write: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  allowPositionals: true,
});
if (help) {
  process.stdout.write(`npm run bench [-- NAME…] [--write]\n\n${cases.map(({ name }) => name).join("\n")}\n`);
  process.exit();
}
const product = packProduct();
try {
  for (const one of cases.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)))) {
    try {
      const row = measure(one, product);
      process.stdout.write(`| ${row.name} | ${row.bar} | ${row.detail} |\n`);
      if (write) writeRow(row);
    } catch (error) {
      // A case that fails must not cost the hours of all others.
      process.exitCode = 1;
      process.stderr.write(`${one.name}: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
} finally {
  product.remove();
}

function measure(one: Case, packed: Product): Row {
  const prepared = one.prepare?.(packed) ?? {};
  const names = Object.keys(one.variants);
  const samples = new Map<string, Record<string, number>[]>(names.map((name) => [name, []]));
  for (let run = 0; run < (one.runs ?? RUNS); run++) {
    for (const name of names) samples.get(name)?.push(one.variants[name]!(packed, prepared));
  }
  one.cleanUp?.(prepared);
  const medians = Object.fromEntries(names.map((name) => [name, mediansOf(samples.get(name) ?? [])]));
  const detail = one.show(medians);
  return { name: one.name, bar: one.bar, value: one.value?.(medians) ?? detail, detail };
}

function mediansOf(samples: readonly Record<string, number>[]): Record<string, number> {
  const keys = Object.keys(samples[0] ?? {});
  return Object.fromEntries(keys.map((key) => [key, median(samples.map((sample) => sample[key] ?? Number.NaN))]));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function writeRow(measured: Row): void {
  const machine = `Node ${process.version}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB; median of ${RUNS} interleaved runs.`;
  const data = JSON.parse(readFileSync(DATA, "utf8")) as { readonly figures: readonly Row[] };
  const figures = new Map([...data.figures, measured].map((row) => [row.name, row]));
  writeFileSync(DATA, `${JSON.stringify({ ...data, machine, figures: [...figures.values()] }, null, 2)}\n`);
  const rows = [...figures.values()].map(({ name, bar, value }) => `| ${name} | ${bar} | ${value} |`);
  const table = [BEGIN, machine, "", "| what | bar | measured |", "|---|---|---|", ...rows, END].join("\n");
  const text = readFileSync(DOCUMENT, "utf8");
  writeFileSync(DOCUMENT, text.slice(0, text.indexOf(BEGIN)) + table + text.slice(text.indexOf(END) + END.length));
}
