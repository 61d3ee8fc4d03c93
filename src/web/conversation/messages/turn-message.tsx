/** A member's turn: who, with which model, in which state; its blocks; and what can be done with it at its end. */
import { memo, useEffect, useState } from "react";
import {
  describeTurn,
  formatModel,
  formatTook,
  formatTurnTime,
  isSubagent,
  messageAt,
  parentTurn,
  phaseOf,
  turnById,
  turnText,
  type Transcript,
  type TurnMessage,
} from "../../../transcript/index.ts";
import { costLabels, formatActivity, formatTurnEnd } from "../../format/format-turn.ts";
import { inPlainSight } from "../../format/plain-sight.ts";
import { formatDateTime, formatTokens } from "../../format/units.ts";
import { MemberName } from "../../members/member-name.tsx";
import { ReadButton } from "../../speech/speech-buttons.tsx";
import type { PageStore } from "../../store/page-store.ts";
import { parseRoute } from "../../store/route.ts";
import { useApp, useHead, useStore } from "../../store/use-store.ts";
import { Badge, Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { LiveBars, MemberSign, useMemberStyle } from "../../ui/sign.tsx";
import { TurnBlocks } from "../blocks/turn-blocks.tsx";
import { FailureDetail, MessageActions } from "./message-actions.tsx";

/** Deeper turns are not indented further. */
const DEPTH_SHOWN_MAX = 4;
/** Maximum depth of subagents examined. */
const FAMILY_MAX = 10;
const TICK_MS = 1_000;

export interface TurnViewProps {
  readonly turn: TurnMessage;
  /** Of its column. */
  readonly menu?: readonly MenuItem[];
  /** The round is named above the columns. */
  readonly isColumn?: boolean;
}

export const TurnView = memo(function TurnView({ turn, menu = [], isColumn = false }: TurnViewProps) {
  const { hue } = useMemberStyle(turn.member);
  const isBelow = useApp(({ transcript }) => transcript !== undefined && followsItsOwn(transcript, turn));
  const outcome = turn.end?.outcome ?? "open";
  const isAsking = describeTurn(turn).activity?.kind === "asking";
  return (
    <article
      className="message turn"
      aria-label={`${turn.member}${turn.end === undefined ? ", working" : ""}`}
      aria-busy={turn.end === undefined}
      data-hue={hue}
      data-seq={turn.seq}
      data-phase={isAsking ? "asking" : phaseOf(turn)}
      data-outcome={outcome}
      data-depth={isBelow ? Math.min(turn.depth, DEPTH_SHOWN_MAX) : 0}
    >
      <TurnHead turn={turn} menu={menu} isColumn={isColumn} />
      <div className="turn-body">
        <TurnBlocks turn={turn} />
        {turn.end === undefined ? <Activity turn={turn} /> : <TurnEnding turn={turn} />}
        <footer className="facts-line">
          {turn.end === undefined ? null : <Costs turn={turn} />}
          <TurnActions turn={turn} />
        </footer>
      </div>
    </article>
  );
});

function TurnHead({ turn, menu, isColumn }: Required<TurnViewProps>) {
  const model = useHead((head) => turn.model ?? modelOf(head.members[turn.member]));
  const origin = useOrigin(turn).filter((label) => !(isColumn && /^round \d+$/.test(label)));
  return (
    <header className="turn-head">
      <MemberSign name={turn.member} />
      <h2 className="turn-name">
        <MemberName name={turn.member} hasSign={false} />
      </h2>
      <span className="turn-model cut" dir="auto">
        {model === undefined ? "" : inPlainSight(model)}
      </span>
      {origin.map((label) => (
        <Badge key={label}>{inPlainSight(label)}</Badge>
      ))}
      <TurnState turn={turn} />
      {menu.length === 0 ? null : <Menu label={`Column of ${turn.member}`} items={menu} iconSize="s" />}
    </header>
  );
}

function modelOf(member: Parameters<typeof formatModel>[0] | undefined): string | undefined {
  return member === undefined ? undefined : formatModel(member);
}

/** One string as the selected state, so that only a change of the labels renders the turn again. */
function useOrigin(turn: TurnMessage): string[] {
  const labels = useApp(({ transcript }) => {
    const parent = transcript === undefined ? undefined : parentTurn(turn, transcript);
    return describeTurn(turn, parent).origin.join("\n");
  });
  return labels === "" ? [] : labels.split("\n");
}

const DOING: Readonly<Record<string, string>> = {
  writing: "Writing",
  thinking: "Thinking",
  calling: "Running",
  retrying: "Retrying",
  waiting: "Waiting",
  loading: "Loading",
  starting: "Starting",
};

function TurnState({ turn }: { turn: TurnMessage }) {
  const { end } = turn;
  if (end === undefined) {
    const kind = describeTurn(turn).activity?.kind ?? "working";
    if (kind === "asking") {
      return (
        <span className="turn-state">
          <Badge tone="warn" icon="hand">
            Needs you
          </Badge>
        </span>
      );
    }
    return (
      <span className="turn-state num">
        <LiveBars />
        {DOING[kind] ?? "Working"}
        <Elapsed since={turn.ts} />
      </span>
    );
  }
  const [icon, label] = ENDED[end.outcome] ?? ENDED.errored;
  return (
    <span className="turn-state num" data-outcome={end.outcome}>
      <Icon name={icon} size="s" />
      <span className={label === "Done" ? "unseen" : undefined}>{label}</span>
      <Since ts={turn.ts}>{formatTook(end.durationMs)}</Since>
    </span>
  );
}

const ENDED = {
  completed: ["check", "Done"],
  interrupted: ["square", "Stopped"],
  errored: ["circle-x", "Failed"],
  timed_out: ["circle-x", "Timed out"],
} as const;

/** How long it took; when it began is read on hover. */
const Since = memo(function Since({ ts, children }: { ts: number; children: string }) {
  return (
    <time dateTime={new Date(ts).toISOString()} title={`Started ${formatDateTime(ts)}`}>
      {children}
    </time>
  );
});

/** In a replay the time is that of the moment shown. */
function Elapsed({ since }: { since: number }) {
  const [isReplay] = useState(() => parseRoute(location.hash).view === "replay");
  const shownTs = useHead((head) => (isReplay ? head.updatedTs : 0)) ?? 0;
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return <Since ts={since}>{formatTurnTime((isReplay ? shownTs : now) - since)}</Since>;
}

/** Indentation reads as part of the turn above: only below its parent, or another child of it. */
function followsItsOwn(transcript: Transcript, { position, depth, parentTurnId }: TurnMessage): boolean {
  if (depth === 0) return true;
  const above = messageAt(transcript, position - 1);
  return above?.kind === "turn" && (above.turnId === parentTurnId || isOfFamily(transcript, above, parentTurnId));
}

function isOfFamily(transcript: Transcript, { parentTurnId }: TurnMessage, wanted: string | undefined): boolean {
  for (let id = parentTurnId, steps = 0; id !== undefined && steps < FAMILY_MAX; steps += 1) {
    if (id === wanted) return true;
    id = turnById(transcript, id)?.parentTurnId;
  }
  return false;
}

/** What the head has no room for: a reason to wait, or what a program says of itself. */
function Activity({ turn }: { turn: TurnMessage }) {
  return (
    <p className="working" data-kind={describeTurn(turn).activity?.kind}>
      {formatActivity(turn)}
    </p>
  );
}

function TurnEnding({ turn }: { turn: TurnMessage }) {
  const text = formatTurnEnd(turn);
  if (text !== "") {
    return (
      <div className="end" dir="auto">
        <p>{text}</p>
        <FailureDetail turn={turn} />
        <RetryButton turn={turn} />
      </div>
    );
  }
  return turn.blocks.length === 0 ? <p className="aside">No answer.</p> : null;
}

function Costs({ turn }: { turn: TurnMessage }) {
  const { usage, end } = turn;
  const labels = [
    ...(end === undefined ? [] : [formatTook(end.durationMs)]),
    ...costLabels(usage === undefined ? {} : { usage }),
  ];
  if (labels.length === 0) return null;
  const split =
    usage === undefined ? "" : `${formatTokens(usage.inputTokens)} tokens in, ${formatTokens(usage.outputTokens)} out`;
  return (
    <p className="costs fact num" title={split}>
      {labels.map((label) => (
        <span key={label}>{label}</span>
      ))}
    </p>
  );
}

/** Only turns that answer the newest message can be retried. */
function useCanRetry(turn: TurnMessage): boolean {
  const isNewest = useHead(({ latestUser }) => latestUser?.messageId === turn.rootMessageId) ?? false;
  return turn.end !== undefined && isNewest && turn.depth === 0;
}

/** At the end of a turn that did not succeed. */
function RetryButton({ turn }: { turn: TurnMessage }) {
  const store = useStore();
  if (!useCanRetry(turn)) return null;
  return (
    <Button isSmall onClick={() => void store.tryCommand({ type: "retry", turnId: turn.turnId })}>
      Retry
    </Button>
  );
}

function TurnActions({ turn }: { turn: TurnMessage }) {
  const store = useStore();
  const canRetry = useCanRetry(turn) && formatTurnEnd(turn) === "";
  const more: MenuItem[] = isSubagent(turn)
    ? [{ label: "Open subagent", icon: "file-text", onChoose: () => openPage(store, turn.seq) }]
    : [];
  return (
    <MessageActions
      seq={turn.seq}
      text={() => turnText(turn)}
      canQuote={turn.end !== undefined}
      {...(turn.depth === 0 ? { pinId: turn.turnId } : {})}
      {...(turn.end === undefined ? {} : { endSeq: turn.end.seq })}
      more={more}
    >
      <ReadButton turnId={turn.turnId} />
      {canRetry ? (
        <IconButton
          icon="refresh-cw"
          iconSize="s"
          label="Retry"
          onClick={() => void store.tryCommand({ type: "retry", turnId: turn.turnId })}
        />
      ) : null}
    </MessageActions>
  );
}

function openPage(store: PageStore, seq: number): void {
  const { sessionId } = store.getState();
  if (sessionId !== undefined) store.goTo({ sessionId, seq, view: "agent" });
}
