/** A real browser that needs no installation. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { chromium as driver, type Browser } from "playwright-core";

/** Nothing is drawn by a graphics card that is not there, and all pages share one process: both cost more than the page. */
const ARGS = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--in-process-gpu",
  "--renderer-process-limit=1",
  "--disable-features=IsolateOrigins,site-per-process,AudioServiceOutOfProcess",
  "--disable-site-isolation-trials",
];
const UNPACK = 'import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath())';

export async function openBrowser(args = ARGS): Promise<Browser> {
  const home = mkdtempSync(join(tmpdir(), "rt-browser-"));
  return await driver.launch({
    executablePath: await browserFile(),
    args,
    env: { ...process.env, HOME: home },
    headless: true,
  });
}

/** Unpacked beside its place and moved there whole: test files that need it at the same moment must not find half of it. */
async function browserFile(): Promise<string> {
  const main = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const about = readFileSync(join(dirname(main), "..", "package.json"), "utf8");
  const { version } = JSON.parse(about) as { version: string };
  const place = join(process.env["ROUNDTABLE_TEST_KEPT"] ?? tmpdir(), `roundtable-browser-${version}`);
  if (!existsSync(place)) {
    const mine = mkdtempSync(`${place}.`);
    const env = { ...process.env, TMPDIR: mine };
    await promisify(execFile)(process.execPath, ["--input-type=module", "-e", UNPACK], {
      cwd: import.meta.dirname,
      env,
    });
    try {
      renameSync(mine, place);
    } catch (error) {
      rmSync(mine, { recursive: true, force: true });
      if (!existsSync(place)) throw error;
    }
  }
  return join(place, "chromium");
}
