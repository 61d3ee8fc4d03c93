/**
 * Choices of a request, each with its keys. Choices of an approval have the same keys for every agent, also when one of
 * them is missing: 4 always denies.
 */
import { FOR_ALWAYS, FOR_SESSION, isDenial, onceValue, type Json, type UiRequestBody } from "../../protocol/index.ts";

export interface RequestChoice {
  readonly label: string;
  /** For narrow screens. */
  readonly short?: string;
  readonly description?: string;
  readonly answer: Json;
  /** A digit, and a letter if it has one; empty without a key. */
  readonly keys: readonly string[];
  /** The user is asked for a reason first. */
  readonly takesReason?: true;
}

type Approval = Extract<UiRequestBody, { method: "approval" }>;
type Option = Approval["options"][number];

export function choicesOf(request: UiRequestBody): RequestChoice[] {
  switch (request.method) {
    case "select":
      return numbered(request.options, 1);
    case "approval":
      return approvalChoices(request);
    case "confirm":
      return [
        { label: "Yes", answer: true, keys: ["1", "y"] },
        { label: "No", answer: false, keys: ["2", "n"] },
      ];
    default:
      return [];
  }
}

/** The choice of a key; letters match in either case. */
export function choiceByKey(choices: readonly RequestChoice[], key: string | undefined): RequestChoice | undefined {
  const wanted = key?.toLowerCase();
  return wanted === undefined ? undefined : choices.find(({ keys }) => keys.includes(wanted));
}

export function choiceOf({ label, value, description }: Option): Omit<RequestChoice, "keys"> {
  const hasDescription = description !== undefined && description !== "" && !ACP_KINDS.has(description);
  return { label, answer: value, ...(hasDescription ? { description } : {}) };
}

/** Kinds by which ACP agents mark a choice; not shown to people. */
const ACP_KINDS: ReadonlySet<string> = new Set(["allow_once", "allow_always", "reject_once", "reject_always"]);

function approvalChoices(request: Approval): RequestChoice[] {
  const { options } = request;
  const once = options.find(({ value }) => value === onceValue(request));
  const [session, always] = [FOR_SESSION, FOR_ALWAYS].map((wanted) => options.find(({ value }) => value === wanted));
  const denials = options.filter(({ value }) => isDenial(request, value));
  const deny = denials[0]?.value ?? false;
  const own = new Set([once, session, always, ...denials]);
  // From a log or a server of an earlier version.
  const others = options.filter((option) => !own.has(option));
  return [
    ...(once === undefined ? [] : [{ label: "Allow once", answer: once.value, keys: ["1", "y"] }]),
    ...(session === undefined
      ? []
      : [{ label: session.label, short: "For this session", answer: FOR_SESSION, keys: ["2", "s"] }]),
    ...(always === undefined
      ? []
      : [{ label: always.label, short: "Always in this folder", answer: FOR_ALWAYS, keys: ["3", "a"] }]),
    { label: "Deny", answer: deny, keys: ["4", "n"] },
    { label: "Deny and say why …", answer: deny, keys: ["5", "w"], takesReason: true },
    ...numbered(others, 6),
  ];
}

function numbered(options: readonly Option[], from: number): RequestChoice[] {
  return options.map((option, at) => {
    const key = from + at;
    return Object.assign(choiceOf(option), { keys: key <= 9 ? [String(key)] : [] });
  });
}
