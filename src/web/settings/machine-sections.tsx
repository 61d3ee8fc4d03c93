/** Settings of this machine: signed-in browsers, where data is, deleted sessions, tokens and cost. */
import { useEffect, useState } from "react";
import { inPlainSight } from "../format/plain-sight.ts";
import { formatCost, formatTokens, formatWhen, plural } from "../format/units.ts";
import { readDevice } from "../sign-in/device-key.ts";
import { readOffer } from "../sign-in/offer.ts";
import { visitProvider } from "../sign-in/provider.ts";
import { useApp, useStore } from "../store/use-store.ts";
import { Badge, Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Section } from "./section.tsx";
import { type Settings, readJson } from "./use-settings.ts";
import { ImportDialog } from "../sessions/import-dialog.tsx";
import { TrashDialog } from "../sessions/trash-dialog.tsx";

export function DevicesSection({ settings: { devices, revoke } }: { settings: Settings }) {
  const store = useStore();
  const [own, setOwn] = useState<string>();
  const [code, setCode] = useState("");
  const [provider, setProvider] = useState<string>();
  useEffect(() => void readOffer().then((offer) => setProvider(offer.provider)), []);
  useEffect(() => void readDevice().then((record) => setOwn(record?.device)), []);
  const newCode = (): Promise<boolean> =>
    store.guarded(async () => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"typed":true}' };
      setCode((await readJson<{ code: string }>(store, "/v1/codes", init)).code);
    });
  return (
    <Section
      id="devices"
      title="Devices"
      lead="Browsers that are signed in. Revoking one takes effect at once."
      action={
        <Button icon="plus" onClick={() => void newCode()}>
          Sign in another browser
        </Button>
      }
    >
      {code === "" ? null : (
        <div className="set-row" role="status">
          <span className="grow">
            Type this code at <code>{location.origin}</code> within a minute:
          </span>
          <code className="set-code">{code}</code>
        </div>
      )}
      {provider === undefined ? null : (
        <div className="set-row">
          <span className="grow">Sign in with your {inPlainSight(provider)} account on other devices.</span>
          <Button onClick={() => void store.guarded(() => visitProvider("link"))}>Link account</Button>
        </div>
      )}
      {devices.map(({ id, name, createdTs, usedTs }) => (
        <div key={id} className="set-row">
          <Icon name={/phone|android/i.test(name) ? "smartphone" : "monitor"} size="l" />
          <div className="grow">
            <div className="set-name">
              {inPlainSight(name)} {id === own ? <Badge>This browser</Badge> : null}
            </div>
            <div className="fact">
              Signed in {formatWhen(createdTs)} · last seen {formatWhen(usedTs)}
            </div>
          </div>
          {id === own ? null : (
            <Button isSmall variant="deny" aria-label={`Revoke ${inPlainSight(name)}`} onClick={() => void revoke(id)}>
              Revoke
            </Button>
          )}
        </div>
      ))}
    </Section>
  );
}

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
          Changed with <code>--data-dir</code>
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
          <div className="fact">Sessions of Claude Code, Codex and Pi, and exported ones.</div>
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
