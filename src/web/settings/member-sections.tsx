/** Settings of members: who there is with which model, approval rules, and what the user has allowed permanently. */
import { type FormEvent, useId, useState } from "react";
import { KIND_NAMES } from "../format/format-turn.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { ModelList } from "../members/known-models.tsx";
import { type AvailableAgent, canJoin } from "../store/available-agents.ts";
import { Badge, Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { Sign } from "../ui/sign.tsx";
import { Section } from "./section.tsx";
import type { Grant, Rule, Settings } from "./use-settings.ts";

const SOURCE_LABELS: Readonly<Record<string, string>> = {
  "built-in": "built in, needs no model",
  program: "installed on this machine",
  key: "API key",
  server: "local server on this machine",
};

/** "Claude Code, installed on this machine · joins new sessions". */
function describeSource({ kind, where, sitsDown }: AvailableAgent, source: string): string {
  const origin = source === "configuration" ? "" : (SOURCE_LABELS[source] ?? where);
  const text = [KIND_NAMES.get(kind) ?? "", origin].filter((part) => part !== "").join(", ") || kind;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${sitsDown ? " · joins new sessions" : ""}`;
}

export function MembersSection({ settings }: { settings: Settings }) {
  const { agents, configuration, change } = settings;
  const others = agents.filter((agent) => canJoin(agent) && !agent.sitsDown);
  return (
    <Section
      id="members"
      title="Members"
      lead="Agents on this machine and models you have a key for."
      note={`Commands, addresses and environment variables are set in ${inPlainSight(configuration?.file ?? "the configuration file")}.`}
      action={
        <Menu
          label="Add a member"
          icon="plus"
          iconSize="s"
          isLabelled
          items={others.map(({ name, kind }) => ({
            label: name,
            aside: kind === name ? undefined : kind,
            onChoose: () => void change({ change: "add_member", member: name }),
          }))}
          note={others.length === 0 ? "Every agent found on this machine joins new sessions." : "Joins new sessions."}
        />
      }
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
  const { name, kind, foundBy: source, whyNot, sitsDown } = agent;
  const isReady = canJoin(agent);
  const canChange = kind !== "embedded" && (source === "configuration" || source === "program");
  return (
    <div className="set-row member-row">
      <Sign hue={hue} size="l" />
      <div className="grow">
        <div className="set-name">{name}</div>
        <div className="fact">{inPlainSight(describeSource(agent, source))}</div>
      </div>
      <Badge tone={isReady ? "ok" : "warn"}>{isReady ? "Ready" : (whyNot ?? "Not available")}</Badge>
      {canChange ? <ModelForm agent={agent} onChange={onChange} /> : null}
      {sitsDown ? (
        <Menu
          label={`Actions for ${name}`}
          items={[
            {
              label: "Leave out of new sessions",
              icon: "x",
              onChoose: () => void onChange({ change: "remove_member", member: name }),
            },
          ]}
        />
      ) : null}
    </div>
  );
}

/** Chosen from the models that the agent has offered, or typed. */
function ModelForm({ agent: { name, model = "" }, onChange }: Omit<MemberRowProps, "hue">) {
  const [draft, setDraft] = useState(model);
  const listId = useId();
  return (
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
        list={listId}
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
      />
      <ModelList id={listId} agent={name} />
      {draft.trim() === model ? null : (
        <Button isSmall type="submit">
          Save
        </Button>
      )}
    </form>
  );
}

const LOOKS = {
  allow: { label: "Allow", tone: "ok", icon: "circle-check" },
  ask: { label: "Ask", tone: "warn", icon: "hand" },
  deny: { label: "Deny", tone: "danger", icon: "circle-x" },
} as const;

const NO_RULES = "No rules. You are asked about every edit and command.";

export function RulesSection({ settings: { configuration, change } }: { settings: Settings }) {
  const [isAdding, setAdding] = useState(false);
  const { rules = [], grants = [], cwd = "" } = configuration ?? {};
  return (
    <Section
      id="rules"
      title="Rules"
      lead="What members may do without asking. The first matching rule wins."
      action={
        <Button isSmall icon="plus" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
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
        <GrantRow key={`${grant.tool} ${grant.kind} ${grant.text}`} grant={grant} cwd={cwd} onChange={change} />
      ))}
      {rules.length + grants.length === 0 && !isAdding ? <div className="set-row fact">{NO_RULES}</div> : null}
    </Section>
  );
}

interface GrantRowProps {
  readonly grant: Grant;
  readonly cwd: string;
  readonly onChange: Settings["change"];
}

function GrantRow({ grant, cwd, onChange }: GrantRowProps) {
  return (
    <div className="set-row">
      <span className="ok">
        <Icon name="circle-check" />
      </span>
      <div className="grow">
        <code className="set-name">{inPlainSight(`${grant.tool}: ${grant.text}`)}</code>
        <div className="fact">Allowed by you in {inPlainSight(cwd)}</div>
      </div>
      <Badge tone="ok">Allow</Badge>
      <Button
        isSmall
        variant="deny"
        aria-label={`Revoke ${inPlainSight(grant.text)}`}
        onClick={() => void onChange({ change: "revoke_grant", cwd, grant })}
      >
        Revoke
      </Button>
    </div>
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
