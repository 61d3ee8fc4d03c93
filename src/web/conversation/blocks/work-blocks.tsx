/** Results of work: changed files, a finished task, an exchange with another member, a subagent. */
import { answeringTurn, turnById, type Block } from "../../../transcript/index.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { MemberName } from "../../members/member-name.tsx";
import { useApp, useStore } from "../../store/use-store.ts";
import { inPlainSight } from "../../format/plain-sight.ts";
import { Icon } from "../../ui/icon.tsx";
import { DiffView } from "./diff-view.tsx";
import { Collapsible } from "./collapsible.tsx";
import { ToolGroup } from "./tool-block.tsx";

type Of<Kind extends Block["kind"]> = Extract<Block, { kind: Kind }>;

const CHANGE_SIGNS = { added: "A", modified: "M", deleted: "D", renamed: "R" } as const;

export function ChangesView({ changes, id }: { changes: Of<"changes">; id: string }) {
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
                  <DiffView diff={file.diff} label={`Change of ${file.path}`} />
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

export function FinishedView({ summary }: { summary: string }) {
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
export function ExchangeView({ exchange }: { exchange: Of<"exchange"> }) {
  const other = useApp(({ transcript }) =>
    transcript === undefined ? undefined : answeringTurn(transcript, exchange),
  );
  const { answer } = exchange;
  const state = answer === undefined ? "pending" : answer.ok ? "agent-callback" : "error";
  const label = { pending: "waits for the answer", "agent-callback": "answered", error: "no answer" }[state];
  const opening = exchange.text.replaceAll(/\s+/g, " ");
  const tools = other?.blocks.filter((block) => block.kind === "tool") ?? [];
  return (
    <Collapsible
      id={`exchange ${exchange.agentExchangeId}`}
      className="exchange"
      state={state}
      summary={
        <>
          <Icon name="message-square" size="s" />
          <span className="tool-title" dir="auto">
            asked @{exchange.to}:{" "}
            {opening.length > OPENING_CHARS_MAX ? `${opening.slice(0, OPENING_CHARS_MAX)}…` : opening}
          </span>
          <span className="tool-state">{label}</span>
        </>
      }
    >
      <Markdown text={exchange.text} />
      {other === undefined ? null : <ToolGroup tools={tools} />}
      {answer === undefined ? null : (
        <div className="answer-of">
          <MemberName name={exchange.to} />
          <Markdown text={answer.text} />
        </div>
      )}
    </Collapsible>
  );
}

export function SubagentView({ subagent }: { subagent: Of<"subagent"> }) {
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
    <Collapsible
      id={`subagent ${subagent.subagentTurnId}`}
      className="subagent"
      state={state}
      summary={
        <>
          <Icon name="git-fork" size="s" />
          <span className="tool-title" dir="auto">
            {inPlainSight(`${subagent.name}: ${subagent.task}`)}
          </span>
          <span className="tool-state">{outcome ?? (child === undefined ? "starting" : "at work")}</span>
        </>
      }
    >
      {subagent.text === undefined ? null : <Markdown text={subagent.text} />}
      {seq === undefined ? null : (
        <>
          <button
            type="button"
            className="btn sm quiet"
            onClick={() => store.goTo({ ...routeTo(store.getState().sessionId), seq, view: "agent" })}
          >
            Open its page
          </button>
          <button
            type="button"
            className="btn sm quiet"
            onClick={() => store.goTo({ ...routeTo(store.getState().sessionId), seq })}
          >
            Go to its turn
          </button>
        </>
      )}
    </Collapsible>
  );
}

function routeTo(sessionId: string | undefined): { sessionId?: string } {
  return sessionId === undefined ? {} : { sessionId };
}
