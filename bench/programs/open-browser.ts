/** A browser without GPU emulation, which would use a whole core at a higher priority than the page. */
import chromium from "@sparticuz/chromium";
import { chromium as driver, type Browser } from "playwright-core";
import { browserFile } from "../../test/web/browser-file.ts";

const WITH_CARD = new Set([
  "--single-process",
  "--no-zygote",
  "--in-process-gpu",
  "--ignore-gpu-blocklist",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
]);

export async function openBrowser(home: string): Promise<Browser> {
  return await driver.launch({
    executablePath: await browserFile(),
    args: [...chromium.args.filter((arg) => !WITH_CARD.has(arg)), "--disable-dev-shm-usage", "--disable-gpu"],
    env: { ...process.env, HOME: home },
    headless: true,
  });
}
