/** A real browser. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium as driver, type Browser, type BrowserContext } from "playwright-core";
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

let shared: Promise<Browser> | undefined;

/**
 * One for all files that a worker runs, since its start costs as much as a small test; closing it closes what was opened
 * through it. It ends with the process, whose pipe it hangs on.
 */
export async function openBrowser(): Promise<Browser> {
  if (shared !== undefined && !(await shared).isConnected()) shared = undefined;
  const browser = await (shared ??= launchBrowser());
  const contexts = new Set<BrowserContext>();
  const newContext: Browser["newContext"] = async (options) => {
    const context = await browser.newContext(options);
    contexts.add(context);
    context.once("close", () => contexts.delete(context));
    return context;
  };
  const own: Partial<Browser> = {
    newContext,
    newPage: async (options) => await (await newContext(options)).newPage(),
    close: async () => void (await Promise.all([...contexts].map((context) => context.close()))),
  };
  return new Proxy(browser, {
    get(_, name: keyof Browser) {
      const value: unknown = own[name] ?? browser[name];
      return typeof value === "function" ? (value.bind(browser) as unknown) : value;
    },
  });
}

/** One by itself. */
export async function launchBrowser(args = ARGS): Promise<Browser> {
  const home = mkdtempSync(join(tmpdir(), "rt-browser-"));
  return await driver.launch({
    executablePath: await browserFile(),
    args,
    env: { ...process.env, HOME: home },
    headless: true,
    // The worker ends by this signal, and would wait.
    handleSIGTERM: false,
  });
}
