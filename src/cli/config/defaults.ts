/** Default configuration. */
import { USD_LIMIT } from "../../protocol/index.ts";
import type { ConfigFile } from "./schema.ts";

export const PREAMBLE = "Answer briefly and give your own view. Support claims with evidence, such as a file and line.";

export const defaultConfig = {
  council: {
    timeout: 600,
    auto_rounds: 3,
    mode: "broadcast",
    preamble: PREAMBLE,
    limits: { turns: 40, minutes: 30, tokens: 2_000_000, usd: USD_LIMIT },
  },
  requests: { timeout: 300 },
} as const satisfies ConfigFile;
