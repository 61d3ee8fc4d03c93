/** Before the tests that drive whole programs. */
import { bringBrowser } from "./web/browser-file.ts";

export async function setup(): Promise<void> {
  await bringBrowser();
}
