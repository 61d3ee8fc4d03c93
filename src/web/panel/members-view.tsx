/** Members: model, effort, guard, abilities and usage of each; mute, add and remove. */
import { useEffect, useState } from "react";
import type { Capabilities } from "../../protocol/index.ts";
import { describeGuard, type Head, membersInOrder, type MemberState } from "../../transcript/index.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { formatCost, formatTokens, plural } from "../format/units.ts";
import { stateLabel } from "../members/member-name.tsx";
import { listAgents, specOf, unusedAgents, type AvailableAgent } from "../store/available-agents.ts";
import { useHead, useStore } from "../store/use-store.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { MemberSign, useMemberStyle } from "../ui/sign.tsx";

const ABILITIES: readonly (readonly [keyof Capabilities, string])[] = [
  ["tools", "use tools"],
  ["steer", "be steered"],
  ["requests", "ask you"],
  ["images", "see images"],
  ["keepsContext", "keep context"],
];

const EFFORTS = ["low", "medium", "high"] as const;

export function MembersView() {
  const members = useHead((head) => head.members);
  const settings = useHead((head) => head.settings);
  const ordered = members === undefined ? [] : membersInOrder({ members, settings } as Head);
  return (
    <>
      <div className="panel-body" tabIndex={0} role="region" aria-label="Members">
        {ordered.map((member) => (
          <MemberCard key={member.name} member={member} isWritable={settings?.writable === true} />
        ))}
      </div>
      <AddMember names={ordered.map(({ name }) => name)} />
    </>
  );
}

function MemberCard({ member, isWritable }: { member: MemberState; isWritable: boolean }) {
  const store = useStore();
  const { name, muted } = member;
  const { hue } = useMemberStyle(name);
  const items = [
    ...(member.state === "running"
      ? [
          {
            label: "Stop",
            icon: "square" as const,
            onChoose: () => void store.tryCommand({ type: "interrupt", scope: "member", member: name }),
          },
        ]
      : []),
    {
      label: "Remove from this session",
      icon: "x" as const,
      isDanger: true,
      onChoose: () => void store.tryCommand({ type: "remove_member", member: name }),
    },
  ];
  return (
    <section className="pcard" data-hue={hue} aria-label={name}>
      <header>
        <MemberSign name={name} size="l" />
        <span className="grow">
          <strong>{name}</strong>
          <span className="fact">{factsOf(member)}</span>
        </span>
        <IconButton
          icon="volume-x"
          label={muted ? `Unmute ${name}` : `Mute ${name}`}
          isOn={muted}
          onClick={() => void store.tryCommand({ type: muted ? "unmute" : "mute", member: name })}
        />
        <Menu label={`Actions for ${name}`} items={items} />
      </header>
      <MemberFacts member={member} isWritable={isWritable} />
    </section>
  );
}

function MemberFacts({ member, isWritable }: { member: MemberState; isWritable: boolean }) {
  const guard = useHead((head) => describeGuard(head, member));
  const abilities = ABILITIES.filter(([key]) => member.capabilities[key]).map(([, label]) => label);
  return (
    <dl className="kv">
      <dt>Model</dt>
      <dd>
        <ModelChoice member={member} />
        {member.spec.kind === "embedded" ? null : <EffortChoice member={member} />}
      </dd>
      <dt>Works in</dt>
      <dd>
        <Icon name={isWritable ? "pencil" : "lock"} size="s" />
        {isWritable ? "The folder, can edit" : "The folder, read-only"}
      </dd>
      {guard === undefined ? null : (
        <>
          <dt>Guard</dt>
          <dd title={member.guard?.detail}>
            <Icon name="shield-check" size="s" />
            {guard}
          </dd>
        </>
      )}
      <dt>Abilities</dt>
      <dd>{abilities.join(", ") || "answer"}</dd>
      <dt>Usage</dt>
      <dd className="num">{usageOf(member)}</dd>
      <ContextFact member={member} />
    </dl>
  );
}

function factsOf(member: MemberState): string {
  const { costUsd } = member.totals;
  const state = stateLabel(member) || "idle";
  const cost = costUsd === null || costUsd === 0 ? "" : ` · ${formatCost(costUsd)} this session`;
  return `${state.slice(0, 1).toUpperCase()}${state.slice(1)}${cost}`;
}

function usageOf({ totals: { turns, inputTokens, outputTokens } }: MemberState): string {
  const tokens = inputTokens + outputTokens;
  if (turns === 0) return "No turns yet";
  return tokens === 0 ? plural(turns, "turn") : `${plural(turns, "turn")}, ${formatTokens(tokens)} tokens`;
}

