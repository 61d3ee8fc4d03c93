/** A tool call: title, state as label, glyph and style, and its output on demand. */
import { memo, useState } from "react";
import { formatCount, withEllipsis } from "../../../kit/text/format.ts";
import {
  answererOf,
  argumentFields,
  countChanges,
  fieldText,
  formatWorkTime,
  isDenied,
  shownOutput,
  toolAction,
  toolApproval,
  type ToolBlock,
} from "../../../transcript/index.ts";
import { formatToolGroup } from "../../format/format-turn.ts";
import { inPlainSight, outputInPlainSight } from "../../format/plain-sight.ts";
import { formatBytes } from "../../format/units.ts";
import { Patch } from "../../diff/patch.tsx";
import { useApp, useHead, useStore } from "../../store/use-store.ts";
import { seenAsOf } from "../messages/author.ts";
import { Collapsible } from "./collapsible.tsx";
import { FileText } from "./file-text.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";

/** Longer output is not rendered. */
const SHOWN_CHARS_MAX = 2_000_000;

/** A title may be a whole command; the arguments below have the rest. */
const TITLE_CHARS_MAX = 160;

const ARGS_CHARS_MAX = 20_000;

/** What took less took no time. */
const SHOWN_MS_MIN = 50;

const STATES = {
  pending: { icon: "refresh-cw", word: "running" },
  success: { icon: "check", word: "" },
  finished: { icon: "circle-minus", word: "finished, no exit code reported" },
  error: { icon: "circle-x", word: "failed" },
  interrupted: { icon: "square", word: "interrupted" },
  truncated: { icon: "scissors", word: "output truncated" },
  "agent-callback": { icon: "message-square", word: "answered by a member" },
} as const satisfies Record<ToolBlock["state"], { icon: IconName; word: string }>;

/** Length of an approval's answer on the row of its call. */
const APPROVAL_CHARS_MAX = 80;

/** Lines of a running call's output that are shown below its row. */
const TAIL_LINES = 3;

const ToolView = memo(function ToolView({ tool }: { tool: ToolBlock }) {
  const approval = toolApproval(tool);
  const approvalLabel = inPlainSight(withEllipsis(approval?.text ?? "", APPROVAL_CHARS_MAX));
  const answerer = useApp((state) => approval && (answererOf(approval, seenAsOf(state)) ?? approval.by));
  const isNo = isDenied(tool);
  const needsApproval = approval?.kind === "open" && tool.state === "pending";
  const { durationMs = 0 } = tool;
  const took = durationMs < SHOWN_MS_MIN ? "" : formatWorkTime(durationMs);
  const { icon, word } = isNo
    ? { icon: "ban" as const, word: approvalLabel }
    : needsApproval
      ? { icon: "hand" as const, word: approvalLabel }
      : {
          icon: STATES[tool.state].icon,
          word: [STATES[tool.state].word, took].filter((part) => part !== "").join(" · "),
        };
  const isRunning = tool.state === "pending" && !needsApproval;
  return (
    <>
      <Collapsible
        id={`tool ${tool.toolCallId}`}
        className="tool"
        state={isNo ? "denied" : tool.state}
        summary={
          <>
            <span className="tool-sign">
              <Icon name={icon} size="s" className={isRunning ? "spin" : ""} />
            </span>
            <span className="tool-title" dir="auto">
              <ToolTitle tool={tool} />
            </span>
            {tool.state === "success" && !isNo ? <span className="unseen">done</span> : null}
            {tool.diff === undefined || tool.diff === "" ? null : <DiffCounts diff={tool.diff} />}
            {approval === undefined || isNo || needsApproval ? null : (
              <span className="tool-asked" title={answerer}>
                {approvalLabel}
              </span>
            )}
            <span className="tool-state num" title={isNo ? answerer : undefined}>
              {word}
            </span>
          </>
        }
      >
        <ToolBody tool={tool} />
      </Collapsible>
      {isRunning ? <Tail tool={tool} /> : null}
    </>
  );
});

/** The last lines of what a running call has printed. */
function Tail({ tool }: { tool: ToolBlock }) {
  const lines = outputInPlainSight(tool.output.slice(-TAIL_CHARS)).split("\n").slice(-TAIL_LINES);
  const text = lines.join("\n").trim();
  return text === "" ? null : <pre className="tail">{text}</pre>;
}

const TAIL_CHARS = 2_000;

function DiffCounts({ diff }: { diff: string }) {
  const { added, removed } = countChanges(diff);
  return (
    <span className="diff-counts num">
      <span className="plus">+{added}</span> <span className="minus">−{removed}</span>
    </span>
  );
}

