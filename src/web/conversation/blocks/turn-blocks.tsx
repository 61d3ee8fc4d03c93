/** The blocks of a turn in order; consecutive tool calls form a group. */
import { memo, useId, useState } from "react";
import { isKnownEvent } from "../../../protocol/index.ts";
import { type Block, keyedBlocks, type ToolBlock, type TurnMessage } from "../../../transcript/index.ts";
import { formatEvent } from "../../format/format-turn.ts";
import { formatAnswerer, formatRequest } from "../../format/format-request.ts";
import { inOrder } from "../../format/plain-sight.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { useHead, useStore } from "../../store/use-store.ts";
import { Collapsible } from "./collapsible.tsx";
import { CompactionView } from "./compaction-view.tsx";
import { ToolGroup } from "./tool-block.tsx";
import { ChangesView, ExchangeView, FinishedView, SubagentView } from "./work-blocks.tsx";

const MARKS = {
  completed: { sign: "☑", word: "done" },
  in_progress: { sign: "◐", word: "in progress" },
  pending: { sign: "☐", word: "to do" },
} as const;

const DECIDED = { approve: "Approved", reject: "Rejected", edit: "Changed" } as const;

type Entry =
  | { readonly key: string; readonly tools: readonly ToolBlock[] }
  | { readonly key: string; readonly block: Exclude<Block, ToolBlock> };

export const TurnBlocks = memo(function TurnBlocks({ turn }: { turn: TurnMessage }) {
  return (
    <div className="blocks">
      {entriesOf(turn.blocks).map((entry) =>
        "tools" in entry ? (
          <ToolGroup key={entry.key} tools={entry.tools} />
        ) : (
          <OneBlock key={entry.key} id={`${turn.turnId} ${entry.key}`} block={entry.block} turn={turn} />
        ),
      )}
    </div>
  );
});

function entriesOf(blocks: readonly Block[]): Entry[] {
  const entries: Entry[] = [];
  for (const { key, block } of keyedBlocks(blocks)) {
    if (block.kind !== "tool") {
      entries.push({ key, block });
      continue;
    }
    const last = entries.at(-1);
    if (last !== undefined && "tools" in last) entries[entries.length - 1] = { ...last, tools: [...last.tools, block] };
    else entries.push({ key, tools: [block] });
  }
  return entries;
}

interface OneBlockProps {
  readonly id: string;
  readonly block: Exclude<Block, ToolBlock>;
  readonly turn: TurnMessage;
}

function OneBlock({ id, block, turn }: OneBlockProps) {
  switch (block.kind) {
    case "text":
      return <Markdown text={block.text} isOpen={!block.done && turn.end === undefined} />;
    case "thinking":
      return (
        <Collapsible
          id={id}
          className="thought"
          summary={block.done || turn.end !== undefined ? "Thought" : "Thinking…"}
        >
          <div className="thought-text" dir="auto">
            {inOrder(block.text.trim())}
          </div>
        </Collapsible>
      );
    case "plan":
      return <PlanView plan={block} />;
    case "changes":
      return <ChangesView changes={block} id={id} />;
    case "finished":
      return <FinishedView summary={block.summary} />;
    case "exchange":
      return <ExchangeView exchange={block} />;
    case "subagent":
      return <SubagentView subagent={block} />;
    case "request":
      return (
        <p className="aside" data-request={block.state} title={formatAnswerer(block)} dir="auto">
          {formatRequest(block)}
        </p>
      );
    case "steering":
      return <p className="aside">↪ A message of yours went into this turn.</p>;
    default:
      if (isKnownEvent(block.event) && block.event.type === "compaction") {
        return <CompactionView compaction={block.event} className="compacted" />;
      }
      return (
        <p className="aside" dir="auto">
          {formatEvent(block.event)}
        </p>
      );
  }
}

/** A plan: its steps, and the decision while it is pending. */
type PlanBlock = Extract<Block, { kind: "plan" }>;

function PlanView({ plan }: { plan: PlanBlock }) {
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
            <span aria-hidden="true">{MARKS[item.status].sign} </span>
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
        One step a line
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
          Send the changed plan
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
