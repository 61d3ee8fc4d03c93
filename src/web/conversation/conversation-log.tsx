/**
 * The conversation as a virtual list. It follows the end only while the end is in view; scrolled up, nothing moves, and
 * a button leads back. Pages that are not in memory are fetched when near.
 */
import { type Range, useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { startTransition, useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { messageAt, PAGE_SIZE } from "../../transcript/index.ts";
import { useHasKeys } from "../input/focus.ts";
import { startNew } from "../sessions/session-life.ts";
import type { PageStore } from "../store/page-store.ts";
import type { Target } from "../store/route.ts";
import { useApp, useHead, useStore } from "../store/use-store.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { AgentPage } from "./agent-page.tsx";
import { anchorScroll, type EndFollower, followEnd } from "./follow-end.ts";
import { MessageRow, rowPosition } from "./message-row.tsx";
import { revealMatch } from "./reveal-match.ts";
import { showColumn } from "./turn-columns.tsx";

const ROW_ESTIMATE_PIXELS = 240;
/** Rows rendered beyond each edge of the view. */
const ROWS_BEYOND = 3;
/** A row longer than this is rendered only beside the view: each costs time in every frame. */
const LONG_PIXELS = 3_000;
/** Prefetch distance of pages in rows. */
const FETCH_AHEAD_ROWS = 64;

function ConversationLog() {
  const store = useStore();
  const count = useHead((head) => head.messageCount) ?? 0;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  /** False for what is drawn in the row of another message: it has no height, and out of view nothing measures it. */
  function isRow(position: number): boolean {
    const { transcript } = store.getState();
    return transcript === undefined || rowPosition(transcript, position) === position;
  }
  const rowsBeyond = useRowsBeyond(count > 0);
  const virtualizer: Virtualizer<HTMLDivElement, Element> = useVirtualizer<HTMLDivElement, Element>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (position) => (isRow(position) ? ROW_ESTIMATE_PIXELS : 0),
    rangeExtractor: (range) =>
      withRowsBeyond(range, rowsBeyond, (position) => virtualizer.measurementsCache[position]?.size ?? 0),
    getItemKey: useRowKeys(),
  });
  const [begun] = useState({ isBegun: false });
  if (count > 0 && !begun.isBegun) {
    // The first rows are those of the end, where the view will be: not those of the beginning.
    begun.isBegun = true;
    virtualizer.scrollOffset = virtualizer.getTotalSize();
  }
  const { end, isAtEnd } = useAnchoredView({ scroller, rows, virtualizer, hasRows: count > 0 });
  useTarget((position) => {
    end.current?.leave();
    virtualizer.scrollToIndex(position, { align: "start" });
  });
  const sends = useApp((state) => state.sends);
  useEffect(() => {
    end.current?.join();
  }, [sends]);
  useEffect(() => {
    if (isAtEnd) store.markSeen();
  });

  const items = virtualizer.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  useNearbyPages(first?.index, last?.index, count);
  return (
    <div className="scroller" ref={scroller} tabIndex={0} role="region" aria-label="Messages">
      <div
        className="messages"
        ref={rows}
        role="log"
        aria-label="Conversation"
        aria-live="off"
        // Padding in place of rows that are not rendered. A growing last row needs no second layout, as it would in a
        // box of fixed height.
        style={{ paddingTop: first?.start ?? 0, paddingBottom: virtualizer.getTotalSize() - (last?.end ?? 0) }}
      >
        {items.map(({ key, index }) => (
          <div key={key} className="row" data-index={index} ref={virtualizer.measureElement}>
            <MessageRow position={index} />
          </div>
        ))}
      </div>
      {count === 0 ? <EmptyHint /> : null}
      <JumpToEnd isAtEnd={isAtEnd} onJump={() => end.current?.join()} />
    </div>
  );
}

/** What is in view comes first. */
function useRowsBeyond(hasRows: boolean): number {
  const [rowsBeyond, setRowsBeyond] = useState(0);
  useEffect(() => {
    if (hasRows) startTransition(() => setRowsBeyond(ROWS_BEYOND));
  }, [hasRows]);
  return rowsBeyond;
}

/** Positions in view and beyond. */
function withRowsBeyond(
  { startIndex, endIndex, count }: Range,
  rowsBeyond: number,
  sizeOf: (position: number) => number,
): number[] {
  const reach = (edge: number, step: 1 | -1): number => {
    let reached = edge;
    let rows = 0;
    for (let next = edge + step; next >= 0 && next < count; next += step) {
      const size = sizeOf(next);
      if (size > 0 && (rows === rowsBeyond || (rows > 0 && size > LONG_PIXELS))) break;
      if (size > 0) rows += 1;
      reached = next;
    }
    return reached;
  };
  const from = reach(startIndex, -1);
  return Array.from({ length: reach(endIndex, 1) - from + 1 }, (_, at) => from + at);
}

interface AnchoredView {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly rows: RefObject<HTMLElement | null>;
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>;
  /** Restarted with the first row: the list observes nothing before, and later observers run last. */
  readonly hasRows: boolean;
}

