/** What Pi tells when it has compacted its context, by itself or because it was told to. */
import type { DialectEvent } from "../../process/dialect.ts";
import { asNumber, asText, type Fields } from "../../record-fields.ts";
import type { PiState } from "./state.ts";

/** What is left is Pi's own estimate until its model answers again. */
export function compactionEvents({ model }: PiState, result: Fields): DialectEvent[] {
  const before = asNumber(result["tokensBefore"]);
  const after = asNumber(result["estimatedTokensAfter"]);
  const summary = asText(result["summary"]);
  const window = model?.contextWindow ?? null;
  const events: DialectEvent[] = [
    {
      type: "compacted",
      native: true,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(summary === undefined || summary === "" ? {} : { summary }),
    },
  ];
  if (after !== undefined && after >= 0 && window !== null) {
    events.push({ type: "context_update", used: after, window, measured: false });
  }
  return events;
}
