/** `node tooling/page-icons.ts`: draws src/web/icon-SIZE.png from icon.svg, on white and inside the circle of a mask. */
import { readFileSync } from "node:fs";
import { launchBrowser } from "../test/web/browser.ts";

const SIZES = [192, 512];
const svg = readFileSync("src/web/icon.svg", "utf8");
const browser = await launchBrowser();
for (const size of SIZES) {
  const page = await browser.newPage({ viewport: { width: size, height: size }, colorScheme: "light" });
  await page.setContent(
    `<style>body { margin: 0; background: #fff } svg { display: block; width: 62%; margin: 19% }</style>${svg}`,
  );
  await page.screenshot({ path: `src/web/icon-${size}.png` });
}
await browser.close();
