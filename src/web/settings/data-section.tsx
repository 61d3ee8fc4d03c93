/** Data in the settings: where it is, and deleted sessions. */
import { useState } from "react";
import { inPlainSight } from "../format/plain-sight.ts";
import { TrashDialog } from "../sessions/trash-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { Section } from "./section.tsx";
import type { Settings } from "./use-settings.ts";

export function DataSection({ settings: { configuration } }: { settings: Settings }) {
  const [hasTrash, setTrash] = useState(false);
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
        <Button onClick={() => setTrash(true)}>Open trash</Button>
      </div>
      <div className="set-row">
        <div className="grow">
          <div className="set-name">Import</div>
          <div className="fact">Sessions of Claude Code, Codex and Pi, and exported ones.</div>
        </div>
        <code className="fact">roundtable import</code>
      </div>
      {hasTrash ? <TrashDialog onClose={() => setTrash(false)} onRestored={() => setTrash(false)} /> : null}
    </Section>
  );
}
