/** How far the discussion has come: "round 2 of 3 · codex is next". */
import { membersInOrder, type Head } from "../../transcript/index.ts";

export function roundWords(head: Head): string {
  const { round, council } = head;
  if (round === undefined || council.state === "settled" || council.state === "idle") return "";
  const { number, of } = round;
  if (number === 1 && of === 1) return "";
  const open = membersInOrder(head).filter(({ muted, name }) => !muted && !round.settled.includes(name));
  const whose =
    round.running.length > 0
      ? `${round.running.join(", ")} ${round.running.length > 1 ? "speak" : "speaks"}`
      : open.length === 0
        ? ""
        : `${open[0]?.name} is next`;
  return [`round ${number} of ${of}`, whose].filter((one) => one !== "").join(" · ");
}
