/** One member, closer: what it is and can do, what it took, and the ways to mute it or change its model. */
import type { Capabilities } from "../../protocol/index.ts";
import { describeGuard, type MemberState } from "../../transcript/index.ts";
import { useHead, useStore } from "../store/use-store.ts";
import { formatCost, plural, formatTokens } from "../format/units.ts";
import { ModelPicker } from "./model-picker.tsx";

const CAPABILITIES: readonly (readonly [keyof Capabilities, string])[] = [
  ["steer", "can be steered"],
  ["keepsContext", "remembers"],
  ["tools", "tools"],
  ["requests", "asks back"],
  ["images", "images"],
  ["switchModel", "other models"],
];

export function MemberFacts({ member, onClose }: { member: MemberState; onClose: () => void }) {
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
        <button type="button" className="quiet" onClick={onClose}>
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
