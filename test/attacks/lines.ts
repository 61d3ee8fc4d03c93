/** The lines of a template as they stand there, backslashes too; those before a backtick or `${` only let it stand there. */
export function lines(text: TemplateStringsArray): string[] {
  return String.raw(text)
    .replaceAll(/\\(?=`|\$\{)/g, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
