/** A real browser that needs no installation. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { chromium as driver, type Browser } from "playwright-core";

const ONE_PROCESS = new Set(["--single-process", "--no-zygote"]);

export async function openBrowser(): Promise<Browser> {
  const home = mkdtempSync(join(tmpdir(), "rt-browser-"));
  return await driver.launch({
    executablePath: await chromium.executablePath(),
    // In one process the first page that closes would take the browser with it.
    args: [...chromium.args.filter((arg) => !ONE_PROCESS.has(arg)), "--disable-dev-shm-usage"],
    env: { ...process.env, HOME: home },
    headless: true,
  });
}
