/** A plan: its steps, and the ways to decide on it while it waits for that. */
import { useId, useState } from "react";
import type { Block } from "../../transcript/index.ts";
import { useHead, useStore } from "../store/use-store.ts";

export type PlanBlock = Extract<Block, { kind: "plan" }>;

const MARKS = {
  completed: { sign: "☑", word: "done" },
  in_progress: { sign: "◐", word: "in progress" },
  pending: { sign: "☐", word: "to do" },
} as const;

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
      {plan.explanation === undefined ? null : <p dir="auto">{plan.explanation}</p>}
      <ul>
        {plan.items.map((item, at) => (
          <li key={at} data-status={item.status}>
            <span aria-hidden="true">{MARKS[item.status].sign} </span>
            <span className="unseen">{MARKS[item.status].word}: </span>
            <span dir="auto">{item.text}</span>
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
  const label = useId();
  const { planId } = plan;
  if (draft === undefined) {
    return (
      <div className="row-of-buttons">
        <button
          type="button"
          className="primary"
          onClick={() => void store.wish({ type: "plan_decision", planId, decision: "approve" })}
        >
          Approve
        </button>
        <button type="button" onClick={() => void store.wish({ type: "plan_decision", planId, decision: "reject" })}>
          Reject
        </button>
        <button type="button" onClick={() => setDraft(plan.items.map((item) => item.text).join("\n"))}>
          Edit
        </button>
      </div>
    );
  }
  return (
    <form
      className="text-form"
      onSubmit={(event) => {
        event.preventDefault();
        void store.wish({ type: "plan_decision", planId, decision: "edit", text: draft });
      }}
    >
      <label id={label} htmlFor={`${label}-text`} className="fact">
        One step a line
      </label>
      <textarea id={`${label}-text`} rows={6} value={draft} onChange={(event) => setDraft(event.target.value)} />
      <div className="row-of-buttons">
        <button type="submit" className="primary">
          Send the changed plan
        </button>
        <button type="button" onClick={() => setDraft(undefined)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
