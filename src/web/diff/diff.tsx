/** A diff of one file: syntax colours, changed words, numbers; unified or side by side. Long ones are shown in steps. */
import { memo, useEffect, useMemo, useState } from "react";
import { plural } from "../format/units.ts";
import { highlight, languageOf, type HighlightedLines } from "../highlight/highlight.ts";
import { Icon } from "../ui/icon.tsx";
import { CodeLine } from "./code-line.tsx";
import { diffRows, type DiffGap, type DiffRow } from "./diff-rows.ts";

export type DiffLayout = "unified" | "split";

export interface DiffProps {
  readonly patch: string;
  /** Decides the language. */
  readonly path: string;
  readonly layout?: DiffLayout;
}

/** Rows drawn at once: drawing more would block a stream of text. */
const ROWS_STEP = 400;

interface Colours {
  readonly old?: HighlightedLines | undefined;
  readonly new?: HighlightedLines | undefined;
}

export const Diff = memo(function Diff({ patch, path, layout = "unified" }: DiffProps) {
  const { items, oldText, newText } = useMemo(() => diffRows(patch), [patch]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [limit, setLimit] = useState(ROWS_STEP);
  const colours = useColours(oldText, newText, languageOf(path));
  const flat = items.flatMap((item, at): Shown[] =>
    item.kind === "gap" && opened.has(at) ? item.rows.map((row) => ({ item: row, at })) : [{ item, at }],
  );
  const shown = flat.slice(0, limit);
  const open = (at: number) => setOpened(new Set([...opened, at]));
  return (
    <div className="code-rows diff-rows" data-layout={layout} role="group" aria-label={`Changes to ${path}`}>
      {layout === "unified"
        ? shown.map(({ item, at }, key) =>
            item.kind === "gap" ? (
              <Gap key={key} gap={item} onOpen={() => open(at)} />
            ) : (
              <UnifiedRow key={key} row={item} colours={colours} />
            ),
          )
        : paired(shown).map((pair, key) =>
            "gap" in pair ? (
              <Gap key={key} gap={pair.gap} onOpen={() => open(pair.at)} />
            ) : (
              <div className="dl split" key={key}>
                <Half row={pair.left} colours={colours} isOld />
                <Half row={pair.right} colours={colours} isOld={false} />
              </div>
            ),
          )}
      {flat.length > limit ? (
        <button type="button" className="btn sm more-rows" onClick={() => setLimit(limit + ROWS_STEP * 5)}>
          Show more of {plural(flat.length, "line")}
        </button>
      ) : null}
    </div>
  );
});

function Gap({ gap, onOpen }: { gap: DiffGap; onOpen: () => void }) {
  const label = plural(gap.rows.length + gap.unknown, "unchanged line");
  if (gap.rows.length === 0) return <div className="dl gap">{label}</div>;
  return (
    <button type="button" className="dl gap" onClick={onOpen}>
      <Icon name="chevron-down" size="s" />
      {label}
    </button>
  );
}

const SIGNS = { unchanged: "", removed: "−", added: "+" } as const;

function lineOf({ kind, at }: DiffRow, colours: Colours) {
  return kind === "removed" ? colours.old?.[at] : colours.new?.[at];
}

const UnifiedRow = memo(function UnifiedRow({ row, colours }: { row: DiffRow; colours: Colours }) {
  const { kind, text, oldNumber, newNumber, marks } = row;
  return (
    <div className={`dl ${kind}`}>
      <span className="ln" data-number={oldNumber ?? ""} />
      <span className="ln" data-number={newNumber ?? ""} />
      <span className="sg">{SIGNS[kind]}</span>
      <code>
        <CodeLine text={text} line={lineOf(row, colours)} marks={marks} />
      </code>
    </div>
  );
});

function Half({ row, colours, isOld }: { row: DiffRow | undefined; colours: Colours; isOld: boolean }) {
  if (row === undefined) return <div className="half none" />;
  return (
    <div className={`half ${row.kind}`}>
      <span className="ln" data-number={(isOld ? row.oldNumber : row.newNumber) ?? ""} />
      <span className="sg">{SIGNS[row.kind]}</span>
      <code>
        <CodeLine text={row.text} line={lineOf(row, colours)} marks={row.marks} />
      </code>
    </div>
  );
}

interface Shown {
  readonly item: DiffRow | DiffGap;
  readonly at: number;
}

type Pair = { readonly gap: DiffGap; readonly at: number } | { left?: DiffRow; right?: DiffRow };

/** Removed lines at the left of the added ones that replace them. */
function paired(shown: readonly Shown[]): Pair[] {
  const pairs: Pair[] = [];
  let free: { right?: DiffRow }[] = [];
  for (const { item, at } of shown) {
    if (item.kind === "added") {
      const partner = free.shift();
      if (partner === undefined) pairs.push({ right: item });
      else partner.right = item;
      continue;
    }
    if (item.kind === "gap") pairs.push({ gap: item, at });
    else if (item.kind === "unchanged") pairs.push({ left: item, right: item });
    else {
      const pair: { left: DiffRow; right?: DiffRow } = { left: item };
      pairs.push(pair);
      free.push(pair);
      continue;
    }
    free = [];
  }
  return pairs;
}

function useColours(oldText: string, newText: string, language: string): Colours {
  const [colours, setColours] = useState<Colours>({});
  useEffect(() => {
    let isGone = false;
    setColours({});
    void Promise.all([highlight(oldText, language), highlight(newText, language)]).then(([before, after]) => {
      if (!isGone) setColours({ old: before, new: after });
    });
    return () => {
      isGone = true;
    };
  }, [oldText, newText, language]);
  return colours;
}
