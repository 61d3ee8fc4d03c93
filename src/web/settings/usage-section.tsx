/** Tokens and cost of the newest sessions in the settings. */
import { useEffect, useState } from "react";
import { inPlainSight } from "../format/plain-sight.ts";
import { formatCost, formatTokens, plural } from "../format/units.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { Section } from "./section.tsx";
import { readJson } from "./use-settings.ts";

/** Each is a request. */
const SESSIONS_MAX = 12;

interface Totals {
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
}

interface SessionUsage {
  readonly sessionId: string;
  readonly title: string;
  readonly totals: Totals;
}

export function UsageSection() {
  const store = useStore();
  const hasSessions = useApp((state) => state.sessions.length > 0);
  const [usages, setUsages] = useState<readonly SessionUsage[]>([]);
  useEffect(() => {
    const newest = store
      .getState()
      .sessions.toSorted((a, b) => b.updatedTs - a.updatedTs)
      .slice(0, SESSIONS_MAX);
    void store.guarded(async () => {
      const read = newest.map(async ({ sessionId, title }) => {
        const { totals } = await readJson<{ totals: Totals }>(store, `/v1/sessions/${sessionId}/usage`);
        return { sessionId, title, totals };
      });
      setUsages(await Promise.all(read));
    });
  }, [store, hasSessions]);
  const cost = usages.reduce((sum, { totals }) => sum + (totals.costUsd ?? 0), 0);
  return (
    <Section
      id="usage"
      title="Usage"
      lead={
        usages.length === 0 ? "Tokens and cost of your sessions." : `The newest sessions: ${formatCost(cost)} in all.`
      }
    >
      {usages.length === 0 ? <div className="set-row fact">No sessions yet.</div> : null}
      {usages.map(({ sessionId, title, totals: { turns, inputTokens, outputTokens, costUsd } }) => (
        <div key={sessionId} className="set-row">
          <span className="grow cut" dir="auto">
            {title === "" ? "Untitled" : inPlainSight(title)}
          </span>
          <span className="fact num">
            {plural(turns, "answer")} · {formatTokens(inputTokens + outputTokens)} tokens
          </span>
          <span className="num">{costUsd === null ? "cost unknown" : formatCost(costUsd)}</span>
        </div>
      ))}
    </Section>
  );
}
