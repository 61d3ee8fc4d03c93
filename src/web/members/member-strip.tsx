/** The members with their states; each opens to its details and actions. */
import type { Capabilities } from "../../protocol/index.ts";
import {
  capMeters,
  describeGuard,
  type Head,
  membersInOrder,
  type MemberState,
  meterLine,
  roundLine,
  WRITABLE_LABELS,
} from "../../transcript/index.ts";
import { usePopover } from "../ui/menu.tsx";
import { formatCost, formatTokens, plural } from "../format/units.ts";
import { useApp, useHead, useStore } from "../store/use-store.ts";
import { MemberName, stateLabel } from "./member-name.tsx";
import { ModelPicker } from "./model-picker.tsx";

const CAPABILITIES: readonly (readonly [keyof Capabilities, string])[] = [
  ["steer", "can be steered"],
  ["keepsContext", "remembers"],
  ["tools", "tools"],
  ["requests", "asks back"],
  ["images", "images"],
  ["switchModel", "other models"],
];

const NEARLY_FULL = 0.85;

export function MemberStrip() {
  const members = useHead((head) => head.members);
  const order = useHead((head) => head.settings);
  if (members === undefined) return null;
  const ordered = membersInOrder({ members, settings: order } as Head);
  return (
    <div className="member-strip">
      <ul className="members" aria-label="Members">
        {ordered.map((member) => (
          <li key={member.name} data-state={member.state} data-muted={member.muted}>
            <MemberChip member={member} />
          </li>
        ))}
      </ul>
      <CouncilFacts />
    </div>
  );
}

function MemberChip({ member }: { member: MemberState }) {
  const { button, popped, isOpen, close, props } = usePopover<HTMLElement>((panel) => panel.focus());
  return (
    <>
      <button ref={button} type="button" className="member-chip" aria-expanded={isOpen}>
        <MemberName name={member.name} />
        <MemberFact member={member} />
        <ContextBar member={member} />
      </button>
      <section ref={popped} tabIndex={-1} className="member-panel" aria-label={`About ${member.name}`} {...props}>
        {isOpen ? <MemberFacts member={member} onClose={close} /> : null}
      </section>
    </>
  );
}

function MemberFact({ member }: { member: MemberState }) {
  const word = stateLabel(member);
  return word === "" ? null : <span className="fact">{word}</span>;
}

/** Used limits of a running or paused discussion: its turns, and every limit that is half used. */
function formatSpent(head: Head): string {
  const { state } = head.council;
  if (state !== "running" && state !== "paused") return "";
  if (head.round === undefined || head.round.of === 1) return "";
  return capMeters(head)
    .filter(({ scope, limit, used, max }) => scope === "message" && (limit === "turns" || used >= max / 2))
    .map(meterLine)
    .join(" · ");
}

function CouncilFacts() {
  const round = useHead(roundLine) ?? "";
  const meters = useHead(formatSpent) ?? "";
  const totals = useHead((head) => head.totals);
  const tokens = totals === undefined ? 0 : totals.inputTokens + totals.outputTokens;
  const parts = [
    round,
    meters,
    ...(tokens > 0 ? [`${formatTokens(tokens)} tokens`] : []),
    ...(totals === undefined || totals.costUsd === null || totals.costUsd === 0 ? [] : [formatCost(totals.costUsd)]),
  ].filter((one) => one !== "");
  return parts.length === 0 ? null : <p className="fact table-facts">{parts.join(" · ")}</p>;
}

/** Fill level of a member's context. */
function ContextBar({ member: { context, name } }: { member: MemberState }) {
  if (context === undefined) return null;
  const fraction = Math.min(1, context.used / context.window);
  const label = `${Math.round(fraction * 100)} % of ${formatTokens(context.window)} tokens${context.measured ? "" : ", estimated"}`;
  return (
    <meter
      className="context"
      min={0}
      max={1}
      high={NEARLY_FULL}
      value={fraction}
      aria-label={`Context of ${name}: ${label}`}
      title={`Context: ${label}`}
    />
  );
}

/** Details of a member: abilities, usage, and actions to mute it or change its model. */
function MemberFacts({ member, onClose }: { member: MemberState; onClose: () => void }) {
  const store = useStore();
  const { name, spec, capabilities, muted, totals, context } = member;
  const guard = useHead((head) => describeGuard(head, member));
  const facts = [
    spec.kind,
    ...(member.effort === undefined ? [] : [`${member.effort} effort`]),
    plural(totals.turns, "turn"),
    ...(totals.inputTokens + totals.outputTokens > 0
      ? [`↑${formatTokens(totals.inputTokens)} ↓${formatTokens(totals.outputTokens)}`]
      : []),
    ...(totals.costUsd === null ? ["cost unknown"] : totals.costUsd > 0 ? [formatCost(totals.costUsd)] : []),
    ...(context === undefined ? [] : [`context ${formatTokens(context.used)} of ${formatTokens(context.window)}`]),
  ];
  return (
    <>
      <p className="fact">{facts.join(" · ")}</p>
      {guard === undefined ? null : (
        <p className="fact" title={member.guard?.detail}>
          {guard}
        </p>
      )}
      <p className="badges">
        {CAPABILITIES.filter(([key]) => capabilities[key]).map(([key, label]) => (
          <span key={key} className="badge">
            {label}
          </span>
        ))}
      </p>
      <ModelForm member={member} />
      <div className="row-of-buttons">
        <button type="button" onClick={() => void store.tryCommand({ type: muted ? "unmute" : "mute", member: name })}>
          {muted ? "Unmute" : "Mute"}
        </button>
        {member.state === "running" ? (
          <button
            type="button"
            onClick={() => void store.tryCommand({ type: "interrupt", scope: "member", member: name })}
          >
            Interrupt
          </button>
        ) : null}
        <button type="button" className="btn sm quiet" onClick={onClose}>
          Close
        </button>
      </div>
    </>
  );
}

function ModelForm({ member }: { member: MemberState }) {
  const current = member.model ?? member.spec.model ?? "";
  const canSwitch = member.capabilities.switchModel || (member.models?.length ?? 0) > 0;
  if (!canSwitch) return current === "" ? null : <p className="fact">model {current}</p>;
  return <ModelPicker member={member} />;
}

/** Whether members may write in this session, or in the one that starts with the next message. */
export function WritableMark() {
  const isPlanned = useApp(({ planned }) => planned.settings.writable);
  const isNew = useApp((state) => state.sessionId === undefined);
  const isWritable = useHead((head) => head.settings?.writable) ?? (isNew && isPlanned);
  if (!isWritable) return null;
  return (
    <p className="writable" title={`In this session ${WRITABLE_LABELS.on}.`}>
      <span aria-hidden="true">✎ </span>
      <span className="unseen">Members </span>may write
    </p>
  );
}
