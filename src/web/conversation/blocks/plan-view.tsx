/** A plan: its steps, and the decision while it is pending. */
import { useId, useState } from "react";
import type { Block } from "../../../transcript/index.ts";
import { inOrder } from "../../format/plain-sight.ts";
import { useHead, useStore } from "../../store/use-store.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";

type PlanBlock = Extract<Block, { kind: "plan" }>;

const MARKS = {
  completed: { icon: "circle-check", word: "done" },
  in_progress: { icon: "circle-dot", word: "in progress" },
  pending: { icon: "circle", word: "to do" },
} as const satisfies Record<PlanBlock["items"][number]["status"], { icon: IconName; word: string }>;

const DECIDED = { approve: "Approved", reject: "Rejected", edit: "Changed" } as const;

export function PlanView({ plan }: { plan: PlanBlock }) {
  const waits = useHead(({ plan: open }) => open?.planId === plan.planId && open.needsDecision) ?? false;
  const done = plan.items.filter((item) => item.status === "completed").length;
  return (
    <section className="plan" aria-label="Plan">
      <header>
        <span className="card-title">Plan</span>
        <span className="fact">
          {done} of {plan.items.length} done
        </span>
        {plan.decision === undefined ? null : <span className="badge">{DECIDED[plan.decision]}</span>}
      </header>
      {plan.explanation === undefined ? null : <p dir="auto">{inOrder(plan.explanation)}</p>}
      <ul>
        {plan.items.map((item, at) => (
          <li key={at} data-status={item.status}>
            <Icon name={MARKS[item.status].icon} size="s" />
            <span className="unseen">{MARKS[item.status].word}: </span>
            <span dir="auto">{inOrder(item.text)}</span>
          </li>
        ))}
      </ul>
      {waits && plan.decision === undefined ? <Decision plan={plan} /> : null}
    </section>
  );
}

function Decision({ plan }: { plan: PlanBlock }) {
  const store = useStore();
  const [draft, setDraft] = useState<string>();
  const [isBack, setBack] = useState(false);
  const { planId } = plan;
  function cancel(): void {
    setBack(true);
    setDraft(undefined);
  }
  if (draft === undefined) {
    return (
      <div className="row-of-buttons">
        <button
          type="button"
          className="btn primary"
          onClick={() => void store.tryCommand({ type: "plan_decision", planId, decision: "approve" })}
        >
          Approve
        </button>
        <button
          type="button"
          onClick={() => void store.tryCommand({ type: "plan_decision", planId, decision: "reject" })}
        >
          Reject
        </button>
        <button
          type="button"
          autoFocus={isBack}
          onClick={() => setDraft(plan.items.map((item) => item.text).join("\n"))}
        >
          Edit
        </button>
      </div>
    );
  }
  return <EditForm plan={plan} draft={draft} onChange={setDraft} onCancel={cancel} />;
}

interface EditFormProps {
  readonly plan: PlanBlock;
  readonly draft: string;
  readonly onChange: (draft: string) => void;
  readonly onCancel: () => void;
}

function EditForm({ plan: { planId }, draft, onChange, onCancel }: EditFormProps) {
  const store = useStore();
  const label = useId();
  return (
    <form
      className="text-form"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onCancel();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void store.tryCommand({ type: "plan_decision", planId, decision: "edit", text: draft });
      }}
    >
      <label id={label} htmlFor={`${label}-text`} className="fact">
        One step per line
      </label>
      <textarea
        id={`${label}-text`}
        autoFocus
        rows={6}
        value={draft}
        onChange={(event) => onChange(event.target.value)}
      />
      <div className="row-of-buttons">
        <button type="submit" className="btn primary">
          Send changes
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
