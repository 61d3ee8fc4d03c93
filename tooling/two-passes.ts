/**
 * The tests of whole programs wait for processes, disks and screens, and a machine that stands still for seconds breaks one
 * of five thousand such waits. So files that failed are run once more, each alone; who needed that is named either way.
 */

export interface Pass {
  readonly isOk: boolean;
  /** Undefined when it failed for another reason than its files. */
  readonly failed: readonly string[] | undefined;
}

/** Without files it runs all of them. */
export type RunTests = (...files: string[]) => Promise<Pass>;

/** More of them are not the machine's fault. */
const AGAIN_MAX = 3;

export async function runTwoPasses(run: RunTests, say: (line: string) => void): Promise<boolean> {
  const { isOk, failed = [] } = await run();
  if (isOk || failed.length === 0) return isOk;
  if (failed.length > AGAIN_MAX) {
    say(`${failed.length} files failed, too many to try them again:`);
    for (const file of failed) say(`  ${file}`);
    return false;
  }
  const again: { readonly file: string; readonly isOk: boolean }[] = [];
  for (const file of failed) again.push({ file, isOk: (await run(file)).isOk });
  say(`${failed.length === 1 ? "One file" : `${failed.length} files`} failed at first and ran again, alone:`);
  for (const one of again) say(`  ${one.file} ${one.isOk ? "passed" : "FAILED again"}`);
  return again.every((one) => one.isOk);
}
