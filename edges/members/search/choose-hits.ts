/** Selects which hits are shown with their lines, which are only listed, and which are left for "more". */
import type { QuestionKind } from "./question.ts";
import type { RankedHit, RankedFile } from "./rank.ts";

export interface Choice {
  /** Shown with context. */
  shown: readonly RankedHit[];
  /** Listed with path and line. */
  further: readonly RankedHit[];
  /** For the next "more", in order. */
  left: readonly RankedHit[];
}

const SHOWN_MAX = 4;
/** For a list, two examples are enough. */
const LIST_SHOWN_MAX = 2;
const FURTHER_MAX = 8;
const USES_FURTHER_MAX = 20;
const HITS_PER_FILE_MAX = 2;
const USES_PER_FILE_MAX = 6;
const LEFT_MAX = 200;
/** Closer places count as one. */
const APART_LINES = 12;
/** A hit this much weaker than the best is listed, not shown. */
const SHOWN_SHARE = 0.45;
const FURTHER_SHARE = 0.06;

export function chooseHits(ranked: readonly RankedFile[], kind: QuestionKind): Choice {
  const isUses = kind === "uses";
  const perFile = isUses ? USES_PER_FILE_MAX : HITS_PER_FILE_MAX;
  const isAnyWhole = ranked.some((file) => file.hits.some((hit) => hit.isWhole));
  const hits = ranked
    .flatMap((file) => {
      // Part of a name counts only if the name itself is nowhere.
      const whole = file.hits.filter((hit) => hit.isWhole || !isAnyWhole);
      return distinct(isUses ? whole.filter((hit) => !hit.isDefinition) : whole, isUses ? 1 : APART_LINES).slice(
        0,
        perFile,
      );
    })
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
  const best = hits[0]?.score ?? 0;
  const strong = hits.filter((hit) => hit.score >= best * SHOWN_SHARE);
  const defined = kind === "definition" ? strong.filter((hit) => hit.isDefinition) : strong;
  const shown = (defined.length > 0 ? defined : strong).slice(
    0,
    isUses || kind === "files" ? LIST_SHOWN_MAX : SHOWN_MAX,
  );
  const rest = hits.filter((hit) => !shown.includes(hit));
  const further = rest
    .filter((hit) => hit.score >= best * FURTHER_SHARE)
    .slice(0, isUses ? USES_FURTHER_MAX : FURTHER_MAX);
  return { shown, further, left: rest.filter((hit) => !further.includes(hit)).slice(0, LEFT_MAX) };
}

export function nextHits(choice: Choice): Choice {
  const queue = [...choice.further, ...choice.left];
  return {
    shown: queue.slice(0, SHOWN_MAX),
    further: queue.slice(SHOWN_MAX, SHOWN_MAX + FURTHER_MAX),
    left: queue.slice(SHOWN_MAX + FURTHER_MAX),
  };
}

function distinct(hits: readonly RankedHit[], apart: number): RankedHit[] {
  const result: RankedHit[] = [];
  for (const hit of hits) {
    if (!result.some((other) => Math.abs(other.line - hit.line) < apart)) result.push(hit);
  }
  return result;
}
