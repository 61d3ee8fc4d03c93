/** The status line: directory and branch, context left, mode and sandbox, money. What matters least goes first. */
import { visibleWidth } from "@earendil-works/pi-tui";
import {
  capMeters,
  contextMeter,
  formatMoney,
  type Head,
  isRunning,
  type MemberState,
  membersInOrder,
  openCostUsd,
  type Transcript,
  type TurnMessage,
} from "../../../transcript/index.ts";
import { colourOf, type PlannedMember, plannedColourOf } from "../../panels/member-name.ts";
import type { Theme } from "../../theme/theme.ts";
import type { DirectoryState } from "../options.ts";
import { rowText } from "./chrome-rows.ts";

export interface StatusFacts {
  readonly transcript: Transcript | undefined;
  readonly theme: Theme;
  readonly directory?: DirectoryState | undefined;
  /** Members of a session that does not exist yet. */
  readonly newMembers: readonly PlannedMember[];
  /** Whether a session that does not exist yet would be writable; undefined until that is known. */
  readonly isNewWritable?: boolean | undefined;
  /** Every member of it is expected to run in a sandbox. */
  readonly isNewSandboxed?: boolean | undefined;
  /** False while the connection is lost. */
  readonly isConnected?: boolean | undefined;
  /** "message 3 of 9" while scrolled up. */
  readonly position?: string | undefined;
  /** The turn that has the focus. */
  readonly focused?: TurnMessage | undefined;
}

/** Less context than this is shown in amber, and always. */
export const CONTEXT_MIN = 0.15;
/** From this share of the budget on, money is shown in amber, and always. */
const MONEY_MAX = 0.8;

/** Narrower screens need every column. */
const COLUMNS_WITH_MARGIN = 50;

export function statusRow(facts: StatusFacts, width: number): string {
  const { theme } = facts;
  const divider = theme.paint("faint", ` ${theme.glyph("divider")} `);
  const forms = statusForms(facts).map(([left, right]) => [
    left.filter((text) => text !== "").join(divider),
    right.filter((text) => text !== "").join(divider),
  ]);
  const margin = width < COLUMNS_WITH_MARGIN ? 0 : 1;
  const room = width - 2 * margin;
  const fits = ([left = "", right = ""]: readonly string[]) => visibleWidth(left) + visibleWidth(right) < room;
  const [left = "", right = ""] = forms.find(fits) ?? forms.at(-1) ?? [];
  const gap = " ".repeat(Math.max(1, room - visibleWidth(left) - visibleWidth(right)));
  return " ".repeat(margin) + left + gap + right;
}

type Form = readonly [left: readonly string[], right: readonly string[]];

/** From the longest form to the shortest. */
function statusForms(facts: StatusFacts): Form[] {
  const { theme, transcript, position, isConnected = true } = facts;
  const head = transcript?.head;
  const [long, short] = directoryForms(facts);
  const members = memberForms(facts);
  const [mode, bareMode] = modeForms(facts);
  // All else may have changed meanwhile.
  if (!isConnected) return [long, short, ""].map((directory): Form => [[directory], [bareMode]]);
  const [money, bareMoney, isMoneyShort] = head === undefined ? ["", "", false] : moneyForms(head, theme);
  const low = head === undefined ? "" : lowContexts(head, theme);
  const both = (mode: string, money: string) =>
    [mode, money].filter((text) => text !== "").join(theme.paint("faint", ` ${theme.glyph("dot")} `));
  const focused = head === undefined ? undefined : focusedForms(head, facts);
  const middle = focused ?? (position === undefined ? members : [theme.paint("quiet", position)]);
  const statuses = Object.values(head?.ui.status ?? {}).map((text) => theme.paint("quiet", rowText(text)));
  return [
    [
      [long, middle[0] ?? "", ...statuses],
      [mode, money],
    ],
    ...middle.map((text): Form => [
      [long, text],
      [mode, money],
    ]),
    ...middle.map((text): Form => [
      [short, text],
      [mode, money],
    ]),
    [
      [short, low],
      [mode, money],
    ],
    [[short, low], [both(bareMode, money)]],
    [[short, low], [both(bareMode, bareMoney)]],
    [[low], [both(bareMode, bareMoney)]],
    [[low], [both(bareMode, isMoneyShort ? bareMoney : "")]],
  ];
}

function directoryForms({ directory, theme }: StatusFacts): readonly [string, string] {
  if (directory === undefined) return ["", ""];
  const branch =
    directory.branch === undefined
      ? ""
      : ` ${theme.paint("quiet", "on")} ${rowText(directory.branch)}${directory.isDirty === true ? theme.glyph("dirty") : ""}`;
  const path = rowText(directory.path);
  return [`${path}${branch}`, `${path.split("/").at(-1) || path}${branch}`];
}

