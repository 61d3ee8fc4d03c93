/** Chooses, of everything found, what is shown with its lines, what is only named, and what is kept for "more". */
import type { QuestionKind } from "./question.ts";
import type { Place, RankedFile } from "./rank.ts";

export interface Choice {
  /** Shown with the lines around. */
  shown: readonly Place[];
  /** Named with path and line. */
  further: readonly Place[];
  /** In order, for the next "more". */
  left: readonly Place[];
}

const SHOWN_MAX = 4;
/** Where a list is the answer, two examples are enough. */
const LIST_SHOWN_MAX = 2;
const FURTHER_MAX = 8;
const USES_FURTHER_MAX = 20;
const PLACES_PER_FILE_MAX = 2;
const USES_PER_FILE_MAX = 6;
const LEFT_MAX = 200;
/** Places closer than this are one place. */
const APART_LINES = 12;
/** A place this much weaker than the best is named, not shown. */
const SHOWN_SHARE = 0.45;
const FURTHER_SHARE = 0.06;

export function choosePlaces(ranked: readonly RankedFile[], kind: QuestionKind): Choice {
  const isUses = kind === "uses";
  const perFile = isUses ? USES_PER_FILE_MAX : PLACES_PER_FILE_MAX;
  const isAnyWhole = ranked.some((file) => file.places.some((place) => place.isWhole));
  const places = ranked
    .flatMap((file) => {
      // A piece of a name is a hint only as long as the name itself is nowhere.
      const whole = file.places.filter((place) => place.isWhole || !isAnyWhole);
      return distinct(isUses ? whole.filter((place) => !place.isDefinition) : whole, isUses ? 1 : APART_LINES).slice(
        0,
        perFile,
      );
    })
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
  const best = places[0]?.score ?? 0;
  const strong = places.filter((place) => place.score >= best * SHOWN_SHARE);
  const defined = kind === "definition" ? strong.filter((place) => place.isDefinition) : strong;
  const shown = (defined.length > 0 ? defined : strong).slice(
    0,
    isUses || kind === "files" ? LIST_SHOWN_MAX : SHOWN_MAX,
  );
  const rest = places.filter((place) => !shown.includes(place));
  const further = rest
    .filter((place) => place.score >= best * FURTHER_SHARE)
    .slice(0, isUses ? USES_FURTHER_MAX : FURTHER_MAX);
  return { shown, further, left: rest.filter((place) => !further.includes(place)).slice(0, LEFT_MAX) };
}

export function nextPlaces(choice: Choice): Choice {
  const queue = [...choice.further, ...choice.left];
  return {
    shown: queue.slice(0, SHOWN_MAX),
    further: queue.slice(SHOWN_MAX, SHOWN_MAX + FURTHER_MAX),
    left: queue.slice(SHOWN_MAX + FURTHER_MAX),
  };
}

function distinct(places: readonly Place[], apart: number): Place[] {
  const kept: Place[] = [];
  for (const place of places) {
    if (!kept.some((other) => Math.abs(other.line - place.line) < apart)) kept.push(place);
  }
  return kept;
}
