/** Where members contradict each other, by what they said. Pure; the files decide elsewhere. */
import { inlineCode, listed, reference } from "../markdown.ts";
import type { Claims } from "./claims.ts";
import { boldName } from "./member-name.ts";
import { withEllipsis } from "../../../src/kit/text/format.ts";

const SENTENCE_CHARS_MAX = 160;

export function findDisagreements(all: readonly Claims[]): string[] {
  return [...stances(all), ...definitions(all), ...disputes(all)];
}

function stances(all: readonly Claims[]): string[] {
  const sides = (["yes", "no"] as const).flatMap((stance) => {
    const names = all.filter((one) => one.stance === stance).map((one) => boldName(one.by));
    return names.length === 0 ? [] : [`${listed(names)} ${names.length === 1 ? "says" : "say"} ${stance}`];
  });
  return sides.length < 2 ? [] : [`${sides.join(", ")}.`];
}

/** The same name in two files: one of them is meant, or there are two. */
function definitions(all: readonly Claims[]): string[] {
  const statements = all.flatMap(({ by, locations }) =>
    locations.flatMap(({ defines, reference: { path, line } }) =>
      defines === null ? [] : [{ by, name: defines, path, line }],
    ),
  );
  return [...Map.groupBy(statements, (one) => one.name)].flatMap(([name, claims]) => {
    const paths = Map.groupBy(claims, (one) => baseName(one.path));
    const speakers = new Set(claims.map((one) => one.by));
    if (paths.size < 2 || speakers.size < 2) return [];
    const sides = [...paths.values()].flatMap(([first]) =>
      first === undefined ? [] : [`${boldName(first.by)} says ${reference(first.path, first.line ?? undefined)}`],
    );
    return [`Where ${inlineCode(name)} is defined: ${listed(sides)}.`];
  });
}

function disputes(all: readonly Claims[]): string[] {
  return all.flatMap(({ by, disputes: own }) =>
    own.map((dispute) => `${boldName(by)} contradicts ${boldName(dispute.with)}: ${inlineCode(cut(dispute.sentence))}`),
  );
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).toLowerCase();
}

function cut(text: string): string {
  return withEllipsis(text, SENTENCE_CHARS_MAX);
}
