/** The top of the screen: session title and members. */
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { membersInOrder, type Transcript } from "../../../transcript/index.ts";
import { colourOf } from "../../panels/member-name.ts";
import type { Theme } from "../../theme/theme.ts";
import { memberStatus } from "./format.ts";
import { rowText } from "./chrome-rows.ts";

export interface HeaderFacts {
  readonly transcript: Transcript | undefined;
  /** Members of a session that does not exist yet. */
  readonly newMembers: readonly string[];
  /** Label of the session being opened; absent when none is. */
  readonly opening?: string | undefined;
  readonly theme: Theme;
}

const TITLE_COLUMNS_MIN = 12;

export function headerRows(facts: HeaderFacts, width: number): string[] {
  const { theme, transcript } = facts;
  const title = rowText(
    transcript?.head.title || (transcript === undefined ? facts.opening : undefined) || "New session",
  );
  const full = memberList(facts, "words");
  const roomFor = (list: string) => width - visibleWidth(list) - 3;
  // When narrow: drop the member states, then the members; the title is truncated last.
  const short = memberList(facts, "glyphs");
  const list = roomFor(full) >= visibleWidth(title) ? full : roomFor(short) >= TITLE_COLUMNS_MIN ? short : "";
  const room = list === "" ? width - 1 : roomFor(list);
  const shown = visibleWidth(title) > room ? truncateToWidth(title, Math.max(1, room), "…") : title;
  const gap = " ".repeat(Math.max(1, width - visibleWidth(shown) - visibleWidth(list) - 2));
  return [
    ` ${theme.decorate("bold", shown)}${list === "" ? "" : `${gap}${list}`}`,
    theme.paint("faint", "─".repeat(width)),
  ];
}

function memberList({ transcript, newMembers, theme }: HeaderFacts, detail: "words" | "glyphs"): string {
  if (transcript === undefined)
    return newMembers.map((name, slot) => theme.member(name, `○ ${name}`, `slot ${slot}`)).join("  ");
  return membersInOrder(transcript.head)
    .map((member) => {
      const { glyph, word } = memberStatus(member, transcript.head);
      const todo = glyph === "✗" ? " (/retry)" : "";
      const tail = detail === "words" && word !== "idle" ? ` ${word}${todo}` : "";
      const name = rowText(member.name);
      return (
        theme.member(name, theme.decorate("bold", `${glyph} ${name}`), colourOf(transcript.head, member.name)) +
        theme.paint("quiet", tail)
      );
    })
    .join("  ");
}
