/** Settings of this machine: where data is, deleted sessions, tokens and cost. */
import { useEffect, useState } from "react";
import { inPlainSight } from "../format/plain-sight.ts";
import { formatCost, formatTokens, plural } from "../format/units.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "./section.tsx";
import { type Settings, readJson } from "./use-settings.ts";
import { ImportDialog } from "../sessions/import-dialog.tsx";
import { TrashDialog } from "../sessions/trash-dialog.tsx";

export function DataSection({ settings: { configuration } }: { settings: Settings }) {
  const [dialog, setDialog] = useState<"trash" | "import">();
  const close = (): void => setDialog(undefined);
  return (
    <Section id="data" title="Data" lead="Everything stays on this machine.">
      <div className="set-row">
        <div className="grow">
          <div className="set-name">Data directory</div>
          <code className="fact">{inPlainSight(configuration?.dataDir ?? "")}</code>
        </div>
        <span className="fact">
          Set with <code>--data-dir</code>
        </span>
      </div>
      <div className="set-row">
        <div className="grow">
          <div className="set-name">Trash</div>
          <div className="fact">Deleted sessions can be restored.</div>
        </div>
        <Button onClick={() => setDialog("trash")}>Open trash</Button>
      </div>
      <div className="set-row">
        <div className="grow">
          <div className="set-name">Import</div>
          <div className="fact">Sessions from Claude Code, Codex and Pi, and exported sessions.</div>
        </div>
        <Button onClick={() => setDialog("import")}>Import…</Button>
      </div>
      {dialog === "trash" ? <TrashDialog onClose={close} onRestored={close} /> : null}
      {dialog === "import" ? <ImportDialog onClose={close} onImported={close} /> : null}
    </Section>
  );
}

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
  const costs = usages.flatMap(({ totals }) => totals.costUsd ?? []);
  const cost = costs.reduce((sum, one) => sum + one, 0);
  return (
    <Section
      id="usage"
      title="Usage"
      lead={
        costs.length === 0 ? "Tokens and cost of your sessions." : `Your newest sessions: ${formatCost(cost)} in total.`
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
