/** Models a program offers to switch to, capped. */
import type { OfferedModel } from "../protocol/index.ts";
import type { AgentEvent } from "./port.ts";
import { withEllipsis } from "../kit/text/format.ts";

const MODELS_MAX = 200;
const ID_CHARS_MAX = 200;
const TEXT_CHARS_MAX = 200;

/** As reported; fields that are not text are ignored. */
export interface ReportedModel {
  readonly id: unknown;
  readonly name?: unknown;
  readonly description?: unknown;
}

/** No event when there are none. Models with an overlong id are skipped. */
export function offerModels(reported: readonly ReportedModel[]): Extract<AgentEvent, { type: "member_models" }>[] {
  const models = new Map<string, OfferedModel>();
  for (const { id, name, description } of reported) {
    if (models.size >= MODELS_MAX) break;
    if (typeof id !== "string" || id === "" || id.length > ID_CHARS_MAX || models.has(id)) continue;
    const isNamed = typeof name === "string" && name !== "" && name !== id;
    const isDescribed = typeof description === "string" && description !== "" && description !== name;
    models.set(id, {
      id,
      ...(isNamed ? { name: cut(name) } : {}),
      ...(isDescribed ? { description: cut(description) } : {}),
    });
  }
  return models.size === 0 ? [] : [{ type: "member_models", models: [...models.values()] }];
}

function cut(text: string): string {
  return withEllipsis(text, TEXT_CHARS_MAX);
}
