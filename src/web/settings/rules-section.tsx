/** Approval rules in the settings, in order of precedence, and what the user has allowed permanently. */
import { type FormEvent, useState } from "react";
import { inPlainSight } from "../format/plain-sight.ts";
import { Badge, Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Section } from "./section.tsx";
import type { Rule, Settings } from "./use-settings.ts";

const LOOKS = {
  allow: { label: "Allow", tone: "ok", icon: "circle-check" },
  ask: { label: "Ask", tone: "warn", icon: "hand" },
  deny: { label: "Deny", tone: "danger", icon: "circle-x" },
} as const;

export function RulesSection({ settings: { configuration, change } }: { settings: Settings }) {
  const [isAdding, setAdding] = useState(false);
  const { rules = [], grants = [], cwd = "" } = configuration ?? {};
  return (
    <Section
      id="rules"
      title="Rules"
      lead="What members may do without asking. The first rule that matches decides."
      action={
        <Button icon="plus" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
          Add a rule
        </Button>
      }
    >
      {isAdding ? <RuleForm onChange={change} onDone={() => setAdding(false)} /> : null}
      {rules.map(({ verdict, rule, from, isOwn }) => (
        <div key={`${verdict} ${rule} ${from}`} className="set-row">
          <span className={LOOKS[verdict].tone}>
            <Icon name={LOOKS[verdict].icon} />
          </span>
          <div className="grow">
            <code className="set-name">{inPlainSight(rule)}</code>
            <div className="fact">Set in {inPlainSight(from)}</div>
          </div>
          <Badge tone={LOOKS[verdict].tone}>{LOOKS[verdict].label}</Badge>
          {isOwn ? (
            <Button
              isSmall
              aria-label={`Remove the rule ${inPlainSight(rule)}`}
              onClick={() => void change({ change: "remove_rule", verdict, rule })}
            >
              Remove
            </Button>
          ) : null}
        </div>
      ))}
      {grants.map((grant) => (
        <div key={`${grant.tool} ${grant.kind} ${grant.text}`} className="set-row">
          <span className="ok">
            <Icon name="circle-check" />
          </span>
          <div className="grow">
            <code className="set-name">{inPlainSight(`${grant.tool}: ${grant.text}`)}</code>
            <div className="fact">You allowed it, in {inPlainSight(cwd)}</div>
          </div>
          <Badge tone="ok">Allow</Badge>
          <Button
            isSmall
            variant="deny"
            aria-label={`Revoke ${inPlainSight(grant.text)}`}
            onClick={() => void change({ change: "revoke_grant", cwd, grant })}
          >
            Revoke
          </Button>
        </div>
      ))}
      {rules.length + grants.length === 0 && !isAdding ? (
        <div className="set-row fact">No rules. You are asked about every edit and command.</div>
      ) : null}
    </Section>
  );
}

function RuleForm({ onChange, onDone }: { onChange: Settings["change"]; onDone: () => void }) {
  const [verdict, setVerdict] = useState<Rule["verdict"]>("allow");
  const [rule, setRule] = useState("");
  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (rule.trim() !== "" && (await onChange({ change: "add_rule", verdict, rule: rule.trim() }))) onDone();
  }
  return (
    <form className="set-row" onSubmit={(event) => void submit(event)}>
      <select
        aria-label="What the rule does"
        value={verdict}
        onChange={({ target }) => setVerdict(target.value as Rule["verdict"])}
      >
        <option value="allow">Allow</option>
        <option value="ask">Ask</option>
        <option value="deny">Deny</option>
      </select>
      <input
        type="text"
        className="grow mono"
        aria-label="Rule"
        placeholder="shell: pnpm test *"
        value={rule}
        autoFocus
        onChange={({ target }) => setRule(target.value)}
      />
      <Button type="submit" variant="primary">
        Add
      </Button>
    </form>
  );
}
