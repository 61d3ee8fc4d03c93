/** What the program of a failed turn printed last. */
import { failureDetail, type TurnMessage } from "../../../transcript/index.ts";
import { inPlainSight } from "../../format/plain-sight.ts";

export function FailureDetail({ turn }: { turn: TurnMessage }) {
  const lines = failureDetail(turn);
  return lines.length === 0 ? null : <code className="printed">{inPlainSight(lines.join("\n"))}</code>;
}
