/** The blocks of a turn in order; consecutive tool calls form a group. */
import { memo, type ReactNode } from "react";
import { isKnownEvent } from "../../../protocol/index.ts";
import {
  answeringTurn,
  type Block,
  keyedBlocks,
  type ToolBlock,
  turnById,
  type TurnMessage,
} from "../../../transcript/index.ts";
import { Patch } from "../../diff/patch.tsx";
import { formatEvent } from "../../format/format-turn.ts";
import { formatAnswerer, formatRequest } from "../../format/format-request.ts";
import { inOrder, inPlainSight } from "../../format/plain-sight.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { MemberName } from "../../members/member-name.tsx";
import { useApp, useStore } from "../../store/use-store.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { seenAsOf } from "../messages/author.ts";
import { Collapsible } from "./collapsible.tsx";
import { CompactionView } from "./compaction-view.tsx";
import { PlanView } from "./plan-view.tsx";
import { ToolGroup } from "./tool-block.tsx";

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
      return <RequestView request={block} />;
    case "steering":
      return <p className="aside">A message was added to this turn.</p>;
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

/** Results of work: changed files, a finished task, an exchange with another member, a subagent. */
type Of<Kind extends Block["kind"]> = Extract<Block, { kind: Kind }>;

function RequestView({ request }: { request: Of<"request"> }) {
  const answerer = useApp((state) => formatAnswerer(request, seenAsOf(state)));
  return (
    <p className="aside" data-request={request.state} title={answerer} dir="auto">
      {formatRequest(request)}
    </p>
  );
}

const CHANGE_SIGNS = { added: "A", modified: "M", deleted: "D", renamed: "R" } as const;

function ChangesView({ changes, id }: { changes: Of<"changes">; id: string }) {
  return (
    <section className="changes" aria-label="Changed files">
      <header>
        <span className="card-title">Changed files</span>
        <span className="fact">{changes.files.length + changes.truncatedCount}</span>
      </header>
      <ul>
        {changes.files.map((file, at) => {
          const summary = (
            <>
              <span className={`change-sign ${file.status}`} title={file.status}>
                {CHANGE_SIGNS[file.status]}
                <span className="unseen"> {file.status} </span>
              </span>
              <span className="path">{inPlainSight(file.path)}</span>
              <span className="diff-counts">
                {file.added === undefined ? null : <span className="plus">+{file.added}</span>}{" "}
                {file.removed === undefined ? null : <span className="minus">−{file.removed}</span>}
              </span>
            </>
          );
          return (
            <li key={at}>
              {file.diff === undefined || file.diff === "" ? (
                <div className="change">{summary}</div>
              ) : (
                <Collapsible id={`${id} ${file.path}`} className="change-fold" summary={summary}>
                  <Patch patch={file.diff} path={file.path} />
                </Collapsible>
              )}
            </li>
          );
        })}
      </ul>
      {changes.truncatedCount > 0 ? <p className="fact">and {changes.truncatedCount} more files</p> : null}
    </section>
  );
}

function FinishedView({ summary }: { summary: string }) {
  return (
    <section className="finished" aria-label="Finished">
      <header>
        <Icon name="check" size="s" />
        <span className="card-title">Finished</span>
      </header>
      <Markdown text={summary} />
    </section>
  );
}

const OPENING_CHARS_MAX = 120;

/** The question, what the other member did for it, and its answer. */
function ExchangeView({ exchange }: { exchange: Of<"exchange"> }) {
  const other = useApp(({ transcript }) =>
    transcript === undefined ? undefined : answeringTurn(transcript, exchange),
  );
  const { answer } = exchange;
  const state = answer === undefined ? "pending" : answer.ok ? "agent-callback" : "error";
  const label = { pending: "waiting for an answer", "agent-callback": "answered", error: "no answer" }[state];
  const opening = exchange.text.replaceAll(/\s+/g, " ");
  const tools = other?.blocks.filter((block) => block.kind === "tool") ?? [];
  return (
    <OfAnother
      id={`exchange ${exchange.agentExchangeId}`}
      className="exchange"
      icon="message-square"
      title={`asked @${exchange.to}: ${opening.length > OPENING_CHARS_MAX ? `${opening.slice(0, OPENING_CHARS_MAX)}…` : opening}`}
      state={state}
      label={label}
    >
      <Markdown text={exchange.text} />
      {other === undefined ? null : <ToolGroup tools={tools} />}
      {answer === undefined ? null : (
        <div className="answer-of">
          <MemberName name={exchange.to} />
          <Markdown text={answer.text} />
        </div>
      )}
    </OfAnother>
  );
}

interface OfAnotherProps {
  readonly id: string;
  readonly className: string;
  readonly icon: IconName;
  readonly title: string;
  readonly state: string;
  readonly label: string;
  readonly children: ReactNode;
}

/** What another member or an agent of its own did for this turn, folded to one line. */
function OfAnother({ id, className, icon, title, state, label, children }: OfAnotherProps) {
  return (
    <Collapsible
      id={id}
      className={className}
      state={state}
      summary={
        <>
          <Icon name={icon} size="s" />
          <span className="tool-title" dir="auto">
            {title}
          </span>
          <span className="tool-state">{label}</span>
        </>
      }
    >
      {children}
    </Collapsible>
  );
}

function SubagentView({ subagent }: { subagent: Of<"subagent"> }) {
  const store = useStore();
  const child = useApp(({ transcript }) => transcript?.head.openTurns[subagent.subagentTurnId]);
  const seq = useApp(({ transcript }) =>
    transcript === undefined ? undefined : turnById(transcript, subagent.subagentTurnId)?.seq,
  );
  const { outcome } = subagent;
  const state =
    outcome === undefined
      ? "pending"
      : outcome === "completed"
        ? "success"
        : outcome === "interrupted"
          ? "interrupted"
          : "error";
  return (
    <OfAnother
      id={`subagent ${subagent.subagentTurnId}`}
      className="subagent"
      icon="git-fork"
      title={inPlainSight(`${subagent.name}: ${subagent.task}`)}
      state={state}
      label={outcome ?? (child === undefined ? "starting" : "working")}
    >
      {subagent.text === undefined ? null : <Markdown text={subagent.text} />}
      {seq === undefined ? null : (
        <>
          <button
            type="button"
            className="btn sm quiet"
            onClick={() => store.goTo({ ...routeTo(store.getState().sessionId), seq, view: "agent" })}
          >
            Open subagent
          </button>
          <button
            type="button"
            className="btn sm quiet"
            onClick={() => store.goTo({ ...routeTo(store.getState().sessionId), seq })}
          >
            Go to turn
          </button>
        </>
      )}
    </OfAnother>
  );
}

function routeTo(sessionId: string | undefined): { sessionId?: string } {
  return sessionId === undefined ? {} : { sessionId };
}
