/**
 * Packs the program into dist/: ES modules with every dependency inside, split so that a command loads only its own
 * part, the page in dist/web, and the licences of what was packed in THIRD-PARTY.txt. Another place than dist/ may be given.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { bundleWeb } from "./bundle-web.ts";
import { expectNoCircle, expectNoServer, layersOf } from "./layers.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = resolve(process.argv[2] ?? join(root, "dist"));

/** A bundle of another size than this has lost or gained something that nobody looked at. */
const BUNDLE_BYTES_MAX = 3.75 * 1024 * 1024;

/** The words of the licence that packages without a file of their own declare. */
const MIT_TERMS = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const packages = new Set<string>();
const rememberPackages = {
  name: "remember-packages",
  transform(_code: string, id: string) {
    const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id);
    if (found !== null) packages.add(found[0]);
    return null;
  },
};

/** Imported as a module, node:process works out every property it has, which takes a tenth of a start; the global does not. */
const processIsGlobal = {
  name: "process-is-global",
  resolveId: (id: string) => (id === "node:process" ? "\0process" : null),
  load: (id: string) => (id === "\0process" ? "export default globalThis.process;" : null),
};

rmSync(dist, { recursive: true, force: true });
const { output } = await build({
  cwd: root,
  input: {
    cli: "src/cli/main.ts",
    rooms: "src/cli/rooms.ts",
    // Started by agents, as a program of its own.
    "host-tools": "src/agents/host-tools/program.ts",
    // Started by a host, as a thread of its own.
    "search-index": "src/host/search/program.ts",
  },
  platform: "node",
  external: [/^node:(?!process$)/],
  resolve: { mainFields: ["module", "main"] },
  // Nothing of ours does anything when it is loaded, except the programs themselves: whoever imports one thing by the door of
  // a room does not load the whole room.
  treeshake: { moduleSideEffects: [{ test: /\/(?:src|edges)\/(?!.*\/(?:main|program)\.ts$)/, sideEffects: false }] },
  plugins: [rememberPackages, processIsGlobal],
  // Its modules lie in layers, which other files import.
  preserveEntrySignatures: "allow-extension",
  // A door that is opened late is also opened early by others.
  checks: { ineffectiveDynamicImport: false },
  output: {
    dir: dist,
    codeSplitting: layersOf(root),
    format: "esm",
    minify: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  },
});

const chunks = output.filter((one) => one.type === "chunk");
const bytes = chunks.reduce((sum, one) => sum + Buffer.byteLength(one.code), 0);
const foreign = chunks.flatMap((one) => one.imports).filter((one) => !isOurs(one));
expectNoCircle(chunks);
expectNoServer(chunks);
if (foreign.length > 0) throw new Error(`dist would need packages at run time: ${foreign.join(", ")}`);
if (bytes > BUNDLE_BYTES_MAX) throw new Error(`dist is ${bytes} bytes; more than ${BUNDLE_BYTES_MAX} was never meant`);

const page = await bundleWeb({ minify: true, plugins: [rememberPackages] });
mkdirSync(join(dist, "web"));
for (const { name, text, encoding } of page) writeFileSync(join(dist, "web", name), Buffer.from(text, encoding));

writeFileSync(
  join(dist, "THIRD-PARTY.txt"),
  [...packages]
    .sort()
    .map(licenceOf)
    .join(`\n${"-".repeat(80)}\n\n`),
);
process.stdout.write(
  `dist: ${output.length} files, ${Math.round(bytes / 1024)} KiB, the page ${page.length} files, ${packages.size} packages inside\n`,
);

function isOurs(specifier: string): boolean {
  return isBuiltin(specifier) || output.some((one) => one.fileName === specifier);
}

interface About {
  name: string;
  version: string;
  license?: string;
  author?: string | { name?: string };
}

function licenceOf(directory: string): string {
  const about = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as About;
  const file = readdirSync(directory).find((name) => /^(?:licen[cs]e|copying)(?:\.|$)/i.test(name));
  const text = file === undefined ? declaredLicence(about) : readFileSync(join(directory, file), "utf8").trim();
  return `${about.name} ${about.version} (${about.license ?? "see below"})\n\n${text}\n`;
}

/** A package that only declares its licence is packed with the words of it and its author's name. */
function declaredLicence({ name, version, license, author }: About): string {
  const holder = typeof author === "string" ? author : author?.name;
  if (license !== "MIT" || holder === undefined) {
    throw new Error(`${name} ${version} has no licence file and cannot be packed`);
  }
  return `Copyright (c) ${holder}\n\n${MIT_TERMS}`;
}