function ToolBody({ tool }: { tool: ToolBlock }) {
  const { text, dropped } = shownOutput(tool);
  const args = argsOf(tool);
  const output = outputInPlainSight(text);
  const result = tool.result === undefined ? "" : outputInPlainSight(tool.result);
  return (
    <>
      {args === "" ? null : (
        <pre className="tool-args" tabIndex={0} role="group" aria-label="Arguments">
          <FileText text={args} isReachable />
        </pre>
      )}
      {tool.detail === undefined ? null : <p className="fact">{inPlainSight(tool.detail)}</p>}
      {dropped > 0 ? <p className="fact">… {formatCount(dropped)} earlier characters not shown</p> : null}
      {output === "" ? null : <Output text={output} />}
      {result === "" || result === output ? null : <Output text={result} />}
      {tool.error === undefined ? null : (
        <p className={isDenied(tool) ? "fact" : "tool-error"} dir="auto">
          {inPlainSight(tool.error.message)}
        </p>
      )}
      {tool.diff === undefined || tool.diff === "" ? null : <Patch patch={tool.diff} />}
      {tool.truncated === undefined ? null : <WholeOutput truncated={tool.truncated} />}
    </>
  );
}

function Output({ text }: { text: string }) {
  return (
    <pre className="tool-output" tabIndex={0} role="group" aria-label="Output">
      <FileText text={text} isReachable />
    </pre>
  );
}

/** "Read src/app.ts", "$ npm test"; a title that the agent gave stands as it is. */
function ToolTitle({ tool }: { tool: ToolBlock }) {
  const cwd = useHead((head) => head.cwd) ?? "";
  const { verb, target } = toolAction(tool, cwd);
  const isWord = /^[a-z]/.test(verb);
  const shown = withEllipsis(target, TITLE_CHARS_MAX);
  return (
    <>
      {isWord ? (
        <span className="tool-verb">{inPlainSight(`${verb.charAt(0).toUpperCase()}${verb.slice(1)}`)} </span>
      ) : null}
      <FileText text={isWord || verb === "" ? shown : `${verb} ${shown}`} />
    </>
  );
}

function argsOf({ args }: ToolBlock): string {
  const text = argumentFields(args).map(fieldText).join("\n");
  return text.length > ARGS_CHARS_MAX ? `${text.slice(0, ARGS_CHARS_MAX)}…` : text;
}

/** Output too large for the conversation, fetched on demand. */
type Truncated = NonNullable<ToolBlock["truncated"]>;

function WholeOutput({ truncated: { totalBytes, shownBytes, blob } }: { truncated: Truncated }) {
  const store = useStore();
  const [text, setText] = useState<string>();
  const [isLoading, setLoading] = useState(false);
  async function load(sha256: string): Promise<void> {
    setLoading(true);
    await store.guarded(async () => setText(shownOf(await (await store.readBlob(sha256)).text())));
    setLoading(false);
  }
  if (text !== undefined) {
    return (
      <pre className="tool-output whole" tabIndex={0} role="group" aria-label="Whole output">
        {text}
      </pre>
    );
  }
  return (
    <p className="truncated-fact">
      Showing {formatBytes(shownBytes)} of {formatBytes(totalBytes)}.{" "}
      {blob === undefined ? (
        "The rest was not kept."
      ) : (
        <button type="button" className="btn sm quiet" disabled={isLoading} onClick={() => void load(blob.sha256)}>
          {isLoading ? "Fetching…" : "Show all"}
        </button>
      )}
    </p>
  );
}

function shownOf(text: string): string {
  const shown = outputInPlainSight(text.slice(0, SHOWN_CHARS_MAX));
  return text.length > SHOWN_CHARS_MAX ? `${shown}\n… (the rest is too long to show)` : shown;
}

/** Consecutive tool calls: those that are over as one line that expands, "Read 3 files, ran 2 commands · 4 s", and the rest. */
export function ToolGroup({ tools }: { tools: readonly ToolBlock[] }) {
  const [first] = tools;
  if (first === undefined) return null;
  if (tools.length === 1) return <ToolView tool={first} />;
  const over = tools.filter((tool) => tool.state !== "pending");
  const running = tools.filter((tool) => tool.state === "pending");
  return (
    <>
      {over.length === 0 ? null : (
        <Collapsible
          id={`tools ${first.toolCallId}`}
          className="tool-group"
          state={groupState(over)}
          summary={<GroupSummary text={formatToolGroup(over)} />}
        >
          {over.map((tool) => (
            <ToolView key={tool.toolCallId} tool={tool} />
          ))}
        </Collapsible>
      )}
      {running.map((tool) => (
        <ToolView key={tool.toolCallId} tool={tool} />
      ))}
    </>
  );
}

/** What was done, and how long it took. */
function GroupSummary({ text }: { text: string }) {
  const at = text.lastIndexOf(" · ");
  const [work, took] = at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 3)];
  return (
    <>
      <span className="tool-group-words num">{work}</span>
      {took === "" ? null : <span className="num">{took}</span>}
    </>
  );
}

function groupState(tools: readonly ToolBlock[]): ToolBlock["state"] {
  for (const state of ["pending", "error", "interrupted"] as const) {
    if (tools.some((tool) => tool.state === state && !isDenied(tool))) return state;
  }
  return "success";
}
