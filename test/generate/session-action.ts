/** One thing that can happen in a generated session. */
import type { Pick, Scene, SceneTurn } from "./session-scene.ts";

export interface Action {
  weight: number;
  when?: (scene: Scene) => boolean;
  run: (scene: Scene, pick: Pick) => void;
}

export const anyOpen = (scene: Scene) => scene.open.size > 0;
export const noneOpen = (scene: Scene) => scene.open.size === 0;
export const oneOf = <T>(values: readonly T[], pick: Pick): T => values[pick(values.length)] as T;

/** Something that happens inside an open turn. */
export function inTurn(weight: number, run: (scene: Scene, turn: SceneTurn, pick: Pick) => void): Action {
  return { weight, when: anyOpen, run: (scene, pick) => run(scene, oneOf([...scene.open.values()], pick), pick) };
}

/** Something that happens beside the turns, whatever runs. */
export function beside(weight: number, run: (scene: Scene, pick: Pick) => void): Action {
  return { weight, run };
}
