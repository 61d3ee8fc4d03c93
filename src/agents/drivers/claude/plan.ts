/** The program's plan, which it wants to leave plan mode with: a choice of its own, not an approval of a call. */
import type { UiRequestBody } from "../../../protocol/index.ts";
import type { AnswerResult } from "../../port.ts";
import type { Fields } from "../../record-fields.ts";
import { deny } from "./permissions.ts";

export const PLAN_TOOL = "ExitPlanMode";

const BEGIN = "begin";

/** The plan itself is shown as the call's argument. Its edits and commands are asked about one by one all the same. */
export function planRequest(): Extract<UiRequestBody, { method: "select" }> {
  return {
    method: "select",
    title: "Follow this plan?",
    options: [
      { label: "Leave plan mode and begin", value: BEGIN },
      { label: "Keep planning", value: "plan" },
    ],
  };
}

export function planAnswer(input: Fields, { result, error, reason = "" }: AnswerResult): Fields {
  if (error === null && result === BEGIN) return { behavior: "allow", updatedInput: input };
  return deny(
    reason === "" ? "The user wants you to keep planning." : `The user wants you to keep planning: ${reason}`,
  );
}
