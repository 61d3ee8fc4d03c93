/** What holds when nobody says otherwise. */
import type { ConfigFile } from "./schema.ts";

export const PREAMBLE =
  "You are one of several agents at a round table, each with its own view, asked by one person. " +
  "You advise; you do not act: read what you need, but change no file and run nothing that has effects. " +
  "Answer for yourself, briefly and with evidence such as file and line. When others have spoken, say where you " +
  "agree and where you do not, and why; do not repeat them and do not speak for them.";

export const defaultConfig = {
  council: {
    timeout: 600,
    auto_rounds: 3,
    mode: "broadcast",
    preamble: PREAMBLE,
    limits: { turns: 40, minutes: 30, tokens: 2_000_000, usd: 5 },
  },
  requests: { timeout: 300 },
} as const satisfies ConfigFile;
