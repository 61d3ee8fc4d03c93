/** One sitting before a past session, from the first frame to the end. */
import { ProcessTerminal } from "@earendil-works/pi-tui";
import type { ReplayOptions } from "./replay-options.ts";
import { ReplayScreen } from "./replay-screen.ts";

export async function runReplayScreen(options: ReplayOptions): Promise<void> {
  await new ReplayScreen(options, new ProcessTerminal()).run();
}
