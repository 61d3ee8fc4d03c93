/** The four overlays, their fields, and validation of their answers. */
import type { Json } from "../../../src/protocol/index.ts";

export interface Option {
  readonly label: string;
  readonly value: string;
  readonly description: string | null;
}

export type Overlay =
  | { readonly method: "select"; readonly params: { title: string; options: readonly Option[]; opts: Opts } }
  | { readonly method: "confirm"; readonly params: { title: string; message: string; opts: Opts } }
  | { readonly method: "input"; readonly params: { title: string; placeholder: string | null; opts: Opts } }
  | { readonly method: "editor"; readonly params: { title: string; prefill: string | null; opts: Opts } };

export type Opts = Readonly<Record<string, Json>>;

/** After an answer: the final result, the next overlay, or why the answer is invalid. */
export type Step =
  | { readonly result: Json }
  | { readonly overlay: Overlay; readonly number: number }
  | { readonly problem: string };

export interface Dialogue {
  readonly first: Overlay;
  submit(shown: Overlay, answer: Json): Step;
}

/** Why an answer is invalid; undefined when it is valid. */
export function problemWith(overlay: Overlay, answer: Json): string | undefined {
  if (overlay.method === "confirm") {
    return typeof answer === "boolean" ? undefined : "the answer to a confirmation must be true or false";
  }
  if (typeof answer !== "string") return "the answer must be text, or null to cancel";
  if (overlay.method !== "select") return undefined;
  const values = overlay.params.options.map((option) => option.value);
  return values.includes(answer) ? undefined : `the answer must be one of ${values.join(", ")}, or null to cancel`;
}

export function toOption({
  label,
  value,
  description,
}: {
  label: string;
  value: string;
  description?: string | undefined;
}): Option {
  return { label, value, description: description ?? null };
}
