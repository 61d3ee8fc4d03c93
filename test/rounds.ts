/** How many rounds a test goes, or how much it takes on: little in `npm test`, much in `npm run torture`. */
export function rounds(few: number, many: number): number {
  return process.env["TORTURE"] === undefined ? few : many;
}
