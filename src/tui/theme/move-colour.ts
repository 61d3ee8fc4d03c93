/** Moves a colour that a user chose until it can be read and is taken for nothing else. */
import { distance, type Rgb, worstContrast } from "./colour.ts";

export interface ColourLimits {
  readonly backgrounds: readonly Rgb[];
  readonly contrastMin: number;
  /** You, quiet text and outcomes. */
  readonly reserved: readonly Rgb[];
  readonly reservedDistanceMin: number;
  /** Other members. */
  readonly others: readonly Rgb[];
  readonly othersDistanceMin: number;
}

function keepsLimits(colour: Rgb, limits: ColourLimits): boolean {
  const { backgrounds, contrastMin, reserved, reservedDistanceMin, others, othersDistanceMin } = limits;
  return (
    worstContrast(colour, backgrounds) >= contrastMin &&
    reserved.every((one) => distance(colour, one) >= reservedDistanceMin) &&
    others.every((one) => distance(colour, one) >= othersDistanceMin)
  );
}

/** The wanted one if it keeps the limits, else the nearest candidate that does; undefined when none does. */
export function moveColour(wanted: Rgb, limits: ColourLimits, candidates: readonly Rgb[] = GRID): Rgb | undefined {
  if (candidates === GRID && keepsLimits(wanted, limits)) return wanted;
  const byDistance = candidates.map((colour) => ({ colour, away: distance(colour, wanted) }));
  byDistance.sort((a, b) => a.away - b.away);
  return byDistance.find(({ colour }) => keepsLimits(colour, limits))?.colour;
}

const STEPS = 16;

/** Enough colours that one near the wanted one remains. */
const GRID: readonly Rgb[] = Array.from({ length: STEPS ** 3 }, (_, at) => {
  const level = (step: number) => Math.round(((Math.floor(step) % STEPS) * 255) / (STEPS - 1));
  return { r: level(at / STEPS ** 2), g: level(at / STEPS), b: level(at) };
});
