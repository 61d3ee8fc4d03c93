/** What is said when a member has got another model: a turn that runs ends with the one it began with. */
import type { MemberState } from "../../transcript/index.ts";

export function formatModelSwitch({ name, state }: MemberState, model: string): string {
  if (state === "running") return `${name} uses ${model} from its next turn on; the running one ends as it began.`;
  return `${name} now uses ${model}.`;
}
