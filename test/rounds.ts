/** How many rounds a test goes, or how much it takes on: little in `npm test`, much in `npm run torture`. */
export function rounds<T = number>(few: T, many: T): T {
  return process.env["TORTURE"] === undefined ? few : many;
}
