/** Who sits at the table: colour, glyph and name, what each does; each opens to what can be done with it. */
import {
  capMeters,
  membersInOrder,
  meterLine,
  roundLine,
  type Head,
  type MemberState,
} from "../../transcript/index.ts";
import { usePopover } from "../app/popover.ts";
import { useHead } from "../store/use-store.ts";
import { formatCost, formatTokens } from "../format/units.ts";
import { ContextBar } from "./context-bar.tsx";
import { MemberName } from "./member-name.tsx";
import { MemberFacts } from "./member-panel.tsx";
import { stateLabel } from "./state-label.ts";

export function MemberStrip() {
  const members = useHead((head) => head.members);
  const order = useHead((head) => head.settings);
  if (members === undefined) return null;
  const ordered = membersInOrder({ members, settings: order } as Head);
  return (
    <div className="member-strip">
      <ul className="members" aria-label="Members">
        {ordered.map((member) => (
          <li key={member.name} data-state={member.state} data-muted={member.muted}>
            <MemberChip member={member} />
          </li>
        ))}
      </ul>
      <CouncilFacts />
    </div>
  );
}

function MemberChip({ member }: { member: MemberState }) {
  const { button, popped, isOpen, close, props } = usePopover<HTMLElement>((panel) => panel.focus());
  return (
    <>
      <button ref={button} type="button" className="member-chip" aria-expanded={isOpen}>
        <MemberName name={member.name} />
        <MemberFact member={member} />
        <ContextBar member={member} />
      </button>
      <section ref={popped} tabIndex={-1} className="member-panel" aria-label={`About ${member.name}`} {...props}>
        {isOpen ? <MemberFacts member={member} onClose={close} /> : null}
      </section>
    </>
  );
}

function MemberFact({ member }: { member: MemberState }) {
  const word = stateLabel(member);
  return word === "" ? null : <span className="fact">{word}</span>;
}

/** What the discussion has used of what it may, while it runs or pauses: its turns, and whatever it has used half of. */
function formatSpent(head: Head): string {
  const { state } = head.council;
  if (state !== "running" && state !== "paused") return "";
  if (head.round === undefined || head.round.of === 1) return "";
  return capMeters(head)
    .filter(({ scope, limit, used, max }) => scope === "message" && (limit === "turns" || used >= max / 2))
    .map(meterLine)
    .join(" · ");
}

function CouncilFacts() {
  const round = useHead(roundLine) ?? "";
  const meters = useHead(formatSpent) ?? "";
  const totals = useHead((head) => head.totals);
  const tokens = totals === undefined ? 0 : totals.inputTokens + totals.outputTokens;
  const parts = [
    round,
    meters,
    ...(tokens > 0 ? [`${formatTokens(tokens)} tokens`] : []),
    ...(totals === undefined || totals.costUsd === null || totals.costUsd === 0 ? [] : [formatCost(totals.costUsd)]),
  ].filter((one) => one !== "");
  return parts.length === 0 ? null : <p className="fact table-facts">{parts.join(" · ")}</p>;
}
