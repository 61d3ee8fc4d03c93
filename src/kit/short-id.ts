/**
 * The part of an id that a person sees and types: its end, since ids of one day begin alike. Commands take it, in any
 * letters.
 */
const LENGTH_MIN = 6;

export function shortId(id: string, length = LENGTH_MIN): string {
  return id.slice(-length).toLowerCase();
}

/** As short as tells all of them apart. */
export function shortIdLength(ids: readonly string[]): number {
  const sorted = ids.map((id) => Array.from(id).toReversed().join("")).toSorted();
  let length = LENGTH_MIN;
  for (let at = 1; at < sorted.length; at += 1) {
    const [one = "", other = ""] = [sorted[at - 1], sorted[at]];
    let same = 0;
    while (same < one.length && one[same] === other[same]) same += 1;
    // The same id twice cannot be told apart by any length.
    if (one !== other) length = Math.max(length, same + 1);
  }
  return length;
}