function ContextFact({ member: { context, name } }: { member: MemberState }) {
  if (context === undefined) return null;
  const { used, window, measured } = context;
  return (
    <>
      <dt>Context</dt>
      <dd className="context-fact">
        <meter min={0} max={window} value={Math.min(used, window)} aria-label={`Context of ${name}`} />
        <span className="fact num">
          {formatTokens(used)} of {formatTokens(window)}
          {measured ? "" : ", estimated"}
        </span>
      </dd>
    </>
  );
}

/** Choices that are no models: they cannot be names of one. */
const OTHER = "\u0000other";

/** From those that its program offers; another one is typed. */
function ModelChoice({ member }: { member: MemberState }) {
  const store = useStore();
  const { name, models = [], capabilities } = member;
  const current = member.model ?? member.spec.model ?? "";
  const [draft, setDraft] = useState<string>();
  const choose = (model: string) => void store.tryCommand({ type: "switch_model", member: name, model });
  if (models.length === 0 && !capabilities.switchModel)
    return <span>{current === "" ? member.spec.kind : inPlainSight(current)}</span>;
  if (draft !== undefined) return <OtherModel name={name} draft={draft} onDraft={setDraft} onChoose={choose} />;
  const isListed = models.some(({ id }) => id === current);
  return (
    <select
      aria-label={`Model of ${name}`}
      value={current}
      onChange={({ target }) => (target.value === OTHER ? setDraft("") : choose(target.value))}
    >
      {isListed ? null : <option value={current}>{current === "" ? "Default model" : inPlainSight(current)}</option>}
      {models.map((model) => (
        <option key={model.id} value={model.id}>
          {inPlainSight(model.name ?? model.id)}
        </option>
      ))}
      {capabilities.switchModel ? <option value={OTHER}>Other…</option> : null}
    </select>
  );
}

interface OtherModelProps {
  readonly name: string;
  readonly draft: string;
  readonly onDraft: (draft: string | undefined) => void;
  readonly onChoose: (model: string) => void;
}

function OtherModel({ name, draft, onDraft, onChoose }: OtherModelProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.trim() !== "") onChoose(draft.trim());
        onDraft(undefined);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // Leaves the field, and neither the panel nor a turn.
        event.preventDefault();
        event.stopPropagation();
        onDraft(undefined);
      }}
    >
      <input
        type="text"
        aria-label={`Model of ${name}`}
        placeholder="Model name"
        autoFocus
        value={draft}
        autoComplete="off"
        onChange={({ target }) => onDraft(target.value)}
      />
    </form>
  );
}

function EffortChoice({ member: { name, effort = "" } }: { member: MemberState }) {
  const store = useStore();
  const levels = EFFORTS.some((level) => level === effort) || effort === "" ? EFFORTS : [...EFFORTS, effort];
  return (
    <select
      aria-label={`Effort of ${name}`}
      value={effort}
      onChange={({ target: { value } }) =>
        void store.tryCommand({ type: "switch_effort", member: name, ...(value === "" ? {} : { effort: value }) })
      }
    >
      <option value="">Default effort</option>
      {levels.map((level) => (
        <option key={level} value={level}>{`${level.slice(0, 1).toUpperCase()}${level.slice(1)} effort`}</option>
      ))}
    </select>
  );
}

function AddMember({ names }: { names: readonly string[] }) {
  const store = useStore();
  const [agents, setAgents] = useState<readonly AvailableAgent[]>([]);
  useEffect(() => {
    let isGone = false;
    void listAgents(store.ask).then(
      (all) => (isGone ? undefined : setAgents(all)),
      // Without the list nobody can be added here; the rest of the panel works.
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [store]);
  const free = unusedAgents(agents, names);
  if (free.length === 0) return null;
  const [first, ...more] = free;
  const who = more.length === 0 ? `${first?.name} is` : `${free.length} members are`;
  return (
    <div className="psub foot">
      <span className="fact grow cut">{who} available but not in this session.</span>
      <Menu
        label="Add a member"
        icon="user-plus"
        iconSize="s"
        isLabelled
        items={free.map((agent) => ({
          label: agent.name,
          aside: agent.kind,
          onChoose: () =>
            void store.guarded(async () => {
              await store.command({ type: "add_member", spec: specOf(agent) });
              store.notify(`${agent.name} joined.`);
            }),
        }))}
      />
    </div>
  );
}
