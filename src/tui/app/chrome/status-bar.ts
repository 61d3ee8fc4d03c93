/** The last row: usage on the left, location on the right. Narrow screens drop fields by rank. */
import { visibleWidth } from "@earendil-works/pi-tui";
import type { ConnectionState } from "../../../client/index.ts";
import { shortId } from "../../../kit/short-id.ts";
import {
  contextMeter,
  membersInOrder,
  formatModel,
  roundLine,
  type Head,
  type Transcript,
} from "../../../transcript/index.ts";
import type { Theme, Tone } from "../../theme/theme.ts";
import { shortCount, shortMoney } from "./format.ts";
import { rowText } from "./chrome-rows.ts";

export interface StatusFacts {
  readonly transcript: Transcript | undefined;
  readonly connection: ConnectionState;
  readonly hostLabel: string;
  /** Whether a session that does not exist yet would be writable. */
  readonly isNewWritable?: boolean;
  readonly theme: Theme;
}

interface Field {
  readonly text: string;
  /** Higher ranks are dropped first. */
  readonly rank: number;
  /** Dim by default. */
  readonly tone?: Tone;
}

const SEPARATOR = " · ";
/** Write access is dropped last and readable without colour. */
const WRITABLE: Field = { text: "✎ writable", rank: 0, tone: "ask" };

export function statusRow(facts: StatusFacts, width: number): string {
  const { transcript, connection, hostLabel, theme } = facts;
  const head = transcript?.head;
  const left = head === undefined ? [] : usageFields(head);
  const isWritable = head === undefined ? facts.isNewWritable === true : head.settings?.writable === true;
  const right = [...(isWritable ? [WRITABLE] : []), ...sessionFields(head), { text: hostLabel, rank: 9 }].filter(
    (field) => field.text !== "",
  );
  const connectionText = formatConnection(connection);
  if (connectionText !== "") return ` ${theme.paint("ask", connectionText)}`;
  const fields = fitting(left, right, width - 2);
  const [leftText, rightText] = [join(fields.left), join(fields.right)];
  const gap = " ".repeat(Math.max(0, width - 2 - visibleWidth(leftText) - visibleWidth(rightText)));
  const paint = (side: readonly Field[]) =>
    side.map(({ text, tone = "quiet" }) => theme.paint(tone, text)).join(theme.paint("quiet", SEPARATOR));
  return ` ${paint(fields.left)}${gap}${paint(fields.right)} `;
}

function formatConnection({ state, attempt, nextInMs, reason }: ConnectionState): string {
  if (state === "online") return "";
  const why = reason === "" ? "" : ` (${rowText(reason)})`;
  if (state === "reconnecting") return `⚠ offline${why} · trying again`;
  return `⚠ offline${why} · try ${attempt + 1} in ${Math.ceil(nextInMs / 1_000)} s · what you send is kept`;
}

function usageFields(head: Head): Field[] {
  const fullest = membersInOrder(head)
    .map((member) => contextMeter(head, member.name))
    .filter((meter) => meter !== undefined)
    .sort((a, b) => b.fraction - a.fraction)[0];
  const { totals } = head;
  return [
    {
      text:
        fullest === undefined
          ? ""
          : `ctx ${shortCount(fullest.used)}/${shortCount(fullest.window)} (${Math.round(fullest.fraction * 100)}%)`,
      rank: 1,
    },
    { text: totals.turns === 0 ? "" : `turn ${totals.turns}`, rank: 5 },
    ...roundFields(head),
    {
      text:
        totals.inputTokens + totals.outputTokens === 0
          ? ""
          : `↑${shortCount(totals.inputTokens)} ↓${shortCount(totals.outputTokens)}`,
      rank: 4,
    },
    { text: totals.costUsd === null || totals.costUsd === 0 ? "" : shortMoney(totals.costUsd), rank: 2 },
  ].filter((field) => field.text !== "");
}

/** "round 2 of 4", followed by who is next or the state of the discussion when there is room. */
function roundFields(head: Head): Field[] {
  const [round = "", ...rest] = rowText(roundLine(head)).split(" · ");
  return [
    { text: round, rank: 3 },
    { text: rest.join(" · "), rank: 4.5 },
  ];
}

function sessionFields(head: Head | undefined): Field[] {
  if (head === undefined) return [];
  const models = [...new Set(membersInOrder(head).map((member) => formatModel(member) ?? ""))];
  const onlyModel = models.length === 1 ? (models[0] ?? "") : "";
  return [
    ...Object.entries(head.ui.status).map(([, text]) => ({ text: rowText(text), rank: 6 })),
    { text: rowText(onlyModel), rank: 7 },
    { text: shortId(head.sessionId), rank: 8 },
    { text: rowText(head.settings?.mode ?? ""), rank: 10 },
  ];
}

function join(fields: readonly Field[]): string {
  return fields.map((field) => field.text).join(SEPARATOR);
}

function fitting(left: readonly Field[], right: readonly Field[], columns: number) {
  let shown = { left, right };
  for (;;) {
    const gap = shown.left.length > 0 && shown.right.length > 0 ? 2 : 0;
    const used = visibleWidth(join(shown.left)) + visibleWidth(join(shown.right)) + gap;
    const last = [...shown.left, ...shown.right].sort((a, b) => b.rank - a.rank)[0];
    if (used <= columns || last === undefined) return shown;
    const without = (fields: readonly Field[]) => fields.filter((field) => field !== last);
    shown = { left: without(shown.left), right: without(shown.right) };
  }
}
