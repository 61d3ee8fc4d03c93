/** Members in the settings: which agents there are, and the model and effort that each of them has by default. */
import { useState } from "react";
import { inPlainSight } from "../format/plain-sight.ts";
import type { AvailableAgent } from "../store/available-agents.ts";
import { Badge, Button } from "../ui/button.tsx";
import { Sign } from "../ui/sign.tsx";
import { Section } from "./section.tsx";
import type { Settings } from "./use-settings.ts";

const SOURCE_LABELS: Readonly<Record<string, string>> = {
  "built-in": "Built in: rules, no model",
  program: "Signed in on this machine",
  key: "By an API key",
  server: "Local server on this machine",
};

export function MembersSection({ settings }: { settings: Settings }) {
  const { agents, configuration, change } = settings;
  return (
    <Section
      id="members"
      title="Members"
      lead="Agents on this machine and models you have a key for."
      note={`To add one, or change its command, address or variables, edit ${inPlainSight(configuration?.file ?? "the configuration file")}.`}
    >
      {agents.map((agent, at) => (
        <MemberRow key={agent.name} agent={agent} hue={at} onChange={change} />
      ))}
      {(configuration?.fixed ?? []).map(({ key, value, from }) => (
        <div key={key} className="set-row">
          <div className="grow">
            <code>{inPlainSight(key)}</code> <code className="fact">{inPlainSight(value)}</code>
            <div className="fact">Set in {inPlainSight(from)}</div>
          </div>
        </div>
      ))}
    </Section>
  );
}

interface MemberRowProps {
  readonly agent: AvailableAgent;
  readonly hue: number;
  readonly onChange: Settings["change"];
}

function MemberRow({ agent, hue, onChange }: MemberRowProps) {
  const { name, kind, foundBy: source, where, canBeSeated: isReady, whyNot, model = "", sitsDown } = agent;
  const [draft, setDraft] = useState(model);
  const canChange = kind !== "embedded" && (source === "configuration" || source === "program");
  return (
    <div className="set-row">
      <Sign hue={hue} size="l" />
      <div className="grow">
        <div className="set-name">{name}</div>
        <div className="fact cut">
          {inPlainSight(`${kind} · ${SOURCE_LABELS[source] ?? where}${sitsDown ? " · joins new sessions" : ""}`)}
        </div>
      </div>
      <Badge tone={isReady ? "ok" : "warn"}>{isReady ? "Ready" : (whyNot ?? "Not available")}</Badge>
      {canChange ? (
        <form
          className="set-form"
          onSubmit={(event) => {
            event.preventDefault();
            void onChange({ change: "model", member: name, model: draft.trim() === "" ? null : draft.trim() });
          }}
        >
          <input
            type="text"
            aria-label={`Model of ${name}`}
            placeholder="Default model"
            value={draft}
            onChange={({ target }) => setDraft(target.value)}
          />
          {draft.trim() === model ? null : (
            <Button isSmall type="submit">
              Save
            </Button>
          )}
        </form>
      ) : null}
    </div>
  );
}