function memberForms({ transcript, newMembers, theme }: StatusFacts): string[] {
  if (transcript === undefined) {
    const named = newMembers.map(({ name }) => theme.member(name, rowText(name), plannedColourOf(newMembers, name)));
    return [named.join("  ")];
  }
  const { head } = transcript;
  const members = membersInOrder(head);
  const lefts = members.flatMap((member) => {
    const meter = contextMeter(head, member.name);
    return meter === undefined ? [] : [{ member, left: 1 - meter.fraction }];
  });
  const name = (one: string) => theme.member(one, rowText(one), colourOf(head, one));
  if (lefts.length === 0) {
    const withModel = (member: MemberState) => {
      const model = rowText(modelOf(member));
      return model === "" || model === member.name
        ? name(member.name)
        : `${name(member.name)} ${theme.paint("quiet", model)}`;
    };
    const lists = [members.map(withModel), members.map((member) => name(member.name))];
    return isRunning(head) ? [""] : lists.map((list) => list.join("  "));
  }
  const percent = (left: number) => String(Math.round(left * 100));
  const named = (hasModels: boolean) =>
    lefts
      .map(({ member, left }) => {
        const model = hasModels ? rowText(modelOf(member)) : "";
        const text = left < CONTEXT_MIN ? `${percent(left)}% left` : `${percent(left)}%`;
        const facts = theme.paint("quiet", model === "" ? " " : ` ${model} `);
        return `${name(member.name)}${facts}${theme.paint(left < CONTEXT_MIN ? "ask" : "quiet", text)}`;
      })
      .join("  ");
  const figures = lefts.map(({ member, left }) =>
    left < CONTEXT_MIN
      ? theme.paint("ask", percent(left))
      : theme.member(member.name, percent(left), colourOf(head, member.name)),
  );
  const compact = (label: string) => `${theme.paint("quiet", label)} ${figures.join(" ")}${theme.paint("quiet", "%")}`;
  const compacts = [compact("context left"), compact("left")];
  return isRunning(head) ? compacts : [named(true), named(false), ...compacts];
}

/** "codex gpt-5.6 · medium · 88% context left · $0.14", for the member whose turn has the focus. */
function focusedForms(head: Head, { focused, theme }: StatusFacts): string[] | undefined {
  const member = focused === undefined ? undefined : head.members[focused.member];
  if (focused === undefined || member === undefined) return undefined;
  const quiet = (text: string) => theme.paint("quiet", text);
  const meter = contextMeter(head, member.name);
  const cost = focused.usage?.costUsd ?? 0;
  const left = meter === undefined ? "" : quiet(`${Math.round((1 - meter.fraction) * 100)}% context left`);
  const facts = [
    quiet(
      rowText(
        [modelOf(member), member.effort ?? member.spec.effort ?? ""].filter(Boolean).join(` ${theme.glyph("dot")} `),
      ),
    ),
    left,
    cost > 0 ? quiet(formatMoney(cost)) : "",
  ].filter((text) => text !== "");
  const bold = theme.decorate("bold", rowText(member.name));
  const name = theme.member(member.name, bold, colourOf(head, member.name));
  return [`${name} ${facts.join(quiet(` ${theme.glyph("dot")} `))}`, `${name} ${left}`.trimEnd()];
}

/** The member's name says what the model's would repeat: gemini, 3-pro. */
function modelOf({ name, model, spec }: MemberState): string {
  const whole = model ?? spec.model ?? "";
  return whole.startsWith(`${name}-`) ? whole.slice(name.length + 1) : whole;
}

/** Never dropped. */
function lowContexts(head: Head, theme: Theme): string {
  return membersInOrder(head)
    .flatMap((member) => {
      const meter = contextMeter(head, member.name);
      if (meter === undefined || 1 - meter.fraction >= CONTEXT_MIN) return [];
      const name = theme.member(member.name, rowText(member.name), colourOf(head, member.name));
      return [`${name} ${theme.paint("ask", `${Math.round((1 - meter.fraction) * 100)}% left`)}`];
    })
    .join("  ");
}

function modeForms({ transcript, isNewWritable, isNewSandboxed, theme }: StatusFacts): readonly [string, string] {
  const head = transcript?.head;
  const isWritable = head === undefined ? isNewWritable : head.settings?.writable === true;
  if (isWritable === undefined) return ["", ""];
  const mode = isWritable ? "can edit" : "read-only";
  const kinds = head === undefined ? [] : membersInOrder(head).flatMap(({ guard }) => guard?.kind ?? []);
  const dot = theme.paint("quiet", theme.glyph("dot"));
  if (kinds.includes("unguarded")) {
    const text = `${isWritable ? theme.decorate("bold", mode) : mode} ${dot} ${theme.paint("ask", "no sandbox")}`;
    return [text, text];
  }
  const isSandboxed =
    head === undefined ? isNewSandboxed === true : kinds.length > 0 && kinds.every((kind) => kind === "sandbox");
  return [isSandboxed ? `${mode} ${dot} ${theme.paint("quiet", "sandboxed")}` : mode, mode];
}

/** Most of the budget is spent. */
export function isMoneyShort(head: Head): boolean {
  const { spent, max } = budgetOf(head);
  return max !== undefined && spent >= max * MONEY_MAX;
}

function budgetOf(head: Head): { readonly spent: number; readonly max: number | undefined } {
  const meter = capMeters(head).find(({ scope, limit }) => scope === "session" && limit === "usd");
  const max = meter !== undefined && Number.isFinite(meter.max) && meter.max > 0 ? meter.max : undefined;
  return { spent: (head.totals.costUsd ?? 0) + openCostUsd(head), max };
}

function moneyForms(head: Head, theme: Theme): readonly [string, string, boolean] {
  const { spent, max } = budgetOf(head);
  if (spent <= 0) return ["", "", false];
  const text = formatMoney(spent);
  if (max === undefined) return [text, text, false];
  const of = `of ${formatMoney(max)}`;
  if (!isMoneyShort(head)) return [`${text} ${theme.paint("quiet", of)}`, text, false];
  return [theme.paint("ask", `${text} ${of}`), theme.paint("ask", text), true];
}
