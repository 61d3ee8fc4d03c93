/**
 * The browser that drives the page. On Linux x64 a package of npm brings it; elsewhere it is the machine's own, and where
 * there is none, Debian's package is installed by whoever may do that.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { patient } from "../patience.ts";

const run = promisify(execFile);
const UNPACK = 'import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath())';
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const ON_MACOS = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
const DEBIAN_PACKAGES = ["chromium-headless-shell", "fonts-dejavu-core"];
const INSTALL_MS = patient(5 * 60_000);

const isPacked = process.platform === "linux" && process.arch === "x64";

export async function browserFile(): Promise<string> {
  const found = process.env["CHROME_PATH"] ?? (isPacked ? await unpacked() : machinesOwn());
  if (found !== undefined) return found;
  throw new Error(
    "The tests of the page need a browser, and there is none. Install Chromium or Chrome (Debian: apt-get install chromium-headless-shell), or name one in CHROME_PATH.",
  );
}

/** Before the first test, so that no two of them install it at once. */
export async function bringBrowser(): Promise<void> {
  if (isPacked || process.env["CHROME_PATH"] !== undefined || machinesOwn() !== undefined) return;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  process.stdout.write(`The tests of the page need a browser: installing ${DEBIAN_PACKAGES.join(" and ")}.\n`);
  const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }, timeout: INSTALL_MS };
  try {
    await run("apt-get", ["update", "-qq"], options);
    await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...DEBIAN_PACKAGES], options);
  } catch (error) {
    process.stdout.write(`That failed: ${String(error)}\n`);
  }
}

function machinesOwn(): string | undefined {
  const directories = (process.env["PATH"] ?? "").split(path.delimiter).filter((one) => path.isAbsolute(one));
  const onPath = NAMES.flatMap((name) => directories.map((directory) => path.join(directory, name)));
  return [...onPath, ON_MACOS].find((file) => existsSync(file));
}

/** Unpacked beside its place and moved there whole: test files that need it at the same moment must not find half of it. */
async function unpacked(): Promise<string> {
  const main = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const about = readFileSync(path.join(path.dirname(main), "..", "package.json"), "utf8");
  const { version } = JSON.parse(about) as { version: string };
  const file = path.join(process.env["ROUNDTABLE_TEST_KEPT"] ?? tmpdir(), `roundtable-browser-${version}`);
  if (!existsSync(file)) {
    const mine = mkdtempSync(`${file}.`);
    await run(process.execPath, ["--input-type=module", "-e", UNPACK], {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: mine },
    });
    try {
      renameSync(mine, file);
    } catch (error) {
      rmSync(mine, { recursive: true, force: true });
      if (!existsSync(file)) throw error;
    }
  }
  return path.join(file, "chromium");
}
