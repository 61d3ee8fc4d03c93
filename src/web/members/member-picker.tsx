/** Who answers: the members of the session, or of the next one, with their models and efforts, and who else could join. */
import { useEffect, useId, useState } from "react";
import type { MemberSpec } from "../../protocol/index.ts";
import { type Head, membersInOrder } from "../../transcript/index.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { onEnter } from "../input/focus.ts";
import { type AvailableAgent, listAgents, specOf, unusedAgents } from "../store/available-agents.ts";
import { useApp, useHead, useStore } from "../store/use-store.ts";
import { Icon } from "../ui/icon.tsx";
import { usePopover } from "../ui/menu.tsx";
import { Sign } from "../ui/sign.tsx";
import { ModelList, useModelMemory } from "./known-models.tsx";

interface Choice {
  readonly spec: MemberSpec;
  readonly hue: number;
  /** Answers the next message. */
  readonly isOn: boolean;
  /** Of the session; others could join. */
  readonly isMember: boolean;
  /** Levels of effort; undefined where none can be set. */
  readonly efforts: readonly string[] | undefined;
}

/** Levels that every agent of these kinds knows; running ones report theirs. */
const EFFORTS = ["low", "medium", "high"];
const WITH_EFFORT: ReadonlySet<string> = new Set(["claude", "codex", "pi", "openai"]);

export function MembersChip({ folder }: { folder: string }) {
  useModelMemory();
  const members = useChoices().filter(({ isMember }) => isMember);
  const shown = members.filter(({ isOn }) => isOn);
  const names = shown.map(({ spec: { name, model } }) => inPlainSight(model === undefined ? name : `${name} ${model}`));
  const { button, popped, isOpen, props } = usePopover<HTMLDivElement>((box) =>
    box.querySelector<HTMLElement>("input")?.focus(),
  );
  return (
    <>
      <button ref={button} type="button" className="chip members-chip" aria-expanded={isOpen}>
        <span className="unseen">{`Members: ${names.join(", ") || "none"}`}</span>
        {shown.map(({ spec: { name, model }, hue }) => (
          <span key={name} className="chip-member" aria-hidden="true">
            <Sign hue={hue} size="s" />
            <span className="chip-model cut">{inPlainSight(model ?? name)}</span>
          </span>
        ))}
        <Icon name="chevron-down" size="s" />
      </button>
      <div ref={popped} className="menu member-menu" role="group" aria-label="Who answers" {...props}>
        {isOpen ? <MemberPicker folder={folder} /> : null}
      </div>
    </>
  );
}

/** The members in their order. */
function useChoices(): Choice[] {
  const planned = useApp((state) => state.planned);
  const members = useHead((head) => head.members);
  const settings = useHead((head) => head.settings);
  if (members === undefined) {
    return planned.members.map((spec, hue) => ({
      spec,
      hue,
      isOn: !planned.muted.includes(spec.name),
      isMember: true,
      efforts: WITH_EFFORT.has(spec.kind) ? EFFORTS : undefined,
    }));
  }
  return membersInOrder({ members, settings } as Head).map((member, hue) => ({
    spec: { ...member.spec, ...(member.model === undefined ? {} : { model: member.model }) },
    hue,
    isOn: !member.muted,
    isMember: true,
    efforts: member.capabilities.effort,
  }));
}

function MemberPicker({ folder }: { folder: string }) {
  const store = useStore();
  const isNew = useApp((state) => state.sessionId === undefined);
  const isRemembered = useApp((state) => state.isPlanRemembered);
  const choices = useChoices();
  const [agents, setAgents] = useState<readonly AvailableAgent[]>([]);
  useEffect(() => void store.guarded(async () => setAgents(await listAgents(store.ask))), [store]);
  const names = choices.map(({ spec }) => spec.name);
  const others = unusedAgents(agents, names).map((agent, at): Choice => {
    return { spec: specOf(agent), hue: choices.length + at, isOn: false, isMember: false, efforts: undefined };
  });
  return (
    <>
      <div className="menu-title">Who answers</div>
      {[...choices, ...others].map((choice) => (
        <MemberRow key={choice.spec.name} choice={choice} isNew={isNew} isLast={choices.length === 1} />
      ))}
      {isNew ? (
        <button
          type="button"
          className="menu-item menu-end"
          role="switch"
          aria-checked={isRemembered}
          onClick={() => store.rememberPlan(!isRemembered)}
        >
          <Icon name="folder" />
          <span className="menu-label">{`Keep as default for ${folder}`}</span>
          <span className="switch" aria-checked={isRemembered} />
        </button>
      ) : null}
    </>
  );
}

interface MemberRowProps {
  readonly choice: Choice;
  readonly isNew: boolean;
  /** The only member cannot leave. */
  readonly isLast: boolean;
}

function MemberRow({ choice, isNew, isLast }: MemberRowProps) {
  const store = useStore();
  const { spec, hue, isOn, isMember, efforts } = choice;
  const { name, kind, model = "", effort = "" } = spec;
  const [draft, setDraft] = useState(model);
  const listId = useId();
  useEffect(() => setDraft(model), [model]);
  function toggle(): void {
    if (!isMember) void store.tryCommand({ type: "add_member", spec });
    else if (isNew && isOn) void store.tryCommand({ type: "remove_member", member: name });
    else void store.tryCommand({ type: isOn ? "mute" : "unmute", member: name });
  }
  function saveModel(): void {
    const wanted = draft.trim();
    if (wanted === "" || wanted === model) return setDraft(model);
    void store.tryCommand({ type: "switch_model", member: name, model: wanted });
  }
  return (
    <div className="pick-row">
      <Sign hue={hue} />
      <label className="pick-name cut">
        {name} <span className="fact">{kind === name ? "" : kind}</span>
        <input
          type="checkbox"
          className="pick-box"
          aria-label={name}
          checked={isOn}
          disabled={isOn && isNew && isLast}
          onChange={toggle}
        />
      </label>
      {!isMember || kind === "embedded" ? null : (
        <>
          <input
            type="text"
            className="pick-model"
            aria-label={`Model of ${name}`}
            placeholder="Default model"
            list={listId}
            value={draft}
            spellCheck={false}
            onChange={({ target }) => setDraft(target.value)}
            onBlur={saveModel}
            onKeyDown={onEnter(saveModel)}
          />
          <ModelList id={listId} agent={name} />
          {efforts === undefined ? null : <EffortSelect member={name} effort={effort} levels={efforts} />}
        </>
      )}
    </div>
  );
}

interface EffortSelectProps {
  readonly member: string;
  readonly effort: string;
  readonly levels: readonly string[];
}

function EffortSelect({ member, effort, levels }: EffortSelectProps) {
  const store = useStore();
  function choose(level: string): void {
    const wanted = level === "" ? {} : { effort: level };
    void store.tryCommand({ type: "switch_effort", member, ...wanted });
  }
  return (
    <select
      className="pick-effort"
      aria-label={`Effort of ${member}`}
      value={effort}
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">Effort</option>
      {(levels.length === 0 ? EFFORTS : levels).map((level) => (
        <option key={level} value={level}>
          {level}
        </option>
      ))}
    </select>
  );
}