/** Follows the end, or keeps the reading position. */
function useAnchoredView({ scroller, rows, virtualizer, hasRows }: AnchoredView) {
  const end = useRef<EndFollower>(undefined);
  const [isAtEnd, setAtEnd] = useState(true);
  useLayoutEffect(() => {
    if (scroller.current === null || rows.current === null) return undefined;
    const onChange = (isNow: boolean): void => {
      // At the end nothing above has to stay in place, and two adjustments would miss it.
      virtualizer.shouldAdjustScrollPositionOnItemSizeChange = isNow ? () => false : undefined;
      // The list may still be scrolling to an earlier target.
      if (isNow) virtualizer.cancelScroll();
      setAtEnd(isNow);
    };
    onChange(true);
    // With the old offset the list would render a long answer out of view and drop it a frame later.
    const onMoved = (top: number): void => {
      virtualizer.scrollOffset = top;
    };
    const content = rows.current;
    const follower = followEnd(scroller.current, { content, onChange, onMoved });
    const stopAnchoring = anchorScroll(scroller.current, { content, isWanted: () => !follower.isAtEnd(), onMoved });
    end.current = follower;
    return () => {
      stopAnchoring();
      follower.stop();
    };
    // oxlint-disable-next-line react/exhaustive-deps -- nothing here reads whether there are rows, but it counts.
  }, [scroller, rows, virtualizer, hasRows]);
  return { end, isAtEnd };
}

/**
 * A loaded row is a different row: the view stays in place when its height differs from the estimate. Heights are
 * cached by key, so keys are computed again when pages load; an evicted row keeps its height.
 */
function useRowKeys(): (position: number) => string | number {
  const store = useStore();
  const frozen = useApp((state) => state.transcript?.frozen);
  const [known] = useState(() => new Set<number>());
  frozen?.forEach((page, at) => page !== undefined && known.add(at));
  return useCallback(
    (position) => {
      const { transcript } = store.getState();
      const isThere = transcript !== undefined && messageAt(transcript, position) !== undefined;
      return isThere || known.has(Math.floor(position / PAGE_SIZE)) ? position : `missing ${position}`;
    },
    // oxlint-disable-next-line react/exhaustive-deps -- other pages are other names, though nothing here reads them.
    [store, known, frozen],
  );
}

function useNearbyPages(from: number | undefined, to: number | undefined, count: number): void {
  const store = useStore();
  const before = from === undefined ? undefined : Math.floor(Math.max(0, from - FETCH_AHEAD_ROWS) / PAGE_SIZE);
  const after = to === undefined ? undefined : Math.floor(Math.min(count - 1, to + FETCH_AHEAD_ROWS) / PAGE_SIZE);
  useEffect(() => {
    for (const page of new Set([before, after])) if (page !== undefined) void store.guarded(() => store.loadPage(page));
  }, [store, before, after]);
}

/** Scrolls to the message of the address once possible. */
function useTarget(onTarget: (position: number) => void): void {
  const store = useStore();
  const target = useApp((state) => (state.transcript === undefined ? undefined : state.target));
  const show = useRef(onTarget);
  show.current = onTarget;
  useEffect(() => {
    if (target === undefined) return;
    void store.guarded(async () => {
      const { opening } = store.getState();
      const own = await store.positionOf(target.seq);
      const { transcript } = store.getState();
      const position = own === undefined || transcript === undefined ? own : rowPosition(transcript, own);
      // Another session was opened meanwhile, which may have its own target.
      if (store.getState().opening !== opening) return;
      store.targetReached();
      if (position === undefined) return;
      showColumnOf(store, own);
      show.current(position);
      flash(position, target);
    });
  }, [store, target]);
}

/** It may be hidden, or behind the tab of another member. */
function showColumnOf(store: PageStore, position: number | undefined): void {
  const { transcript, sessionId } = store.getState();
  const message = transcript === undefined || position === undefined ? undefined : messageAt(transcript, position);
  if (message?.kind === "turn" && sessionId !== undefined) showColumn(sessionId, message.member);
}

const FLASH_MS = 2_000;
const FLASH_TRIES = 10;

/** The row may be rendered a few frames later. */
function flash(position: number, target: Target, triesLeft = FLASH_TRIES): void {
  setTimeout(() => {
    const row = document.querySelector<HTMLElement>(`.row[data-index="${position}"]`);
    if (row === null) return triesLeft > 0 ? flash(position, target, triesLeft - 1) : undefined;
    row.dataset["target"] = "true";
    revealMatch(row.querySelector(`[data-seq="${target.seq}"]`) ?? row, target.terms, FLASH_MS);
    setTimeout(() => delete row.dataset["target"], FLASH_MS);
  }, 100);
}

function EmptyHint() {
  const store = useStore();
  const isThere = useApp((state) => state.transcript !== undefined);
  const isUnopened = useApp((state) => state.isUnopened);
  const hasKeys = useHasKeys();
  if (isUnopened && !isThere) {
    return (
      <div className="hint">
        <p>This session can't be shown.</p>
        <Button onClick={() => startNew(store)}>Start a new session</Button>
      </div>
    );
  }
  if (!isThere) return <p className="hint">Opening…</p>;
  return (
    <div className="hint">
      <p className="hint-title">What are we working on?</p>
      <p>Everyone answers. Type @name to ask one member.</p>
      <p className="fact">
        <kbd>/</kbd> commands · <kbd>@</kbd> members and files
        {hasKeys ? (
          <>
            {" · "}
            <kbd>?</kbd> keys
          </>
        ) : null}
      </p>
    </div>
  );
}

function JumpToEnd({ isAtEnd, onJump }: { isAtEnd: boolean; onJump: () => void }) {
  const seq = useHead((head) => head.seq) ?? 0;
  const left = useRef(seq);
  if (isAtEnd) left.current = seq;
  if (isAtEnd) return null;
  const hasNews = seq > left.current;
  return (
    <button type="button" className="btn sm jump" data-news={hasNews} onClick={onJump}>
      <Icon name="arrow-down" size="s" />
      {hasNews ? "New messages" : "Jump to latest"}
    </button>
  );
}

/** The conversation, or the page of one of its subagents. */
export function LogOrAgent() {
  const viewing = useApp((state) => state.viewing);
  if (viewing?.view === "agent" && viewing.seq !== undefined) return <AgentPage key={viewing.seq} seq={viewing.seq} />;
  return <ConversationLog />;
}
