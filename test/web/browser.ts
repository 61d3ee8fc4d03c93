/** A real browser. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium as driver, type Browser } from "playwright-core";
import { browserFile } from "./browser-file.ts";

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

export async function openBrowser(args = ARGS): Promise<Browser> {
  const home = mkdtempSync(join(tmpdir(), "rt-browser-"));
  return await driver.launch({
    executablePath: await browserFile(),
    args,
    env: { ...process.env, HOME: home },
    headless: true,
  });
}
