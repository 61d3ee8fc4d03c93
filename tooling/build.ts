/**
 * Packs the program into dist/: ES modules with every dependency inside, split so that a command loads only its own
 * part, the page in dist/web, and the licences of what was packed in THIRD-PARTY.txt.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "rolldown";
import { bundleWeb } from "./bundle-web.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");

/** A bundle of another size than this has lost or gained something that nobody looked at. */
const BUNDLE_BYTES_MAX = 2 * 1024 * 1024;

const packages = new Set<string>();
const rememberPackages: Plugin = {
  name: "remember-packages",
  transform(_code, id) {
    const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id);
    if (found !== null) packages.add(found[0]);
    return null;
  },
};

rmSync(dist, { recursive: true, force: true });
const { output } = await build({
  cwd: root,
  input: { cli: "src/cli/main.ts", rooms: "src/cli/rooms.ts" },
  platform: "node",
  external: [/^node:/],
  resolve: { mainFields: ["module", "main"] },
  plugins: [rememberPackages],
  output: {
    dir: dist,
    format: "esm",
    minify: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  },
});

const bytes = output.reduce((sum, one) => sum + (one.type === "chunk" ? Buffer.byteLength(one.code) : 0), 0);
const foreign = output.flatMap((one) => (one.type === "chunk" ? one.imports : [])).filter((one) => !isOurs(one));
if (foreign.length > 0) throw new Error(`dist would need packages at run time: ${foreign.join(", ")}`);
if (bytes > BUNDLE_BYTES_MAX) throw new Error(`dist is ${bytes} bytes; more than ${BUNDLE_BYTES_MAX} was never meant`);

const page = await bundleWeb({ minify: true, plugins: [rememberPackages] });
mkdirSync(join(dist, "web"));
for (const { name, text } of page) writeFileSync(join(dist, "web", name), text);

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
  return specifier.startsWith("node:") || output.some((one) => one.fileName === specifier);
}

function licenceOf(directory: string): string {
  const about = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
    name: string;
    version: string;
    license?: string;
  };
  const file = readdirSync(directory).find((name) => /^(?:licen[cs]e|copying)(?:\.|$)/i.test(name));
  if (file === undefined || !existsSync(join(directory, file))) {
    throw new Error(`${about.name} ${about.version} has no licence file and cannot be packed`);
  }
  const text = readFileSync(join(directory, file), "utf8").trim();
  return `${about.name} ${about.version} (${about.license ?? "see below"})\n\n${text}\n`;
}
